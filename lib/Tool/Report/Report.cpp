//===- Report.cpp - kpack report: sizes by target and kernel --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shows where the bytes of files go: the command, and its text output. Each
// byte of a counted file is in one row of the table, so the rows add up to the
// files. Siblings: ReportFiles.cpp, which reads them, ReportJson.cpp and
// ReportHtml.cpp.
//
//===----------------------------------------------------------------------===//
#include "Outputs/MadeFolders.h"
#include "Tool/Command.h"
#include "Tool/Report/SizeReport.h"
#include "ToolSupport/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <tuple>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::opt;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void CodeShare::add(const ImageShare &Image) {
  ++Objects;
  Plain += Image.Plain;
  Stored += Image.Stored;
  Debug += Image.Debug;
  Symbols += Image.Symbols;
  Other += Image.Other;
  for (const auto &[Name, Size] : Image.Kernels)
    Code += Size;
}

void SizeReport::add(const std::string &Target, const std::string &Library,
                     const ImageShare &Image) {
  LibraryShare &Share = Targets[Target][Library];
  Share.add(Image);
  All.add(Image);
  for (const auto &[Name, Size] : Image.Kernels)
    Share.Kernels[Name] += Size;
  EqualCode &Equal = ByContent[Image.Hash];
  // For equal code under two target names, use the smaller name.
  if (Equal.Objects == 0 || Target < Equal.Target)
    Equal.Target = Target;
  Equal.Plain = Image.Plain;
  ++Equal.Objects;
  Equal.Stored += Image.Stored;
  Equal.Largest = std::max(Equal.Largest, Image.Stored);
  Equal.Libraries.insert(Library);
}

std::vector<const EqualCode *> SizeReport::duplicates() const {
  using Element = std::pair<const detail::ContentHash, EqualCode>;
  std::vector<const Element *> Several;
  for (const Element &Equal : ByContent)
    if (Equal.second.Objects > 1)
      Several.push_back(&Equal);
  llvm::sort(Several, [](const Element *A, const Element *B) {
    uint64_t SavedA = A->second.saved(), SavedB = B->second.saved();
    return std::tie(SavedB, A->second.Target, A->first) <
           std::tie(SavedA, B->second.Target, B->first);
  });
  std::vector<const EqualCode *> All;
  for (const Element *Equal : Several)
    All.push_back(&Equal->second);
  return All;
}

NamedSizes tool::largestKernels(const LibraryShare &Share) {
  NamedSizes Kernels;
  for (const auto &[Name, Size] : Share.Kernels)
    Kernels.Named.emplace_back(Name, Size);
  llvm::sort(Kernels.Named, [](const auto &A, const auto &B) {
    return std::tie(B.second, A.first) < std::tie(A.second, B.first);
  });
  if (Kernels.Named.size() <= NamedKernels)
    return Kernels;
  for (const auto &[Name, Size] : ArrayRef(Kernels.Named).slice(NamedKernels)) {
    ++Kernels.More;
    Kernels.MoreSize += Size;
  }
  Kernels.Named.resize(NamedKernels);
  return Kernels;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {

/// A table whose first and last columns are names.
class Table {
public:
  Table(raw_ostream &OS, size_t FirstWidth)
      : OS(OS), FirstWidth(unsigned(FirstWidth)) {}

  void row(StringRef First, ArrayRef<std::string> Numbers, StringRef Last) {
    OS << left_justify(First, FirstWidth);
    for (const auto &[Column, Text] : enumerate(Numbers))
      OS << ' ' << right_justify(Text, Column == 0 ? 8 : 11);
    if (!Last.empty())
      OS << "  " << Last;
    OS << '\n';
  }
  void row(StringRef First, const CodeShare &Share, StringRef Last) {
    row(First,
        {utostr(Share.Objects), utostr(Share.Plain), utostr(Share.Stored),
         utostr(Share.Code), utostr(Share.Symbols), utostr(Share.Debug),
         utostr(Share.Other)},
        Last);
  }
  /// Prints a row for bytes outside of code objects.
  void row(StringRef First, uint64_t Size, StringRef Last) {
    row(First, {"-", utostr(Size), utostr(Size), "-", "-", "-", "-"}, Last);
  }

private:
  raw_ostream &OS;
  unsigned FirstWidth;
};

} // namespace

static void printTable(raw_ostream &OS, const SizeReport &Report) {
  constexpr size_t LeastWidth = 10, MostWidth = 32;
  size_t Width = LeastWidth;
  for (const auto &[Target, Libraries] : Report.Targets)
    Width = std::max(Width, std::min(printable(Target).size(), MostWidth));
  Table Grid(OS, Width);
  Grid.row("TARGET",
           {"OBJECTS", "SIZE", "STORED", "CODE", "SYMBOLS", "DEBUG", "OTHER"},
           "LIBRARY");
  for (const auto &[Target, Libraries] : Report.Targets)
    for (const auto &[Library, Share] : Libraries)
      Grid.row(printable(Target), Share, printable(Library));
  for (const auto &[Path, Size] : Report.Hosts)
    Grid.row("host", Size, printable(Path));
  if (Report.Overhead)
    Grid.row("containers", Report.Overhead, "");
  CodeShare Total = Report.All;
  uint64_t Beside = Report.Host + Report.Overhead;
  Total.Plain += Beside;
  Total.Stored += Beside;
  Grid.row("total", Total, "");
}

/// Returns "42 bytes (12 %)", in percent of the files.
static std::string sized(uint64_t Size, const SizeReport &Report) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << counted(Size, "byte");
  if (Report.FileSize)
    OS << format(" (%.0f %%)", 100.0 * double(Size) / double(Report.FileSize));
  return Text;
}

std::string tool::describe(const SizeReport &Report) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << counted(Report.Files, "file") << " ("
     << counted(Report.Archives, "archive") << "), "
     << counted(Report.FileSize, "byte");
  if (!Report.Selection.empty())
    OS << "; for " << printable(Report.Selection) << ' '
       << sized(Report.FileSize - Report.LeftOut, Report);
  else if (Report.LeftOut)
    OS << "; counted here " << sized(Report.FileSize - Report.LeftOut, Report);
  OS << '\n';
  if (Report.Strippable || !Report.StrippableElsewhere)
    OS << "'kpack strip' would save about " << sized(Report.Strippable, Report)
       << '\n';
  if (Report.StrippableElsewhere)
    OS << "debug information that 'kpack strip' does not reach: about "
       << sized(Report.StrippableElsewhere, Report)
       << "; 'kpack convert --device-debug=strip' leaves that of binaries "
          "out\n";
  uint64_t Saved = 0, Copies = 0;
  for (const EqualCode *Equal : Report.duplicates()) {
    Saved += Equal->saved();
    Copies += Equal->Objects - 1;
  }
  if (Copies)
    OS << counted(Copies, "code object")
       << (Copies == 1 ? " is a copy of another" : " are copies of others")
       << "; with each stored once, as in one archive, about "
       << sized(Saved, Report) << " less\n";
  if (Report.Unread)
    OS << "not complete: " << counted(Report.Unread, "file")
       << " could not be read, or not all of it\n";
  return Text;
}

static Error writePage(StringRef Path, const SizeReport &Report) {
  MadeFolders Folders;
  if (Error E = Folders.makeFor(Path))
    return E;
  return writeOutput(Path, reportPage(Report));
}

static void runReport(Invocation &I) {
  std::vector<std::string> Paths = getInputs(I, "file or folder");
  TargetScope Scope;
  if (Error E = parseTargetScope(I.Args).moveInto(Scope))
    return I.S.error(std::move(E));
  if (Paths.empty())
    return;
  const Arg *Page = I.Args.getLastArg(OPT_html_EQ);
  if (Page && StringRef(Page->getValue()).empty())
    return I.S.error("--html=: no file given; name the page to write");
  SizeReport Report = readReport(I.S, Paths, Scope);
  // Sums of no files would look like a result.
  if (Report.Files == 0 || (!Scope.isWhole() && Report.All.Objects == 0))
    return;
  if (Page)
    I.S.error(writePage(Page->getValue(), Report));
  if (I.json())
    return printJson(I.S.out(), "kpack.report/1",
                     [&](json::OStream &J) { addReport(J, Report); });
  printTable(I.S.out(), Report);
  I.S.out() << describe(Report);
}

const Command tool::ReportCommand = {
    {"report", "<file or folder>...", "say where the bytes of device code go",
     "say where the bytes of device code go\n\n"
     "Files are kpack archives, fat programs and libraries, objects, static "
     "libraries,\ncode objects (.co, .hsaco) and bundles; a program that "
     "ld.kpack has written stands\nfor its archives, too. By target and "
     "library: what code objects take in the files,\nand what of that is "
     "instructions, symbols and debug information. Host parts and\ntables "
     "have rows of their own, so that all bytes are there. With --html= the "
     "same as\na page with a treemap, down to kernels.",
     "  $ kpack report .kpack/*.kpack\n"
     "  $ kpack report --gpu=gfx90a:sramecc+:xnack- /opt/app\n"
     "  $ kpack report --html=sizes.html libfoo.so /opt/app\n"
     "  $ kpack report --json app | jq '.strippable'\n",
     ReportOption},
    runReport};
