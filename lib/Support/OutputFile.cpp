//===- OutputFile.cpp - temporary, then rename ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain POSIX calls. The name of the temporary file is made of the target's
// name, the process id and a counter; O_EXCL decides who owns it. There is no
// fsync(): like a linker's output, the file can be made again after a crash of
// the machine.
//
//===----------------------------------------------------------------------===//

#include "kpack/Support/OutputFile.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;

/// How to fix what the system refuses.
static constexpr const char *WriteHint =
    "; check the directory, its permissions and free space";

Result<std::unique_ptr<OutputFile>> OutputFile::create(std::string Path) {
  const auto failed = [&Path](const std::string &Why) {
    return Status(StatusCode::IoError, Path + ": cannot create: " + Why);
  };
  struct stat Info;
  if (::stat(Path.c_str(), &Info) == 0 && !S_ISREG(Info.st_mode))
    return Status(StatusCode::IoError,
                  Path + ": cannot replace: not a regular file; choose "
                         "another name");

  // Many temporary files of one process id are left-overs of killed processes.
  constexpr unsigned MaxAttempts = 1000;
  std::string Stem = Path + ".tmp" + std::to_string(::getpid()) + "-";
  for (unsigned I = 0; I != MaxAttempts; ++I) {
    std::string Temporary = Stem + std::to_string(I);
    int Fd =
        ::open(Temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (Fd >= 0)
      return std::unique_ptr<OutputFile>(
          new OutputFile(std::move(Path), std::move(Temporary), Fd));
    if (errno != EEXIST)
      return failed(std::strerror(errno) + std::string(WriteHint));
  }
  return failed("too many files '" + Stem + "*'; remove them");
}

OutputFile::OutputFile(std::string Path, std::string TemporaryPath, int Fd)
    : Path(std::move(Path)), TemporaryPath(std::move(TemporaryPath)), Fd(Fd) {}

OutputFile::~OutputFile() {
  if (Fd >= 0)
    ::close(Fd);
  if (!Committed)
    ::unlink(TemporaryPath.c_str());
}

Status OutputFile::fail(const char *What) const {
  return Status(StatusCode::IoError,
                Path + ": " + What + ": " + std::strerror(errno) + WriteHint);
}

Status OutputFile::append(std::string_view Bytes) {
  if (Status S = overwrite(Length, Bytes); !S.ok())
    return S;
  Length += Bytes.size();
  return Status::success();
}

Status OutputFile::overwrite(uint64_t Offset, std::string_view Bytes) {
  while (!Bytes.empty()) {
    ssize_t Written =
        ::pwrite(Fd, Bytes.data(), Bytes.size(), static_cast<off_t>(Offset));
    if (Written < 0 && errno == EINTR)
      continue;
    if (Written < 0)
      return fail("cannot write");
    Bytes.remove_prefix(static_cast<size_t>(Written));
    Offset += static_cast<uint64_t>(Written);
  }
  return Status::success();
}

Status OutputFile::readBack(uint64_t Offset, char *Out, uint64_t Size) const {
  while (Size) {
    ssize_t Got = ::pread(Fd, Out, Size, static_cast<off_t>(Offset));
    if (Got < 0 && errno == EINTR)
      continue;
    if (Got < 0)
      return fail("cannot read back");
    if (Got == 0)
      return Status(
          StatusCode::IoError,
          Path +
              ": cannot read back: the file was cut off by somebody else; try "
              "again");
    Out += Got;
    Offset += static_cast<uint64_t>(Got);
    Size -= static_cast<uint64_t>(Got);
  }
  return Status::success();
}

Status OutputFile::close() {
  if (Fd < 0)
    return Status::success();
  // On some file systems this is where a full disk shows.
  int Failed = ::close(Fd);
  Fd = -1;
  return Failed ? fail("cannot write") : Status::success();
}

Status OutputFile::commit() {
  if (Status S = close(); !S.ok())
    return S;
  if (::rename(TemporaryPath.c_str(), Path.c_str()) != 0)
    return fail("cannot rename to");
  Committed = true;
  return Status::success();
}
