//===- AddressMove.cpp - fields changed by moved addresses ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An address inside of the device code or past all memory has no new address.
// The first address of the device code is also the end of the preceding part,
// which stays in place; callers that may have a pointer to the device code
// itself have to check for it.
//
//===----------------------------------------------------------------------===//
#include "AddressMove.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

#include <tuple>

using namespace llvm;
using namespace llvm::support::endian;

namespace kpack::hostrewrite {

bool isPltSection(StringRef Name) {
  return Name == ".plt" || Name == ".plt.got" || Name == ".plt.sec" ||
         Name == ".iplt";
}

AddressMove::AddressMove(const ElfView &View, const ElfLayout &Layout)
    : View(&View), Device(Layout.Device.addresses()), Less(Layout.Removed) {
  for (const Elf::Phdr &Segment : View.Segments)
    if (Segment.p_type == ELF::PT_LOAD)
      MemoryEnd =
          std::max<uint64_t>(MemoryEnd, Segment.p_vaddr + Segment.p_memsz);
}

Expected<AddressMove> AddressMove::create(const ElfView &View,
                                          const ElfLayout &Layout) {
  AddressMove Move(View, Layout);
  for (size_t I = 1; I < View.Sections.size(); ++I) {
    const Elf::Shdr &S = View.Sections[I];
    // .tbss takes no addresses of the image; each thread has a copy.
    bool IsTbss = (S.sh_flags & ELF::SHF_TLS) && S.sh_type == ELF::SHT_NOBITS;
    if (!(S.sh_flags & ELF::SHF_ALLOC) || S.sh_size == 0 || IsTbss)
      continue;
    if (S.sh_addr + S.sh_size < S.sh_addr ||
        !Move.ByAddress.try_emplace(S.sh_addr, I).second)
      return Move.refuse("two sections have one address");
  }
  uint64_t End = 0;
  for (auto [Address, I] : Move.ByAddress) {
    if (Address < End)
      return Move.refuse("two sections share addresses");
    End = Address + View.Sections[I].sh_size;
  }
  return std::move(Move);
}

std::optional<uint64_t> AddressMove::of(uint64_t Address) const {
  if (Address <= Device.Begin)
    return Address;
  if (Address >= Device.End && Address <= MemoryEnd)
    return Address - Less;
  return std::nullopt;
}

std::optional<size_t> AddressMove::sectionAt(uint64_t Address) const {
  auto Next = ByAddress.upper_bound(Address);
  if (Next == ByAddress.begin())
    return std::nullopt;
  auto [Begin, I] = *std::prev(Next);
  if (Address - Begin >= View->Sections[I].sh_size)
    return std::nullopt;
  return I;
}

std::optional<MovedField> AddressMove::placeIn(const ElfView &View,
                                               size_t Section, uint64_t Offset,
                                               unsigned Size) {
  Range File = fileRange(View.Sections[Section]);
  if (Offset > File.size() || Size > File.size() - Offset)
    return std::nullopt;
  return MovedField{uint32_t(Section), Size, Offset, 0};
}

std::optional<MovedField> AddressMove::placeAt(uint64_t Address,
                                               unsigned Size) const {
  std::optional<size_t> I = sectionAt(Address);
  if (!I)
    return std::nullopt;
  return placeIn(*View, *I, Address - View->Sections[*I].sh_addr, Size);
}

StringRef AddressMove::bytesOf(size_t Section) const {
  Range File = fileRange(View->Sections[Section]);
  return View->Bytes.slice(File.Begin, File.End);
}

uint64_t AddressMove::read(const MovedField &Place) const {
  const char *Field = bytesOf(Place.Section).data() + Place.Offset;
  return Place.Size == 8 ? read64le(Field) : read32le(Field);
}

int64_t AddressMove::readSigned(const MovedField &Place) const {
  uint64_t Value = read(Place);
  return Place.Size == 8 ? int64_t(Value) : int64_t(int32_t(Value));
}

void AddressMove::set(const MovedField &Place, uint64_t Value) {
  MovedField Field = Place;
  Field.Value = Place.Size == 8 ? Value : uint32_t(Value);
  // Unchanged fields are kept to compare them with other sources of the same
  // field. Debug information is large and has a single source, so it is not.
  if ((View->Sections[Place.Section].sh_flags & ELF::SHF_ALLOC) ||
      Field.Value != read(Field))
    Known.push_back(Field);
}

bool AddressMove::isPlt(uint64_t Address) const {
  std::optional<size_t> I = sectionAt(Address);
  return I && isPltSection(View->sectionName(View->Sections[*I]));
}

bool AddressMove::isGot(uint64_t Address) const {
  std::optional<size_t> I = sectionAt(Address);
  if (!I)
    return false;
  StringRef Name = View->sectionName(View->Sections[*I]);
  return Name == ".got" || Name == ".got.plt";
}

Error AddressMove::refuse(const Twine &Why) const {
  return View->error("cannot be made compact: " + Why +
                     "; convert it with --keep-layout");
}

Expected<std::vector<MovedField>> AddressMove::takeChanged() {
  llvm::sort(Known, [](const MovedField &A, const MovedField &B) {
    return std::tie(A.Section, A.Offset, A.Size, A.Value) <
           std::tie(B.Section, B.Offset, B.Size, B.Value);
  });
  std::vector<MovedField> Changed;
  const MovedField *Last = nullptr;
  for (const MovedField &Field : Known) {
    bool Meets = Last && Last->Section == Field.Section &&
                 Field.Offset - Last->Offset < Last->Size;
    bool IsSame = Meets && Field.Offset == Last->Offset &&
                  Field.Size == Last->Size && Field.Value == Last->Value;
    if (Meets && !IsSame)
      return refuse("two relocations say different things of one place");
    if (!IsSame && Field.Value != read(Field))
      Changed.push_back(Field);
    Last = &Field;
  }
  return std::move(Changed);
}

} // namespace kpack::hostrewrite
