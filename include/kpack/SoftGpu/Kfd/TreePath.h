//===- kpack/SoftGpu/Kfd/TreePath.h - paths below another root --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kpack-run --rocm=DIR runs programs of DIR without a chroot: a path that such
// a program uses has to be looked up below DIR, and so have absolute links
// there. Shared by kpack-run, by the library that it preloads and by the one
// that the dynamic linker asks for libraries; that one has no C library, so
// this code has none either.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_KFD_TREEPATH_H
#define KPACK_SOFTGPU_KFD_TREEPATH_H

#include <climits>
#include <cstddef>

namespace kpack::softgpu {

/// Whether \p Path is where packages install files, so that the tree may have
/// it.
bool isInstalledPath(const char *Path);

/// Whether \p Path, without links in it, is \p Folder or in it.
bool isBelow(const char *Path, const char *Folder);

/// Resolves \p Path and all links on its way with \p Tree as the root, and
/// writes the result, which begins with \p Tree, to \p Found. False: there is
/// no such file, or a name is too long.
bool findInTree(const char *Tree, const char *Path, char (&Found)[PATH_MAX]);

/// Writes what the dynamic linker is to search to \p To: the folders of the
/// caller's LD_LIBRARY_PATH \p Callers (may be null), then \p Folders, which
/// are the tree's. Of the caller's those where the system's packages install
/// come last, since they would bring another ROCm. False: \p Size is too small.
bool composeLibraryPath(const char *Callers, const char *Folders, char *To,
                        size_t Size);

/// Whether a folder that composeLibraryPath() puts first has a file \p Name.
bool isInCallersPath(const char *Callers, const char *Name);

/// What executes a script.
struct Interpreter {
  char Path[PATH_MAX]; ///< in the tree
  char Argument[256];  ///< in front of the script's name; empty: none
};

/// Whether the file \p Script begins with "#!" and a program that \p Tree has;
/// that of "#!/usr/bin/env NAME" is looked for in the tree's /usr/bin.
bool findInterpreter(const char *Tree, const char *Script, Interpreter &Found);

/// access(Path, F_OK) == 0, by a system call and without errno.
bool pathExists(const char *Path);

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_KFD_TREEPATH_H
