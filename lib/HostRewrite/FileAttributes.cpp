//===- FileAttributes.cpp - metadata of a file ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order matters. A new owner clears set-id bits and capabilities, so the
// owner comes first. Permissions are the mask of an ACL, so the ACL comes
// before them; in between, no user has more rights than the ACL grants.
// Capabilities follow once owner and permissions are right. A failure is
// ignored, as by cp -p: not every user may give files away, and not every file
// system has attributes.
//
//===----------------------------------------------------------------------===//
#include "FileAttributes.h"

#include <cerrno>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace kpack::hostrewrite {

static bool isAcl(std::string_view Name) {
  return Name.rfind("system.posix_acl_", 0) == 0;
}

/// Copies the extended attributes for whose names \p Wants returns true.
template <typename WantsFn>
static void copyExtended(int From, int To, WantsFn Wants) {
  ssize_t Size = ::flistxattr(From, nullptr, 0);
  if (Size <= 0)
    return;
  std::string Names(static_cast<size_t>(Size), '\0');
  Size = ::flistxattr(From, Names.data(), Names.size());
  if (Size <= 0)
    return;
  std::string_view Rest(Names.data(), static_cast<size_t>(Size));
  while (!Rest.empty()) {
    const char *Name = Rest.data(); // ends with a zero
    Rest.remove_prefix(std::string_view(Name).size() + 1);
    ssize_t Length = Wants(Name) ? ::fgetxattr(From, Name, nullptr, 0) : -1;
    if (Length < 0)
      continue;
    std::string Value(static_cast<size_t>(Length), '\0');
    Length = ::fgetxattr(From, Name, Value.data(), Value.size());
    if (Length >= 0 && ::fsetxattr(To, Name, Value.data(),
                                   static_cast<size_t>(Length), 0) != 0)
      errno = 0;
  }
}

void copyAttributes(int From, int To) {
  struct stat Info, Made;
  if (::fstat(From, &Info) != 0 || ::fstat(To, &Made) != 0)
    return;
  mode_t Mode = Info.st_mode & 07777;
  bool HasGroup = Info.st_gid == Made.st_gid;
  bool HasOwner = Info.st_uid == Made.st_uid && HasGroup;
  if (!HasOwner)
    HasOwner = HasGroup = ::fchown(To, Info.st_uid, Info.st_gid) == 0;
  if (!HasGroup)
    HasGroup = Info.st_gid == Made.st_gid ||
               ::fchown(To, static_cast<uid_t>(-1), Info.st_gid) == 0;
  if (!HasOwner)
    Mode &= ~static_cast<mode_t>(S_ISUID | S_ISGID);
  if (!HasGroup)
    Mode &= ~static_cast<mode_t>(S_IRWXG) | (Mode & S_IRWXO) << 3;
  copyExtended(From, To, isAcl);
  if (::fchmod(To, Mode) != 0)
    errno = 0;
  copyExtended(From, To, [&](std::string_view Name) {
    return !isAcl(Name) && (HasOwner || Name != "security.capability");
  });
  struct timespec Times[] = {Info.st_atim, Info.st_mtim};
  if (::futimens(To, Times) != 0)
    errno = 0;
}

} // namespace kpack::hostrewrite
