//===- ElfFile.cpp - LLVM's ELF reader with more checks -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ElfFile.h.
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/ElfFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace kpack;
using namespace llvm;

static_assert(alignof(ElfFile::Type::Ehdr) == 1 &&
                  alignof(ElfFile::Type::Dyn) == 1 &&
                  alignof(ElfFile::Type::Nhdr) == 1,
              "structs are laid over unaligned bytes");

static Error malformed(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

bool ElfFile::startsOne(StringRef Bytes) {
  return Bytes.size() >= sizeof(Type::Ehdr) &&
         Bytes.starts_with(ELF::ElfMagic) &&
         Bytes[ELF::EI_CLASS] == ELF::ELFCLASS64 &&
         Bytes[ELF::EI_DATA] == ELF::ELFDATA2LSB;
}

Expected<ElfFile> ElfFile::create(StringRef Bytes) {
  if (!startsOne(Bytes))
    return malformed("not a 64-bit little-endian ELF file, or cut off in its "
                     "header");
  Expected<Base> File = Base::create(Bytes);
  if (!File)
    return File.takeError();
  return ElfFile(std::move(*File), Bytes);
}

Expected<ArrayRef<ElfFile::Type::Dyn>> ElfFile::dynamicEntries() const {
  Expected<Type::PhdrRange> Segments = program_headers();
  if (!Segments)
    return Segments.takeError();
  for (const Type::Phdr &Segment : *Segments) {
    if (Segment.p_type != ELF::PT_DYNAMIC)
      continue;
    Expected<ArrayRef<uint8_t>> Contents = getSegmentContents(Segment);
    if (!Contents)
      return Contents.takeError();
    ArrayRef Entries(reinterpret_cast<const Type::Dyn *>(Contents->data()),
                     Contents->size() / sizeof(Type::Dyn));
    return Entries.take_until(
        [](const Type::Dyn &Entry) { return Entry.d_tag == ELF::DT_NULL; });
  }
  return ArrayRef<Type::Dyn>();
}

StringRef ElfFile::bytesFrom(uint64_t Address) const {
  Expected<Type::PhdrRange> Segments = program_headers();
  if (!Segments)
    return consumeError(Segments.takeError()), StringRef();
  for (const Type::Phdr &Segment : *Segments) {
    if (Segment.p_type != ELF::PT_LOAD || Address < Segment.p_vaddr)
      continue;
    uint64_t Delta = Address - Segment.p_vaddr;
    if (Delta >= Segment.p_filesz || Segment.p_offset > Bytes.size())
      continue;
    return Bytes.substr(Segment.p_offset)
        .take_front(Segment.p_filesz)
        .drop_front(Delta);
  }
  return StringRef();
}

Expected<std::vector<ElfNote>>
ElfFile::readNotes(const Type::Phdr &Segment) const {
  std::vector<ElfNote> Found;
  Error E = Error::success();
  // The same alignment as in notes(): LLVM replaces 0 and 1 by 4 there, and
  // expects the result when a description is read.
  size_t Alignment = std::max<uint64_t>(Segment.p_align, 4);
  for (const Type::Note &Note : notes(Segment, E))
    Found.push_back(
        {Note.getName(), Note.getType(), Note.getDescAsStringRef(Alignment)});
  // Bytes after whole notes may be anything.
  if (!Found.empty())
    consumeError(std::move(E));
  else if (E)
    return std::move(E);
  return Found;
}

std::optional<NeededNames> kpack::readNeededNames(StringRef Bytes) {
  // Larger values occur only in files made to exhaust memory or time.
  constexpr size_t MostNames = 4096, LongestName = 4096, LongestList = 65536;
  Expected<ElfFile> File = ElfFile::create(Bytes);
  if (!File)
    return consumeError(File.takeError()), std::nullopt;
  Expected<ArrayRef<ElfFile::Type::Dyn>> Entries = File->dynamicEntries();
  if (!Entries)
    return consumeError(Entries.takeError()), std::nullopt;
  StringRef Strings;
  for (const ElfFile::Type::Dyn &Entry : *Entries)
    if (Entry.getTag() == ELF::DT_STRTAB)
      Strings = File->bytesFrom(Entry.getPtr());
  auto TextAt = [&](uint64_t Offset, size_t Longest) {
    StringRef Text = Strings.substr(Offset).take_front(Longest + 1);
    size_t End = Text.find('\0');
    return End == StringRef::npos ? "" : Text.take_front(End).str();
  };
  NeededNames Names;
  Names.Machine = File->getHeader().e_machine;
  for (const ElfFile::Type::Dyn &Entry : *Entries) {
    if (Entry.getTag() == ELF::DT_NEEDED && Names.Needed.size() < MostNames)
      Names.Needed.push_back(TextAt(Entry.getVal(), LongestName));
    else if (Entry.getTag() == ELF::DT_RPATH)
      Names.Rpath = TextAt(Entry.getVal(), LongestList);
    else if (Entry.getTag() == ELF::DT_RUNPATH)
      Names.Runpath = TextAt(Entry.getVal(), LongestList);
  }
  llvm::erase_if(Names.Needed,
                 [](const std::string &Name) { return Name.empty(); });
  return Names;
}

/// Returns the segment of the dynamic table; null if it has no bytes, as in a
/// file of debug information.
static const ElfFile::Type::Phdr *
dynamicSegment(ElfFile::Type::PhdrRange Segments) {
  for (const ElfFile::Type::Phdr &Segment : Segments)
    if (Segment.p_type == ELF::PT_DYNAMIC && Segment.p_filesz != 0)
      return &Segment;
  return nullptr;
}

static bool hasTextAt(StringRef Strings, uint64_t Offset) {
  return Strings.substr(Offset).contains('\0');
}

std::string kpack::dynamicDamage(StringRef Bytes) {
  Expected<ElfFile> File = ElfFile::create(Bytes);
  if (!File)
    return consumeError(File.takeError()), "";
  uint16_t Type = File->getHeader().e_type;
  if (Type == ELF::ET_REL || Type == ELF::ET_CORE)
    return "";
  Expected<ElfFile::Type::PhdrRange> Segments = File->program_headers();
  if (!Segments)
    return toString(Segments.takeError());
  const ElfFile::Type::Phdr *Segment = dynamicSegment(*Segments);
  if (!Segment)
    return "";
  Expected<ArrayRef<ElfFile::Type::Dyn>> Entries = File->dynamicEntries();
  if (!Entries)
    return toString(Entries.takeError());
  if (Entries->size() == Segment->p_filesz / sizeof(ElfFile::Type::Dyn))
    return "the dynamic table has no end";
  StringRef Strings;
  for (const ElfFile::Type::Dyn &Entry : *Entries)
    if (Entry.getTag() == ELF::DT_STRTAB)
      Strings = File->bytesFrom(Entry.getPtr());
  for (const ElfFile::Type::Dyn &Entry : *Entries)
    switch (Entry.getTag()) {
    case ELF::DT_NEEDED:
    case ELF::DT_RPATH:
    case ELF::DT_RUNPATH:
      if (!hasTextAt(Strings, Entry.getVal()))
        return "the dynamic table has a name that is not in the file";
    }
  return "";
}

namespace {

/// The loader's tables, which lead from a relocation to a symbol's name.
struct DynamicTables {
  StringRef Symbols, Strings;
  StringRef Relocations[2]; // of DT_RELA and DT_JMPREL

  static DynamicTables read(const ElfFile &File,
                            ArrayRef<ElfFile::Type::Dyn> Entries);
  bool isUndefined(uint32_t Symbol, StringRef Name) const;
};

} // namespace

DynamicTables DynamicTables::read(const ElfFile &File,
                                  ArrayRef<ElfFile::Type::Dyn> Entries) {
  DynamicTables Tables;
  uint64_t Sizes[2] = {0, 0};
  for (const ElfFile::Type::Dyn &Entry : Entries) {
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
  StringRef Bytes = Symbols.substr(Symbol * sizeof(ElfFile::Type::Sym));
  if (Bytes.size() < sizeof(ElfFile::Type::Sym))
    return false;
  const auto &S = *reinterpret_cast<const ElfFile::Type::Sym *>(Bytes.data());
  StringRef Text = Strings.substr(S.st_name);
  return S.st_shndx == ELF::SHN_UNDEF && Text.consume_front(Name) &&
         Text.starts_with(StringRef("", 1));
}

bool kpack::importsSymbol(StringRef Bytes, StringRef Name) {
  Expected<ElfFile> File = ElfFile::create(Bytes);
  if (!File)
    return consumeError(File.takeError()), false;
  Expected<ArrayRef<ElfFile::Type::Dyn>> Entries = File->dynamicEntries();
  if (!Entries)
    return consumeError(Entries.takeError()), false;
  DynamicTables Tables = DynamicTables::read(*File, *Entries);
  for (StringRef Relocations : Tables.Relocations) {
    ArrayRef Table(
        reinterpret_cast<const ElfFile::Type::Rela *>(Relocations.data()),
        Relocations.size() / sizeof(ElfFile::Type::Rela));
    for (const ElfFile::Type::Rela &R : Table)
      if (uint32_t Symbol = R.getSymbol(/*isMips64EL=*/false))
        if (Tables.isUndefined(Symbol, Name))
          return true;
  }
  return false;
}
