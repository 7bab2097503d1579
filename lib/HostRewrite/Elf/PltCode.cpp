//===- PltCode.cpp - linker-generated code in .plt ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entries of .plt consist of a few instructions, which this file recognizes by
// their bytes: x86-64, of bfd, gold and lld, with IBT, retpolines or neither.
// Any other bytes belong to a kind of entry that is not supported.
//
//===----------------------------------------------------------------------===//
#include "MovedTables.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace kpack::hostrewrite {

namespace {
/// An instruction: its first bytes, and the number of bytes that follow.
struct PltInstruction {
  StringLiteral Begin;
  unsigned Rest;
  /// The rest is a displacement from the end of the instruction.
  bool IsDistance;
};
} // namespace

static constexpr PltInstruction Instructions[] = {
    {"\xff\x35", 4, true},              // push X(%rip)
    {"\xff\x25", 4, true},              // jmp *X(%rip)
    {"\xf2\xff\x25", 4, true},          // bnd jmp *X(%rip)
    {"\x4c\x8b\x1d", 4, true},          // mov X(%rip), %r11
    {"\xe9", 4, true},                  // jmp
    {"\xf2\xe9", 4, true},              // bnd jmp
    {"\xe8", 4, true},                  // call
    {"\xeb", 1, false},                 // jmp, within an entry
    {"\xf3\x90", 0, false},             // pause
    {"\x0f\xae\xe8", 0, false},         // lfence
    {"\x4c\x89\x1c\x24", 0, false},     // mov %r11, (%rsp)
    {"\xc3", 0, false},                 // ret
    {"\x68", 4, false},                 // push
    {"\x41\xbb", 4, false},             // mov $X, %r11d
    {"\x41\xff\xe3", 0, false},         // jmp *%r11
    {"\xf3\x0f\x1e\xfa", 0, false},     // endbr64
    {"\x0f\x1f\x40", 1, false},         // nop, and its longer forms
    {"\x0f\x1f\x44", 2, false},         //
    {"\x66\x0f\x1f\x44", 2, false},     //
    {"\x0f\x1f\x80", 4, false},         //
    {"\x0f\x1f\x84", 5, false},         //
    {"\x66\x0f\x1f\x84", 5, false},     //
    {"\x66\x2e\x0f\x1f\x84", 5, false}, //
    {"\x0f\x1f", 1, false},             //
    {"\x66\x90", 0, false},             //
    {"\x90", 0, false},                 //
    {"\xcc", 0, false},                 // int3
};

static const PltInstruction *instructionAt(StringRef Code) {
  for (const PltInstruction &I : Instructions)
    if (Code.starts_with(I.Begin) && Code.size() >= I.Begin.size() + I.Rest)
      return &I;
  return nullptr;
}

static Error moveSection(const ElfView &View, size_t Section,
                         AddressMove &Move) {
  StringRef Code = Move.bytesOf(Section);
  for (uint64_t Offset = 0; Offset != Code.size();) {
    StringRef Name = View.sectionName(View.Sections[Section]);
    // Padding after the last entry.
    if (Code.drop_front(Offset).find_first_not_of('\0') == StringRef::npos)
      return Error::success();
    const PltInstruction *I = instructionAt(Code.drop_front(Offset));
    if (!I)
      return Move.refuse("section " + Name +
                         " has instructions that are not "
                         "known");
    uint64_t FieldAt = Offset + I->Begin.size();
    Offset = FieldAt + I->Rest;
    if (!I->IsDistance)
      continue;
    MovedField Field = {uint32_t(Section), 4, FieldAt, 0};
    uint64_t Next = View.Sections[Section].sh_addr + Offset;
    uint64_t Target = Next + Move.readSigned(Field);
    std::optional<uint64_t> NewTarget = Move.of(Target),
                            NewNext = Move.of(Next);
    if (!NewTarget || !NewNext || !(Move.isGot(Target) || Move.isPlt(Target)))
      return Move.refuse("section " + Name +
                         " leads to something else than "
                         ".got");
    Move.set(Field, *NewTarget - *NewNext);
  }
  return Error::success();
}

Error movePltCode(const ElfView &View, AddressMove &Move) {
  for (size_t I = 0; I != View.Sections.size(); ++I)
    if (isPltSection(View.sectionName(View.Sections[I])) &&
        !fileRange(View.Sections[I]).empty())
      if (Error E = moveSection(View, I, Move))
        return E;
  return Error::success();
}

} // namespace kpack::hostrewrite
