//===- Doctor/NeededLibraries.h - what a program is loaded with -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files that a program or library brings with it by DT_NEEDED, found by the
// dynamic linker's rules and without running anything: DT_RPATH,
// LD_LIBRARY_PATH, DT_RUNPATH, ld.so.cache, the system's folders. What is
// loaded by dlopen() is in no table, and so not here.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOL_DOCTOR_NEEDEDLIBRARIES_H
#define KPACK_TOOL_DOCTOR_NEEDEDLIBRARIES_H

#include "Tool/Doctor/LinkerCache.h"

namespace kpack::tool {

struct NeededLibrary {
  std::string Name;
  /// The file that has it in its table.
  std::string NeededBy;
  /// Empty: there is none.
  std::string Path;
};

/// What a program is loaded with.
struct LoadedLibraries {
  /// Each name once, in the order in which they are loaded; without the
  /// program.
  std::vector<NeededLibrary> All;
  /// Files with a damaged dynamic table, which may need more, and why.
  std::vector<std::pair<std::string, std::string>> Damaged;
};

class NeededLibraries {
public:
  /// \p LibraryPath: LD_LIBRARY_PATH.
  NeededLibraries(LinkerCache Cache, llvm::StringRef LibraryPath);

  /// All that \p Program needs and what that needs.
  LoadedLibraries of(llvm::StringRef Program) const;

  /// Where a program of this machine gets what LD_PRELOAD calls \p Name; empty:
  /// nowhere.
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
