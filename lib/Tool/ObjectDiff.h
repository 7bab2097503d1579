//===- ObjectDiff.h - differences of two code objects -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports sections, which users know: .text is code, .rodata has kernel
// descriptors, .debug_line has line numbers. Used by Diff.cpp
// and VerifyCode.cpp.
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
  /// the order of the second file; "headers" if all sections are equal.
  std::vector<std::string> Sections;
  /// True if one of them is loaded, unlike debug information and symbol tables,
  /// or if a file is not ELF.
  bool InLoaded = false;
};

/// Returns nullopt if \p Old and \p New have the same bytes. Damaged files
/// differ "as a whole"; that is no error, since bytes are compared.
std::optional<ObjectDifference> compareObjects(llvm::StringRef Old,
                                               llvm::StringRef New);

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_OBJECTDIFF_H
