//===- Report.h - where the bytes of archives go ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `kpack report` has added up, by target, then by library, then by kernel.
// Report.cpp reads archives and prints text and JSON, ReportHtml.cpp makes a
// picture of the same numbers.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_TOOL_REPORT_H
#define KPACK_LIB_TOOL_REPORT_H

#include "llvm/Support/JSON.h"

#include <cstdint>
#include <map>
#include <string>

namespace kpack::tool {

/// The code objects of one library for one target. Bytes; Stored is what they
/// take in archives, and the sum of Debug, Other and Kernels.
struct LibraryShare {
  uint64_t Objects = 0, Plain = 0, Stored = 0;
  /// Of Stored: debug information.
  uint64_t Debug = 0;
  /// Of Stored: what belongs to no kernel, such as data and symbol tables.
  uint64_t Other = 0;
  /// Of Stored, by name as it was written: in proportion to their instructions.
  std::map<std::string, uint64_t> Kernels;
};

struct SizeReport {
  uint64_t Archives = 0, FileSize = 0, Stored = 0;
  /// What `kpack strip` would take away, about.
  uint64_t Strippable = 0;
  /// By target, then by library.
  std::map<std::string, std::map<std::string, LibraryShare>> Targets;
};

/// The kernels that are named one by one, the largest first; the rest of a
/// library's are one sum.
inline constexpr size_t NamedKernels = 50;

/// Attributes of an object: the report.
void addReport(llvm::json::OStream &J, const SizeReport &Report);

/// A page that needs nothing else: a treemap of the report.
std::string reportPage(const SizeReport &Report);

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_REPORT_H
