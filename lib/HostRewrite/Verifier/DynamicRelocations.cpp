//===- DynamicRelocations.cpp - relocations of a loaded file --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds tables as the dynamic linker does, by an address and a size in the
// dynamic table. With a size of zero there is no table, whatever the section
// headers hold, and pointers keep the values of the linker. A program with this
// fault once crashed after it had passed verification.
//
//===----------------------------------------------------------------------===//
#include "DynamicRelocations.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

using namespace kpack::hostrewrite::verifier;
using namespace llvm;
using namespace llvm::support::endian;

static constexpr uint64_t RelaSize = 24;
static constexpr uint64_t RelSize = 16;
static constexpr uint64_t WordSize = 8;

Relocations::Relocations(const LoadedImage &Image, const DynamicTable &Table,
                         Findings &F)
    : Image(Image), Table(Table),
      Relative(object::getELFRelativeRelocationType(Image.machine())) {
  HasTls = Image.segment(ELF::PT_TLS);
  MayWriteCode = Table.get(ELF::DT_TEXTREL) ||
                 (Table.getOr(ELF::DT_FLAGS, 0) & ELF::DF_TEXTREL);
  Rela = tableAt(ELF::DT_RELA, ELF::DT_RELASZ, ELF::DT_RELAENT, RelaSize, F);
  Rel = tableAt(ELF::DT_REL, ELF::DT_RELSZ, ELF::DT_RELENT, RelSize, F);
  Relr = tableAt(ELF::DT_RELR, ELF::DT_RELRSZ, ELF::DT_RELRENT, WordSize, F);
  PltHasAddend = Table.getOr(ELF::DT_PLTREL, ELF::DT_RELA) == ELF::DT_RELA;
  Plt = tableAt(ELF::DT_JMPREL, ELF::DT_PLTRELSZ, /*EntryTag=*/0,
                PltHasAddend ? RelaSize : RelSize, F);
  // glibc asserts this. Its ports for these machines support no other kind.
  std::optional<uint64_t> Kind = Table.get(ELF::DT_PLTREL);
  if (Kind && *Kind != ELF::DT_RELA)
    F.problem("DT_PLTREL is " + Twine(*Kind) + " and not DT_RELA");
  if (Table.get(ELF::DT_JMPREL) && !Kind)
    F.problem("DT_JMPREL, but no DT_PLTREL");
}

/// Returns the bytes of a table; empty if it is absent or invalid.
StringRef Relocations::tableAt(uint64_t Tag, uint64_t SizeTag,
                               uint64_t EntryTag, uint64_t EntrySize,
                               Findings &F) {
  std::optional<uint64_t> Address = Table.get(Tag);
  std::optional<uint64_t> Size = Table.get(SizeTag);
  auto Wrong = [&](const Twine &Problem) {
    F.problem("relocations of dynamic tag " + hexText(Tag) + ": " + Problem);
    return StringRef();
  };
  if (!Address && !Size)
    return StringRef();
  if (!Address || !Size)
    return Wrong(Address ? "no entry says their size"
                         : "a size, but no entry says where they are");
  if (EntryTag && Table.getOr(EntryTag, 0) != EntrySize)
    return Wrong("one has " + Twine(Table.getOr(EntryTag, 0)) +
                 " bytes and not " + Twine(EntrySize));
  if (*Size % EntrySize)
    return Wrong(hexText(*Size) + " bytes are no number of them");
  std::optional<StringRef> Bytes = Image.bytesAt(*Address, *Size);
  if (!Bytes)
    return Wrong(hexText(*Size) + " bytes at " + hexText(*Address) +
                 " are not mapped");
  return *Bytes;
}

/// Returns the word that the file has at \p Place, or 0.
uint64_t Relocations::inPlace(uint64_t Place) const {
  std::optional<StringRef> Bytes = Image.bytesAt(Place, WordSize);
  return Bytes ? read64le(Bytes->data()) : 0;
}

void Relocations::forEachIn(StringRef Bytes, bool HasAddend,
                            function_ref<void(const Relocation &)> Use) const {
  uint64_t Size = HasAddend ? RelaSize : RelSize;
  for (; Bytes.size() >= Size; Bytes = Bytes.drop_front(Size)) {
    uint64_t Place = read64le(Bytes.data());
    uint64_t Info = read64le(Bytes.data() + 8);
    Use({Place, uint32_t(Info), uint32_t(Info >> 32),
         HasAddend ? read64le(Bytes.data() + 16) : inPlace(Place)});
  }
}

/// An even word is the next place; an odd one is a bitmap of the 63 words after
/// the last place.
void Relocations::forEachRelr(
    function_ref<void(const Relocation &)> Use) const {
  uint64_t Base = 0;
  for (StringRef Rest = Relr; Rest.size() >= WordSize;
       Rest = Rest.drop_front(WordSize)) {
    uint64_t Word = read64le(Rest.data());
    if (!(Word & 1)) {
      Use({Word, Relative, 0, inPlace(Word)});
      Base = Word + WordSize;
      continue;
    }
    for (unsigned Bit = 1; Bit != 64; ++Bit)
      if (Word >> Bit & 1) {
        uint64_t Place = Base + (Bit - 1) * WordSize;
        Use({Place, Relative, 0, inPlace(Place)});
      }
    Base += 63 * WordSize;
  }
}

void Relocations::forEach(function_ref<void(const Relocation &)> Use) const {
  forEachRelr(Use);
  forEachIn(Rel, /*HasAddend=*/false, Use);
  forEachIn(Rela, /*HasAddend=*/true, Use);
  forEachIn(Plt, PltHasAddend, Use);
}

/// Types that glibc supports on the machine; all types if it is unknown here.
static bool isKnownType(uint16_t Machine, uint32_t Type) {
  switch (Machine) {
  case ELF::EM_X86_64:
    return Type <= ELF::R_X86_64_32 || Type == ELF::R_X86_64_DTPMOD64 ||
           Type == ELF::R_X86_64_DTPOFF64 || Type == ELF::R_X86_64_TPOFF64 ||
           Type == ELF::R_X86_64_SIZE32 || Type == ELF::R_X86_64_SIZE64 ||
           Type == ELF::R_X86_64_TLSDESC || Type == ELF::R_X86_64_IRELATIVE;
  case ELF::EM_AARCH64:
    return Type == ELF::R_AARCH64_NONE || Type == ELF::R_AARCH64_ABS64 ||
           Type == ELF::R_AARCH64_ABS32 ||
           (Type >= ELF::R_AARCH64_COPY && Type <= ELF::R_AARCH64_IRELATIVE);
  }
  return true;
}

bool kpack::hostrewrite::verifier::callsFunction(uint16_t Machine,
                                                 uint32_t Type) {
  return (Machine == ELF::EM_X86_64 && Type == ELF::R_X86_64_IRELATIVE) ||
         (Machine == ELF::EM_AARCH64 && Type == ELF::R_AARCH64_IRELATIVE);
}

static bool isNone(uint32_t Type) { return Type == 0; }

static bool isForTls(uint16_t Machine, uint32_t Type) {
  return Machine == ELF::EM_X86_64 &&
         (Type == ELF::R_X86_64_TPOFF64 || Type == ELF::R_X86_64_DTPMOD64 ||
          Type == ELF::R_X86_64_TLSDESC);
}

/// Returns the problem of a relocation, or an empty string.
std::string Relocations::wrongWith(const Relocation &R) const {
  uint16_t Machine = Image.machine();
  if (!isKnownType(Machine, R.Type))
    return "has type " + std::to_string(R.Type) +
           ", which no dynamic linker knows";
  if (!Image.isMapped(R.Place, WordSize, MayWriteCode ? 0 : ELF::PF_W))
    return "is in no writable PT_LOAD";
  if (callsFunction(Machine, R.Type) && !Image.isMapped(R.Addend, 1, ELF::PF_X))
    return "calls " + hexText(R.Addend) + ", which is not executable";
  std::optional<DynamicSymbol> S =
      R.Symbol ? Table.symbol(R.Symbol) : DynamicSymbol{};
  bool IsThere =
      S &&
      (!R.Symbol || (R.Symbol < Table.symbolCount() && Table.hasText(S->Name)));
  if (!IsThere || (R.Symbol && S->Section == 0 && Table.isEmptyText(S->Name)))
    return "has symbol " + std::to_string(R.Symbol) + ", which is not there";
  if (R.Symbol && !Table.hasVersion(R.Symbol))
    return "has symbol " + std::to_string(R.Symbol) +
           ", whose version no table names";
  if (isForTls(Machine, R.Type) && (!R.Symbol || S->Section) && !HasTls)
    return "is about thread-local memory, but there is no PT_TLS";
  return "";
}

void Relocations::check(Findings &F) const {
  forEach([&](const Relocation &R) {
    if (isNone(R.Type))
      return;
    if (std::string Wrong = wrongWith(R); !Wrong.empty())
      F.problem("the relocation for " + hexText(R.Place) + " " + Wrong);
  });
  // glibc applies the first ones without checking their types.
  uint64_t Count = Table.getOr(ELF::DT_RELACOUNT, 0);
  bool AllRelative = Count <= Rela.size() / RelaSize;
  for (uint64_t I = 0; AllRelative && I != Count; ++I)
    AllRelative = read32le(Rela.data() + I * RelaSize + 8) == Relative;
  if (!AllRelative)
    F.problem("DT_RELACOUNT says " + Twine(Count) +
              " relative relocations, but there are fewer");
}

std::optional<uint64_t> Relocations::valueOf(const Relocation &R) const {
  if (isRelative(R))
    return R.Addend;
  if (R.Symbol == 0)
    return std::nullopt;
  std::optional<DynamicSymbol> S = Table.symbol(R.Symbol);
  if (!S || S->Section == ELF::SHN_UNDEF)
    return std::nullopt;
  return S->Value + R.Addend;
}

void LoadedValues::apply(const Relocations &All) {
  All.forEach([&](const Relocation &R) {
    if (R.Place >= AddressLimit) // DenseMap reserves keys in this range
      return;
    auto It = Wanted.find(R.Place);
    if (It == Wanted.end() || isNone(R.Type))
      return;
    It->second.Address = All.valueOf(R);
    ++It->second.Relocations;
  });
}

LoadedValues::Value LoadedValues::at(uint64_t Place) const {
  auto It = Wanted.find(Place);
  Value V = It == Wanted.end() ? Value() : It->second;
  if (V.Relocations != 0)
    return V;
  std::optional<StringRef> Bytes = Image.bytesAt(Place, WordSize);
  if (Bytes)
    V.Address = read64le(Bytes->data());
  return V;
}
