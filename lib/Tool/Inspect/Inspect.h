//===- Tool/Inspect/Inspect.h - data that kpack inspect shows ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data of `kpack inspect`: InspectFile.cpp reads it, InspectPrint.cpp
// prints it, Inspect.cpp is the command. Offload/DeviceCode.h finds device
// code, and KernelFacts.h reads kernels.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOL_INSPECT_INSPECT_H
#define KPACK_TOOL_INSPECT_INSPECT_H

#include "Offload/KernelFacts.h"
#include "Tool/TargetScope.h"
#include "ToolSupport/Session.h"
#include "llvm/Support/JSON.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kpack::tool {

/// The selected code objects and kernels.
struct InspectChoice : TargetScope {
  /// Globs for kernels, with source names or mangled names.
  GlobList Kernels;

  /// All targets, for the message about a selection without matches.
  std::set<std::string> Seen;
  bool FoundAny = false;

  bool chooses() const { return !isWhole() || !Kernels.empty(); }
  bool wantsKernel(llvm::StringRef Name) const;
  std::string describe() const;
};

using KernelList = std::vector<offload::KernelFacts>;

struct InspectedImage {
  std::string Target;
  uint64_t Size = 0;
  /// "code object v6", "bitcode", "SPIR-V", "unknown".
  std::string Format;
  /// The selected kernels; shared by entries with the same code object.
  std::shared_ptr<const KernelList> Kernels;
};

struct InspectedPart {
  /// "bundle", "archive entry".
  std::string Kind;
  unsigned Version = 0;
  /// The path of a program's archive.
  std::string Archive;
  /// The key of an archive's entry.
  std::string Key;
  /// The member of a static library.
  std::string Member;
  std::string Section;
  /// Offset in the file; nullopt for an archive's entry, whose place is
  /// internal to the archive.
  std::optional<uint64_t> Offset;
  uint64_t Size = 0, PlainSize = 0;
  std::vector<InspectedImage> Images;
};

struct InspectedFile {
  std::string Path;
  /// "fat", "host-only", "kpack archive".
  std::string Kind;
  std::vector<InspectedPart> Parts;
};

/// Reads \p Path; problems go to \p S. With \p WithArchives, also reads the
/// archives of a program that ld.kpack has written. Returns nullopt if the file
/// cannot be read at all.
std::optional<InspectedFile> inspectFile(Session &S, const std::string &Path,
                                         InspectChoice &Choice,
                                         bool WithArchives);

/// With \p Summary, prints numbers of kernels only, and totals of targets.
void printInspected(llvm::raw_ostream &OS, const InspectedFile &File,
                    bool Summary);
void printInspected(llvm::json::OStream &J, const InspectedFile &File);

} // namespace kpack::tool

#endif // KPACK_TOOL_INSPECT_INSPECT_H
