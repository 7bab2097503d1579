//===- ProgramHeaders.cpp - consistency of program headers ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes under PT_TLS initialize thread-local variables. If PT_TLS is too
// long it contains tables, and variables, whose offsets count from its end, are
// initialized with other bytes of the file, which a conversion changes.
//
//===----------------------------------------------------------------------===//
#include "ProgramHeaders.h"

#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace kpack::hostrewrite {

static Error damaged(const ElfView &View, const Twine &Problem) {
  return View.error(Problem + "; it is damaged, get it again");
}

/// Loaders expect segments in address order, without overlap.
static Error checkLoads(const ElfView &View) {
  uint64_t End = 0;
  for (const Elf::Phdr &Segment : View.Segments) {
    if (Segment.p_type != ELF::PT_LOAD)
      continue;
    if (Segment.p_vaddr < End)
      return damaged(View, "its PT_LOAD segments are out of order, or one is "
                           "over another in memory");
    End = Segment.p_vaddr + Segment.p_memsz;
  }
  return Error::success();
}

/// Checks that PT_PHDR is the mapped table of the ELF header. It may be longer,
/// since lld counts segments that it omits as empty.
static Error checkHeaderFields(const ElfView &View) {
  uint64_t Size = View.Segments.size() * sizeof(Elf::Phdr);
  for (const Elf::Phdr &Segment : View.Segments)
    if (Segment.p_type == ELF::PT_PHDR &&
        (Segment.p_offset != View.Header.e_phoff || Segment.p_filesz < Size ||
         View.offsetOf(Segment.p_vaddr, Size) != View.Header.e_phoff))
      return damaged(View, "its PT_PHDR is not the table of program headers");
  return Error::success();
}

static bool hasBytesOfItsOwn(uint32_t Type) {
  switch (Type) {
  case ELF::PT_DYNAMIC:
  case ELF::PT_INTERP:
  case ELF::PT_NOTE:
  case ELF::PT_PHDR:
  case ELF::PT_TLS:
  case ELF::PT_GNU_EH_FRAME:
    return true;
  }
  return false;
}

static Error checkTls(const ElfView &View, const Elf::Phdr &Tls) {
  auto Meets = [&](Range Part) {
    return !Part.empty() && Part.overlaps(fileRange(Tls));
  };
  for (const Elf::Phdr &Other : View.Segments)
    if (&Other != &Tls && hasBytesOfItsOwn(Other.p_type) &&
        Meets(fileRange(Other)))
      return damaged(View, "its PT_TLS covers what another program header is "
                           "of");
  for (const Elf::Shdr &Section : View.Sections)
    if ((Section.sh_flags & ELF::SHF_ALLOC) &&
        !(Section.sh_flags & ELF::SHF_TLS) && Meets(fileRange(Section)))
      return damaged(View, "its PT_TLS covers section " +
                               View.sectionName(Section) +
                               ", which is not thread-local");
  return Error::success();
}

Error checkProgramHeaders(const ElfView &View) {
  if (Error E = checkLoads(View))
    return E;
  if (Error E = checkHeaderFields(View))
    return E;
  for (const Elf::Phdr &Segment : View.Segments)
    if (Segment.p_type == ELF::PT_TLS && Segment.p_filesz != 0)
      if (Error E = checkTls(View, Segment))
        return E;
  return Error::success();
}

} // namespace kpack::hostrewrite
