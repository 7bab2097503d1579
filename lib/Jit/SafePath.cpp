//===- SafePath.cpp - who decides what a path leads to --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SafePath.h. Folders are opened one below the other, none through a link:
// what was looked at is what the next one is opened in.
//
//===----------------------------------------------------------------------===//
#include "SafePath.h"

#include "kpack/Jit/UniqueFd.h"

#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

/// Whether others than root, us and \p Owner can neither write to \p Folder nor
/// give themselves the right to; or cannot rename what is not theirs.
static bool isSafeFolder(int Folder, uid_t Owner) {
  struct stat Info;
  if (::fstat(Folder, &Info) != 0)
    return false;
  const bool IsTrusted =
      Info.st_uid == 0 || Info.st_uid == ::geteuid() || Info.st_uid == Owner;
  // The bits of a group are those of all that an access control list names.
  return IsTrusted &&
         (!(Info.st_mode & (S_IWGRP | S_IWOTH)) || (Info.st_mode & S_ISVTX));
}

/// \p Path without links; not one that a descriptor of this process names.
static std::string realPath(const std::string &Path) {
  char *Real = Path.empty() ? nullptr : ::realpath(Path.c_str(), nullptr);
  std::string Found = Real ? Real : "";
  std::free(Real);
  return Found;
}

std::string jit::safePathOf(int File, const std::string &Path) {
  struct stat Wanted, Named;
  const std::string Real = realPath(Path);
  if (Real.empty() || ::fstat(File, &Wanted) != 0)
    return {};
  constexpr int How = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd Folder(::open("/", How));
  size_t Start = 1;
  for (size_t End; (End = Real.find('/', Start)) != std::string::npos;
       Start = End + 1) {
    if (!Folder || !isSafeFolder(Folder.get(), Wanted.st_uid))
      return {};
    const std::string Name = Real.substr(Start, End - Start);
    Folder = UniqueFd(::openat(Folder.get(), Name.c_str(), How));
  }
  if (!Folder || !isSafeFolder(Folder.get(), Wanted.st_uid) ||
      ::fstatat(Folder.get(), Real.c_str() + Start, &Named,
                AT_SYMLINK_NOFOLLOW) != 0 ||
      Named.st_dev != Wanted.st_dev || Named.st_ino != Wanted.st_ino)
    return {};
  return Real;
}

/// The bits of \p Number, as steps that lead nowhere: "./" and ".//". The last
/// bit is the first: names, which are compared with all others when one is
/// loaded, differ early.
static void append(std::string &Path, uint64_t Number) {
  for (int Bit = 0; Bit != 64; ++Bit)
    Path += (Number >> Bit) & 1 ? ".//" : "./";
}

std::string jit::descriptorPath(int File) {
  struct stat Info;
  if (::fstat(File, &Info) != 0)
    return {};
  std::string Path = "/proc/self/fd/";
  append(Path, Info.st_ino);
  append(Path, Info.st_dev);
  return Path + std::to_string(File);
}
