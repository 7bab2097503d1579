//===- RelaxedCode.cpp - instructions relaxed by linkers ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forms of the x86-64 psABI: B.2 (GOTPCRELX) and its chapter on linker
// optimization of thread-local storage. All linkers leave the relocation of a
// replaced instruction as it was, so the new instruction is read from its
// bytes.
//
//===----------------------------------------------------------------------===//
#include "StaticRelocations.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::support::endian;

namespace kpack::hostrewrite {

/// mov %fs:0, %rax
static constexpr StringLiteral ReadThreadPointer =
    StringLiteral::withInnerNUL("\x64\x48\x8b\x04\x25\x00\x00\x00\x00");

static bool hasAt(StringRef Code, uint64_t Offset, uint64_t Back,
                  StringRef Bytes) {
  return Offset >= Back && Code.drop_front(Offset - Back).starts_with(Bytes);
}

/// General dynamic: the call became an addition of a constant offset, or of one
/// in the table of offsets.
static RelaxedAccess relaxedGeneral(StringRef Code, uint64_t Offset) {
  RelaxedAccess Access;
  if (!hasAt(Code, Offset, 4, ReadThreadPointer))
    return Access;
  StringRef Next = Code.drop_front(Offset).substr(5, 3);
  Access.CallReadsGot = Next == StringRef("\x48\x03\x05");
  if (!Access.CallReadsGot && Next != StringRef("\x48\x8d\x80"))
    return Access;
  Access.Kind = RelaxedAccess::Constant;
  Access.Call = 8;
  return Access;
}

/// Local dynamic: only the thread pointer is read, with prefixes that pad the
/// instruction to the size of the call.
static RelaxedAccess relaxedLocal(StringRef Code, uint64_t Offset) {
  RelaxedAccess Access;
  StringRef Before = Offset < 3 ? StringRef() : Code.drop_front(Offset - 3);
  size_t Prefixes = Before.find_first_not_of('\x66');
  if ((Prefixes != 3 && Prefixes != 4) ||
      !Before.drop_front(Prefixes).starts_with(ReadThreadPointer))
    return Access;
  Access.Kind = RelaxedAccess::Constant;
  Access.Call = Prefixes == 3 ? 5 : 6;
  return Access;
}

/// True if a mov, add or lea with a register precedes four bytes of a constant.
static bool hasConstant(StringRef Code, uint64_t Offset) {
  if (Offset < 3)
    return false;
  uint8_t Rex = Code[Offset - 3], Opcode = Code[Offset - 2];
  return (Rex & 0xf8) == 0x48 &&
         (Opcode == 0xc7 || Opcode == 0x81 || Opcode == 0x8d);
}

static RelaxedAccess relaxedRead(StringRef Code, uint64_t Offset,
                                 const StaticRelocation &R) {
  RelaxedAccess Access;
  Access.Field = Offset;
  uint8_t Opcode = Offset < 2 ? 0 : Code[Offset - 2];
  bool IsNumber = Opcode == 0xc7 || Opcode == 0xf7 || Opcode == 0x81;
  if (IsNumber &&
      read32le(Code.data() + Offset) == uint32_t(R.Value + R.Addend + 4)) {
    bool IsAddress = R.IsDefined && !R.IsAbsolute;
    Access.Kind = IsAddress ? RelaxedAccess::Address : RelaxedAccess::Constant;
  } else if ((Opcode == 0xe9 || Opcode == 0xe8) &&
             Code.drop_front(Offset + 3).starts_with("\x90")) {
    Access.Kind = RelaxedAccess::Jump;
    Access.Field = Offset - 1;
  }
  return Access;
}

RelaxedAccess findRelaxed(StringRef Code, uint64_t Offset,
                          const StaticRelocation &R) {
  RelaxedAccess Access;
  switch (R.Type) {
  case ELF::R_X86_64_TLSGD:
    Access = relaxedGeneral(Code, Offset);
    break;
  case ELF::R_X86_64_TLSLD:
    Access = relaxedLocal(Code, Offset);
    break;
  case ELF::R_X86_64_GOTTPOFF:
  case ELF::R_X86_64_GOTPC32_TLSDESC:
    if (hasConstant(Code, Offset))
      Access.Kind = RelaxedAccess::Constant;
    break;
  case ELF::R_X86_64_GOTPCREL:
  case ELF::R_X86_64_GOTPCRELX:
  case ELF::R_X86_64_REX_GOTPCRELX:
    return relaxedRead(Code, Offset, R);
  }
  if (Access.Call)
    *Access.Call += R.Place;
  return Access;
}

} // namespace kpack::hostrewrite
