//===- Preload/TreePath.h - paths below another root ------------*- C++ -*-===//
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
#ifndef KPACK_SOFTGPU_KFD_PRELOAD_TREEPATH_H
#define KPACK_SOFTGPU_KFD_PRELOAD_TREEPATH_H

#include <climits>
#include <cstddef>

namespace kpack::softgpu {

/// Whether \p Path is where packages install files, so that the tree may have
/// it.
bool isInstalledPath(const char *Path);

/// Whether \p Path, without links in it, is \p Folder or in it.
bool isBelow(const char *Path, const char *Folder);

/// Resolves \p Path and all links on its way with \p Tree as the root, and
/// writes the result to \p Found. It begins with \p Tree, unless an absolute
/// link leads to a file that is nowhere in the tree and not where packages
/// install. False: there is no such file, or a name is too long.
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

/// What executes a script whose interpreter may be a script, too.
struct InterpreterChain {
  static constexpr unsigned Most = 4;
  Interpreter Of[Most]; ///< each of the one before it, the first of the script
  unsigned Size = 0;

  const char *program() const { return Of[Size - 1].Path; }
  /// The words between the program and the script's arguments, without the
  /// script itself.
  static constexpr unsigned MostWords = 2 * Most - 1;
  template <typename AddFunction> void eachWord(AddFunction Add) const {
    for (unsigned I = Size; I-- != 0;) {
      if (I + 1 != Size)
        Add(Of[I].Path);
      if (Of[I].Argument[0])
        Add(Of[I].Argument);
    }
  }
};

enum class ScriptKind {
  OfTree,       ///< the chain ends in an ELF program
  Other,        ///< no "#!", or a program that the tree does not have
  NoPermission, ///< the last of the chain is not executable
  BadFormat,    ///< the last of the chain is neither ELF nor a script
  TooDeep
};

/// Finds what executes the file \p Script: programs that \p Tree has; that of
/// "#!/usr/bin/env NAME" is looked for in the tree's /usr/bin.
ScriptKind findInterpreters(const char *Tree, const char *Script,
                            InterpreterChain &Found);

/// access(Path, F_OK) == 0, by a system call and without errno.
bool pathExists(const char *Path);

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_KFD_PRELOAD_TREEPATH_H
