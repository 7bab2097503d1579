//===- MadeFolders.cpp - directories created for outputs ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Another command may create the same directory at the same time. Once it has
// created a file there, the directory is not empty and stays.
//
//===----------------------------------------------------------------------===//
#include "Outputs/MadeFolders.h"

#include "Outputs/PendingFile.h"
#include "Support/SafePath.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace kpack {

/// Opens the parent of \p Folder. Fails with EPERM if root would follow another
/// user's link.
static UniqueFd openAround(StringRef Folder) {
  std::string Around = sys::path::parent_path(Folder).str();
  return openFolderToWrite(Around.empty() ? "." : Around);
}

MadeFolders::~MadeFolders() {
  // Fails unless the directory is empty.
  for (const std::string &Folder : reverse(Made))
    if (UniqueFd Around = openAround(Folder))
      ::unlinkat(Around.get(), sys::path::filename(Folder).str().c_str(),
                 AT_REMOVEDIR);
}

Error MadeFolders::make(StringRef Folder) {
  if (Folder.empty() || sys::fs::is_directory(Folder))
    return Error::success();
  if (Error E = make(sys::path::parent_path(Folder)))
    return E;
  UniqueFd Around = openAround(Folder);
  if (Around && ::mkdirat(Around.get(),
                          sys::path::filename(Folder).str().c_str(), 0777) == 0)
    Made.push_back(Folder.str());
  else if (errno != EEXIST)
    return fileError(Folder, "cannot create the folder", errnoAsErrorCode());
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
