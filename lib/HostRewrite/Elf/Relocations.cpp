//===- Relocations.cpp - relocations that loaders apply -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pointers of an unsupported form of relocations would look as if they had
// none, so it is an error if the dynamic table has such a form. Relocations are
// not stored: eight bytes of a RELR table stand for 63 of them.
//
//===----------------------------------------------------------------------===//
#include "Relocations.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::support::endian;

namespace kpack::hostrewrite {

using Visitor = function_ref<Error(const Relocation &)>;

static Error checkForms(const ElfView &View) {
  static constexpr std::pair<int64_t, StringLiteral> Android[] = {
      {ELF::DT_ANDROID_REL, "DT_ANDROID_REL"},
      {ELF::DT_ANDROID_RELA, "DT_ANDROID_RELA"},
      {ELF::DT_ANDROID_RELR, "DT_ANDROID_RELR"}};
  static constexpr std::pair<int64_t, StringLiteral> Other[] = {
      {ELF::DT_REL, "DT_REL"}, {0x40000026, "DT_CREL"}};
  for (const auto &[Tag, Name] : Android)
    if (View.dynamicValue(Tag))
      return View.error("its relocations are packed as Android's are (" + Name +
                        "); link it without --pack-dyn-relocs=android, or "
                        "with -z pack-relative-relocs");
  for (const auto &[Tag, Name] : Other)
    if (View.dynamicValue(Tag))
      return View.error("its relocations are neither RELA nor RELR (" + Name +
                        "); link it without packed relocations of another "
                        "kind");
  return Error::success();
}

static Expected<Range> getTable(const ElfView &View, int64_t Tag,
                                int64_t SizeTag, uint64_t EntrySize) {
  std::optional<uint64_t> Address = View.dynamicValue(Tag);
  uint64_t Size = View.dynamicValue(SizeTag).value_or(0);
  if (!Address || Size == 0)
    return Range();
  std::optional<uint64_t> Offset = View.offsetOf(*Address, Size);
  if (!Offset || Size % EntrySize != 0)
    return View.error("a table of relocations is not in the file as a whole; "
                      "it is damaged, get it again");
  return Range{*Offset, *Offset + Size};
}

static Error visitRela(const ElfView &View, int64_t Tag, int64_t SizeTag,
                       Visitor Visit) {
  Expected<Range> In = getTable(View, Tag, SizeTag, sizeof(Elf::Rela));
  if (!In)
    return In.takeError();
  for (uint64_t Offset = In->Begin; Offset != In->End;
       Offset += sizeof(Elf::Rela)) {
    const auto &R =
        *reinterpret_cast<const Elf::Rela *>(View.Bytes.data() + Offset);
    Relocation Found;
    Found.Address = R.r_offset;
    Found.Addend = static_cast<uint64_t>(static_cast<int64_t>(R.r_addend));
    Found.Symbol = R.getSymbol(/*isMips64EL=*/false);
    Found.Type = R.getType(/*isMips64EL=*/false);
    Found.IsRelative = Found.Type == View.RelativeType;
    Found.RelaOffset = Offset;
    if (Error E = Visit(Found))
      return E;
  }
  return Error::success();
}

static Error visitRelr(const ElfView &View, Visitor Visit) {
  Expected<Range> In =
      getTable(View, ELF::DT_RELR, ELF::DT_RELRSZ, sizeof(uint64_t));
  if (!In)
    return In.takeError();
  auto VisitAt = [&](uint64_t Address) {
    Relocation Found;
    Found.Address = Address;
    std::optional<uint64_t> Offset = View.offsetOf(Address, sizeof(uint64_t));
    Found.Addend = Offset ? read64le(View.Bytes.data() + *Offset) : 0;
    return Visit(Found);
  };
  // An even entry is an address, an odd one a bitmap of the next 63 words.
  uint64_t Base = 0;
  for (uint64_t Offset = In->Begin; Offset != In->End;
       Offset += sizeof(uint64_t)) {
    uint64_t Entry = read64le(View.Bytes.data() + Offset);
    if ((Entry & 1) == 0) {
      if (Error E = VisitAt(Entry))
        return E;
      Base = Entry + sizeof(uint64_t);
      continue;
    }
    for (uint64_t Bits = Entry >> 1, Target = Base; Bits != 0;
         Bits >>= 1, Target += sizeof(uint64_t))
      if (Bits & 1)
        if (Error E = VisitAt(Target))
          return E;
    Base += 63 * sizeof(uint64_t);
  }
  return Error::success();
}

Error forEachRelocation(const ElfView &View, Visitor Visit) {
  if (Error E = checkForms(View))
    return E;
  if (Error E = visitRela(View, ELF::DT_RELA, ELF::DT_RELASZ, Visit))
    return E;
  if (Error E = visitRela(View, ELF::DT_JMPREL, ELF::DT_PLTRELSZ, Visit))
    return E;
  return visitRelr(View, Visit);
}

} // namespace kpack::hostrewrite
