//===- InspectPrint.cpp - output of kpack inspect -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text has a line for the file, for each container and for each target, and a
// table of its kernels; JSON has the same data. Names come from untrusted files
// and are made printable.
//
//===----------------------------------------------------------------------===//
#include "Tool/Inspect/Inspect.h"
#include "ToolSupport/Demangle.h"
#include "ToolSupport/Output.h"
#include "llvm/Support/Format.h"

#include <map>

using namespace kpack;
using namespace kpack::tool;
using namespace kpack::offload;
using namespace llvm;

namespace {

struct Totals {
  uint64_t Images = 0, Bytes = 0, Kernels = 0;

  void add(const InspectedImage &Image) {
    ++Images;
    Bytes += Image.Size;
    Kernels += Image.Kernels ? Image.Kernels->size() : 0;
  }
  std::string text() const {
    return counted(Images, "code object") + " of " + counted(Bytes, "byte") +
           ", " + counted(Kernels, "kernel");
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Prints "42" right-aligned in \p Width columns; "-" if it is unknown.
template <typename T>
static void printNumber(raw_ostream &OS, std::optional<T> Value,
                        unsigned Width) {
  OS << right_justify(Value ? std::to_string(*Value) : "-", Width);
}

static void printKernels(raw_ostream &OS, const KernelList &Kernels) {
  if (Kernels.empty())
    return;
  OS << "         CODE  VGPR  SGPR  AGPR     LDS  PRIVATE  KERNEL\n";
  for (const KernelFacts &Kernel : Kernels) {
    printNumber(OS, Kernel.CodeSize, 13);
    printNumber(OS, Kernel.Vgprs, 6);
    printNumber(OS, Kernel.Sgprs, 6);
    printNumber(OS, Kernel.Agprs, 6);
    printNumber(OS, Kernel.Lds, 8);
    printNumber(OS, Kernel.Private, 9);
    OS << "  " << printable(demangleName(Kernel.Name)) << '\n';
  }
}

/// Prints the place and the kind of the part.
static void printPart(raw_ostream &OS, const InspectedPart &Part) {
  OS << "  ";
  if (!Part.Archive.empty())
    OS << printable(Part.Archive) << ": ";
  if (!Part.Member.empty())
    OS << printable(Part.Member) << ": ";
  if (!Part.Section.empty())
    OS << printable(Part.Section) << ' ';
  if (!Part.Key.empty())
    OS << printable(Part.Key) << ": ";
  if (Part.Offset)
    OS << "at " << format_hex(*Part.Offset, 1) << ": ";
  OS << Part.Kind;
  if (Part.Version != 0)
    OS << " v" << Part.Version;
  OS << ", " << counted(Part.Size, "byte");
  if (Part.PlainSize != Part.Size)
    OS << ", " << Part.PlainSize << " decompressed";
  OS << '\n';
}

static void printTargets(raw_ostream &OS, const InspectedFile &File) {
  std::map<std::string, Totals> ByTarget;
  size_t Width = 0;
  for (const InspectedPart &Part : File.Parts)
    for (const InspectedImage &Image : Part.Images) {
      ByTarget[Image.Target].add(Image);
      Width = std::max(Width, Image.Target.size());
    }
  for (const auto &[Target, Totals] : ByTarget)
    OS << "  " << left_justify(printable(Target), Width) << "  "
       << Totals.text() << '\n';
}

void tool::printInspected(raw_ostream &OS, const InspectedFile &File,
                          bool Summary) {
  Totals All;
  for (const InspectedPart &Part : File.Parts)
    for (const InspectedImage &Image : Part.Images)
      All.add(Image);
  OS << printable(File.Path) << ": " << File.Kind;
  if (!File.Parts.empty())
    OS << ", " << counted(File.Parts.size(), "container") << ", " << All.text();
  OS << '\n';
  if (Summary)
    return printTargets(OS, File);
  for (const InspectedPart &Part : File.Parts) {
    printPart(OS, Part);
    for (const InspectedImage &Image : Part.Images) {
      OS << "    " << left_justify(printable(Image.Target), 12) << ' '
         << Image.Format << ", " << counted(Image.Size, "byte");
      if (Image.Kernels)
        OS << ", " << counted(Image.Kernels->size(), "kernel");
      OS << '\n';
      if (Image.Kernels)
        printKernels(OS, *Image.Kernels);
    }
  }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

template <typename T>
static void attributeNumber(json::OStream &J, StringRef Key,
                            std::optional<T> Value) {
  if (Value)
    J.attribute(Key, *Value);
  else
    J.attribute(Key, nullptr);
}

static void printKernel(json::OStream &J, const KernelFacts &Kernel) {
  J.object([&] {
    J.attribute("symbol", jsonText(Kernel.Name));
    J.attribute("name", jsonText(demangleName(Kernel.Name)));
    attributeNumber(J, "code_size", Kernel.CodeSize);
    attributeNumber(J, "vgprs", Kernel.Vgprs);
    attributeNumber(J, "sgprs", Kernel.Sgprs);
    attributeNumber(J, "agprs", Kernel.Agprs);
    attributeNumber(J, "vgpr_spills", Kernel.VgprSpills);
    attributeNumber(J, "sgpr_spills", Kernel.SgprSpills);
    attributeNumber(J, "lds_size", Kernel.Lds);
    attributeNumber(J, "private_size", Kernel.Private);
    attributeNumber(J, "kernarg_size", Kernel.Kernarg);
    attributeNumber(J, "wavefront_size", Kernel.WavefrontSize);
    attributeNumber(J, "max_workgroup_size", Kernel.MaxWorkgroup);
  });
}

static void printImage(json::OStream &J, const InspectedImage &Image) {
  J.object([&] {
    J.attribute("target", jsonText(Image.Target));
    J.attribute("size", Image.Size);
    J.attribute("format", Image.Format);
    J.attributeArray("kernels", [&] {
      if (Image.Kernels)
        for (const KernelFacts &Kernel : *Image.Kernels)
          printKernel(J, Kernel);
    });
  });
}

void tool::printInspected(json::OStream &J, const InspectedFile &File) {
  J.object([&] {
    J.attribute("path", jsonText(File.Path));
    J.attribute("kind", File.Kind);
    J.attributeArray("containers", [&] {
      for (const InspectedPart &Part : File.Parts)
        J.object([&] {
          J.attribute("kind", Part.Kind);
          J.attribute("version", Part.Version);
          J.attribute("archive", jsonText(Part.Archive));
          J.attribute("key", jsonText(Part.Key));
          J.attribute("member", jsonText(Part.Member));
          J.attribute("section", jsonText(Part.Section));
          attributeNumber(J, "offset", Part.Offset);
          J.attribute("size", Part.Size);
          J.attribute("plain_size", Part.PlainSize);
          J.attributeArray("code_objects", [&] {
            for (const InspectedImage &Image : Part.Images)
              printImage(J, Image);
          });
        });
    });
  });
}
