//===- WrapperSites.cpp - locations of wrapper pointers -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wrapper without a relocation in a position-independent file is an error:
// either the file never worked, or this reader misunderstood it.
//
//===----------------------------------------------------------------------===//
#include "WrapperSites.h"

#include "Offload/HipSymbols.h"
#include "Relocations.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::support::endian;

namespace kpack::hostrewrite {

static Expected<WrapperSite> getSite(const ElfView &View,
                                     const offload::Wrapper &W) {
  if (View.offsetOf(W.Address, offload::WrapperSize) != W.FileOffset)
    return View.error("section " + offload::WrapperSectionName +
                      " is not loaded as it says; it is damaged, get it again");
  WrapperSite Site;
  Site.FileOffset = W.FileOffset;
  Site.Address = W.Address;
  Site.InPlace = read64le(View.Bytes.data() + W.FileOffset +
                          offload::WrapperPointerOffset);
  Site.Pointer = Site.InPlace;
  return Site;
}

/// Relocation types depend on the machine. If the relative one is known, files
/// of all machines are converted alike.
static Error checkMachine(const ElfView &View) {
  if (View.RelativeType != 0)
    return Error::success();
  return View.error("it is for ELF machine " + Twine(View.Header.e_machine) +
                    ", whose relocations are not known here; convert files "
                    "for x86-64 or AArch64");
}

/// A relocation without a symbol has to add the load address.
static Error checkType(const ElfView &View, const Relocation &R) {
  if (R.IsRelative || R.Symbol != 0)
    return Error::success();
  StringRef Machine = ELF::convertEMachineToArchName(View.Header.e_machine);
  return View.error("a wrapper's pointer has a relocation of type " +
                    Twine(R.Type) + ", which is for no pointer on " + Machine +
                    ", the machine that its header names; it is damaged, get "
                    "it again");
}

/// Returns the value of a dynamic symbol that this file defines.
static Expected<uint64_t> symbolValue(const ElfView &View, uint32_t Symbol) {
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

static Error relocate(const ElfView &View, WrapperSite &Site,
                      const Relocation &R) {
  if (Site.IsRelocated)
    return View.error("two relocations for the pointer of one wrapper; it is "
                      "damaged, get it again");
  Site.IsRelocated = true;
  if (!R.RelaOffset)
    return Error::success(); // RELR: the bytes in place
  if (Error E = checkType(View, R))
    return E;
  Site.RelaOffset = R.RelaOffset;
  Site.Pointer = R.Addend;
  if (R.IsRelative)
    return Error::success();
  Expected<uint64_t> Value = symbolValue(View, R.Symbol);
  if (!Value)
    return Value.takeError();
  Site.HasSymbol = true;
  Site.Pointer += *Value;
  return Error::success();
}

Expected<PointerFacts> readPointers(const ElfView &View,
                                    ArrayRef<offload::Wrapper> Wrappers) {
  PointerFacts Facts;
  if (Error E = checkMachine(View))
    return std::move(E);
  for (const offload::Wrapper &W : Wrappers) {
    Expected<WrapperSite> Site = getSite(View, W);
    if (!Site)
      return Site.takeError();
    Facts.ByPointer[W.Address + offload::WrapperPointerOffset] =
        Facts.Wrappers.size();
    Facts.Wrappers.push_back(*Site);
  }
  if (Error E = forEachRelocation(View, [&](const Relocation &R) {
        auto Found = Facts.ByPointer.find(R.Address);
        return Found == Facts.ByPointer.end()
                   ? Error::success()
                   : relocate(View, Facts.Wrappers[Found->second], R);
      }))
    return std::move(E);
  if (View.Header.e_type == ELF::ET_DYN)
    for (size_t I = 0; I != Facts.Wrappers.size(); ++I)
      if (!Facts.Wrappers[I].IsRelocated)
        return View.error("no relocation for the pointer of wrapper " +
                          Twine(I) + "; it is damaged, get it again");
  return std::move(Facts);
}

Expected<bool> pointsInto(const ElfView &View, const PointerFacts &Pointers,
                          Range Addresses) {
  bool Found = false;
  Error E = forEachRelocation(View, [&](const Relocation &R) {
    Found |= R.IsRelative && Addresses.contains(R.Addend) &&
             !Pointers.ByPointer.count(R.Address);
    return Error::success();
  });
  if (E)
    return std::move(E);
  return Found;
}

} // namespace kpack::hostrewrite
