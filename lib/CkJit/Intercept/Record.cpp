//===- Record.cpp - records of intercepted compiles -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text that is not UTF-8 is refused here, where the message can name the
// source: the path in a manifest would differ from the build's. Control
// characters are escaped (Json.h), so a record is always one line without a
// zero byte, which the reader of stubs (Stub.cpp) requires.
//
// The folder is created only after opening the file has failed, since this runs
// thousands of times in a build. A short write means a full disk: it is
// truncated under the lock, so that no process can have written after it.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Intercept/Record.h"

#include "Support/Files.h"
#include "Support/SafePath.h"
#include "kpack/Support/Json.h"
#include "kpack/Support/UniqueFd.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

using namespace kpack;
using namespace kpack::ckjit;

Result<std::string> ckjit::recordLine(const ManifestEntry &Source) {
  bool Good = isUtf8(Source.Source) && isUtf8(Source.Output) &&
              isUtf8(Source.Directory) && isUtf8(Source.Compiler) &&
              std::all_of(Source.Words.begin(), Source.Words.end(), isUtf8);
  if (!Good)
    return Status(StatusCode::InvalidArgument,
                  Source.Source + ": its command line or folder is not UTF-8, "
                                  "which a manifest has to be; rename it");
  return Source.toJson() + "\n";
}

/// Opens the file in \p Folder, which may not exist.
static UniqueFd openRecords(const std::string &Folder,
                            const std::string &File) {
  constexpr int Flags = O_WRONLY | O_APPEND | O_CREAT;
  UniqueFd Fd = openFileToWrite(File, Flags, 0666);
  if (Fd || errno != ENOENT)
    return Fd;
  // Errors are reported by the open call.
  (void)makeFolders(Folder);
  return openFileToWrite(File, Flags, 0666);
}

Status ckjit::appendRecord(const std::string &Folder, const std::string &Line) {
  std::string File = Folder + "/" + RecordFileName;
  auto Failed = [&File](const char *Action) {
    return Status(StatusCode::IoError,
                  File + ": " + Action + ": " + std::strerror(errno) +
                      "; make it writable, or name another folder with "
                      "CK_JIT_BUILD_DIR");
  };
  UniqueFd Records = openRecords(Folder, File);
  int Fd = Records.get();
  if (Fd < 0)
    return Failed("cannot be opened");
  int Locked;
  do
    Locked = ::flock(Fd, LOCK_EX);
  while (Locked != 0 && errno == EINTR);
  struct stat Before;
  if (Locked != 0 || ::fstat(Fd, &Before) != 0)
    return Failed("cannot be locked");
  ssize_t Written = ::write(Fd, Line.data(), Line.size());
  if (Written == static_cast<ssize_t>(Line.size()))
    return Status::success();
  if (Written >= 0)
    errno = ENOSPC; // the cause of a short write to a file
  Status Why = Failed("cannot be written");
  // Half a line would spoil the next one. If truncating fails, the reader
  // reports the line that is no JSON.
  if (Written > 0 && ::ftruncate(Fd, Before.st_size) != 0)
    return Failed("has half a line at its end");
  return Why;
}
