//===- BuildPlan.h - clang commands of one command line ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a parsed command line into commands for stock clang: for each HIP
// source one device compile a target and one host compile, all with the same
// cuid; the compiles of other sources; and the link with ld.kpack. Runs no
// program and touches no file; RunBuild.cpp runs the plan.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_BUILDPLAN_H
#define KPACK_LIB_DRIVER_BUILDPLAN_H

#include "CommandLine.h"
#include "Offload/DevicePayload.h"

namespace kpack::driver {

/// Paths and terminal properties.
struct Toolbox {
  std::string Clang;    // program to drive
  std::string Linker;   // ld.kpack
  std::string Plugin;   // KpackPlugin.so
  std::string TempDir;  // private; TMPDIR of the compilers
  std::string CrashDir; // for crash reports, which outlive TempDir
  bool Colour = false;  // our stderr is a terminal that shows colours
  unsigned Columns = 0; // its width, 0: not a terminal
};

struct DeviceCompile {
  std::string Target;
  std::vector<std::string> Arguments;
  std::string Output;
};

/// One HIP source.
struct TranslationUnit {
  const Input *Source = nullptr;
  std::string Cuid;
  std::vector<DeviceCompile> Devices;
  std::vector<std::string> HostArguments;
  /// The host compiler's output, which FinishUnit.h completes.
  std::string HostOutput;
  /// The path of the finished file; HostOutput for ordinary files.
  std::string Object;
  offload::PayloadKind Kind = offload::PayloadKind::Image;
};

/// A source that is not HIP. It is compiled separately, because clang with
/// --hip-link would take it for a bundle with device code.
struct OtherSource {
  const Input *Source = nullptr;
  std::vector<std::string> Arguments;
  /// The object to link. Empty without a link, since clang then names the
  /// output, unless a later source has the same base name.
  std::string Object;
};

struct Plan {
  std::vector<TranslationUnit> Units;
  std::vector<OtherSource> Others;
  /// Stock clang's dry run of the same command, which gives its diagnostics.
  /// Empty if nothing is compiled.
  std::vector<std::string> Check;

  bool compiles() const { return !Units.empty() || !Others.empty(); }
};

/// \p Targets has no duplicates. Fails on options that cannot work with
/// --emit-kpack.
llvm::Expected<Plan> makePlan(const CommandLine &Command, const Toolbox &Tools,
                              llvm::ArrayRef<std::string> Targets);

/// Returns the link command for the objects of \p Compiled. \p DeviceLinkArgs
/// are the options that clang's driver passes to the device linker.
llvm::Expected<std::vector<std::string>>
linkCommand(const CommandLine &Command, const Toolbox &Tools,
            const Plan &Compiled, llvm::ArrayRef<std::string> DeviceLinkArgs);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_BUILDPLAN_H
