//===- FolderWalk.cpp - walk over the files below a folder ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files that cannot be read are visited too; the caller decides whether that is
// an error.
//
//===----------------------------------------------------------------------===//
#include "Tool/FolderWalk.h"
#include "Tool/HostBinary.h"
#include "kpack/Archive/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

/// LLVM's iterator silently skips a folder that it cannot open.
static std::error_code whyClosed(const std::string &Folder) {
  std::error_code EC;
  sys::fs::directory_iterator(Folder, EC);
  return EC;
}

std::vector<std::string> tool::forEachFile(
    StringRef Root,
    function_ref<void(const std::string &Path, StringRef Magic)> Visit) {
  std::vector<std::string> Problems;
  auto Note = [&](StringRef Folder, std::error_code Why) {
    Problems.push_back(
        (Folder + ": " + Why.message() + "; give a folder that can be read")
            .str());
  };
  std::error_code EC;
  for (sys::fs::recursive_directory_iterator
           I(Root, EC, /*follow_symlinks=*/false),
       End;
       I != End && !EC; I.increment(EC)) {
    if (I->type() == sys::fs::file_type::directory_file)
      if (std::error_code Why = whyClosed(I->path()))
        Note(I->path(), Why);
    if (I->type() != sys::fs::file_type::regular_file)
      continue;
    std::error_code Unreadable;
    Visit(I->path(), readMagic(I->path(), Unreadable));
  }
  if (EC)
    Note(Root, EC);
  llvm::sort(Problems);
  return Problems;
}

std::multimap<std::string, std::string> tool::linksBelow(StringRef Root) {
  std::multimap<std::string, std::string> Links;
  std::error_code EC;
  for (sys::fs::recursive_directory_iterator
           I(Root, EC, /*follow_symlinks=*/false),
       End;
       I != End && !EC; I.increment(EC)) {
    SmallString<256> Target;
    if (I->type() == sys::fs::file_type::symlink_file &&
        !sys::fs::real_path(I->path(), Target))
      Links.emplace(Target.str().str(), I->path());
  }
  return Links;
}

bool tool::looksLikeArchive(StringRef Path, StringRef Magic) {
  // A linker may be called ld.kpack.
  return Magic == StringRef(ArchiveMagic) ||
         (Path.ends_with(".kpack") && !looksLinked(Magic));
}
