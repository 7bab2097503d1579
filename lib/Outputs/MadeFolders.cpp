//===- MadeFolders.cpp - folders of outputs -------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Another command may make the same folder at the same time, and is welcome to:
// a folder that it has put something into is not empty, so it stays.
//
//===----------------------------------------------------------------------===//
#include "kpack/Outputs/MadeFolders.h"

#include "kpack/Outputs/PendingFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Errc.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kpack {

MadeFolders::~MadeFolders() {
  for (const std::string &Folder : reverse(Made))
    sys::fs::remove(Folder); // fails where something is in it
}

Error MadeFolders::make(StringRef Folder) {
  if (Folder.empty() || sys::fs::is_directory(Folder))
    return Error::success();
  if (Error E = make(sys::path::parent_path(Folder)))
    return E;
  std::error_code EC = sys::fs::create_directory(
      Folder, /*IgnoreExisting=*/false, sys::fs::all_all);
  if (!EC)
    Made.push_back(Folder.str());
  else if (EC != errc::file_exists)
    return fileError(Folder, "cannot create the folder", EC);
  return Error::success();
}

Error MadeFolders::makeFor(StringRef Output) {
  return Output == "-" ? Error::success()
                       : make(sys::path::parent_path(Output));
}

bool MadeFolders::has(StringRef Folder) const {
  return is_contained(Made, Folder);
}

} // namespace kpack
