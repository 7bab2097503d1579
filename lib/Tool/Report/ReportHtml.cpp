//===- ReportHtml.cpp - size report as an HTML page -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ReportPage.html has placeholders for a summary, for tables that need no
// script, and for the data of the report, which its script draws. It loads
// nothing, so that it can be archived and mailed. Names may come from hostile
// files: the data contains no '<', tables have them escaped and cut, and the
// script inserts them as text. Siblings: ReportData.cpp, Report.cpp.
//
//===----------------------------------------------------------------------===//
#include "Tool/Report/SizeReport.h"
#include "ToolSupport/HtmlPage.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

static constexpr StringLiteral PageText =
#include "ReportPage.inc"
    ;

static void printRow(raw_ostream &OS, ArrayRef<StringRef> Names,
                     ArrayRef<uint64_t> Numbers) {
  OS << "<tr>";
  for (StringRef Name : Names)
    OS << "<td class=\"name\">" << htmlText(Name) << "</td>";
  for (uint64_t Value : Numbers)
    OS << "<td>" << Value << "</td>";
  OS << "</tr>\n";
}

static void printHead(raw_ostream &OS, StringRef Title,
                      ArrayRef<StringRef> Names, ArrayRef<StringRef> Numbers) {
  OS << "<h2>" << Title << "</h2>\n<table><thead><tr>";
  for (StringRef Name : Names)
    OS << "<th class=\"name\">" << Name << "</th>";
  for (StringRef Name : Numbers)
    OS << "<th>" << Name << "</th>";
  OS << "</tr></thead><tbody>\n";
}

static void printShare(raw_ostream &OS, StringRef Target, StringRef Library,
                       const CodeShare &Share) {
  printRow(OS, {Target, Library},
           {Share.Objects, Share.Plain, Share.Stored, Share.Code, Share.Symbols,
            Share.Debug, Share.Other});
}

/// Returns the smallest size that gets a row.
static uint64_t leastWithRow(const SizeReport &Report) {
  std::vector<uint64_t> Sizes;
  for (const auto &[Target, Libraries] : Report.Targets)
    for (const auto &[Library, Share] : Libraries)
      for (const auto &[Name, Size] : largestKernels(Share).Named)
        Sizes.push_back(Size);
  if (Sizes.size() <= NamedInTables)
    return 0;
  std::nth_element(Sizes.begin(), Sizes.begin() + NamedInTables, Sizes.end(),
                   std::greater<>());
  return Sizes[NamedInTables] + 1;
}

static void printKernels(raw_ostream &OS, StringRef Target, StringRef Library,
                         const LibraryShare &Share, uint64_t Least) {
  printRow(OS, {Target, Library}, {Share.Code});
  NamedSizes Kernels = largestKernels(Share);
  for (const auto &[Name, Size] : Kernels.Named)
    if (Size >= Least) {
      printRow(OS, {"", Name}, {Size});
    } else {
      ++Kernels.More;
      Kernels.MoreSize += Size;
    }
  if (Kernels.More)
    printRow(OS, {"", utostr(Kernels.More) + " more kernels"},
             {Kernels.MoreSize});
}

/// Returns the tables that Report.cpp prints, and kernels.
static std::string tables(const SizeReport &Report) {
  std::string Out;
  raw_string_ostream OS(Out);
  printHead(OS, "Device code", {"Target", "Library"},
            {"Objects", "Size", "Stored", "Code", "Symbols", "Debug", "Other"});
  for (const auto &[Target, Libraries] : Report.Targets)
    for (const auto &[Library, Share] : Libraries)
      printShare(OS, Target, Library, Share);
  printShare(OS, "total", "", Report.All);
  OS << "</tbody></table>\n";
  printHead(OS, "The rest", {"What", "File"}, {"Bytes"});
  for (const auto &[Path, Size] : Report.Hosts)
    printRow(OS, {"host", Path}, {Size});
  printRow(OS, {"containers", ""}, {Report.Overhead});
  if (Report.LeftOut)
    printRow(OS, {"left out", ""}, {Report.LeftOut});
  OS << "</tbody></table>\n";
  printHead(OS, "Kernels", {"Target", "Library, kernel"}, {"Stored"});
  uint64_t Least = leastWithRow(Report);
  for (const auto &[Target, Libraries] : Report.Targets)
    for (const auto &[Library, Share] : Libraries)
      printKernels(OS, Target, Library, Share, Least);
  OS << "</tbody></table>";
  return Out;
}

static std::string summary(const SizeReport &Report) {
  std::string Out;
  std::string Text = describe(Report);
  for (StringRef Line : split(StringRef(Text).rtrim('\n'), '\n'))
    Out += "<p>" + htmlText(Line) + "</p>\n";
  return Out;
}

std::string tool::reportPage(const SizeReport &Report) {
  HtmlPage Page(PageText);
  // From the end, so that no name can match a placeholder.
  Page.putData(reportData(Report));
  Page.put("<!--rows-->", tables(Report));
  Page.put("<!--summary-->", summary(Report));
  return std::move(Page).take();
}
