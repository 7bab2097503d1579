//===- CheckCodeObject.cpp - validity checks of code objects --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks go from the outside in, and stop before one that would read
// damaged parts: identification, machine, target, tables of sections and
// segments. LLVM's reader checks the offsets of tables, but not of segments, so
// their ends are checked here.
//
// Features are compared from code object version 4 on, as e_flags has other
// bits for them before. A processor that the table lacks is no problem: it is
// newer than this program.
//
//===----------------------------------------------------------------------===//
#include "Offload/CheckCodeObject.h"

#include "Offload/CodeObjectHeader.h"
#include "ToolSupport/ElfFile.h"
#include "kpack/Support/TargetId.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace kpack;
using namespace kpack::offload;
using namespace llvm;
using namespace llvm::object;

/// '+', '-', or ' ' when the target id does not mention the feature.
static char featureOfTarget(StringRef Target, StringRef Feature) {
  SmallVector<StringRef, 4> Parts;
  Target.split(Parts, ':');
  for (StringRef Part : drop_begin(Parts))
    if (Part.size() == Feature.size() + 1 && Part.starts_with(Feature))
      return Part.back();
  return ' ';
}

static void checkTarget(const ELF64LE::Ehdr &Header, StringRef Target,
                        std::vector<std::string> &Problems) {
  StringRef Processor = processorOfMach(Header.e_flags & ELF::EF_AMDGPU_MACH);
  if (Processor.empty())
    return; // newer than this table
  std::string Actual = Processor.str();
  std::string Stated = Target.split(':').first.str();
  if (Header.e_ident[ELF::EI_ABIVERSION] >= ELF::ELFABIVERSION_AMDGPU_HSA_V4) {
    std::pair<StringLiteral, char> Features[] = {
        {"sramecc", srameccOfFlags(Header.e_flags)},
        {"xnack", xnackOfFlags(Header.e_flags)}};
    for (const auto &[Name, InFlags] : Features) {
      if (InFlags != ' ')
        Actual += (":" + Name + Twine(InFlags)).str();
      if (char Sign = featureOfTarget(Target, Name); Sign != ' ')
        Stated += (":" + Name + Twine(Sign)).str();
    }
  }
  if (Actual != Stated)
    Problems.push_back("the code object is for " + Actual);
}

std::vector<std::string> offload::codeObjectProblems(StringRef Bytes,
                                                     StringRef Target) {
  std::vector<std::string> Problems;
  auto Problem = [&](const Twine &Text) { Problems.push_back(Text.str()); };
  if (Target == StringRef(SpirvTarget)) {
    // Check the first word; the runtime's compiler reads the rest.
    if (!Bytes.starts_with(StringRef("\x03\x02\x23\x07", 4)))
      Problem("not SPIR-V");
    return Problems;
  }
  if (!Bytes.starts_with(ELF::ElfMagic) || Bytes.size() < ELF::EI_NIDENT ||
      Bytes[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      Bytes[ELF::EI_DATA] != ELF::ELFDATA2LSB) {
    Problem("not a 64-bit little-endian ELF file");
    return Problems;
  }
  Expected<ElfFile> File = ElfFile::create(Bytes);
  if (!File) {
    Problem("damaged ELF file: " + toString(File.takeError()));
    return Problems;
  }
  const ELF64LE::Ehdr &Header = File->getHeader();
  if (Header.e_machine != ELF::EM_AMDGPU) {
    Problem("ELF machine " + Twine(Header.e_machine) + " is not EM_AMDGPU");
    return Problems;
  }
  checkTarget(Header, Target, Problems);
  if (Expected<ELF64LE::ShdrRange> Sections = File->sections(); !Sections)
    Problem("damaged ELF file: " + toString(Sections.takeError()));
  Expected<ELF64LE::PhdrRange> Segments = File->program_headers();
  if (!Segments) {
    Problem("damaged ELF file: " + toString(Segments.takeError()));
    return Problems;
  }
  for (const ELF64LE::Phdr &Segment : *Segments)
    if (Segment.p_offset > Bytes.size() ||
        Segment.p_filesz > Bytes.size() - Segment.p_offset)
      Problem("damaged ELF file: a segment at offset " +
              Twine(Segment.p_offset) + " goes beyond the end");
  return Problems;
}
