//===- NeededLibraries.h - search for a program's libraries -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the files that a program or library loads by DT_NEEDED, with the
// dynamic linker's rules and without running anything: DT_RPATH,
// LD_LIBRARY_PATH, DT_RUNPATH, ld.so.cache, the system's folders. Libraries
// loaded by dlopen() are in no table, and so not included.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOL_DOCTOR_NEEDEDLIBRARIES_H
#define KPACK_TOOL_DOCTOR_NEEDEDLIBRARIES_H

#include "Tool/Doctor/LinkerCache.h"

namespace kpack::tool {

struct NeededLibrary {
  std::string Name;
  /// The file whose dynamic table names it.
  std::string NeededBy;
  /// Empty if there is no such file.
  std::string Path;
};

/// All libraries of a program.
struct LoadedLibraries {
  /// Each name once, in load order; without the program.
  std::vector<NeededLibrary> All;
  /// Files with a damaged dynamic table, which may need more, and the reason.
  std::vector<std::pair<std::string, std::string>> Damaged;
};

class NeededLibraries {
public:
  /// \p LibraryPath is the value of LD_LIBRARY_PATH.
  NeededLibraries(LinkerCache Cache, llvm::StringRef LibraryPath);

  /// Returns the libraries that \p Program needs, directly or indirectly.
  LoadedLibraries of(llvm::StringRef Program) const;

  /// Returns the file that a program of this machine loads for \p Name in
  /// LD_PRELOAD, or an empty path.
  std::string findPreloaded(llvm::StringRef Name) const;

private:
  struct Object;
  std::string find(llvm::StringRef Name, const Object &For,
                   const std::vector<Object> &Loaded) const;

  LinkerCache Cache;
  std::vector<std::string> LibraryPath;
};

} // namespace kpack::tool

#endif // KPACK_TOOL_DOCTOR_NEEDEDLIBRARIES_H
