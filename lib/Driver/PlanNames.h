//===- PlanNames.h - names of a compile's output files ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files that clang names after -o (dependency files, .dwo, .su) get the names
// that the user's one command would have given them, although our compiles
// write elsewhere. Sibling: BuildPlan.cpp, which puts them on command lines.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_PLANNAMES_H
#define KPACK_LIB_DRIVER_PLANNAMES_H

#include "BuildPlan.h"

namespace kpack::driver {

/// True if clang compiles or assembles the file; others go to the linker.
bool isSource(const Input &I);

/// Returns the stem of clang's output names for a source. Compiles of sources
/// with the same stem write the same files.
llvm::StringRef baseName(const Input &Source);

/// The paths that the user's one command would write to.
class Names {
public:
  Names(const CommandLine &Command, const Toolbox &Tools);

  bool linking() const { return Command.Mode == Action::Link; }

  /// Prefix of auxiliary files; empty if they are named after -o.
  std::string dumpDir() const;

  /// The .o, .s, .bc or .ll of a source.
  std::string object(const Input &Source) const;

  /// True if a later source has the same base name: with a serial driver its
  /// outputs replace those of this source.
  bool isReplaced(const Input &Source) const;

  /// Returns a temporary object, for the link of this command only or for a
  /// source that is replaced. \p Index is the index of the source.
  std::string linkObject(const Input &Source, size_t Index) const;

  std::string codeObject(const Input &Source, llvm::StringRef Target,
                         size_t Index) const;

  /// The split DWARF file of a device compile, as clang names it.
  std::string deviceDwo(const Input &Source, llvm::StringRef Target) const;

  /// True if the side outputs of several sources have one path (prog.d of -o
  /// prog) and a later source overwrites this one's, as with a serial driver.
  bool sideOutputIsOverwritten(const Input &Source) const;

  /// -o with another extension, or the source's name if there is no -o.
  std::string besideOutput(const Input &Source,
                           llvm::StringRef Extension) const;

private:
  std::string saved(const Input &Source, const llvm::Twine &Suffix) const;
  std::string temporary(const Input &Source, size_t Index,
                        const llvm::Twine &Suffix) const;

  const CommandLine &Command;
  const Toolbox &Tools;
  bool KeepTemps = false;
  std::string TempsDir;
};

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_PLANNAMES_H
