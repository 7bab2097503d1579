//===- Preload/TreePath.h - paths below another root ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kpack-run --rocm=DIR runs programs of DIR without a chroot: their paths, and
// absolute links in DIR, have to be looked up below DIR. Shared by kpack-run,
// its preloaded library and the auditing library of the dynamic linker. The
// latter has no C library, so this code uses none.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_KFD_PRELOAD_TREEPATH_H
#define KPACK_SOFTGPU_KFD_PRELOAD_TREEPATH_H

#include <climits>
#include <cstddef>

namespace kpack::softgpu {

/// True if \p Path is where packages install files, so that the tree may have
/// it.
bool isInstalledPath(const char *Path);

/// True if \p Path, which has no links in it, is \p Folder or in it.
bool isBelow(const char *Path, const char *Folder);

/// Resolves \p Path and all links on its way with \p Tree as the root, and
/// writes the result to \p Found. It begins with \p Tree, unless an absolute
/// link leads to a file that the tree lacks and that is not where packages
/// install. Returns false if there is no such file, if there are too many
/// links, or if a name is too long.
bool findInTree(const char *Tree, const char *Path, char (&Found)[PATH_MAX]);

/// Writes a search path for the dynamic linker to \p Buffer: the folders of the
/// caller's LD_LIBRARY_PATH \p Callers (may be null), then \p Folders of the
/// tree. The caller's folders where the system's packages install come last,
/// since they would bring another ROCm. Returns false if \p Size is too small.
bool composeLibraryPath(const char *Callers, const char *Folders, char *Buffer,
                        size_t Size);

/// True if a folder that composeLibraryPath() puts first has a file \p Name.
bool isInCallersPath(const char *Callers, const char *Name);

/// The program that executes a script.
struct Interpreter {
  char Path[PATH_MAX]; ///< in the tree
  char Argument[256];  ///< before the script's name; may be empty
};

/// The interpreters of a script, as an interpreter may be a script, too.
struct InterpreterChain {
  static constexpr unsigned Most = 4;
  Interpreter Of[Most]; ///< the script's first, then each one's interpreter
  unsigned Size = 0;

  const char *program() const { return Of[Size - 1].Path; }
  /// Visits the words between the program and the script's arguments, without
  /// the script itself.
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
  Other,        ///< no usable "#!" line, or a program that the tree lacks
  NoPermission, ///< the last of the chain is not executable
  BadFormat,    ///< the last of the chain is neither ELF nor a script
  TooDeep
};

/// Finds the interpreters of the file \p Script in \p Tree; "#!/usr/bin/env
/// NAME" means NAME in the tree's /usr/bin.
ScriptKind findInterpreters(const char *Tree, const char *Script,
                            InterpreterChain &Found);

/// Does access(Path, F_OK) == 0 by a system call and without errno.
bool pathExists(const char *Path);

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_KFD_PRELOAD_TREEPATH_H
