//===- Files.cpp - reads and writes of whole files ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All calls are repeated after EINTR: the program that loads this library may
// have signal handlers without SA_RESTART.
//
//===----------------------------------------------------------------------===//
#include "Support/Files.h"

#include "Support/ErrorText.h"
#include "Support/FileSizeGuard.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>

using namespace kpack;

bool kpack::writeAll(int Fd, std::string_view Bytes) {
  FileSizeGuard NoSignal;
  while (!Bytes.empty()) {
    ssize_t Done = ::write(Fd, Bytes.data(), Bytes.size());
    if (Done < 0 && errno == EINTR)
      continue;
    if (Done <= 0)
      return false;
    Bytes.remove_prefix(static_cast<size_t>(Done));
  }
  return true;
}

std::optional<std::string> kpack::readToEnd(int Fd, uint64_t Most) {
  std::string Bytes;
  char Piece[65536];
  while (Bytes.size() < Most) {
    uint64_t Wanted = std::min<uint64_t>(sizeof(Piece), Most - Bytes.size());
    ssize_t Size = ::read(Fd, Piece, Wanted);
    if (Size < 0 && errno == EINTR)
      continue;
    if (Size < 0)
      return std::nullopt;
    if (Size == 0)
      break;
    Bytes.append(Piece, static_cast<size_t>(Size));
  }
  return Bytes;
}

ssize_t kpack::readAt(int Fd, void *Buffer, size_t Size, uint64_t Offset) {
  size_t Have = 0;
  while (Have != Size) {
    ssize_t Done = ::pread(Fd, static_cast<char *>(Buffer) + Have, Size - Have,
                           static_cast<off_t>(Offset + Have));
    if (Done < 0 && errno == EINTR)
      continue;
    if (Done < 0)
      return -1;
    if (Done == 0)
      break;
    Have += static_cast<size_t>(Done);
  }
  return static_cast<ssize_t>(Have);
}

UniqueFd kpack::openToWrite(int Folder, const std::string &Path, int Flags,
                            mode_t Mode) {
  // Truncate only after checking the file.
  UniqueFd File(::openat(Folder, Path.c_str(),
                         (Flags & ~O_TRUNC) | O_NOFOLLOW | O_CLOEXEC, Mode));
  struct stat Info;
  if (!File || ::fstat(File.get(), &Info) != 0)
    return UniqueFd();
  if (S_ISREG(Info.st_mode) && Info.st_nlink > 1) {
    errno = EMLINK;
    return UniqueFd();
  }
  if ((Flags & O_TRUNC) && Info.st_size != 0 && ::ftruncate(File.get(), 0) != 0)
    return UniqueFd();
  return File;
}

Result<std::string> kpack::readFile(const std::string &Path) {
  UniqueFd File(::open(Path.c_str(), O_RDONLY | O_CLOEXEC));
  if (File)
    if (std::optional<std::string> Bytes = readToEnd(File.get()))
      return std::move(*Bytes);
  return Status(StatusCode::IoError,
                Path + ": cannot be read: " + errorText(errno));
}

std::string kpack::readContent(const std::string &Path, uint64_t Most) {
  UniqueFd File(::open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  // Another process has a lease on the file; a blocking open() waits until it
  // ends.
  if (!File && errno == EWOULDBLOCK)
    File = UniqueFd(::open(Path.c_str(), O_RDONLY | O_CLOEXEC));
  return File ? readToEnd(File.get(), Most).value_or("") : "";
}
