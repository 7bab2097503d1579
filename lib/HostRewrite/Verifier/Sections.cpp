//===- Sections.cpp - checks of section headers ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A section type and the dynamic table both locate the dynamic linker's tables,
// so an error in either one makes them differ.
//
//===----------------------------------------------------------------------===//
#include "Sections.h"
#include "Offload/HipSymbols.h"
#include "kpack/Archive/Marker.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace kpack;
using namespace kpack::hostrewrite;
using namespace kpack::hostrewrite::verifier;
using namespace llvm;
using namespace llvm::support::endian;

static constexpr uint64_t ShdrSize = 64;

bool Section::isMapped() const {
  return (Flags & ELF::SHF_ALLOC) && Type != ELF::SHT_NOBITS &&
         Type != ELF::SHT_NULL && Size != 0;
}

StringRef Section::bytesOf(StringRef File) const {
  if (Type == ELF::SHT_NOBITS || Offset > File.size() ||
      Size > File.size() - Offset)
    return StringRef();
  return File.substr(Offset, Size);
}

static Section readSection(const char *P) {
  return {StringRef(),      read32le(P + 4),  read64le(P + 8),
          read64le(P + 16), read64le(P + 24), read64le(P + 32),
          read32le(P + 40), read32le(P + 44)};
}

/// Finds the table and its number of entries.
static bool findTable(StringRef File, uint64_t &Offset, uint64_t &Count,
                      uint64_t &Names) {
  const char *Header = File.data();
  Offset = read64le(Header + 40);
  Count = read16le(Header + 60);
  Names = read16le(Header + 62);
  if (read16le(Header + 58) != ShdrSize || Offset > File.size() ||
      File.size() - Offset < ShdrSize)
    return false;
  // Large numbers are in the first entry.
  if (Count == 0)
    Count = read64le(Header + Offset + 32);
  if (Names == ELF::SHN_XINDEX)
    Names = read32le(Header + Offset + 40);
  return Count <= (File.size() - Offset) / ShdrSize && Names < Count;
}

std::vector<Section> verifier::readSections(StringRef File, Findings &F) {
  std::vector<Section> All;
  uint64_t Offset, Count, NamesIndex;
  if (File.size() < EhdrSize || read64le(File.data() + 40) == 0)
    return All;
  if (!findTable(File, Offset, Count, NamesIndex)) {
    F.problem("its section headers at offset " +
              hexText(read64le(File.data() + 40)) + " are no table");
    return All;
  }
  Section NameSection =
      readSection(File.data() + Offset + NamesIndex * ShdrSize);
  StringRef Names = NameSection.bytesOf(File);
  for (uint64_t I = 1; I < Count; ++I) {
    const char *P = File.data() + Offset + I * ShdrSize;
    All.push_back(readSection(P));
    // Names are compared with short ones only, so a long one may be cut.
    All.back().Name = Names.substr(read32le(P), 256).take_until([](char C) {
      return C == '\0';
    });
  }
  return All;
}

/// Returns the dynamic tag for sections of \p Type, or 0.
static uint64_t getTag(uint32_t Type) {
  switch (Type) {
  case ELF::SHT_DYNSYM:
    return ELF::DT_SYMTAB;
  case ELF::SHT_HASH:
    return ELF::DT_HASH;
  case ELF::SHT_GNU_HASH:
    return ELF::DT_GNU_HASH;
  case ELF::SHT_GNU_versym:
    return ELF::DT_VERSYM;
  case ELF::SHT_GNU_verneed:
    return ELF::DT_VERNEED;
  case ELF::SHT_GNU_verdef:
    return ELF::DT_VERDEF;
  case ELF::SHT_INIT_ARRAY:
    return ELF::DT_INIT_ARRAY;
  case ELF::SHT_FINI_ARRAY:
    return ELF::DT_FINI_ARRAY;
  case ELF::SHT_PREINIT_ARRAY:
    return ELF::DT_PREINIT_ARRAY;
  case ELF::SHT_RELR:
    return ELF::DT_RELR;
  }
  return 0;
}

static bool isWithin(const Section &S, const DynamicTable &Table, uint64_t Tag,
                     uint64_t SizeTag) {
  uint64_t Begin = Table.getOr(Tag, 0), Size = Table.getOr(SizeTag, 0);
  return S.Address >= Begin && S.Address - Begin <= Size &&
         S.Size <= Size - (S.Address - Begin);
}

static bool isInDynamicTable(const Section &S, const DynamicTable &Table) {
  switch (S.Type) {
  case ELF::SHT_RELA:
    return isWithin(S, Table, ELF::DT_RELA, ELF::DT_RELASZ) ||
           isWithin(S, Table, ELF::DT_JMPREL, ELF::DT_PLTRELSZ);
  case ELF::SHT_RELR:
    return isWithin(S, Table, ELF::DT_RELR, ELF::DT_RELRSZ);
  case ELF::SHT_INIT_ARRAY:
    return isWithin(S, Table, ELF::DT_INIT_ARRAY, ELF::DT_INIT_ARRAYSZ);
  case ELF::SHT_FINI_ARRAY:
    return isWithin(S, Table, ELF::DT_FINI_ARRAY, ELF::DT_FINI_ARRAYSZ);
  case ELF::SHT_DYNAMIC:
    return S.Address == Table.address();
  }
  if (S.Name == ".got.plt")
    return Table.getOr(ELF::DT_PLTGOT, S.Address) == S.Address;
  uint64_t Tag = getTag(S.Type);
  return Tag == 0 || Table.getOr(Tag, 0) == S.Address;
}

/// Checks that memory without contents is zero and not mapped from the file.
static void checkZeros(const LoadedImage &Image, const Section &S,
                       uint64_t &Budget, Findings &F) {
  bool IsMemory = (S.Flags & ELF::SHF_ALLOC) && !(S.Flags & ELF::SHF_TLS) &&
                  S.Type == ELF::SHT_NOBITS && S.Size != 0;
  if (!IsMemory || S.Name == offload::FatBinSectionName)
    return;
  if (!Image.isMapped(S.Address, S.Size, 0))
    return F.problem("section " + S.Name + " at " + hexText(S.Address) +
                     " with " + hexText(S.Size) + " bytes is in no PT_LOAD");
  StringRef Bytes = Image.bytesFrom(S.Address).take_front(S.Size);
  // Sections do not overlap, but a hostile file may repeat one range.
  if (Bytes.size() > Budget)
    return F.problem("section " + S.Name + " is where others are");
  Budget -= Bytes.size();
  if (Bytes.find_first_not_of('\0') != StringRef::npos)
    F.problem("section " + S.Name + " at " + hexText(S.Address) +
              " is mapped to bytes of the file that are not zero");
}

/// The pages of PT_GNU_RELRO are read-only after loading.
static void checkWritable(const LoadedImage &Image, const Section &S,
                          Findings &F) {
  const Segment *Relro = Image.segment(ELF::PT_GNU_RELRO);
  if (!Relro || S.Size == 0 || (S.Name != ".data" && S.Name != ".bss"))
    return;
  uint64_t End = alignDown(Relro->Address + Relro->MemorySize, PageSize);
  if (S.Address < End && S.Address + S.Size > Relro->Address)
    F.problem("section " + S.Name + " at " + hexText(S.Address) +
              " is within PT_GNU_RELRO, which nobody may write to");
}

/// Thread-local variables would be initialized with the bytes of \p S.
static void checkOutsideTls(const LoadedImage &Image, const Section &S,
                            Findings &F) {
  const Segment *Tls = Image.segment(ELF::PT_TLS);
  if (Tls && Tls->FileSize != 0 && !(S.Flags & ELF::SHF_TLS) && S.Size != 0 &&
      S.Address < Tls->endOfFile() && Tls->Address < S.Address + S.Size)
    F.problem("section " + S.Name + " at " + hexText(S.Address) +
              " is within PT_TLS and not thread-local");
}

void verifier::checkSections(const LoadedImage &Image,
                             const DynamicTable *Table, ArrayRef<Section> All,
                             Findings &F) {
  uint64_t Budget = Image.file().size();
  for (const Section &S : All) {
    checkZeros(Image, S, Budget, F);
    checkWritable(Image, S, F);
    if (S.Name == ".interp" && !Image.segment(ELF::PT_INTERP))
      F.problem("section .interp, but no PT_INTERP");
    if (!S.isMapped())
      continue;
    checkOutsideTls(Image, S, F);
    std::string Name = ("section " + S.Name).str();
    if (!Image.bytesAt(S.Address, S.Size))
      F.problem(Name + " at " + hexText(S.Address) + " with " +
                hexText(S.Size) + " bytes is in no PT_LOAD");
    else if (Image.offsetOf(S.Address) != S.Offset)
      F.problem(Name + " has file offset " + hexText(S.Offset) + ", but " +
                hexText(*Image.offsetOf(S.Address)) +
                " is mapped at its address " + hexText(S.Address));
    else if (Table && !Table->entries().empty() && !isInDynamicTable(S, *Table))
      F.problem(Name + " at " + hexText(S.Address) +
                " is not what the dynamic table leads to");
  }
}

/// Checks that the loader finds each wrapper of \p S.
static void checkWrapperSection(const LoadedImage &Image, const Section &S,
                                const VerifiedHost &Host, Findings &F) {
  StringRef Bytes = S.bytesOf(Image.file());
  Expected<std::vector<uint64_t>> Offsets = offload::findWrappers(Bytes);
  if (!Offsets)
    return F.problem("section " + S.Name + ": " +
                     toString(Offsets.takeError()));
  for (uint64_t Offset : *Offsets) {
    uint32_t Magic = read32le(Bytes.data() + Offset);
    auto Found = lower_bound(Host.Wrappers, S.Address + Offset,
                             [](const HostWrapper &W, uint64_t Address) {
                               return W.Address < Address;
                             });
    bool IsKnown =
        Magic == offload::WrapperMagicKpack &&
        read32le(Bytes.data() + Offset + 4) == offload::WrapperVersion;
    if (IsKnown &&
        (Found == Host.Wrappers.end() || Found->Address != S.Address + Offset ||
         Found->FileOffset != S.Offset + Offset))
      F.problem("section " + S.Name + " has a wrapper at " +
                hexText(S.Address + Offset) +
                ", where none is in the memory of the program");
  }
}

void verifier::checkHipSections(const LoadedImage &Image, ArrayRef<Section> All,
                                const VerifiedHost &Host, Findings &F) {
  // Linkers merge all sections with this name.
  unsigned Count = 0;
  for (const Section &S : All) {
    if (S.Name == offload::WrapperSectionName && S.Type != ELF::SHT_NOBITS) {
      if (++Count > 16)
        return F.problem("too many sections " + S.Name);
      checkWrapperSection(Image, S, Host, F);
    }
    if (S.Name != StringRef(MarkerSectionName) || Host.MarkerBytes.empty())
      continue;
    if (S.Address != Host.MarkerAddress)
      F.problem("section " + S.Name + " is at " + hexText(S.Address) +
                ", but wrappers lead to " + hexText(Host.MarkerAddress));
    else if (S.Size != Host.MarkerBytes.size())
      F.problem("section " + S.Name + " has " + Twine(S.Size) +
                " bytes, but the marker in it " +
                Twine(Host.MarkerBytes.size()));
  }
}
