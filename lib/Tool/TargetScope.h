//===- TargetScope.h - targets by --arch= and --gpu= ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The selection by --arch= and --gpu=: a target is selected if its name
// matches, or if its code runs on one of the devices, whose names may differ
// from the target's. Used by verify, inspect, prune and report. Sibling:
// EntryFilter.h, which selects by name only.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_TOOL_TARGETSCOPE_H
#define KPACK_LIB_TOOL_TARGETSCOPE_H

#include "ToolSupport/Glob.h"
#include "llvm/Option/ArgList.h"

#include <set>
#include <string>
#include <vector>

namespace kpack::tool {

struct TargetScope {
  GlobList Arches;
  /// Canonical names of devices, "gfx90a:sramecc+:xnack-".
  std::vector<std::string> Gpus;

  /// True if all targets are selected.
  bool isWhole() const { return Arches.empty() && Gpus.empty(); }
  /// True if code for the target id \p Arch is selected; SPIR-V is for every
  /// device.
  bool wants(llvm::StringRef Arch) const;
  /// Returns " --arch=gfx11* --gpu=gfx90a", for messages.
  std::string describe() const;
};

/// Returns the targets whose code runs on the device \p Gpu, best first,
/// without SPIR-V.
std::vector<std::string> targetsFor(llvm::StringRef Gpu);

/// Returns "has code for gfx1100 only by translation of ...", for a binary in
/// which \p Count of \p All wrappers have SPIR-V and no code that runs on
/// \p Gpu directly.
std::string onlyByTranslation(llvm::StringRef Gpu, size_t Count, size_t All);

/// Returns a note for each device of \p Scope that has code among \p Targets
/// only by translation.
std::vector<std::string> translationNotes(const TargetScope &Scope,
                                          const std::set<std::string> &Targets);

/// Parses a list of devices with commas; errors name --gpu=.
llvm::Expected<std::vector<std::string>> parseDevices(llvm::StringRef List);

/// True if LLVM knows the processor of \p Target. Others are newer than LLVM,
/// or mistyped.
bool isKnownGpu(llvm::StringRef Target);

/// Returns "no GPU that LLVM 22.1.8 knows".
std::string unknownGpu();

/// Returns a note for each of \p Names, from \p Option, that LLVM does not
/// know, since the GPU may not exist.
std::vector<std::string> unknownGpuNotes(llvm::StringRef Option,
                                         llvm::ArrayRef<std::string> Names);

/// Fails for a device of --gpu= that LLVM does not know and on which none of
/// \p Targets, all available targets, runs.
llvm::Error checkDevices(const TargetScope &Scope,
                         const std::set<std::string> &Targets);

/// Returns the selection of the options; errors name the invalid one.
llvm::Expected<TargetScope>
parseTargetScope(const llvm::opt::InputArgList &Args);

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_TARGETSCOPE_H
