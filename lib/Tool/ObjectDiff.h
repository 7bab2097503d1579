//===- ObjectDiff.h - in what two code objects differ -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By sections, since those are what people know: .text is other code, .rodata
// other kernel descriptors, .debug_line other line numbers. User: Diff.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_TOOL_OBJECTDIFF_H
#define KPACK_LIB_TOOL_OBJECTDIFF_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace kpack::tool {

struct ObjectDifference {
  /// Names of sections whose content differs, or that one of the two lacks, in
  /// the order of the second file; "headers" where all sections are equal.
  std::vector<std::string> Sections;
  /// Whether one of them becomes a part of the program, unlike debug
  /// information and symbol tables. True of what is no ELF file.
  bool InLoaded = false;
};

/// Nothing when \p Old and \p New are the same bytes. Damaged files differ "as
/// a whole"; that is no error, since the bytes are what is compared.
std::optional<ObjectDifference> compareObjects(llvm::StringRef Old,
                                               llvm::StringRef New);

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_OBJECTDIFF_H
