//===- DeviceDebug.cpp - DWARF of device code -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linkers put loaded sections first and all others after them. So the bytes up
// to the end of the last segment stay unchanged, and the sections after them
// move together:
//
//   header, segments, loaded sections | .debug_* .symtab .strtab ... | table
//   the same bytes                    | .symtab .strtab ... | table
//
// LLVM's ObjCopy library (llvm-objcopy) does more than necessary, and writes
// beyond its buffers for damaged files; these bytes may be hostile.
//
//===----------------------------------------------------------------------===//
#include "Offload/DeviceDebug.h"

#include "Offload/CodeObjectHeader.h"
#include "ToolSupport/ElfFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

#include <cstring>
#include <vector>

using namespace llvm;
using namespace llvm::object;
using namespace kpack;
using namespace kpack::offload;

using Header = ELF64LE::Ehdr;
using SectionHeader = ELF64LE::Shdr;

std::optional<DeviceDebug> offload::parseDeviceDebug(StringRef Text) {
  return StringSwitch<std::optional<DeviceDebug>>(Text)
      .Case("keep", DeviceDebug::Keep)
      .Case("strip", DeviceDebug::Strip)
      .Case("split", DeviceDebug::Split)
      .Default(std::nullopt);
}

static Error refused(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

static Error damaged(const Twine &What) {
  return refused("damaged code object: " + What +
                 "; build or install it again");
}

static bool isLoaded(const SectionHeader &Section) {
  return Section.sh_flags & ELF::SHF_ALLOC;
}

static bool hasBytes(const SectionHeader &Section) {
  return Section.sh_type != ELF::SHT_NULL && Section.sh_type != ELF::SHT_NOBITS;
}

/// True if a section of this name holds DWARF, or relocations of DWARF.
static bool isDebugName(StringRef Name) {
  Name.consume_front(".rela");
  return Name.starts_with(".debug") || Name.starts_with(".zdebug");
}

namespace {

/// A code object with its section table, whose parts are all inside.
struct CodeObjectFile {
  StringRef Bytes;
  Header Head;
  std::vector<SectionHeader> Sections;
  /// For each section, whether it holds DWARF.
  std::vector<bool> IsDebug;
  /// The end of the last part that a loader reads.
  uint64_t LoadedEnd = sizeof(Header);

  StringRef bytesOf(const SectionHeader &Section) const {
    return hasBytes(Section) ? Bytes.substr(Section.sh_offset, Section.sh_size)
                             : StringRef();
  }
};

/// Writes parts one after another, and the section table at the end.
class FileWriter {
public:
  explicit FileWriter(StringRef Start) : Out(Start.begin(), Start.end()) {}

  /// Appends \p Contents and records their offset in \p Section.
  void append(SectionHeader &Section, StringRef Contents) {
    Out.resize(
        alignTo(Out.size(), std::max<uint64_t>(1, Section.sh_addralign)));
    Section.sh_offset = Out.size();
    Out.append(Contents.begin(), Contents.end());
  }

  std::unique_ptr<MemoryBuffer> finish(Header Head,
                                       ArrayRef<SectionHeader> Sections) {
    Out.resize(alignTo(Out.size(), alignof(uint64_t)));
    Head.e_shoff = Out.size();
    Head.e_shnum = static_cast<uint16_t>(Sections.size());
    std::memcpy(Out.data(), &Head, sizeof(Head));
    const char *Table = reinterpret_cast<const char *>(Sections.data());
    Out.append(Table, Table + Sections.size() * sizeof(SectionHeader));
    return std::make_unique<SmallVectorMemoryBuffer>(
        std::move(Out), /*RequiresNullTerminator=*/false);
  }

private:
  SmallVector<char, 0> Out;
};

} // namespace

/// Reads the tables of the code object \p Bytes.
static Expected<CodeObjectFile> readFile(StringRef Bytes) {
  CodeObjectFile File;
  File.Bytes = Bytes;
  if (!codeObjectSize(Bytes))
    return damaged("a part of it lies outside");
  std::memcpy(&File.Head, Bytes.data(), sizeof(Header));
  Expected<ElfFile> Read = ElfFile::create(Bytes);
  if (!Read)
    return damaged(toString(Read.takeError()));
  Expected<ELF64LE::ShdrRange> Sections = Read->sections();
  if (!Sections)
    return damaged(toString(Sections.takeError()));
  Expected<ELF64LE::PhdrRange> Segments = Read->program_headers();
  if (!Segments)
    return damaged(toString(Segments.takeError()));
  // Read the names once, not for each section.
  Expected<StringRef> Names = Read->getSectionStringTable(*Sections);
  if (!Names)
    return damaged(toString(Names.takeError()));

  auto Covers = [&](uint64_t Offset, uint64_t Size) {
    File.LoadedEnd = std::max(File.LoadedEnd, Offset + Size);
  };
  Covers(File.Head.e_phoff, Segments->size() * sizeof(ELF64LE::Phdr));
  for (const ELF64LE::Phdr &Segment : *Segments)
    if (Segment.p_type != ELF::PT_NULL)
      Covers(Segment.p_offset, Segment.p_filesz);
  for (const SectionHeader &Section : *Sections) {
    Expected<StringRef> Name = Read->getSectionName(Section, *Names);
    if (!Name)
      return damaged(toString(Name.takeError()));
    File.Sections.push_back(Section);
    File.IsDebug.push_back(!isLoaded(Section) && hasBytes(Section) &&
                           isDebugName(*Name));
    if (isLoaded(Section) && hasBytes(Section))
      Covers(Section.sh_offset, Section.sh_size);
  }
  return File;
}

uint64_t offload::deviceDebugSize(StringRef Bytes) {
  if (!isCodeObject(Bytes))
    return 0;
  Expected<CodeObjectFile> File = readFile(Bytes);
  if (!File) {
    consumeError(File.takeError());
    return 0;
  }
  uint64_t Size = 0;
  for (const auto &[Section, IsDebug] : zip(File->Sections, File->IsDebug))
    if (IsDebug)
      Size += Section.sh_size;
  return std::min<uint64_t>(Size, Bytes.size());
}

std::vector<StringRef> offload::unloadedSymbols(StringRef Bytes) {
  std::vector<StringRef> Parts;
  if (!isCodeObject(Bytes))
    return Parts;
  Expected<CodeObjectFile> File = readFile(Bytes);
  if (!File) {
    consumeError(File.takeError());
    return Parts;
  }
  // Linkers write one; a hostile file may have thousands for the same bytes.
  auto Table = find_if(File->Sections, [](const SectionHeader &Section) {
    return Section.sh_type == ELF::SHT_SYMTAB && !isLoaded(Section);
  });
  if (Table == File->Sections.end())
    return Parts;
  Parts.push_back(File->bytesOf(*Table));
  if (Table->sh_link >= File->Sections.size())
    return Parts;
  const SectionHeader &Names = File->Sections[Table->sh_link];
  if (Names.sh_type == ELF::SHT_STRTAB && !isLoaded(Names))
    Parts.push_back(File->bytesOf(Names));
  return Parts;
}

Error offload::checkDeviceDebug(StringRef Bytes) {
  return isCodeObject(Bytes) ? readFile(Bytes).takeError() : Error::success();
}

/// Fails unless the sections after the loaded part can be rewritten: none may
/// share bytes with another, and alignment gaps have at most the size of the
/// file, or 1 MiB if that is more.
static Error checkSections(const CodeObjectFile &File) {
  if (File.Head.e_shnum == 0)
    return refused("it has too many sections; keep its debug information");
  constexpr uint64_t LargestAlignment = 64 * 1024;
  uint64_t Size = 0, Room = 0;
  for (const SectionHeader &Section : File.Sections) {
    if (Section.sh_type == ELF::SHT_SYMTAB_SHNDX)
      return refused("it has too many sections; keep its debug information");
    if (!hasBytes(Section) || isLoaded(Section))
      continue;
    uint64_t Alignment = Section.sh_addralign;
    if (Alignment > LargestAlignment || (Alignment & (Alignment - 1)) != 0)
      return damaged("the alignment of a section");
    Room += Alignment;
    Size += Section.sh_size;
    // Parts are inside, so the sum exceeds the size before it overflows.
    if (Size > File.Bytes.size())
      return damaged("sections lie over each other");
  }
  constexpr uint64_t LeastRoom = 1 << 20;
  if (Room > std::max<uint64_t>(LeastRoom, File.Bytes.size()))
    return damaged("the alignments of its sections");
  return Error::success();
}

/// Returns the new number of each section; 0 for removed ones.
static Expected<std::vector<uint32_t>> makeNumbers(const CodeObjectFile &File) {
  std::vector<uint32_t> Numbers;
  uint32_t Next = 0;
  for (const auto &[Section, IsDebug] : zip(File.Sections, File.IsDebug)) {
    if (IsDebug && Section.sh_offset < File.LoadedEnd && Section.sh_size)
      return refused("its debug information stands among what is loaded; "
                     "keep it");
    // Loaded symbols refer to sections by number.
    if (isLoaded(Section) && Next != Numbers.size())
      return refused("its debug information stands in front of what is "
                     "loaded; keep it");
    Numbers.push_back(IsDebug ? 0 : Next++);
  }
  if (File.Head.e_shstrndx >= Numbers.size() ||
      File.IsDebug[File.Head.e_shstrndx])
    return damaged("the names of its sections");
  return Numbers;
}

/// Returns a symbol table with the new section numbers. A symbol of a removed
/// section becomes absolute and keeps its index, which relocations use.
static std::string renumbered(StringRef Symbols, ArrayRef<uint32_t> Numbers) {
  std::string Copy = Symbols.str();
  constexpr size_t Size = sizeof(ELF64LE::Sym);
  for (size_t At = 0; Copy.size() - At >= Size; At += Size) {
    ELF64LE::Sym Symbol;
    std::memcpy(&Symbol, &Copy[At], Size);
    unsigned Section = Symbol.st_shndx;
    if (Section == ELF::SHN_UNDEF || Section >= Numbers.size())
      continue;
    Symbol.st_shndx = static_cast<uint16_t>(
        Numbers[Section] ? Numbers[Section] : uint32_t(ELF::SHN_ABS));
    std::memcpy(&Copy[At], &Symbol, Size);
  }
  return Copy;
}

/// Renumbers the references of \p Section to other sections.
static void renumber(SectionHeader &Section, ArrayRef<uint32_t> Numbers) {
  if (Section.sh_link < Numbers.size())
    Section.sh_link = Numbers[Section.sh_link];
  bool NamesSection = Section.sh_type == ELF::SHT_RELA ||
                      Section.sh_type == ELF::SHT_REL ||
                      (Section.sh_flags & ELF::SHF_INFO_LINK);
  if (NamesSection && Section.sh_info < Numbers.size())
    Section.sh_info = Numbers[Section.sh_info];
}

Expected<std::unique_ptr<MemoryBuffer>>
offload::withoutDeviceDebug(StringRef Bytes) {
  if (deviceDebugSize(Bytes) == 0)
    return nullptr;
  Expected<CodeObjectFile> File = readFile(Bytes);
  if (!File)
    return File.takeError();
  if (Error E = checkSections(*File))
    return std::move(E);
  Expected<std::vector<uint32_t>> Numbers = makeNumbers(*File);
  if (!Numbers)
    return Numbers.takeError();

  FileWriter Out(Bytes.take_front(File->LoadedEnd));
  std::vector<SectionHeader> Kept;
  for (const auto &[Section, IsDebug] : zip(File->Sections, File->IsDebug)) {
    if (IsDebug)
      continue;
    SectionHeader New = Section;
    renumber(New, *Numbers);
    StringRef Contents = File->bytesOf(Section);
    if (!isLoaded(Section) && !Contents.empty()) {
      if (Section.sh_type == ELF::SHT_SYMTAB)
        Out.append(New, renumbered(Contents, *Numbers));
      else
        Out.append(New, Contents);
    }
    Kept.push_back(New);
  }
  Header Head = File->Head;
  Head.e_shstrndx = static_cast<uint16_t>((*Numbers)[Head.e_shstrndx]);
  return Out.finish(Head, Kept);
}

Expected<std::unique_ptr<MemoryBuffer>>
offload::onlyDeviceDebug(StringRef Bytes) {
  if (deviceDebugSize(Bytes) == 0)
    return nullptr;
  Expected<CodeObjectFile> File = readFile(Bytes);
  if (!File)
    return File.takeError();
  if (Error E = checkSections(*File))
    return std::move(E);
  FileWriter Out(Bytes.take_front(sizeof(Header)));
  std::vector<SectionHeader> Sections;
  for (SectionHeader Section : File->Sections) {
    if (isLoaded(Section) && hasBytes(Section)) {
      Section.sh_type = ELF::SHT_NOBITS;
      Section.sh_offset = sizeof(Header);
    } else if (StringRef Contents = File->bytesOf(Section); !Contents.empty()) {
      Out.append(Section, Contents);
    }
    Sections.push_back(Section);
  }
  Header Head = File->Head;
  Head.e_phoff = 0;
  Head.e_phnum = 0;
  return Out.finish(Head, Sections);
}
