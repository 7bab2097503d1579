//===- Doctor/DoctorBinary.h - doctor's checks of a binary ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DoctorBinary.cpp checks a binary for `kpack doctor`. The command itself,
// which visits a program's libraries, is in Doctor.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOL_DOCTOR_DOCTORBINARY_H
#define KPACK_TOOL_DOCTOR_DOCTORBINARY_H

#include "Runtime/ArchiveSearch.h"
#include "Tool/HostBinary.h"

namespace kpack::tool {

struct MissingArchive {
  std::string Gpu;
  /// The target, among those that run there, for which it was built, or empty.
  std::string Target;
  /// The files that the loader tries, in order.
  std::vector<std::string> Files;
};

struct BinaryHealth {
  std::string Path;
  /// The file that needs it; empty for an operand.
  std::string NeededBy;
  /// "host-only", "fat", "mixed", "reference", or "unknown" if it cannot be
  /// read or lacks device code that it needs.
  std::string Kind;
  size_t WrapperCount = 0;
  /// Complete messages.
  std::vector<std::string> Problems, Notes;
  std::vector<MissingArchive> Missing;
  /// Requested GPUs for which a reference never had code; another file of the
  /// library may have it.
  std::vector<std::string> NotMeantFor;

  bool isGood() const { return Problems.empty(); }
};

struct HealthScope {
  /// If empty, all code that a binary was built with has to be there.
  const std::vector<std::string> &Gpus;
  /// With the environment of the process.
  runtime::ArchiveSearch &Search;
};

/// The library that lets every HIP runtime load archives and references.
struct ShimPlace {
  /// The file that the environment preloads, or empty.
  std::string Preloaded;
  /// The name in LD_PRELOAD, if there is no such file.
  std::string Lost;
  /// A file that could be preloaded; empty if none was found.
  std::string Installed;

  /// Returns advice for preloading it.
  std::string howToPreload() const;
};

class NeededLibraries;

/// \p Preload is the value of LD_PRELOAD.
ShimPlace findShim(const NeededLibraries &Linker, llvm::StringRef Preload);

/// Returns nullopt for a file without HIP code.
std::optional<BinaryHealth> checkHealth(llvm::StringRef Path,
                                        const HealthScope &Scope);

} // namespace kpack::tool

#endif // KPACK_TOOL_DOCTOR_DOCTORBINARY_H
