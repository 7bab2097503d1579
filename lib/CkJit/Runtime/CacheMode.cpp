//===- CacheMode.cpp - who may read a cache that is filled ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a cache is there already is decided by its folder "objects", not by
// the directory: an administrator may have made an empty directory with the
// mode that the cache is to have. That mode is taken over, but never more than
// 0755: nobody else gets to write what this user's programs load.
//
// A cache that cannot be opened is an error only where --mode was given. Else
// nothing was asked for, and whatever fills the cache reports the same problem
// in its own words.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Runtime/CacheMode.h"

#include "Jit/Store/Store.h"
#include "Support/Numbers.h"

#include <algorithm>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::ckjit;

static constexpr unsigned ForAll = 0755, ForOwner = 0700;

/// The mode of a cache that is not there yet; nothing where it is, or is the
/// user's own.
static std::optional<unsigned>
newMode(const Settings &S, const std::string &Directory, bool IsNamed) {
  bool IsSystem =
      std::count(S.SystemDirs.begin(), S.SystemDirs.end(), Directory) != 0 ||
      (IsNamed && ::geteuid() == 0);
  struct stat Info;
  if (!IsSystem || ::stat((Directory + "/objects").c_str(), &Info) == 0)
    return std::nullopt;
  if (::stat(Directory.c_str(), &Info) != 0)
    return ForAll;
  return (Info.st_mode & ForAll) | ForOwner;
}

Status ckjit::makeReadable(const Settings &S, const std::string &Directory,
                           bool IsNamed, const std::string &Mode) {
  std::optional<unsigned> Wanted =
      Mode.empty() ? newMode(S, Directory, IsNamed)
                   : parseNumber<unsigned>(Mode, /*Base=*/8);
  if (!Wanted && Mode.empty())
    return Status::success();
  if (!Wanted)
    return Status(StatusCode::InvalidArgument,
                  "--mode=" + Mode + ": no octal mode, such as 0755");
  auto Opened = jit::Store::open({Directory});
  if (Opened)
    return (*Opened)->setMode(*Wanted);
  // What fills the cache says of each entry why it is not kept.
  return Mode.empty() ? Status::success() : Opened.status();
}
