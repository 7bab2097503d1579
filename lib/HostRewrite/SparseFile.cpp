//===- SparseFile.cpp - copies that keep a sparse file's holes ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes of a rewritten file have moved, so SparseStream finds its holes by
// searching for zeros. A copy has the holes that the system reports for the
// original, which are not read.
//
//===----------------------------------------------------------------------===//
#include "SparseFile.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"

#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace llvm;

namespace kpack::hostrewrite {

/// The block size of current file systems, or a multiple of it.
static constexpr size_t BlockSize = 4096;
static constexpr size_t BufferSize = 64 * BlockSize;

bool isSparse(int File) {
  struct stat Info;
  constexpr uint64_t Unit = 512; // of st_blocks, whatever the blocks are
  return ::fstat(File, &Info) == 0 && S_ISREG(Info.st_mode) &&
         uint64_t(Info.st_blocks) * Unit < uint64_t(Info.st_size);
}

//===----------------------------------------------------------------------===//
// SparseStream
//===----------------------------------------------------------------------===//

size_t SparseStream::preferred_buffer_size() const { return BufferSize; }

static bool isHole(StringRef Block) {
  return Block.size() == BlockSize &&
         Block.find_first_not_of('\0') == StringRef::npos;
}

void SparseStream::write_impl(const char *Bytes, size_t Size) {
  StringRef Rest(Bytes, Size);
  while (!Rest.empty()) {
    StringRef Block = Rest.take_front(BlockSize - Position % BlockSize);
    Rest = Rest.drop_front(Block.size());
    if (!isHole(Block)) {
      if (To.tell() != Position)
        To.seek(Position);
      To << Block;
    }
    Position += Block.size();
  }
}

void SparseStream::pwrite_impl(const char *Bytes, size_t Size,
                               uint64_t Offset) {
  flush(); // the bytes to replace may still be in the buffer
  To.pwrite(Bytes, Size, Offset);
}

void SparseStream::skip(uint64_t Bytes) {
  flush();
  Position += Bytes;
}

void SparseStream::finish() {
  flush();
  if (To.tell() == Position)
    return;
  To.seek(Position - 1);
  To << '\0';
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Copies [Begin, End) of the file, less if it shrank meanwhile.
static std::error_code copyData(int File, uint64_t Begin, uint64_t End,
                                raw_ostream &Output) {
  std::vector<char> Buffer(BufferSize);
  while (Begin < End) {
    size_t Most = std::min<uint64_t>(Buffer.size(), End - Begin);
    ssize_t Size = ::pread(File, Buffer.data(), Most, off_t(Begin));
    if (Size < 0 && errno == EINTR)
      continue;
    if (Size < 0)
      return errnoAsErrorCode();
    if (Size == 0)
      return std::make_error_code(std::errc::io_error);
    Output.write(Buffer.data(), size_t(Size));
    Begin += uint64_t(Size);
  }
  return {};
}

static std::error_code copyExtents(int File, uint64_t Size,
                                   SparseStream &Output) {
  for (uint64_t Offset = 0; Offset < Size;) {
    // There is no more data, or the system does not support SEEK_DATA.
    off_t Data = ::lseek(File, off_t(Offset), SEEK_DATA);
    if (Data < 0 && errno != ENXIO)
      Data = off_t(Offset);
    uint64_t Begin = Data < 0 ? Size : std::min(uint64_t(Data), Size);
    off_t Hole = Data < 0 ? -1 : ::lseek(File, Data, SEEK_HOLE);
    uint64_t End = Hole < 0 ? Size : std::min(uint64_t(Hole), Size);
    Output.skip(Begin - Offset);
    if (std::error_code EC = copyData(File, Begin, End, Output))
      return EC;
    Offset = End;
  }
  return {};
}

static std::error_code copySparse(int Source, uint64_t Size, int Target) {
  raw_fd_ostream OS(Target, /*shouldClose=*/false);
  SparseStream Sparse(OS);
  std::error_code EC = copyExtents(Source, Size, Sparse);
  Sparse.finish();
  OS.flush();
  if (!EC)
    EC = OS.error();
  OS.clear_error();
  return EC;
}

std::error_code copyBytes(int Source, int Target) {
  struct stat Info;
  if (::fstat(Source, &Info) != 0)
    return errnoAsErrorCode();
  uint64_t Size = uint64_t(Info.st_size), Done = 0;
  if (isSparse(Source))
    return copySparse(Source, Size, Target);
  // Let the kernel copy: some file systems can share blocks or copy remotely.
  for (off_t In = 0, Out = 0; Done < Size; Done = uint64_t(In))
    if (::copy_file_range(Source, &In, Target, &Out, Size - Done, 0) <= 0)
      break;
  raw_fd_ostream OS(Target, /*shouldClose=*/false);
  OS.seek(Done);
  std::error_code EC = copyData(Source, Done, Size, OS);
  OS.flush();
  if (!EC)
    EC = OS.error();
  OS.clear_error();
  return EC;
}

} // namespace kpack::hostrewrite
