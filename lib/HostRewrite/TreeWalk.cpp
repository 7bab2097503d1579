//===- TreeWalk.cpp - all that is in a folder -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folders that are found wait in a list, not on the stack, which a deep tree
// would exhaust. The order is that of the names with '/' below all characters:
// a folder and all that is in it stand together.
//
//===----------------------------------------------------------------------===//
#include "kpack/HostRewrite/TreeWalk.h"

#include "kpack/ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kpack::hostrewrite {

static bool standsBefore(const TreeEntry &A, const TreeEntry &B) {
  return std::lexicographical_compare(
      A.Name.begin(), A.Name.end(), B.Name.begin(), B.Name.end(),
      [](char X, char Y) {
        auto Rank = [](char C) { return C == '/' ? 0 : 1 + uint8_t(C); };
        return Rank(X) < Rank(Y);
      });
}

static Expected<TreeEntry> lookAt(StringRef Root, std::string Name) {
  SmallString<256> Path(Root);
  sys::path::append(Path, Name);
  TreeEntry Found{std::move(Name), {}};
  if (::lstat(Path.c_str(), &Found.Info) != 0)
    return objectError(Path, sys::StrError(errno) +
                                 "; give a folder that can be read");
  if (!Found.isFolder() && !Found.isLink() && !Found.isFile())
    return objectError(Path, "neither a file nor a folder nor a link, and "
                             "cannot be copied; remove it");
  return Found;
}

static Error readFolder(StringRef Root, const std::string &Name,
                        std::vector<TreeEntry> &All) {
  SmallString<256> Path(Root);
  sys::path::append(Path, Name);
  std::error_code EC;
  for (sys::fs::directory_iterator I(Path, EC, /*follow_symlinks=*/false), End;
       !EC && I != End; I.increment(EC)) {
    SmallString<256> Inner(Name);
    sys::path::append(Inner, sys::path::filename(I->path()));
    Expected<TreeEntry> Found = lookAt(Root, Inner.str().str());
    if (!Found)
      return Found.takeError();
    All.push_back(std::move(*Found));
  }
  if (EC)
    return objectError(Path, EC.message() + "; give a folder that can be read");
  return Error::success();
}

Expected<std::vector<TreeEntry>> walkTree(StringRef Root) {
  std::vector<TreeEntry> All;
  Expected<TreeEntry> First = lookAt(Root, "");
  if (!First)
    return First.takeError();
  All.push_back(std::move(*First));
  for (size_t I = 0; I != All.size(); ++I)
    if (All[I].isFolder())
      if (Error E = readFolder(Root, std::string(All[I].Name), All))
        return std::move(E);
  llvm::sort(All, standsBefore);
  return All;
}

} // namespace kpack::hostrewrite
