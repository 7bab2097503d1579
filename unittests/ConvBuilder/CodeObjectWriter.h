//===- CodeObjectWriter.h - code objects with chosen metadata ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An ELF file with nothing but notes: AMDGPU's metadata of one kernel and what
// the builder says of it, each with any numbers and any text. What a compiler
// would never write is tested with it, and without a compiler.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_CONVBUILDER_CODEOBJECTWRITER_H
#define KPACK_UNITTESTS_CONVBUILDER_CODEOBJECTWRITER_H

#include "../Support/ElfNote.h"
#include "ConvBuilder/Emit.h"
#include "kpack/Archive/detail/Msgpack.h"
#include "kpack/ConvBuilder/CodeFacts.h"
#include "kpack/ConvBuilder/LowerAlgorithm.h"
#include "kpack/ConvBuilder/ResolveSignature.h"
#include "kpack/ConvBuilder/Text.h"

#include <cstring>
#include <elf.h>

namespace kpack::conv {

inline void append(std::string &Out, const auto &Value) {
  Out.append(reinterpret_cast<const char *>(&Value), sizeof(Value));
}

/// What AMDGPU's metadata says of one kernel.
inline std::string makeMetadata(const std::string &Symbol,
                                const CodeFacts &Facts) {
  std::string Bytes;
  kpack::detail::MsgpackWriter W(Bytes);
  W.map(2);
  W.str("amdhsa.kernels");
  W.array(1);
  W.map(9);
  W.field(".name", Symbol);
  W.field(".max_flat_workgroup_size", static_cast<uint64_t>(Facts.MaxThreads));
  W.field(".group_segment_fixed_size", static_cast<uint64_t>(Facts.LdsBytes));
  W.field(".private_segment_fixed_size",
          static_cast<uint64_t>(Facts.PrivateBytes));
  W.field(".wavefront_size", static_cast<uint64_t>(Facts.WaveSize));
  W.field(".vgpr_count", static_cast<uint64_t>(Facts.Vgprs));
  W.field(".agpr_count", static_cast<uint64_t>(Facts.Agprs));
  W.field(".vgpr_spill_count", static_cast<uint64_t>(Facts.VgprSpills));
  W.field(".sgpr_spill_count", static_cast<uint64_t>(Facts.SgprSpills));
  W.field("amdhsa.target",
          "amdgcn-amd-amdhsa--" + std::string(Facts.Target.view()));
  return Bytes;
}

/// The lines of a kernel's note, with the zero behind.
inline std::string makeLines(const Signature &Sig, const Algorithm &Algo,
                             const std::string &Processor) {
  std::string Lines = "kpack-conv 1\nkernel " + getSymbol(Sig, Algo);
  (Lines += "\nsignature ") += textOf(Sig, TextForm::Full).view();
  (Lines += "\nalgorithm ") +=
      textOf(withoutHints(Algo), TextForm::Full).view();
  return Lines + "\nprocessor " + Processor + "\n" + '\0';
}

/// \p Notes in a file, in one segment.
inline std::string buildElf(std::string_view Notes) {
  Elf64_Ehdr Header{};
  std::memcpy(Header.e_ident, ELFMAG, SELFMAG);
  Header.e_ident[EI_CLASS] = ELFCLASS64;
  Header.e_ident[EI_DATA] = ELFDATA2LSB;
  Header.e_ident[EI_VERSION] = EV_CURRENT;
  Header.e_type = ET_DYN;
  Header.e_machine = 224; // EM_AMDGPU
  Header.e_version = EV_CURRENT;
  Header.e_phoff = Header.e_ehsize = sizeof(Header);
  Header.e_phentsize = sizeof(Elf64_Phdr);
  Header.e_phnum = 1;
  Elf64_Phdr Segment{};
  Segment.p_type = PT_NOTE;
  Segment.p_offset = sizeof(Header) + sizeof(Segment);
  Segment.p_filesz = Segment.p_memsz = Notes.size();
  Segment.p_align = 4;
  std::string Image;
  append(Image, Header);
  append(Image, Segment);
  return Image += Notes;
}

/// A code object of one kernel for gfx90a, and what it is made of; change a
/// member, then ask for image().
struct MadeCodeObject {
  Signature Sig =
      resolveSignature({.spatial_dim = 2, .data_type = DataType::FP16});
  Algorithm How{.kind = Kind::DIRECT, .block_size = 64};
  std::string Processor = "gfx90a";
  CodeFacts Facts = {
      .Target = "gfx90a", .WaveSize = 64, .MaxThreads = 64, .Vgprs = 40};
  /// The text of the note; empty: that of the values.
  std::string Lines = {};

  std::string symbol() const { return getSymbol(Sig, How); }
  std::string image() const {
    return buildElf(
        test::elfNote("AMDGPU", 32, makeMetadata(symbol(), Facts)) +
        test::elfNote("kpack", ConvNoteType,
                      Lines.empty() ? makeLines(Sig, How, Processor) : Lines));
  }
};

} // namespace kpack::conv

#endif // KPACK_UNITTESTS_CONVBUILDER_CODEOBJECTWRITER_H
