//===- Plan.h - clang commands to run ---------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a parsed command line into commands for stock clang: for each HIP
// source one device compile a target and one host compile, all with one cuid;
// the compile of the other sources; the link with ld.kpack. Nothing is run
// here and no file is touched: Driver.cpp runs the plan.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_PLAN_H
#define KPACK_LIB_DRIVER_PLAN_H

#include "CommandLine.h"
#include "Offload/DevicePayload.h"

namespace kpack::driver {

/// Where things are.
struct Toolbox {
  std::string Clang;    // program to drive
  std::string Linker;   // ld.kpack
  std::string Plugin;   // KpackPlugin.so
  std::string TempDir;  // ours alone; the compilers' TMPDIR
  std::string CrashDir; // where crash reports may go, which outlive TempDir
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
  /// What the host compiler writes, and we finish.
  std::string HostOutput;
  /// Where the finished file goes; equal to HostOutput for ordinary files.
  std::string Object;
  offload::PayloadKind Kind = offload::PayloadKind::Image;
};

/// A source that is not HIP, compiled by itself: in one command with
/// --hip-link clang would take it for a bundle with device code.
struct OtherSource {
  const Input *Source = nullptr;
  std::vector<std::string> Arguments;
  /// The object that is linked in its place. Without a link empty, since clang
  /// names the output then, unless a later source has the same base name.
  std::string Object;
};

struct Plan {
  std::vector<TranslationUnit> Units;
  std::vector<OtherSource> Others;
  /// Stock clang's dry run of the same command: its diagnostics are those a
  /// user of clang would see. Empty when nothing is compiled.
  std::vector<std::string> Check;

  bool compiles() const { return !Units.empty() || !Others.empty(); }
};

/// \p Targets has no duplicates. Errors: options that cannot work with
/// --emit-kpack.
llvm::Expected<Plan> makePlan(const CommandLine &Command, const Toolbox &Tools,
                              llvm::ArrayRef<std::string> Targets);

/// The link, whose inputs are the objects of \p Compiled. \p DeviceLinkArgs is
/// what clang's driver gives the device linker for this command line.
llvm::Expected<std::vector<std::string>>
linkCommand(const CommandLine &Command, const Toolbox &Tools,
            const Plan &Compiled, llvm::ArrayRef<std::string> DeviceLinkArgs);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_PLAN_H
