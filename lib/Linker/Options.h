//===- Options.h - the command line of ld.kpack -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits the command line into the options of the kpack step and the arguments
// of lld. lld's arguments keep their places; only our options are removed.
// Changes to lld's behaviour (output name, replaced inputs) are options
// appended at the end, where they win.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_LINKER_OPTIONS_H
#define KPACK_LIB_LINKER_OPTIONS_H

#include "Offload/DeviceDebug.h"
#include "kpack/Archive/ArchiveWriter.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace kpack::linker {

/// A file that the command line names, with the state of the options before it.
struct InputArgument {
  std::string Name;
  bool IsLibrary = false;  // -lNAME
  bool StaticOnly = false; // after -Bstatic
  bool WholeArchive = false;
  bool InLib = false; // between --start-lib and --end-lib
};

struct LinkOptions {
  // ld.kpack's own.
  std::string ArchivePath; // --kpack=
  std::string KernelName;
  std::vector<std::string> SearchPaths; // as given; empty: the default
  /// Without the architecture. Its thread count also applies to reading and
  /// linking.
  ArchiveWriterOptions Archives;
  offload::DeviceDebug Debug = offload::DeviceDebug::Keep;
  std::optional<unsigned> DeviceOptLevel;
  std::vector<std::string> DeviceLinkArgs;

  // Values of lld's options.
  std::string Output = "a.out";
  std::string MapFile; // "-": standard output
  std::string DependencyFile;
  std::string Sysroot;
  std::vector<std::string> LibraryPaths;
  std::vector<InputArgument> Inputs;
  /// --remap-inputs= and lines of --remap-inputs-file=, in order.
  std::vector<std::string> Remaps;

  /// True if the kpack step runs: --kpack= is given, and lld links a host file
  /// (not -r, not --help, not a device link).
  bool Enabled = false;
  bool Help = false;
  bool Version = false; // lld prints its version after ours
  /// lld writes more files beside the output, named after it.
  bool HasCompanionFiles = false;

  /// argv[0] and all arguments of lld, with response files expanded.
  std::vector<const char *> LldArguments;
};

/// Parses \p Argv (with argv[0]). Strings live in \p Saver.
llvm::Expected<LinkOptions> parseOptions(llvm::ArrayRef<const char *> Argv,
                                         llvm::StringSaver &Saver);

/// True if lld's option \p Argument makes it write more files, whose names
/// begin with that of the output.
bool writesBesideOutput(llvm::StringRef Argument);

/// Prints the help text of our options.
void printOwnHelp(llvm::raw_ostream &OS);

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_OPTIONS_H
