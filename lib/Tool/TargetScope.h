//===- TargetScope.h - which targets are meant ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What --arch= and --gpu= say together: a target is meant when its name matches
// or when its code runs on one of the devices, which is not the same as having
// the device's name. Users: verify, inspect and prune. Sibling: EntryFilter.h,
// where names alone choose.
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

  /// True when nothing is left out.
  bool isWhole() const { return Arches.empty() && Gpus.empty(); }
  /// Whether code for the target id \p Arch is meant, SPIR-V for every device.
  bool wants(llvm::StringRef Arch) const;
  /// " --arch=gfx11* --gpu=gfx90a", for messages.
  std::string describe() const;
};

/// The targets whose code runs on the device \p Gpu, best first. SPIR-V is none
/// of them.
std::vector<std::string> targetsFor(llvm::StringRef Gpu);

/// "has code for gfx1100 only by translation of ...", of a binary in which
/// \p Count of \p All wrappers have SPIR-V and nothing that runs on \p Gpu.
std::string onlyByTranslation(llvm::StringRef Gpu, size_t Count, size_t All);

/// A note for each device of \p Scope that has code among \p Targets only by
/// translation.
std::vector<std::string> translationNotes(const TargetScope &Scope,
                                          const std::set<std::string> &Targets);

/// The devices in a list with commas; the error names --gpu=.
llvm::Expected<std::vector<std::string>> devicesOf(llvm::StringRef List);

/// Whether LLVM knows the processor of \p Target. What it does not know is
/// newer than it, or mistyped.
bool isKnownGpu(llvm::StringRef Target);

/// "no GPU that LLVM 22.1.8 knows".
std::string unknownGpu();

/// A note for each of \p Names, of \p Option, that LLVM does not know: the
/// answer is of a GPU that may not exist.
std::vector<std::string> unknownGpuNotes(llvm::StringRef Option,
                                         llvm::ArrayRef<std::string> Names);

/// An error that names a device of --gpu= which LLVM does not know and which
/// none of \p Targets, all that there is code for, runs on.
llvm::Error checkDevices(const TargetScope &Scope,
                         const std::set<std::string> &Targets);

/// What the options say; an error names the one that is none.
llvm::Expected<TargetScope> targetScopeOf(const llvm::opt::InputArgList &Args);

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_TARGETSCOPE_H
