//===- Failures.cpp - kept sources of failed compiles ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Directories appear complete, by a rename, and are removed file by file: the
// code never follows links or descends further below them.
//
//===----------------------------------------------------------------------===//
#include "Jit/Store/Failures.h"

#include "StoreLayout.h"

#include "Support/Files.h"
#include "kpack/Support/UniqueFd.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

static constexpr const char *FolderName = "failures";
static constexpr size_t MaxFailures = 16;

static UniqueFd openFolder(int Root, const std::string &Name) {
  return UniqueFd(::openat(Root, Name.c_str(),
                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

static void removeFailure(int All, const std::string &Name) {
  if (UniqueFd Folder = openFolder(All, Name))
    for (const std::string &File : namesIn(Folder.get(), "."))
      ::unlinkat(Folder.get(), File.c_str(), 0);
  ::unlinkat(All, Name.c_str(), AT_REMOVEDIR);
}

/// Removes the oldest but never \p Newest: clocks of other machines may be
/// ahead.
static void limitFailures(int All, const std::string &Newest) {
  std::vector<std::pair<time_t, std::string>> Found;
  for (const std::string &Name : namesIn(All, ".")) {
    struct stat Info;
    if (Name != Newest &&
        ::fstatat(All, Name.c_str(), &Info, AT_SYMLINK_NOFOLLOW) == 0)
      Found.emplace_back(Info.st_mtime, Name);
  }
  std::sort(Found.rbegin(), Found.rend());
  for (size_t I = MaxFailures - 1; I < Found.size(); ++I)
    removeFailure(All, Found[I].second);
}

static bool writeFile(int Folder, const NamedText &File) {
  UniqueFd Out(::openat(Folder, File.first.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                        0600));
  return Out && writeAll(Out.get(), File.second);
}

bool jit::keepFailure(int Root, const Digest &Id,
                      const std::vector<NamedText> &Files) {
  ::mkdirat(Root, FolderName, 0700);
  UniqueFd All = openFolder(Root, FolderName);
  std::string Name = toHex(Id);
  if (!All)
    return false;
  if (openFolder(All.get(), Name))
    return true;
  std::string Temporary =
      "tmp-" + std::to_string(::getpid()) + "-" + Name.substr(0, 16);
  if (::mkdirat(All.get(), Temporary.c_str(), 0700) != 0)
    return false;
  UniqueFd Folder = openFolder(All.get(), Temporary);
  bool Written = bool(Folder);
  for (const NamedText &File : Files)
    Written = Written && writeFile(Folder.get(), File);
  if (!Written ||
      ::renameat(All.get(), Temporary.c_str(), All.get(), Name.c_str()) != 0) {
    removeFailure(All.get(), Temporary);
    // Another process may have renamed its directory first.
    return bool(openFolder(All.get(), Name));
  }
  limitFailures(All.get(), Name);
  return true;
}
