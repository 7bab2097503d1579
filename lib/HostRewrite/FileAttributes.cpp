//===- FileAttributes.cpp - what a file is besides its bytes --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order matters: a new owner takes set-id bits and capabilities away, so
// the owner comes first; permissions are an ACL's mask, so the ACL comes before
// them. A failure is no error, as with cp -p: not every user may give files
// away, and not every file system has attributes.
//
//===----------------------------------------------------------------------===//
#include "FileAttributes.h"

#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace kpack::hostrewrite {

static void copyExtended(const std::string &From, const std::string &To) {
  ssize_t Size = ::listxattr(From.c_str(), nullptr, 0);
  if (Size <= 0)
    return;
  std::string Names(static_cast<size_t>(Size), '\0');
  Size = ::listxattr(From.c_str(), Names.data(), Names.size());
  if (Size <= 0)
    return;
  std::string_view Rest(Names.data(), static_cast<size_t>(Size));
  while (!Rest.empty()) {
    const char *Name = Rest.data(); // ends with a zero
    Rest.remove_prefix(std::string_view(Name).size() + 1);
    ssize_t Length = ::getxattr(From.c_str(), Name, nullptr, 0);
    if (Length < 0)
      continue;
    std::string Value(static_cast<size_t>(Length), '\0');
    Length = ::getxattr(From.c_str(), Name, Value.data(), Value.size());
    if (Length >= 0 && ::setxattr(To.c_str(), Name, Value.data(),
                                  static_cast<size_t>(Length), 0) != 0)
      errno = 0;
  }
}

void copyAttributes(const std::string &From, const std::string &To) {
  struct stat Info, Made;
  if (::stat(From.c_str(), &Info) != 0 || ::stat(To.c_str(), &Made) != 0)
    return;
  mode_t Mode = Info.st_mode & 07777;
  bool IsOwned = Info.st_uid == Made.st_uid && Info.st_gid == Made.st_gid;
  if (!IsOwned && ::chown(To.c_str(), Info.st_uid, Info.st_gid) != 0)
    Mode &= ~static_cast<mode_t>(S_ISUID | S_ISGID);
  copyExtended(From, To);
  if (::chmod(To.c_str(), Mode) != 0)
    errno = 0;
  struct timespec Times[] = {Info.st_atim, Info.st_mtim};
  if (::utimensat(AT_FDCWD, To.c_str(), Times, 0) != 0)
    errno = 0;
}

} // namespace kpack::hostrewrite
