//===- FileAttributes.cpp - owner, mode and times of a file ---------------===//
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
static void copyExtended(int Source, int Target, WantsFn Wants) {
  ssize_t Size = ::flistxattr(Source, nullptr, 0);
  if (Size <= 0)
    return;
  std::string Names(static_cast<size_t>(Size), '\0');
  Size = ::flistxattr(Source, Names.data(), Names.size());
  if (Size <= 0)
    return;
  std::string_view Rest(Names.data(), static_cast<size_t>(Size));
  while (!Rest.empty()) {
    const char *Name = Rest.data(); // ends with a zero
    Rest.remove_prefix(std::string_view(Name).size() + 1);
    ssize_t Length = Wants(Name) ? ::fgetxattr(Source, Name, nullptr, 0) : -1;
    if (Length < 0)
      continue;
    std::string Value(static_cast<size_t>(Length), '\0');
    Length = ::fgetxattr(Source, Name, Value.data(), Value.size());
    if (Length >= 0 && ::fsetxattr(Target, Name, Value.data(),
                                   static_cast<size_t>(Length), 0) != 0)
      errno = 0;
  }
}

void copyAttributes(int Source, int Target) {
  struct stat Info, Created;
  if (::fstat(Source, &Info) != 0 || ::fstat(Target, &Created) != 0)
    return;
  mode_t Mode = Info.st_mode & 07777;
  bool HasGroup = Info.st_gid == Created.st_gid;
  bool HasOwner = Info.st_uid == Created.st_uid && HasGroup;
  if (!HasOwner)
    HasOwner = HasGroup = ::fchown(Target, Info.st_uid, Info.st_gid) == 0;
  if (!HasGroup)
    HasGroup = Info.st_gid == Created.st_gid ||
               ::fchown(Target, static_cast<uid_t>(-1), Info.st_gid) == 0;
  if (!HasOwner)
    Mode &= ~static_cast<mode_t>(S_ISUID | S_ISGID);
  if (!HasGroup)
    Mode &= ~static_cast<mode_t>(S_IRWXG) | (Mode & S_IRWXO) << 3;
  copyExtended(Source, Target, isAcl);
  if (::fchmod(Target, Mode) != 0)
    errno = 0;
  copyExtended(Source, Target, [&](std::string_view Name) {
    return !isAcl(Name) && (HasOwner || Name != "security.capability");
  });
  struct timespec Times[] = {Info.st_atim, Info.st_mtim};
  if (::futimens(Target, Times) != 0)
    errno = 0;
}

} // namespace kpack::hostrewrite
