//===- CompareTypes.cpp - comparison of exception types -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the exception table (LSDA) of a function: call sites refer to actions,
// and actions to types, whose addresses are counted backwards from the end of
// the table. Without relocations only this path shows which four bytes are
// addresses, so the table is read as unwinders do. A table with another format
// belongs to a language with its own personality.
//===----------------------------------------------------------------------===//
#include "CompareMoved.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/Endian.h"

using namespace kpack::hostrewrite;
using namespace kpack::hostrewrite::verifier;
using namespace llvm;
using namespace llvm::support::endian;

namespace {
class HandlerTable {
public:
  HandlerTable(StringRef Bytes, uint64_t &Budget)
      : Data(Bytes, /*IsLittleEndian=*/true, /*AddressSize=*/8),
        Budget(Budget) {}
  /// Returns false if the table has an unknown format.
  bool read();
  /// Calls \p Use with the offset of each type that an action refers to.
  void forEachType(function_ref<void(uint64_t Offset)> Use);

  /// The encoding of a type's address.
  uint8_t Form = dwarf::DW_EH_PE_omit;
  uint64_t size() const;

private:
  void skipSite(DataExtractor::Cursor &C) const;
  void visitActions(uint64_t Position, function_ref<void(uint64_t Offset)> Use);

  DataExtractor Data;
  uint64_t &Budget;
  uint8_t SiteForm = 0;
  uint64_t Sites = 0, Actions = 0, TypesEnd = 0;
};
} // namespace

static bool isRead(DataExtractor::Cursor &C) {
  Error E = C.takeError();
  bool IsRead = !E;
  consumeError(std::move(E));
  return IsRead;
}

/// Returns the size of an address in \p Form, or 0 if types do not use it.
static uint64_t sizeOf(uint8_t Form) {
  switch (Form & 0x0f) {
  case dwarf::DW_EH_PE_absptr:
  case dwarf::DW_EH_PE_udata8:
  case dwarf::DW_EH_PE_sdata8:
    return 8;
  case dwarf::DW_EH_PE_udata4:
  case dwarf::DW_EH_PE_sdata4:
    return 4;
  }
  return 0;
}

uint64_t HandlerTable::size() const { return sizeOf(Form); }

bool HandlerTable::read() {
  DataExtractor::Cursor C(0);
  bool HasStart = Data.getU8(C) != dwarf::DW_EH_PE_omit;
  Form = Data.getU8(C);
  if (Form != dwarf::DW_EH_PE_omit) {
    uint64_t Distance = Data.getULEB128(C);
    TypesEnd = C.tell() + Distance;
  }
  SiteForm = Data.getU8(C);
  uint64_t Size = Data.getULEB128(C);
  Sites = C.tell();
  Actions = Sites + Size;
  uint8_t Way = Form & 0x70;
  return isRead(C) && !HasStart && Form != dwarf::DW_EH_PE_omit &&
         size() != 0 && (Way == 0 || Way == dwarf::DW_EH_PE_pcrel) &&
         Sites <= Actions && Actions <= TypesEnd &&
         TypesEnd <= Data.getData().size() &&
         (SiteForm == dwarf::DW_EH_PE_uleb128 || sizeOf(SiteForm) != 0);
}

/// Skips begin, length and landing pad.
void HandlerTable::skipSite(DataExtractor::Cursor &C) const {
  for (int I = 0; I != 3; ++I)
    if (SiteForm == dwarf::DW_EH_PE_uleb128)
      Data.getULEB128(C);
    else
      Data.skip(C, sizeOf(SiteForm));
}

/// Visits a list of actions, each with a type and the distance to the next.
void HandlerTable::visitActions(uint64_t Position,
                                function_ref<void(uint64_t Offset)> Use) {
  for (; Budget != 0 && Position < TypesEnd; --Budget) {
    DataExtractor::Cursor C(Position);
    int64_t Type = Data.getSLEB128(C);
    uint64_t Next = C.tell();
    int64_t Distance = Data.getSLEB128(C);
    if (!isRead(C))
      return;
    // A negative number is an exception specification, which C++17 removed.
    if (Type > 0 && uint64_t(Type) <= TypesEnd / size())
      Use(TypesEnd - uint64_t(Type) * size());
    if (Distance == 0)
      return;
    Position = Next + uint64_t(Distance);
  }
}

void HandlerTable::forEachType(function_ref<void(uint64_t Offset)> Use) {
  for (uint64_t Offset = Sites; Offset < Actions && Budget != 0; --Budget) {
    DataExtractor::Cursor C(Offset);
    skipSite(C);
    uint64_t Action = Data.getULEB128(C); // 0: cleanup only
    Offset = C.tell();
    if (!isRead(C))
      return;
    if (Action != 0)
      visitActions(Actions + Action - 1, Use);
  }
}

void MovedComparer::compareTypes(uint64_t Table) {
  HandlerTable Handlers(Old.Image.bytesFrom(Table), TypesBudget);
  const Section *In = sectionAt(Table);
  if (!In || !Handlers.read())
    return;
  bool IsRelative = Handlers.Form & dwarf::DW_EH_PE_pcrel;
  auto ReadAt = [&](const LoadedImage &Image, uint64_t Address) -> uint64_t {
    auto Bytes = Image.bytesAt(Address, Handlers.size());
    if (!Bytes)
      return 0;
    uint64_t Value = Handlers.size() == 8 ? read64le(Bytes->data())
                     : Handlers.Form & dwarf::DW_EH_PE_signed
                         ? uint64_t(int64_t(int32_t(read32le(Bytes->data()))))
                         : read32le(Bytes->data());
    // Zero means catch (...).
    return IsRelative && Value != 0 ? Address + Value : Value;
  };
  bool IsSame = true;
  Handlers.forEachType([&](uint64_t Offset) {
    uint64_t Address = Table + Offset;
    if (IsSame && !isSameAddress(ReadAt(Old.Image, Address),
                                 ReadAt(New.Image, Moved.at(Address)))) {
      IsSame = false;
      different(*In, Address - In->Address);
    }
  });
  if (TypesBudget == 0)
    different(*In, Table - In->Address);
}
