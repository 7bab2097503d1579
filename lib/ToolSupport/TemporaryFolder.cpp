//===- TemporaryFolder.cpp - creation of temporary folders ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TemporaryFolder.h.
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/TemporaryFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errc.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

using namespace llvm;

std::string kpack::temporaryParent() {
  SmallString<128> Parent;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Parent);
  return Parent.str().str();
}

std::error_code kpack::makeTemporaryFolder(StringRef Prefix,
                                           SmallVectorImpl<char> &Path) {
  SmallString<128> Name;
  if (!sys::path::is_absolute(Prefix))
    Name = temporaryParent();
  sys::path::append(Name, Prefix + "-XXXXXX");
  std::string Created = Name.str().str();
  if (!::mkdtemp(Created.data()))
    return errnoAsErrorCode();
  Path.assign(Created.begin(), Created.end());
  return std::error_code();
}
