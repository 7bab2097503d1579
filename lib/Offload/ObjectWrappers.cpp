//===- ObjectWrappers.cpp - fat-binary wrappers in an object --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ObjectWrappers.h. Every struct must have exactly one relocation, 64 bits
// absolute, at its pointer. All others are refused, because an unknown form of
// wrapper would stay fat or register the wrong code.
//
//===----------------------------------------------------------------------===//
#include "ObjectWrappers.h"

#include "Offload/HipSymbols.h"
#include "ToolSupport/Errors.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

#include <set>

using namespace llvm;
using namespace llvm::support::endian;

namespace kpack::offload {

using Relocation = RelocatableElf::Relocation;

/// Returns the machine's 64-bit absolute relocation; nullopt for machines
/// without a HIP host compiler.
static std::optional<uint32_t> absolute64(uint16_t Machine) {
  switch (Machine) {
  case ELF::EM_X86_64:
    return ELF::R_X86_64_64;
  case ELF::EM_AARCH64:
    return ELF::R_AARCH64_ABS64;
  case ELF::EM_PPC64:
    return ELF::R_PPC64_ADDR64;
  case ELF::EM_RISCV:
    return ELF::R_RISCV_64;
  case ELF::EM_LOONGARCH:
    return ELF::R_LARCH_64;
  default:
    return std::nullopt;
  }
}

bool isAnonymousFatBin(StringRef Name) {
  return Name.consume_front(FatBinPrefix) && (Name.empty() || Name == "_");
}

namespace {

class WrapperFinder {
public:
  WrapperFinder(const RelocatableElf &Elf, StringRef Object)
      : Elf(Elf), Object(Object) {}

  Expected<std::vector<ObjectWrapper>> run();

private:
  Error addSection(uint32_t Number);
  Error readRelocations(uint32_t Number);
  ObjectWrapper *wrapperWithPointerAt(uint32_t Number, uint64_t Place);
  Error resolve(const Relocation &R, ObjectWrapper &W);

  Error error(const Twine &What) const {
    return objectError(Object, Twine(WrapperSectionName) + ": " + What +
                                   "; compile it again with a HIP compiler "
                                   "that this kpack knows");
  }

  const RelocatableElf &Elf;
  StringRef Object;
  std::vector<ObjectWrapper> Wrappers; // in order of section and offset
  /// Wrapper sections. Not a DenseSet, which reserves two numbers: lookups use
  /// numbers of the file.
  std::set<uint32_t> WrapperSections;
};

} // namespace

Expected<std::vector<ObjectWrapper>> WrapperFinder::run() {
  uint32_t Count = Elf.sections().size();
  for (uint32_t I = 1; I < Count; ++I)
    if (Elf.sections()[I].Name == WrapperSectionName)
      if (Error E = addSection(I))
        return std::move(E);
  if (Wrappers.empty())
    return std::move(Wrappers);

  for (uint32_t I = 1; I < Count; ++I) {
    const RelocatableElf::SectionHeader &H = Elf.sections()[I].Header;
    if (!WrapperSections.count(H.sh_info))
      continue;
    if (H.sh_type == ELF::SHT_RELA) {
      if (Error E = readRelocations(I))
        return std::move(E);
    } else if (H.sh_type == ELF::SHT_REL || H.sh_type == ELF::SHT_CREL) {
      return objectError(Object, Twine(WrapperSectionName) +
                                     ": relocations are not of type RELA; "
                                     "compile it without -Wa,--crel");
    }
  }
  for (const ObjectWrapper &W : Wrappers)
    if (W.RelocationSection == 0)
      return error("the wrapper at offset " + Twine(W.Offset) +
                   " points nowhere");
  return std::move(Wrappers);
}

Error WrapperFinder::addSection(uint32_t Number) {
  StringRef Bytes = Elf.sections()[Number].contents();
  Expected<std::vector<uint64_t>> Offsets = offload::findWrappers(Bytes);
  if (!Offsets)
    return error(toString(Offsets.takeError()));
  WrapperSections.insert(Number);
  for (uint64_t At : *Offsets) {
    ObjectWrapper W;
    W.Section = Number;
    W.Offset = At;
    W.Magic = read32le(Bytes.data() + At);
    W.Reserved1 = read64le(Bytes.data() + At + WrapperReservedOffset);
    if (W.Magic != WrapperMagicFat && W.Magic != WrapperMagicKpack)
      return error("the wrapper at offset " + Twine(At) +
                   " has an unknown magic number");
    Wrappers.push_back(W);
  }
  return Error::success();
}

/// Returns the wrapper in section \p Number whose pointer is at \p Place, or
/// null.
ObjectWrapper *WrapperFinder::wrapperWithPointerAt(uint32_t Number,
                                                   uint64_t Place) {
  auto Key = std::make_pair(Number, Place - WrapperPointerOffset);
  auto W = llvm::lower_bound(Wrappers, Key,
                             [](const ObjectWrapper &A, const auto &B) {
                               return std::make_pair(A.Section, A.Offset) < B;
                             });
  return W != Wrappers.end() && W->Section == Number && W->Offset == Key.second
             ? &*W
             : nullptr;
}

Error WrapperFinder::readRelocations(uint32_t Number) {
  const RelocatableElf::Section &Section = Elf.sections()[Number];
  StringRef Bytes = Section.contents();
  if (Section.Header.sh_entsize != sizeof(Relocation) ||
      Bytes.size() % sizeof(Relocation) != 0)
    return error("relocation section of odd size");
  if (Elf.symbolTable() == 0 || Section.Header.sh_link != Elf.symbolTable())
    return error("relocations without symbol table");
  for (uint64_t At = 0; At != Bytes.size(); At += sizeof(Relocation)) {
    const auto &R = *reinterpret_cast<const Relocation *>(Bytes.data() + At);
    uint64_t Place = R.r_offset;
    ObjectWrapper *W = wrapperWithPointerAt(Section.Header.sh_info, Place);
    if (!W)
      return error("unexpected relocation at offset " + Twine(Place));
    if (W->RelocationSection != 0)
      return error("two relocations at offset " + Twine(Place));
    W->RelocationSection = Number;
    W->RelocationOffset = At;
    if (Error E = resolve(R, *W))
      return E;
  }
  return Error::success();
}

Error WrapperFinder::resolve(const Relocation &R, ObjectWrapper &W) {
  std::optional<uint32_t> Type = absolute64(Elf.machine());
  if (!Type)
    return error("machine " + Twine(Elf.machine()) + " is not supported");
  if (R.getType(/*isMips64EL=*/false) != *Type)
    return error("relocation type " + Twine(R.getType(false)) +
                 " is not a 64-bit absolute one");
  W.Symbol = R.getSymbol(/*isMips64EL=*/false);
  W.Addend = static_cast<uint64_t>(static_cast<int64_t>(R.r_addend));
  if (W.Symbol == 0 || W.Symbol >= Elf.symbols().size())
    return error("relocation against symbol " + Twine(W.Symbol) +
                 ", which does not exist");
  const RelocatableElf::Symbol &S = Elf.symbols()[W.Symbol];
  W.TargetSection = Elf.sectionOfSymbol(W.Symbol);
  W.TargetOffset = S.st_value + W.Addend;
  W.SymbolName = Elf.nameOf(S);
  W.SymbolToken = parseTokenSymbol(W.SymbolName, FatBinPrefix);
  if (W.TargetSection == 0 && (S.st_shndx != ELF::SHN_UNDEF || W.Addend != 0))
    return error("the wrapper at offset " + Twine(W.Offset) +
                 " does not point to a fat binary");
  return Error::success();
}

Expected<std::vector<ObjectWrapper>> findWrappers(const RelocatableElf &Elf,
                                                  StringRef Object) {
  return WrapperFinder(Elf, Object).run();
}

void markWrapper(RelocatableElf &Elf, const ObjectWrapper &W, uint64_t Token) {
  char *At = Elf.sections()[W.Section].edit().data() + W.Offset;
  write32le(At, WrapperMagicKpack);
  write64le(At + WrapperReservedOffset, Token);
}

void repointWrapper(RelocatableElf &Elf, const ObjectWrapper &W,
                    uint32_t Symbol) {
  char *At =
      Elf.sections()[W.RelocationSection].edit().data() + W.RelocationOffset;
  auto *R = reinterpret_cast<Relocation *>(At);
  R->setSymbolAndType(Symbol, *absolute64(Elf.machine()),
                      /*IsMips64EL=*/false);
  R->r_addend = 0;
}

} // namespace kpack::offload
