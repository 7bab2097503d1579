//===- Support/SafePath.h - files safe from replacement ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A checked path may lead elsewhere when it is used: a user who may write to
// any folder above the file can replace it. So a checked file is used through
// its descriptor, and by its path only if no other user can change the target.
// Used for loaded code (Jit/Executor/Load.cpp), helper programs
// (Jit/Service/HelperProcess.cpp) and archives (Runtime/ArchiveCache.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_SAFEPATH_H
#define KPACK_SUPPORT_SAFEPATH_H

#include "kpack/Support/Status.h"
#include "kpack/Support/UniqueFd.h"

#include <string>
#include <sys/types.h>

namespace kpack {

/// Returns \p Path without links if it is the file open as \p File and only
/// root, this process's user and the file's owner can replace it: each folder
/// from the root on belongs to one of them, and other users cannot write there,
/// or can rename only their own files (/tmp). In a program with more rights
/// than its user, only root and the program's owner may. Returns an empty path
/// if this is not so or cannot be known.
std::string makeSafePath(int File, const std::string &Path);

/// True if \p Path, with its links, leads to the file open as \p File, and only
/// root and this process's user can change that.
bool isOwnPath(int File, const std::string &Path);

/// True if \p Link, a symbolic link open as a place, is on /proc.
bool isOpenFileOfProcess(int Link);

/// True if links of \p User are followed to any target: root, this process's
/// user, and in a user name space that hides root, the user that stands for all
/// unmapped ones.
bool isTrustedWithLinks(uid_t User);

/// Opens the folder \p Path as a place (O_PATH). For root, fails with EPERM if
/// the path contains a link of another user to a folder that is not that
/// user's, or a link of /proc to an open file of another process.
UniqueFd openFolderToWrite(const std::string &Path);

/// Calls openToWrite() (Files.h) for \p Path in the folder that
/// openFolderToWrite() opens.
UniqueFd openFileToWrite(const std::string &Path, int Flags, mode_t Mode);

/// Creates the folder \p Path and missing parents, each in a folder that
/// openFolderToWrite() opens. Returns false, with errno set, on failure.
bool makeFolders(const std::string &Path);

/// Opens the character device, pipe or socket at \p Path for writing in place.
/// Fails with IoError if it is none of these, or if the path contains a link of
/// another user to a file that is not that user's, or a link of /proc to an
/// open file of another process.
Result<UniqueFd> openDeviceToWrite(const std::string &Path);

/// Removes the file \p Path from the folder that openFolderToWrite() opens.
/// Returns false, with errno set, on failure.
bool removeFileAt(const std::string &Path);

/// For programs with more rights than their user; succeeds in all others. The
/// user must have no control over their inputs: the file of \p File, which was
/// opened as \p Path, each folder above it and each link on the way belong to
/// root or to the owner of the program (to root if that owner is unmapped in
/// this user name space), and other users cannot write to them. Fails with
/// IoError otherwise, since they could be replaced while the program runs.
Status checkForSecureMode(int File, const std::string &Path);

/// Returns a path by which the file of \p File can be opened. Files that exist
/// at the same time have different paths, independent of descriptor numbers,
/// because the dynamic linker identifies objects by name. Needs /proc. Empty if
/// the file cannot be examined.
std::string descriptorPath(int File);

} // namespace kpack

#endif // KPACK_SUPPORT_SAFEPATH_H
