//===- Tool/Inspect/Inspect.h - device code, whatever the file --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `kpack inspect` knows of a file: InspectFile.cpp finds it out,
// InspectPrint.cpp prints it, Inspect.cpp is the command. Where device code is
// found is Offload/DeviceCode.h's, what kernels take KernelFacts.h's.
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

/// Which code objects and kernels are meant.
struct InspectChoice : TargetScope {
  /// Of kernels, as they were written or as the compiler mangled them.
  GlobList Kernels;

  /// Targets that were seen, for a choice that nothing fits.
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
  /// Those that were chosen; shared by entries of an archive that are equal.
  std::shared_ptr<const KernelList> Kernels;
};

struct InspectedPart {
  /// "bundle", "archive entry".
  std::string Kind;
  unsigned Version = 0;
  /// Of what a program has in archives.
  std::string Archive;
  /// Of an archive's entry.
  std::string Key;
  /// Of a static library.
  std::string Member;
  std::string Section;
  /// In the file; nothing for an archive's entry, whose place is its own
  /// matter.
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

/// Reads \p Path; problems go to \p S. Of a program that ld.kpack has written,
/// its archives are read when \p WithArchives. Nothing when the file cannot be
/// read at all.
std::optional<InspectedFile> inspectFile(Session &S, const std::string &Path,
                                         InspectChoice &Choice,
                                         bool WithArchives);

/// \p Summary: of kernels their number alone, and totals of targets.
void printInspected(llvm::raw_ostream &OS, const InspectedFile &File,
                    bool Summary);
void printInspected(llvm::json::OStream &J, const InspectedFile &File);

} // namespace kpack::tool

#endif // KPACK_TOOL_INSPECT_INSPECT_H
