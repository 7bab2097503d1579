//===- CommandLine.h - parsed command line of the driver --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Separates our options, which clang does not know, from all others, which are
// classified with clang's option table (so that the value of -o or -Xclang is
// never mistaken for an option or an input). Response files and explicit
// --config files are read as clang reads them. Siblings: BuildPlan.h makes
// clang commands of the result, Targets.h its architectures.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_COMMANDLINE_H
#define KPACK_LIB_DRIVER_COMMANDLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kpack::driver {

/// Values of the options that clang does not have.
struct KpackOptions {
  bool EmitKpack = false;               // --emit-kpack[=FILE]
  std::string Archive;                  // FILE; empty: the default name
  std::string HostOnly;                 // --emit-host-only=
  std::string Group;                    // --kpack-group=
  std::string Name;                     // --kpack-name=
  std::string Compression;              // --kpack-compression=
  std::string DeviceDebug;              // --device-debug=
  std::string Clang;                    // --kpack-clang=
  unsigned Jobs = 0;                    // --kpack-jobs=, 0: one a CPU
  bool Shim = false;                    // --kpack-shim
  bool AsksIdentity = false;            // --kpack-compiler-id
  std::vector<std::string> SearchPaths; // --kpack-search-path=
  /// Spellings of options that require --emit-kpack.
  std::vector<std::string> NeedEmitKpack;
};

/// The final output of the command, as far as this driver makes it.
enum class Action {
  /// No HIP source is compiled to an object or linked (-E, -M, -fsyntax-only,
  /// --offload-host-only ...); clang runs alone.
  Stock,
  Assembly, // -S
  Object,   // -c
  Link,
};

struct Input {
  const llvm::opt::Arg *Option; // the positional argument, or "--"
  std::string Path;
  std::string Language; // of the -x in force; empty: by file name
  bool IsHip = false;
};

/// One parsed command line. Not movable: the arguments point into it.
class CommandLine {
public:
  /// \p Argv excludes the program's name. \p Supplied are arguments that the
  /// driver adds before them.
  static llvm::Expected<std::unique_ptr<CommandLine>>
  parse(llvm::ArrayRef<const char *> Argv,
        llvm::ArrayRef<std::string> Supplied = {});

  CommandLine(const CommandLine &) = delete;
  CommandLine &operator=(const CommandLine &) = delete;

  KpackOptions Kpack;
  Action Mode = Action::Link;
  std::vector<Input> Inputs;

  /// All arguments for clang, without ours, response files expanded.
  const llvm::opt::InputArgList &args() const { return Args; }
  /// The same as strings, with --emit-host-only= replaced by -o.
  std::vector<std::string> stockArguments() const;
  /// Returns one argument as the user wrote it, with aliases unresolved.
  std::vector<std::string> spelling(const llvm::opt::Arg &A) const;
  /// Value of -o or --emit-host-only=; empty if there is none.
  llvm::StringRef output() const;

  /// True if the argument is from a --config file, which clang reads again.
  bool fromConfig(const llvm::opt::Arg &A) const;
  /// True if the driver added the argument.
  bool isSupplied(const llvm::opt::Arg &A) const;
  bool isOwn(const llvm::opt::Arg &A) const;
  bool hasOwnOptions() const { return !Own.empty(); }

  bool hasHipInput() const;
  bool isRdc() const;
  /// True if the host compile writes LLVM IR: -flto, -emit-llvm.
  bool hostIsBitcode() const;
  bool emitsLlvm() const;

private:
  CommandLine() = default;
  llvm::Error takeOwnOptions();
  void collectInputs();
  void decideMode();

  llvm::BumpPtrAllocator Memory;
  llvm::opt::InputArgList Args;
  unsigned ConfigArguments = 0;
  unsigned SuppliedArguments = 0; // after those
  /// Index of the first string of each argument.
  std::vector<unsigned> Starts;
  std::vector<const llvm::opt::Arg *> Own;
};

/// True if any argument could be one of ours, without opening response files:
/// the fast path for plain clang commands.
bool mentionsKpack(llvm::ArrayRef<const char *> Argv);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_COMMANDLINE_H
