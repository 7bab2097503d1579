//===- Support/FolderLock.h - exclusive lock on a folder --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For a file that is read, changed and replaced by a rename: with the lock, no
// change of several threads or processes is lost. The lock is flock() on the
// folder: each rename replaces the file itself, and a lock file would remain.
// The kernel releases it when its owner is killed. Sibling:
// Jit/Store/CompileLock.h, for keys.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_FOLDERLOCK_H
#define KPACK_SUPPORT_FOLDERLOCK_H

#include "kpack/Support/UniqueFd.h"

#include <string>

namespace kpack {

/// The lock, while this object lives.
class FolderLock {
public:
  /// Waits at most \p MaxSeconds for the folder of the file \p Path. Continues
  /// without a lock, and without an error, if the folder cannot be read, its
  /// file system has no locks, or another owner holds it for too long.
  FolderLock(const std::string &Path, double MaxSeconds);

private:
  UniqueFd Folder;
};

} // namespace kpack

#endif // KPACK_SUPPORT_FOLDERLOCK_H
