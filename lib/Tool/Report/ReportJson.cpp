//===- ReportJson.cpp - size report as JSON -------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout is in docs/reference/kpack.md. Lists of thousands of kernels or
// copies contain the largest ones, with the number and size of the others, so
// that sums can be checked. Siblings: Report.cpp, ReportHtml.cpp.
//
//===----------------------------------------------------------------------===//
#include "Tool/Report/SizeReport.h"
#include "ToolSupport/Output.h"
#include "llvm/ADT/STLExtras.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

static void addShare(json::OStream &J, const CodeShare &Share) {
  J.attribute("code_objects", Share.Objects);
  J.attribute("size", Share.Plain);
  J.attribute("stored", Share.Stored);
  J.attribute("code", Share.Code);
  J.attribute("symbols", Share.Symbols);
  J.attribute("debug", Share.Debug);
  J.attribute("other", Share.Other);
}

static void addKernels(json::OStream &J, const LibraryShare &Share) {
  NamedSizes Kernels = largestKernels(Share);
  J.attributeArray("kernels", [&] {
    for (const auto &[Name, Size] : Kernels.Named)
      J.object([&, Name = Name, Size = Size] {
        J.attribute("name", jsonText(Name));
        J.attribute("stored", Size);
      });
  });
  J.attribute("more_kernels", Kernels.More);
  J.attribute("more_stored", Kernels.MoreSize);
}

static void addLibrary(json::OStream &J, StringRef Target, StringRef Library,
                       const LibraryShare &Share) {
  J.object([&] {
    J.attribute("target", jsonText(Target));
    J.attribute("library", jsonText(Library));
    addShare(J, Share);
    addKernels(J, Share);
  });
}

std::vector<const EqualCode *>
tool::largestDuplicates(const SizeReport &Report) {
  std::vector<const EqualCode *> All = Report.duplicates();
  All.resize(std::min(All.size(), NamedDuplicates));
  return All;
}

static void addCopies(json::OStream &J, const SizeReport &Report) {
  uint64_t Copies = 0, Saved = 0;
  for (const EqualCode *Equal : Report.duplicates()) {
    Copies += Equal->Objects - 1;
    Saved += Equal->saved();
  }
  J.attribute("code_objects", Copies);
  J.attribute("saved", Saved);
}

static void addDuplicates(json::OStream &J, const SizeReport &Report) {
  J.attributeObject("duplicates", [&] {
    addCopies(J, Report);
    J.attributeArray("largest", [&] {
      for (const EqualCode *Equal : largestDuplicates(Report))
        J.object([&] {
          J.attribute("target", jsonText(Equal->Target));
          J.attribute("size", Equal->Plain);
          J.attribute("copies", Equal->Objects);
          J.attribute("saved", Equal->saved());
          attributeTexts(J, "libraries", Equal->Libraries);
        });
    });
  });
}

static void addNumbers(json::OStream &J, const SizeReport &Report) {
  J.attribute("selection", jsonText(Report.Selection));
  J.attribute("files", Report.Files);
  J.attribute("archives", Report.Archives);
  J.attribute("unread", Report.Unread);
  J.attribute("file_size", Report.FileSize);
  J.attribute("stored", Report.All.Stored);
  J.attribute("host", Report.Host);
  J.attribute("containers", Report.Overhead);
  J.attribute("left_out", Report.LeftOut);
  J.attribute("strippable", Report.Strippable);
  J.attribute("strippable_elsewhere", Report.StrippableElsewhere);
  J.attributeObject("total", [&] { addShare(J, Report.All); });
}

void tool::addSums(json::OStream &J, const SizeReport &Report) {
  addNumbers(J, Report);
  J.attributeObject("duplicates", [&] { addCopies(J, Report); });
}

void tool::addReport(json::OStream &J, const SizeReport &Report) {
  addNumbers(J, Report);
  addDuplicates(J, Report);
  J.attributeArray("hosts", [&] {
    for (const auto &[Path, Size] : Report.Hosts)
      J.object([&, &Path = Path, Size = Size] {
        J.attribute("path", jsonText(Path));
        J.attribute("size", Size);
      });
  });
  J.attributeArray("shares", [&] {
    for (const auto &[Target, Libraries] : Report.Targets)
      for (const auto &[Library, Share] : Libraries)
        addLibrary(J, Target, Library, Share);
  });
}
