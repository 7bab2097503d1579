//===- Support/FolderLock.h - one writer of a folder ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For a file that is read, changed and replaced by a rename: of several threads
// and processes that do so one after the other loses nothing. The lock is
// flock() on the folder, since the file itself is another one after each
// rename, and a file for the lock would be left behind. The kernel gives it
// back when its owner is killed. Sibling: Jit/Store/CompileLock.h, for keys.
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
  /// Waits at most \p MaxSeconds for the folder that the file \p Path is in.
  /// No error: the folder cannot be read, its file system has no locks, or
  /// somebody has held it for too long.
  FolderLock(const std::string &Path, double MaxSeconds);

private:
  UniqueFd Folder;
};

} // namespace kpack

#endif // KPACK_SUPPORT_FOLDERLOCK_H
