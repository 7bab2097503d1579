//===- CommandLine.h - what the user asked for ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a command line apart: our own options, which clang does not know, and
// everything else, classified with clang's own option table (so that the value
// of -o or -Xclang is never mistaken for an option or an input). Response
// files and explicit --config files are read, as clang reads them.
// Siblings: Plan.h makes clang commands of it, Targets.h its architectures.
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
  /// Spellings of options that mean something only with --emit-kpack.
  std::vector<std::string> NeedEmitKpack;
};

/// What the command is to produce, as far as it concerns us.
enum class Action {
  /// Nothing of HIP is compiled to an object or linked here (-E, -M,
  /// -fsyntax-only, --offload-host-only ...): clang does it alone.
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
  /// \p Argv without the program's name. \p Supplied are arguments that we add
  /// ourselves, in front of those.
  static llvm::Expected<std::unique_ptr<CommandLine>>
  parse(llvm::ArrayRef<const char *> Argv,
        llvm::ArrayRef<std::string> Supplied = {});

  CommandLine(const CommandLine &) = delete;
  CommandLine &operator=(const CommandLine &) = delete;

  KpackOptions Kpack;
  Action Mode = Action::Link;
  std::vector<Input> Inputs;

  /// All arguments for clang, ours taken out, response files expanded.
  const llvm::opt::InputArgList &args() const { return Args; }
  /// The same as strings, with --emit-host-only= turned into -o.
  std::vector<std::string> stockArguments() const;
  /// One argument as the user wrote it: no alias resolved.
  std::vector<std::string> spelling(const llvm::opt::Arg &A) const;
  /// Value of -o or --emit-host-only=; empty when there is none.
  llvm::StringRef output() const;

  /// The argument stands in a --config file, which clang reads again.
  bool fromConfig(const llvm::opt::Arg &A) const;
  /// The argument is one that we have added, not the user.
  bool isSupplied(const llvm::opt::Arg &A) const;
  bool isOwn(const llvm::opt::Arg &A) const;
  bool hasOwnOptions() const { return !Own.empty(); }

  bool hasHipInput() const;
  bool isRdc() const;
  /// The host compile writes LLVM IR: -flto, -emit-llvm.
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

/// True when any argument could be one of ours, response files not opened:
/// the fast way to hand a plain clang command line to clang.
bool mentionsKpack(llvm::ArrayRef<const char *> Argv);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_COMMANDLINE_H
