//===- ArchiveOwner.cpp - the binary that owns an archive -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A separate file also because the reader's xxHash and LLVM's have the same
// names.
//
//===----------------------------------------------------------------------===//
#include "Outputs/ArchiveOwner.h"

#include "ToolSupport/Errors.h"
#include "kpack/Archive/ArchiveReader.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace kpack {

Error checkOwner(const std::string &Path, const std::string &KernelName) {
  Result<std::unique_ptr<const ArchiveReader>> There =
      ArchiveReader::open(Path);
  if (!There)
    return Error::success();
  for (StringRef Key : (*There)->binaries()) {
    StringRef Name = binaryOfKey(Key);
    if (Name != KernelName)
      return objectError(Path,
                         "holds the device code of '" + Name + "', which '" +
                             KernelName +
                             "' would replace; give each binary an "
                             "archive of its own ('kpack merge' joins them), "
                             "or remove the file if '" +
                             Name + "' is gone");
  }
  return Error::success();
}

bool hasOnly(const std::string &Path, const std::string &KernelName,
             const std::string &Id) {
  Result<std::unique_ptr<const ArchiveReader>> There =
      ArchiveReader::open(Path);
  if (!There || Id.empty() || (*There)->archiveId(KernelName) != Id)
    return false;
  return all_of((*There)->binaries(),
                [&](StringRef Key) { return binaryOfKey(Key) == KernelName; });
}

} // namespace kpack
