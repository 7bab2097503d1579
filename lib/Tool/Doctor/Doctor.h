//===- Doctor/Doctor.h - is a binary's code there for a GPU? ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DoctorBinary.cpp checks one binary for `kpack doctor`. The command itself,
// which goes through a program's libraries, is in Doctor.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOL_DOCTOR_DOCTOR_H
#define KPACK_TOOL_DOCTOR_DOCTOR_H

#include "Runtime/ArchiveSearch.h"
#include "Tool/HostBinary.h"

namespace kpack::tool {

struct MissingArchive {
  std::string Gpu;
  /// What of the targets that run there it was built for; may be unknown.
  std::string Target;
  /// Where the loader looks, in its order.
  std::vector<std::string> Files;
};

struct BinaryHealth {
  std::string Path;
  /// Empty: it was asked for.
  std::string NeededBy;
  /// "host-only", "fat", "mixed", "reference" or, not read or without device
  /// code that it needs, "unknown".
  std::string Kind;
  size_t WrapperCount = 0;
  /// Complete messages.
  std::vector<std::string> Problems, Notes;
  std::vector<MissingArchive> Missing;
  /// Of the GPUs that were asked for, those that a reference has never had code
  /// for: another file of the same library may have it.
  std::vector<std::string> NotMeantFor;

  bool isGood() const { return Problems.empty(); }
};

struct HealthScope {
  /// Empty: all that a binary was built for is to be there.
  const std::vector<std::string> &Gpus;
  /// As the process would have it.
  runtime::ArchiveSearch &Search;
};

/// The library that lets every HIP runtime load archives and references.
struct ShimPlace {
  /// The environment as it is preloads it from here; empty: it does not.
  std::string Preloaded;
  /// What LD_PRELOAD calls it, when that is not there.
  std::string Lost;
  /// Where it could be preloaded from; empty: it was not found.
  std::string Installed;

  /// How to fix that it is not preloaded.
  std::string howToPreload() const;
};

class NeededLibraries;

/// \p Preload: LD_PRELOAD.
ShimPlace findShim(const NeededLibraries &Linker, llvm::StringRef Preload);

/// Nothing for a file without HIP code.
std::optional<BinaryHealth> checkHealth(llvm::StringRef Path,
                                        const HealthScope &Scope);

} // namespace kpack::tool

#endif // KPACK_TOOL_DOCTOR_DOCTOR_H
