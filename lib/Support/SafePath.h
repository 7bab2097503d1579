//===- Support/SafePath.h - who decides what is at a path -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A path that was checked may lead elsewhere when it is used: who may write to
// any folder above the file can put another one in its place. So what is
// checked is used through its descriptor, and by its path only where nobody
// else can change what that leads to. Loaded code: Jit/Executor/Load.cpp;
// helper programs: Jit/Service/HelperProcess.cpp; archives:
// Runtime/ArchiveCache.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_SAFEPATH_H
#define KPACK_SUPPORT_SAFEPATH_H

#include "kpack/Support/Status.h"
#include "kpack/Support/UniqueFd.h"

#include <string>
#include <sys/types.h>

namespace kpack {

/// \p Path without links, if it is the file open as \p File and only root, this
/// process's user and the file's owner can make it another one: each folder
/// from the root on belongs to one of them, and others cannot write there, or
/// can but not rename what is not theirs (/tmp). In a program with more rights
/// than its user: only root and the program's owner. Empty: it is not, or who
/// can change it is not known.
std::string safePathOf(int File, const std::string &Path);

/// Whether \p Path, with the links in it, leads to the file open as \p File,
/// and only root and this process's user can change that.
bool isOwnPathOf(int File, const std::string &Path);

/// Whether \p Link, a symbolic link that is open as a place, is one of /proc.
bool isOpenFileOfProcess(int Link);

/// Whether a link of \p User's is followed wherever it leads: root, this
/// process's user, and where a user name space does not show who is root, the
/// user that stands for all that it does not know.
bool isTrustedWithLinks(uid_t User);

/// Opens the folder \p Path as a place (O_PATH). Root follows no link of
/// another user to a folder that is not that user's, and no link of /proc to
/// what another process has open: none with EPERM then.
UniqueFd openFolderToWrite(const std::string &Path);

/// openToWrite() (Files.h) of \p Path, in the folder that openFolderToWrite()
/// opens for it.
UniqueFd openFileToWrite(const std::string &Path, int Flags, mode_t Mode);

/// Makes the folder \p Path and those around it where they are missing, each in
/// one that openFolderToWrite() opens. False, with errno set, when that fails.
bool makeFolders(const std::string &Path);

/// Opens the character device, pipe or socket that \p Path leads to, to write
/// to it where it stands. IoError: it is none of these; the way there leads
/// through a link of another user to what is not that user's, or through one of
/// /proc to what another process has open.
Result<UniqueFd> openDeviceToWrite(const std::string &Path);

/// Removes the file \p Path from the folder that openFolderToWrite() opens.
/// False, with errno set, when that fails.
bool removeFileAt(const std::string &Path);

/// For programs with more rights than their user; success in all others. Who
/// runs one must have no say in what it uses: the file behind \p File, which
/// was opened as \p Path, each folder above it and each link on the way there
/// belong to root or to the owner of the program (root alone where that one is
/// not known in this user name space), and nobody else writes to them. IoError:
/// they can be given away and taken back while it runs.
Status checkForSecureMode(int File, const std::string &Path);

/// A path by which the file of \p File can be opened. No two files that exist
/// at one time have the same, whatever number their descriptors have: the
/// dynamic linker takes one name for one object. Needs /proc. Empty: the file
/// cannot be examined.
std::string descriptorPath(int File);

} // namespace kpack

#endif // KPACK_SUPPORT_SAFEPATH_H
