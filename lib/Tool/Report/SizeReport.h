//===- SizeReport.h - sizes by target and kernel ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sums of `kpack report`, by target, then by library, then by kernel.
// ReportFiles.cpp reads files, Report.cpp prints text, ReportJson.cpp JSON, and
// ReportHtml.cpp draws the same numbers.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOL_REPORT_SIZEREPORT_H
#define KPACK_TOOL_REPORT_SIZEREPORT_H

#include "Tool/Report/ReportMeasure.h"
#include "Tool/TargetScope.h"
#include "ToolSupport/Session.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace kpack::tool {

/// The sum of some code objects: those of a library for a target, or all. In
/// bytes; Stored is the size in files, and the sum of Code, Debug, Symbols and
/// Other.
struct CodeShare {
  uint64_t Objects = 0, Plain = 0, Stored = 0;
  /// Part of Stored: instructions of kernels.
  uint64_t Code = 0;
  /// Part of Stored: debug information.
  uint64_t Debug = 0;
  /// Part of Stored: symbol tables that are not loaded.
  uint64_t Symbols = 0;
  /// Part of Stored: bytes outside of kernels, such as data and metadata.
  uint64_t Other = 0;

  void add(const ImageShare &Image);
};

struct LibraryShare : CodeShare {
  /// Parts of Code by source name, in proportion to the kernels' instructions.
  std::map<std::string, uint64_t> Kernels;
};

/// Code objects with the same content that are stored several times.
struct EqualCode {
  std::string Target;
  uint64_t Plain = 0, Objects = 0, Stored = 0, Largest = 0;
  std::set<std::string> Libraries;

  /// Returns the bytes that a single copy would save, at least.
  uint64_t saved() const { return Stored - Largest; }
};

struct SizeReport {
  /// The selection, such as " --gpu=gfx1100"; empty for everything.
  std::string Selection;
  /// Numbers of counted files, of kpack archives among them, and of files that
  /// could not be read completely.
  uint64_t Files = 0, Archives = 0, Unread = 0;
  /// Bytes of the files: the sum of All.Stored, Host, Overhead and LeftOut.
  uint64_t FileSize = 0;
  CodeShare All;
  /// Bytes of binaries and objects outside of device code.
  uint64_t Host = 0;
  /// Bytes of containers outside of code objects: tables, headers, padding.
  uint64_t Overhead = 0;
  /// Bytes that were not selected, or could not be read.
  uint64_t LeftOut = 0;
  /// Estimated savings without debug information: in archives and code objects,
  /// which `kpack strip` takes, and in other files.
  uint64_t Strippable = 0, StrippableElsewhere = 0;
  /// By target, then by library.
  std::map<std::string, std::map<std::string, LibraryShare>> Targets;
  /// Host bytes by the path of the file.
  std::map<std::string, uint64_t> Hosts;
  std::map<detail::ContentHash, EqualCode> ByContent;

  void add(const std::string &Target, const std::string &Library,
           const ImageShare &Image);
  /// Returns the repeated ones of ByContent, the largest savings first.
  std::vector<const EqualCode *> duplicates() const;
};

/// The number of kernels of all libraries in tables for users without scripts.
inline constexpr size_t NamedInTables = 1000;
/// The numbers of largest kernels of a library and of duplicates that are
/// listed; the others are one sum.
inline constexpr size_t NamedKernels = 50;
inline constexpr size_t NamedDuplicates = 50;

/// Kernels of a library, the largest first.
struct NamedSizes {
  std::vector<std::pair<llvm::StringRef, uint64_t>> Named;
  /// The number and the size of the other kernels.
  uint64_t More = 0, MoreSize = 0;
};
NamedSizes largestKernels(const LibraryShare &Share);

/// Returns the duplicates to list.
std::vector<const EqualCode *> largestDuplicates(const SizeReport &Report);

/// Returns the sums and possible savings as lines of text.
std::string describe(const SizeReport &Report);

/// Adds up the files and folders \p Paths; problems go to \p S.
SizeReport readReport(Session &S, const std::vector<std::string> &Paths,
                      const TargetScope &Scope);

/// Writes the report as attributes of an object.
void addReport(llvm::json::OStream &J, const SizeReport &Report);
/// Writes the attributes without names.
void addSums(llvm::json::OStream &J, const SizeReport &Report);

/// Returns the report as JSON with each name once, the data of the page.
std::string reportData(const SizeReport &Report);

/// Returns a self-contained page: a treemap of the report, and a table.
std::string reportPage(const SizeReport &Report);

} // namespace kpack::tool

#endif // KPACK_TOOL_REPORT_SIZEREPORT_H
