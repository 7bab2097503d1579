//===- Tool/Report/Report.h - where the bytes of files go -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `kpack report` has added up, by target, then by library, then by kernel.
// ReportFiles.cpp reads files, Report.cpp prints text, ReportJson.cpp JSON, and
// ReportHtml.cpp makes a picture of the same numbers.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOL_REPORT_REPORT_H
#define KPACK_TOOL_REPORT_REPORT_H

#include "Tool/Report/ReportMeasure.h"
#include "Tool/TargetScope.h"
#include "ToolSupport/Session.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace kpack::tool {

/// Code objects that were added up: those of one library for one target, or all
/// of them. Bytes; Stored is what they take in files, and the sum of Code,
/// Debug, Symbols and Other.
struct CodeShare {
  uint64_t Objects = 0, Plain = 0, Stored = 0;
  /// Of Stored: instructions of kernels.
  uint64_t Code = 0;
  /// Of Stored: debug information.
  uint64_t Debug = 0;
  /// Of Stored: symbol tables that are not loaded.
  uint64_t Symbols = 0;
  /// Of Stored: what belongs to no kernel, such as data and metadata.
  uint64_t Other = 0;

  void add(const ImageShare &Image);
};

struct LibraryShare : CodeShare {
  /// Of Code, by name as it was written: in proportion to their instructions.
  std::map<std::string, uint64_t> Kernels;
};

/// Code objects with the same content that take room several times.
struct EqualCode {
  std::string Target;
  uint64_t Plain = 0, Objects = 0, Stored = 0, Largest = 0;
  std::set<std::string> Libraries;

  /// Bytes that one in the place of all would save, at least.
  uint64_t saved() const { return Stored - Largest; }
};

struct SizeReport {
  /// " --gpu=gfx1100": what was asked for; empty: everything.
  std::string Selection;
  /// Files that were counted, those of them that are archives of kpack, and
  /// those of which something could not be read.
  uint64_t Files = 0, Archives = 0, Unread = 0;
  /// Of the files. The sum of All.Stored, Host, Overhead and LeftOut.
  uint64_t FileSize = 0;
  CodeShare All;
  /// What of binaries and objects is no device code.
  uint64_t Host = 0;
  /// What containers take beside code objects: tables, headers, padding.
  uint64_t Overhead = 0;
  /// What was not asked for, or could not be read.
  uint64_t LeftOut = 0;
  /// What leaving debug information out would save, about: of archives and code
  /// objects, which `kpack strip` takes, and of other files.
  uint64_t Strippable = 0, StrippableElsewhere = 0;
  /// By target, then by library.
  std::map<std::string, std::map<std::string, LibraryShare>> Targets;
  /// Host bytes by the path of the file.
  std::map<std::string, uint64_t> Hosts;
  std::map<detail::ContentHash, EqualCode> ByContent;

  void add(const std::string &Target, const std::string &Library,
           const ImageShare &Image);
  /// Those of ByContent that are there more than once, what saves most first.
  std::vector<const EqualCode *> duplicates() const;
};

/// In tables for those who have no script, kernels of all libraries.
inline constexpr size_t NamedInTables = 1000;
/// The kernels that are named one by one, the largest first; the rest of a
/// library's are one sum. And so with duplicates.
inline constexpr size_t NamedKernels = 50;
inline constexpr size_t NamedDuplicates = 50;

/// Kernels of a library, the largest first.
struct NamedSizes {
  std::vector<std::pair<llvm::StringRef, uint64_t>> Named;
  /// How many are not named, and what they take.
  uint64_t More = 0, MoreSize = 0;
};
NamedSizes largestKernels(const LibraryShare &Share);

/// Those duplicates that are named.
std::vector<const EqualCode *> largestDuplicates(const SizeReport &Report);

/// The sums and what could be saved, in lines that people read.
std::string describe(const SizeReport &Report);

/// Adds up what the files and folders \p Paths hold; problems go to \p S.
SizeReport readReport(Session &S, const std::vector<std::string> &Paths,
                      const TargetScope &Scope);

/// Attributes of an object: the report.
void addReport(llvm::json::OStream &J, const SizeReport &Report);
/// Of these, those in which there are no names.
void addSums(llvm::json::OStream &J, const SizeReport &Report);

/// The report as JSON that has each name once: the data of the page.
std::string reportData(const SizeReport &Report);

/// A page that needs nothing else: a treemap of the report, and a table.
std::string reportPage(const SizeReport &Report);

} // namespace kpack::tool

#endif // KPACK_TOOL_REPORT_REPORT_H
