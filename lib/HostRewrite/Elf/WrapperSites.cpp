//===- WrapperSites.cpp - what makes the pointers of wrappers -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A form of relocations that is not read here would leave wrappers that look as
// if nothing relocated them, so it is an error when the dynamic table names
// one. So is a wrapper of a file that is loaded anywhere when no relocation was
// found for it: it cannot have worked.
//
//===----------------------------------------------------------------------===//
#include "WrapperSites.h"

#include "kpack/Offload/HipSymbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

#include <unordered_map>

using namespace llvm;
using namespace llvm::support::endian;

namespace kpack::hostrewrite {

bool PointerFacts::pointsInto(Range Addresses) const {
  auto At = llvm::lower_bound(OtherTargets, Addresses.Begin);
  return At != OtherTargets.end() && *At < Addresses.End;
}

namespace {
class PointerReader {
public:
  PointerReader(const ElfView &View, ArrayRef<offload::Wrapper> Wrappers);
  Expected<PointerFacts> run();

private:
  Error checkForms() const;
  Error readRela(int64_t Tag, int64_t SizeTag);
  Error addRela(const Elf::Rela &R, uint64_t FileOffset);
  Error readRelr();
  void addRelr(uint64_t Address);
  Expected<uint64_t> symbolValue(uint32_t Symbol) const;
  Expected<Range> table(int64_t Tag, int64_t SizeTag, uint64_t EntrySize) const;

  const ElfView &View;
  PointerFacts Facts;
  /// Indices of wrappers by the address of their pointers.
  std::unordered_map<uint64_t, size_t> ByPointer;
  std::vector<bool> HasRelocation;
};
} // namespace

PointerReader::PointerReader(const ElfView &View,
                             ArrayRef<offload::Wrapper> Wrappers)
    : View(View), HasRelocation(Wrappers.size()) {
  for (const offload::Wrapper &W : Wrappers) {
    WrapperSite Site;
    Site.FileOffset = W.FileOffset;
    Site.Address = W.Address;
    Site.InPlace = read64le(View.Bytes.data() + W.FileOffset +
                            offload::WrapperPointerOffset);
    Site.Pointer = Site.InPlace;
    ByPointer[W.Address + offload::WrapperPointerOffset] =
        Facts.Wrappers.size();
    Facts.Wrappers.push_back(Site);
  }
}

Error PointerReader::checkForms() const {
  static constexpr int64_t Unknown[] = {
      ELF::DT_REL, ELF::DT_ANDROID_REL, ELF::DT_ANDROID_RELA,
      ELF::DT_ANDROID_RELR, /*DT_CREL=*/0x40000026};
  for (int64_t Tag : Unknown)
    if (View.dynamicValue(Tag))
      return View.error("its relocations are neither RELA nor RELR; link it "
                        "without packed relocations of another kind");
  return Error::success();
}

/// The file range of a table that the dynamic table names; empty without it.
Expected<Range> PointerReader::table(int64_t Tag, int64_t SizeTag,
                                     uint64_t EntrySize) const {
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

Error PointerReader::readRela(int64_t Tag, int64_t SizeTag) {
  Expected<Range> In = table(Tag, SizeTag, sizeof(Elf::Rela));
  if (!In)
    return In.takeError();
  for (uint64_t At = In->Begin; At != In->End; At += sizeof(Elf::Rela))
    if (Error E = addRela(
            *reinterpret_cast<const Elf::Rela *>(View.Bytes.data() + At), At))
      return E;
  return Error::success();
}

Error PointerReader::addRela(const Elf::Rela &R, uint64_t FileOffset) {
  bool IsRelative = R.getType(/*isMips64EL=*/false) == View.RelativeType;
  uint64_t Addend = static_cast<uint64_t>(static_cast<int64_t>(R.r_addend));
  auto Found = ByPointer.find(R.r_offset);
  if (Found == ByPointer.end()) {
    if (IsRelative)
      Facts.OtherTargets.push_back(Addend);
    return Error::success();
  }
  if (HasRelocation[Found->second])
    return View.error("two relocations for the pointer of one wrapper; it is "
                      "damaged, get it again");
  HasRelocation[Found->second] = true;
  WrapperSite &Site = Facts.Wrappers[Found->second];
  Site.RelaOffset = FileOffset;
  Site.Pointer = Addend;
  if (IsRelative)
    return Error::success();
  Expected<uint64_t> Value = symbolValue(R.getSymbol(/*isMips64EL=*/false));
  if (!Value)
    return Value.takeError();
  Site.HasSymbol = true;
  Site.Pointer += *Value;
  return Error::success();
}

/// The value of a dynamic symbol that this file defines.
Expected<uint64_t> PointerReader::symbolValue(uint32_t Symbol) const {
  std::optional<uint64_t> Table = View.dynamicValue(ELF::DT_SYMTAB);
  std::optional<uint64_t> Offset;
  if (Table && Symbol != 0)
    Offset = View.offsetOf(*Table + uint64_t(Symbol) * sizeof(Elf::Sym),
                           sizeof(Elf::Sym));
  if (Offset) {
    const auto *S =
        reinterpret_cast<const Elf::Sym *>(View.Bytes.data() + *Offset);
    if (S->st_shndx != ELF::SHN_UNDEF)
      return S->st_value;
  }
  return View.error("a wrapper's device code is in another library; convert "
                    "that one");
}

Error PointerReader::readRelr() {
  Expected<Range> In = table(ELF::DT_RELR, ELF::DT_RELRSZ, sizeof(uint64_t));
  if (!In)
    return In.takeError();
  // An even entry is an address, an odd one a bitmap of the 63 words behind.
  uint64_t Base = 0;
  for (uint64_t At = In->Begin; At != In->End; At += sizeof(uint64_t)) {
    uint64_t Entry = read64le(View.Bytes.data() + At);
    if ((Entry & 1) == 0) {
      addRelr(Entry);
      Base = Entry + sizeof(uint64_t);
      continue;
    }
    for (uint64_t Bits = Entry >> 1, To = Base; Bits != 0;
         Bits >>= 1, To += sizeof(uint64_t))
      if (Bits & 1)
        addRelr(To);
    Base += 63 * sizeof(uint64_t);
  }
  return Error::success();
}

void PointerReader::addRelr(uint64_t Address) {
  auto Found = ByPointer.find(Address);
  if (Found != ByPointer.end())
    HasRelocation[Found->second] = true;
  else if (std::optional<uint64_t> At =
               View.offsetOf(Address, sizeof(uint64_t)))
    Facts.OtherTargets.push_back(read64le(View.Bytes.data() + *At));
}

Expected<PointerFacts> PointerReader::run() {
  if (Error E = checkForms())
    return std::move(E);
  if (Error E = readRela(ELF::DT_RELA, ELF::DT_RELASZ))
    return std::move(E);
  if (Error E = readRela(ELF::DT_JMPREL, ELF::DT_PLTRELSZ))
    return std::move(E);
  if (Error E = readRelr())
    return std::move(E);
  llvm::sort(Facts.OtherTargets);
  if (View.Header.e_type == ELF::ET_DYN)
    for (size_t I = 0; I != HasRelocation.size(); ++I)
      if (!HasRelocation[I])
        return View.error("no relocation for the pointer of wrapper " +
                          Twine(I) + "; it is damaged, get it again");
  return std::move(Facts);
}

Expected<PointerFacts> readPointers(const ElfView &View,
                                    ArrayRef<offload::Wrapper> Wrappers) {
  return PointerReader(View, Wrappers).run();
}

} // namespace kpack::hostrewrite
