//===- UnwindTables.cpp - addresses in .eh_frame --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formats are those of the LSB, "Exception Frames". Addresses in call frame
// instructions (DW_CFA_set_loc) are not read: compilers do not write them, and
// the check against relocations would find one.
//
//===----------------------------------------------------------------------===//
#include "UnwindTables.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/DataExtractor.h"

#include <map>

using namespace llvm;

namespace kpack::hostrewrite {

namespace {
/// The pointer encodings in a CIE for its FDEs.
struct FrameForm {
  uint8_t Function = dwarf::DW_EH_PE_absptr;
  uint8_t Handler = dwarf::DW_EH_PE_omit; // of each function's LSDA
  bool HasSize = false;                   // of the augmentation data
};

class FrameReader {
public:
  FrameReader(const ElfView &View, size_t Section, AddressMove &Move)
      : View(View), Section(Section), Move(Move),
        Data(Move.bytesOf(Section), /*IsLittleEndian=*/true, /*AddressSize=*/8),
        Address(View.Sections[Section].sh_addr) {}
  Error readFrames();
  Error readHeader();
  Error checkKnown(ArrayRef<uint64_t> Relocated) const;

private:
  Error readCommon(uint64_t Begin, uint64_t Offset, uint64_t End);
  Error readFunction(const FrameForm &Form, uint64_t Offset, uint64_t End);
  Error readPointer(uint8_t Form, DataExtractor::Cursor &C, uint64_t Base);
  Error damaged() const {
    return Move.refuse("section " + View.sectionName(View.Sections[Section]) +
                       " has a form that is not known");
  }

  const ElfView &View;
  const size_t Section;
  AddressMove &Move;
  DataExtractor Data;
  const uint64_t Address;
  std::map<uint64_t, FrameForm> Forms; // by the offset of the CIE
  std::vector<uint64_t> Fields;        // addresses, sorted
};
} // namespace

static unsigned sizeOf(uint8_t Form) {
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

/// Reads a pointer of \p Form at \p C. \p Base is added for DW_EH_PE_datarel; 0
/// means that this form is not allowed here.
Error FrameReader::readPointer(uint8_t Form, DataExtractor::Cursor &C,
                               uint64_t Base) {
  unsigned Size = sizeOf(Form);
  uint64_t Offset = C.tell(), FieldAddress = Address + Offset;
  uint64_t Value = Size == 8 ? Data.getU64(C) : Data.getU32(C);
  if (!C || Size == 0)
    return damaged();
  if (Size == 4 && (Form & 0x0f) == dwarf::DW_EH_PE_sdata4)
    Value = static_cast<uint64_t>(int64_t(int32_t(Value)));
  uint64_t Origin = 0;
  switch (Form & 0x70) {
  case dwarf::DW_EH_PE_absptr:
    break;
  case dwarf::DW_EH_PE_pcrel:
    Origin = FieldAddress;
    break;
  case dwarf::DW_EH_PE_datarel:
    Origin = Base;
    break;
  default:
    return damaged();
  }
  if ((Form & 0x70) == dwarf::DW_EH_PE_datarel && Base == 0)
    return damaged();
  Fields.push_back(FieldAddress);
  if (Value == 0)
    return Error::success();
  std::optional<uint64_t> NewTarget = Move.of(Origin + Value),
                          NewFrom = Move.of(Origin);
  if (!NewTarget || !NewFrom)
    return Move.refuse("an unwind table leads into the device code");
  Move.set({uint32_t(Section), Size, Offset, 0}, *NewTarget - *NewFrom);
  return Error::success();
}

/// Reads a CIE from \p Offset, its version, on. \p Begin is the offset of the
/// entry.
Error FrameReader::readCommon(uint64_t Begin, uint64_t Offset, uint64_t End) {
  DataExtractor::Cursor C(Offset);
  FrameForm Form;
  uint8_t Version = Data.getU8(C);
  StringRef Augmentation = Data.getCStrRef(C);
  Data.getULEB128(C);
  Data.getSLEB128(C);
  Version == 1 ? Data.getU8(C) : Data.getULEB128(C);
  if (Augmentation.consume_front("z")) {
    Form.HasSize = true;
    Data.getULEB128(C);
  }
  if (!C || (Version != 1 && Version != 3) ||
      (!Form.HasSize && !Augmentation.empty()))
    return C ? damaged() : (consumeError(C.takeError()), damaged());
  for (char Letter : Augmentation) {
    if (Letter == 'R') {
      Form.Function = Data.getU8(C);
    } else if (Letter == 'L') {
      Form.Handler = Data.getU8(C);
    } else if (Letter == 'P') {
      uint8_t Own = Data.getU8(C);
      if (!C || Own == dwarf::DW_EH_PE_omit)
        break;
      if (Error E = readPointer(Own, C, /*Base=*/0)) {
        consumeError(C.takeError());
        return E;
      }
    } else if (Letter != 'S' && Letter != 'B') {
      consumeError(C.takeError());
      return damaged();
    }
  }
  bool IsBad = !C || C.tell() > End;
  consumeError(C.takeError());
  Forms[Begin] = Form;
  return IsBad ? damaged() : Error::success();
}

Error FrameReader::readFunction(const FrameForm &Form, uint64_t Offset,
                                uint64_t End) {
  DataExtractor::Cursor C(Offset);
  Error E = readPointer(Form.Function, C, /*Base=*/0);
  if (!E) {
    Data.skip(C, sizeOf(Form.Function)); // the function's size
    if (Form.HasSize)
      Data.getULEB128(C);
    if (Form.Handler != dwarf::DW_EH_PE_omit)
      E = readPointer(Form.Handler, C, /*Base=*/0);
  }
  bool IsBad = !C || C.tell() > End;
  consumeError(C.takeError());
  if (E)
    return E;
  return IsBad ? damaged() : Error::success();
}

Error FrameReader::readFrames() {
  uint64_t Size = Data.size();
  for (uint64_t Offset = 0; Offset < Size;) {
    DataExtractor::Cursor C(Offset);
    uint64_t Length = Data.getU32(C);
    if (C && Length == 0) { // terminator, perhaps of one input file
      Offset = C.tell();
      continue;
    }
    uint64_t Body = C.tell();
    uint32_t Id = Data.getU32(C);
    bool IsBad =
        !C || Length >= 0xfffffff0 || Length < 4 || Length > Size - Body;
    consumeError(C.takeError());
    if (IsBad)
      return damaged();
    if (Id == 0) {
      if (Error E = readCommon(Offset, Body + 4, Body + Length))
        return E;
    } else {
      auto Form = Forms.find(Body - Id);
      if (Form == Forms.end())
        return damaged();
      if (Error E = readFunction(Form->second, Body + 4, Body + Length))
        return E;
    }
    Offset = Body + Length;
  }
  return Error::success();
}

/// Reads the header: version, three encodings, the distance to .eh_frame, and
/// the table of functions and their entries, as distances from the header.
Error FrameReader::readHeader() {
  DataExtractor::Cursor C(0);
  uint8_t Version = Data.getU8(C), Frame = Data.getU8(C);
  uint8_t Count = Data.getU8(C), Table = Data.getU8(C);
  if (!C || Version != 1 || Count == dwarf::DW_EH_PE_omit ||
      Count != dwarf::DW_EH_PE_udata4 ||
      Table != (dwarf::DW_EH_PE_datarel | dwarf::DW_EH_PE_sdata4)) {
    consumeError(C.takeError());
    return damaged();
  }
  Error E = readPointer(Frame, C, Address);
  uint64_t Entries = E ? 0 : Data.getU32(C);
  if (!E && (!C || Entries > (Data.size() - C.tell()) / 8))
    E = damaged();
  for (uint64_t I = 0; !E && I != 2 * Entries; ++I)
    E = readPointer(Table, C, Address);
  consumeError(C.takeError());
  return E;
}

Error FrameReader::checkKnown(ArrayRef<uint64_t> Relocated) const {
  for (uint64_t Offset : Relocated)
    if (!std::binary_search(Fields.begin(), Fields.end(), Offset))
      return Move.refuse("section .eh_frame has a relocation for 0x" +
                         Twine::utohexstr(Offset) +
                         ", where no address is known");
  return Error::success();
}

/// Programs find the header through its segment, and .eh_frame through the
/// header; checks that both are the sections of these names.
static Error checkPlaces(const ElfView &View, const AddressMove &Move) {
  auto AddressOf = [&](StringRef Name) {
    std::optional<size_t> I = View.findSection(Name);
    return I ? uint64_t(View.Sections[*I].sh_addr) : 0;
  };
  uint64_t Header = AddressOf(".eh_frame_hdr");
  uint64_t Found = 0;
  for (const Elf::Phdr &Segment : View.Segments)
    if (Segment.p_type == ELF::PT_GNU_EH_FRAME)
      Found = Segment.p_vaddr;
  std::optional<MovedField> Pointer;
  if (Header != 0)
    Pointer = Move.placeAt(Header + 4, /*Size=*/4);
  bool IsRight = !Pointer || Header + 4 + Move.readSigned(*Pointer) ==
                                 AddressOf(".eh_frame");
  if (Found == Header && IsRight)
    return Error::success();
  return Move.refuse("its unwind tables are not in their sections");
}

Error moveUnwindTables(const ElfView &View, ArrayRef<uint64_t> Relocated,
                       AddressMove &Move) {
  if (Error E = checkPlaces(View, Move))
    return E;
  for (size_t I = 0; I != View.Sections.size(); ++I) {
    const Elf::Shdr &Section = View.Sections[I];
    if (!(Section.sh_flags & ELF::SHF_ALLOC) || fileRange(Section).empty())
      continue;
    StringRef Name = View.sectionName(Section);
    FrameReader Reader(View, I, Move);
    if (Name == ".eh_frame") {
      if (Error E = Reader.readFrames())
        return E;
      if (Error E = Reader.checkKnown(Relocated))
        return E;
    } else if (Name == ".eh_frame_hdr") {
      if (Error E = Reader.readHeader())
        return E;
    }
  }
  return Error::success();
}

} // namespace kpack::hostrewrite
