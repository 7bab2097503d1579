//===- Record.cpp - a line of the build's manifest ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text that is not UTF-8 is refused here, where the message can name the
// source: a manifest would have another path than the build. Control characters
// are escaped (Json.h), so a record is one line whatever a path has in it, and
// has no zero byte, on which the reader of stubs (Stub.cpp) relies.
//
// The folder is made only after opening the file has failed, since this runs
// thousands of times in a build. A short write means a full disk: it is cut off
// again while the lock is held, so that nobody can have written after it.
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

/// The file in \p Folder, which a build need not have made.
static UniqueFd openRecords(const std::string &Folder,
                            const std::string &File) {
  constexpr int How = O_WRONLY | O_APPEND | O_CREAT;
  UniqueFd Fd = openFileToWrite(File, How, 0666);
  if (Fd || errno != ENOENT)
    return Fd;
  // What cannot be made cannot be opened either.
  (void)makeFolders(Folder);
  return openFileToWrite(File, How, 0666);
}

Status ckjit::appendRecord(const std::string &Folder, const std::string &Line) {
  std::string File = Folder + "/" + RecordFileName;
  auto Failed = [&File](const char *What) {
    return Status(StatusCode::IoError,
                  File + ": " + What + ": " + std::strerror(errno) +
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
    errno = ENOSPC; // what a short write to a file means
  Status Why = Failed("cannot be written");
  // Half a line would spoil the next one. If even that fails, the reader says
  // which line is no JSON.
  if (Written > 0 && ::ftruncate(Fd, Before.st_size) != 0)
    return Failed("has half a line at its end");
  return Why;
}
