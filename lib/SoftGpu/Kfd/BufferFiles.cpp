//===- BufferFiles.cpp - memory files that buffers share ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BufferFiles.h.
//
//===----------------------------------------------------------------------===//
#include "BufferFiles.h"

#include "Support/FileSizeGuard.h"
#include "Support/SealedFile.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <unistd.h>

using namespace kpack;
using namespace kpack::softgpu;

UniqueFd kpack::softgpu::moveUp(UniqueFd Fd) {
  constexpr int High = 4096;
  UniqueFd Moved(::fcntl(Fd.get(), F_DUPFD_CLOEXEC, High));
  return Moved ? std::move(Moved) : std::move(Fd);
}

static bool resize(int Fd, uint64_t Size) {
  FileSizeGuard Guard;
  return ::ftruncate(Fd, off_t(Size)) == 0;
}

BufferFile kpack::softgpu::makeBufferFile(BufferKind Kind, uint64_t Size) {
  UniqueFd Memory =
      moveUp(memoryFile("softgpu buffer " + std::to_string(Kind.first) + " " +
                        std::to_string(Kind.second)));
  BufferFile File;
  if (Memory && resize(Memory.get(), Size))
    File.Fd = std::make_shared<const UniqueFd>(std::move(Memory));
  return File;
}

BufferFile kpack::softgpu::copyBufferFile(BufferKind Kind,
                                          const BufferFile &Old,
                                          uint64_t Size) {
  BufferFile New = makeBufferFile(Kind, Size);
  char Piece[4096];
  for (uint64_t At = 0; New && At != Size;) {
    size_t Wanted = std::min<uint64_t>(Size - At, sizeof(Piece));
    ssize_t Got = ::pread(Old.get(), Piece, Wanted, off_t(Old.Offset + At));
    if (Got > 0)
      Got = ::pwrite(New.get(), Piece, size_t(Got), off_t(At));
    if (Got <= 0)
      return BufferFile();
    At += uint64_t(Got);
  }
  return New;
}

void kpack::softgpu::giveBack(const BufferFile &File, uint64_t Size) {
  ::fallocate(File.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              off_t(File.Offset), off_t(Size));
}

BufferFile CommonFiles::append(File &F, uint64_t Size) {
  BufferFile Part{F.Fd, F.Size, /*IsCommon=*/true};
  if (!Part || !resize(Part.get(), F.Size + Size))
    return BufferFile();
  F.Size += Size;
  ++F.Buffers;
  return Part;
}

BufferFile CommonFiles::add(BufferKind Kind, uint64_t Size) {
  constexpr unsigned MostBuffers = 64;
  File &F = Open[Kind];
  if (F.Fd && F.Buffers != MostBuffers)
    if (BufferFile Part = append(F, Size))
      return Part;
  // The file has MostBuffers buffers, or may not grow (RLIMIT_FSIZE).
  File Fresh;
  Fresh.Fd = makeBufferFile(Kind, 0).Fd;
  BufferFile Part = append(Fresh, Size);
  if (Part)
    F = std::move(Fresh);
  return Part;
}
