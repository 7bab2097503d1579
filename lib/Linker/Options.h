//===- Options.h - the command line of ld.kpack -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command line split in two: what the kpack step must know, and what lld
// gets. lld's part keeps every argument in its place; only our own options are
// taken out. What lld is to do differently (output name, replaced inputs) is
// said by options added at the end, where they win.
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

/// A file that the command line names, in the state the options before it
/// have set.
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
  /// Without the architecture; its threads also read and link.
  ArchiveWriterOptions Archives;
  offload::DeviceDebug Debug = offload::DeviceDebug::Keep;
  std::optional<unsigned> DeviceOptLevel;
  std::vector<std::string> DeviceLinkArgs;

  // What lld's options say.
  std::string Output = "a.out";
  std::string MapFile; // "-": standard output
  std::string DependencyFile;
  std::string Sysroot;
  std::vector<std::string> LibraryPaths;
  std::vector<InputArgument> Inputs;
  /// --remap-inputs= and lines of --remap-inputs-file=, in order.
  std::vector<std::string> Remaps;

  /// The kpack step is wanted and applies: --kpack= is given, and lld links
  /// a host file (not -r, not --help, not a device link).
  bool Enabled = false;
  bool Help = false;
  bool Version = false; // lld prints its own, behind ours
  /// lld writes files named after the output beside it.
  bool HasCompanionFiles = false;

  /// argv[0] and all arguments that are lld's, response files expanded.
  std::vector<const char *> LldArguments;
};

/// Parses \p Argv (with argv[0]). Strings live in \p Saver.
llvm::Expected<LinkOptions> parseOptions(llvm::ArrayRef<const char *> Argv,
                                         llvm::StringSaver &Saver);

/// Whether \p Argument of lld makes it write more files, whose names begin with
/// that of the output.
bool writesBesideOutput(llvm::StringRef Argument);

/// The help of our own options.
void printOwnHelp(llvm::raw_ostream &OS);

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_OPTIONS_H
