//===- PlanNames.h - where the files of a build are -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files that clang names after -o (dependency files, .dwo, .su) get the names
// that the user's one command would have given them, although our compiles
// write elsewhere. Sibling: Plan.cpp, which puts them on command lines.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_PLANNAMES_H
#define KPACK_LIB_DRIVER_PLANNAMES_H

#include "Plan.h"

namespace kpack::driver {

/// A file that clang compiles or assembles; the others it gives to the linker.
bool isSource(const Input &I);

/// What clang names the outputs of a source after. Compiles of sources that
/// share it write the same files.
llvm::StringRef baseName(const Input &Source);

/// Where the user's one command would put things.
class Names {
public:
  Names(const CommandLine &Command, const Toolbox &Tools);

  bool linking() const { return Command.Mode == Action::Link; }

  /// Prefix of auxiliary files; empty when they are named after -o.
  std::string dumpDir() const;

  /// The .o, .s, .bc or .ll of a source.
  std::string object(const Input &Source) const;

  /// A later source has the same base name: in a serial driver its outputs take
  /// the places of this one's.
  bool isReplaced(const Input &Source) const;

  /// An object that only the link of this command needs, or that nothing needs
  /// because the source is replaced. \p Number is that of the source.
  std::string linkObject(const Input &Source, size_t Number) const;

  std::string codeObject(const Input &Source, llvm::StringRef Target,
                         size_t Number) const;

  /// The split DWARF file of a device compile, as clang names it.
  std::string deviceDwo(const Input &Source, llvm::StringRef Target) const;

  /// Side outputs of several sources go to one file (prog.d of -o prog). A
  /// serial driver leaves that of the last source there; so do we.
  bool sideOutputIsOverwritten(const Input &Source) const;

  /// -o with another extension, or the source's name when there is no -o.
  std::string besideOutput(const Input &Source,
                           llvm::StringRef Extension) const;

private:
  std::string saved(const Input &Source, const llvm::Twine &Suffix) const;
  std::string temporary(const Input &Source, size_t Number,
                        const llvm::Twine &Suffix) const;

  const CommandLine &Command;
  const Toolbox &Tools;
  bool KeepTemps = false;
  std::string TempsDir;
};

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_PLANNAMES_H
