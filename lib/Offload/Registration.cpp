//===- Registration.cpp - who registers kernels ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables are found by the dynamic table, since a program may have no
// section headers. That one gives no number of symbols: those are looked at
// that a relocation names.
//
//===----------------------------------------------------------------------===//
#include "kpack/Offload/Registration.h"

#include "kpack/ToolSupport/ElfFile.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace kpack::offload {

using Type = ElfFile::Type;

namespace {

/// The tables of a loader that lead from a relocation to a symbol's name.
struct DynamicTables {
  StringRef Symbols, Strings;
  StringRef Relocations[2]; // of DT_RELA and DT_JMPREL

  static DynamicTables read(const ElfFile &File, ArrayRef<Type::Dyn> Entries);
  bool isUndefined(uint32_t Symbol, StringRef Name) const;
};

} // namespace

DynamicTables DynamicTables::read(const ElfFile &File,
                                  ArrayRef<Type::Dyn> Entries) {
  DynamicTables Tables;
  uint64_t Sizes[2] = {0, 0};
  for (const Type::Dyn &Entry : Entries) {
    switch (Entry.getTag()) {
    case ELF::DT_SYMTAB:
      Tables.Symbols = File.bytesFrom(Entry.getPtr());
      break;
    case ELF::DT_STRTAB:
      Tables.Strings = File.bytesFrom(Entry.getPtr());
      break;
    case ELF::DT_RELA:
      Tables.Relocations[0] = File.bytesFrom(Entry.getPtr());
      break;
    case ELF::DT_RELASZ:
      Sizes[0] = Entry.getVal();
      break;
    case ELF::DT_JMPREL:
      Tables.Relocations[1] = File.bytesFrom(Entry.getPtr());
      break;
    case ELF::DT_PLTRELSZ:
      Sizes[1] = Entry.getVal();
      break;
    }
  }
  for (size_t I = 0; I != 2; ++I)
    Tables.Relocations[I] = Tables.Relocations[I].take_front(Sizes[I]);
  return Tables;
}

bool DynamicTables::isUndefined(uint32_t Symbol, StringRef Name) const {
  StringRef Bytes = Symbols.substr(Symbol * sizeof(Type::Sym));
  if (Bytes.size() < sizeof(Type::Sym))
    return false;
  const auto &S = *reinterpret_cast<const Type::Sym *>(Bytes.data());
  StringRef Text = Strings.substr(S.st_name);
  return S.st_shndx == ELF::SHN_UNDEF && Text.consume_front(Name) &&
         Text.starts_with(StringRef("", 1));
}

bool launchesKernels(StringRef Linked) {
  if (!Linked.contains(StubFunction))
    return false;
  Expected<ElfFile> File = ElfFile::create(Linked);
  if (!File)
    return consumeError(File.takeError()), false;
  Expected<ArrayRef<Type::Dyn>> Entries = File->dynamicEntries();
  if (!Entries)
    return consumeError(Entries.takeError()), false;
  DynamicTables Tables = DynamicTables::read(*File, *Entries);
  for (StringRef Bytes : Tables.Relocations) {
    ArrayRef Table(reinterpret_cast<const Type::Rela *>(Bytes.data()),
                   Bytes.size() / sizeof(Type::Rela));
    for (const Type::Rela &R : Table)
      if (uint32_t Symbol = R.getSymbol(/*isMips64EL=*/false))
        if (Tables.isUndefined(Symbol, StubFunction))
          return true;
  }
  return false;
}

bool launchesUnregistered(StringRef Linked) {
  return !Linked.contains(RegisterFunction) && launchesKernels(Linked);
}

} // namespace kpack::offload
