//===- CacheMode.cpp - permissions of shared caches -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The folder "objects" shows that a cache exists, not the directory: an
// administrator may have made an empty directory with the mode for the cache.
// The cache gets that mode, but at most 0755: no other user may write code that
// this user's programs load.
//
// A cache that cannot be opened is an error only with --mode. Otherwise the
// mode was not requested, and the code that fills the cache reports the same
// problem.
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

/// Returns the mode of a new cache; nullopt if it exists or is the user's
/// private one.
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
  // The code that fills the cache reports why entries are not kept.
  return Mode.empty() ? Status::success() : Opened.status();
}
