//===- DeviceCode.cpp - all device code of a file -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first bytes determine the kind of file. ELF and COFF files have device
// code in sections with certain names only. A hostile file may have thousands
// of section headers for the same bytes: overlapping sections are refused, so
// that all of them together are no larger than the file.
//
//===----------------------------------------------------------------------===//
#include "Offload/DeviceCode.h"

#include "BitcodeObject.h"
#include "CoffSections.h"
#include "Damaged.h"

#include "Archive/LimitedRead.h"
#include "Offload/CodeObjectHeader.h"
#include "Offload/CutOff.h"
#include "Offload/HipSymbols.h"
#include "ToolSupport/ElfFile.h"
#include "ToolSupport/StaticLibrary.h"
#include "kpack/Archive/Format.h"
#include "kpack/Support/TargetId.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"

using namespace kpack;
using namespace kpack::offload;
using namespace llvm;
using namespace llvm::object;

static constexpr StringLiteral RdcPrefix = "__CLANG_OFFLOAD_BUNDLE__";
static constexpr StringLiteral OffloadingSection = ".llvm.offloading";

namespace {

/// Fills a DeviceCode. Name is the name of the current bytes in messages: the
/// file, or a member of it.
class Finder {
public:
  Finder(MemoryBufferRef File, DeviceCode &Code) : File(File), Code(Code) {}

  Error file(StringRef Name);

private:
  Error kpackArchive(StringRef Name);
  Error staticLibrary(StringRef Name);
  Error object(StringRef Bytes, StringRef Name);
  Error elf(StringRef Bytes, StringRef Name);
  Error coff(StringRef Bytes, file_magic Magic, StringRef Name);
  Error section(StringRef SectionName, StringRef Bytes, StringRef Name);
  Error containers(StringRef SectionName, StringRef Bytes, StringRef Name);

  DevicePart &addPart(DevicePart::FormKind Form, StringRef SectionName,
                      StringRef Bytes);

  MemoryBufferRef File;
  DeviceCode &Code;
  std::string Member;
};

} // namespace

DevicePart &Finder::addPart(DevicePart::FormKind Form, StringRef SectionName,
                            StringRef Bytes) {
  DevicePart &Part = Code.Parts.emplace_back();
  Part.Form = Form;
  Part.Member = Member;
  Part.Section = SectionName.str();
  Part.Offset = uint64_t(Bytes.data() - File.getBufferStart());
  Part.Size = Part.PlainSize = Bytes.size();
  Part.Code.Bytes = Bytes;
  return Part;
}

Error Finder::containers(StringRef SectionName, StringRef Bytes,
                         StringRef Name) {
  Expected<std::vector<Container>> All = readContainers(Bytes, Name);
  if (!All)
    return All.takeError();
  for (const Container &C : *All) {
    DevicePart &Part = addPart(DevicePart::InContainer, SectionName, C.Bytes);
    Part.Code = C;
    Part.PlainSize = C.PlainSize;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Objects and linked files
//===----------------------------------------------------------------------===//

/// Reads \p Bytes if section \p SectionName has device code.
Error Finder::section(StringRef SectionName, StringRef Bytes, StringRef Name) {
  if (SectionName == FatBinSectionName || SectionName == PayloadSectionName ||
      SectionName == OffloadingSection)
    return containers(SectionName, Bytes, Name);
  StringRef Id = SectionName;
  if (!Id.consume_front(RdcPrefix))
    return Error::success();
  std::optional<StringRef> Target = deviceTargetOfEntry(Id);
  // An absent part is a section of one zero byte.
  if (Target && Bytes.size() > 1)
    addPart(DevicePart::RdcImage, SectionName, Bytes).Target =
        canonicalTarget(std::string_view(Target->data(), Target->size()));
  return Error::success();
}

static bool holdsDeviceCode(StringRef SectionName) {
  return SectionName == FatBinSectionName ||
         SectionName == PayloadSectionName ||
         SectionName == OffloadingSection || SectionName.starts_with(RdcPrefix);
}

Error Finder::elf(StringRef Bytes, StringRef Name) {
  Expected<ElfFile> Elf = ElfFile::create(Bytes);
  if (!Elf)
    return damagedObject(Name, toString(Elf.takeError()));
  if (Code.Kind == DeviceFileKind::Other)
    Code.Kind = Elf->getHeader().e_type == ELF::ET_REL ? DeviceFileKind::Object
                                                       : DeviceFileKind::Linked;
  Expected<ELF64LE::ShdrRange> Sections = Elf->sections();
  if (!Sections)
    return damagedObject(Name, toString(Sections.takeError()));
  Expected<StringRef> Names = Elf->getSectionStringTable(*Sections);
  if (!Names)
    return damagedObject(Name, toString(Names.takeError()));
  uint64_t BytesLeft = Bytes.size();
  for (const ELF64LE::Shdr &Header : *Sections) {
    // Split debug information keeps headers without bytes.
    if (Header.sh_type == ELF::SHT_NOBITS || Header.sh_type == ELF::SHT_NULL ||
        Header.sh_name >= Names->size())
      continue;
    StringRef SectionName = Names->drop_front(Header.sh_name).data();
    if (!holdsDeviceCode(SectionName))
      continue;
    Expected<ArrayRef<uint8_t>> Contents = Elf->getSectionContents(Header);
    if (!Contents)
      return damagedObject(Name, toString(Contents.takeError()));
    if (Contents->size() > BytesLeft)
      return damagedObject(Name, "sections with device code overlap");
    BytesLeft -= Contents->size();
    if (Error E = section(SectionName, toStringRef(*Contents), Name))
      return E;
  }
  return Error::success();
}

/// Reads the same sections in Windows files. Linked files cut names to eight
/// letters.
Error Finder::coff(StringRef Bytes, file_magic Magic, StringRef Name) {
  bool IsObject = Magic == file_magic::coff_object;
  Expected<std::vector<CoffSection>> Sections = readCoffSections(Bytes);
  // An object has a magic of two bytes only, so this is some other file.
  if (!Sections && IsObject)
    return consumeError(Sections.takeError()), Error::success();
  if (!Sections)
    return damagedObject(Name, toString(Sections.takeError()));
  if (Code.Kind == DeviceFileKind::Other)
    Code.Kind = IsObject ? DeviceFileKind::Object : DeviceFileKind::Linked;
  uint64_t BytesLeft = Bytes.size();
  for (const CoffSection &Section : *Sections) {
    StringRef Full = Section.Name.starts_with(".hip_fat")
                         ? StringRef(FatBinSectionName)
                         : Section.Name;
    if (!holdsDeviceCode(Full))
      continue;
    if (!Section.Contents)
      return damagedObject(Name, "a section leads out of the file");
    if (Section.Contents->size() > BytesLeft)
      return damagedObject(Name, "sections with device code overlap");
    BytesLeft -= Section.Contents->size();
    if (Error E = section(Full, *Section.Contents, Name))
      return E;
  }
  return Error::success();
}

/// Reads a file, or a member of a static library.
Error Finder::object(StringRef Bytes, StringRef Name) {
  if (startsContainer(Bytes))
    return containers("", Bytes, Name);
  if (ElfFile::startsOne(Bytes))
    return elf(Bytes, Name);
  file_magic Magic = identify_magic(Bytes);
  if (Magic == file_magic::pecoff_executable ||
      Magic == file_magic::coff_object)
    return coff(Bytes, Magic, Name);
  if (!isBitcodeFile(Bytes))
    return Error::success();
  if (Code.Kind == DeviceFileKind::Other)
    Code.Kind = DeviceFileKind::Object;
  Expected<BitcodeParts> Parts = splitBitcode(Bytes, Name);
  if (!Parts)
    return Parts.takeError();
  return containers(PayloadSectionName, Parts->Tail, Name);
}

//===----------------------------------------------------------------------===//
// Archives of both kinds
//===----------------------------------------------------------------------===//

Error Finder::staticLibrary(StringRef Name) {
  if (startsThinLibrary(File.getBuffer()))
    return objectError(Name, "a thin archive, whose members are elsewhere; "
                             "give its members");
  Expected<StaticLibrary> Library = StaticLibrary::read(File);
  if (!Library)
    return damagedObject(Name, toString(Library.takeError()));
  for (const StaticLibrary::Member &M : Library->members()) {
    Member = M.Name.str();
    if (Error E = object(M.Bytes, (Name + "(" + Member + ")").str()))
      return E;
  }
  return Error::success();
}

Error Finder::kpackArchive(StringRef Name) {
  StringRef Bytes = File.getBuffer();
  Result<std::unique_ptr<const ArchiveReader>> Archive =
      ArchiveReader::fromMemory({Bytes.data(), Bytes.size()}, Name.str());
  if (!Archive)
    return toError(Archive.status());
  Code.Archive = std::move(*Archive);
  for (const kpack::ArchiveEntry &Entry : Code.Archive->entries()) {
    Result<uint64_t> Stored = Code.Archive->storedSize(Entry);
    if (!Stored)
      return toError(Stored.status());
    DevicePart &Part = Code.Parts.emplace_back();
    Part.Form = DevicePart::ArchiveEntry;
    Part.Size = *Stored;
    Part.PlainSize = Entry.OriginalSize;
    Part.Target = canonicalTarget(Entry.Arch);
    Part.Entry = &Entry;
  }
  return Error::success();
}

Error Finder::file(StringRef Name) {
  StringRef Bytes = File.getBuffer();
  if (Bytes.starts_with(StringRef(kpack::ArchiveMagic))) {
    Code.Kind = DeviceFileKind::KpackArchive;
    return kpackArchive(Name);
  }
  if (startsStaticLibrary(Bytes)) {
    Code.Kind = DeviceFileKind::StaticLibrary;
    return staticLibrary(Name);
  }
  if (startsContainer(Bytes))
    Code.Kind = DeviceFileKind::Containers;
  return object(Bytes, Name);
}

Expected<DeviceCode> offload::findDeviceCode(MemoryBufferRef File,
                                             StringRef Name) {
  DeviceCode Code;
  if (Error E = Finder(File, Code).file(Name))
    return Code.Kind == DeviceFileKind::Containers
               ? std::move(E)
               : orCutOff(std::move(E), File.getBuffer(), Name);
  return Code;
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

static Error useEntry(const ArchiveReader &Archive, const DevicePart &Part,
                      function_ref<Error(StreamedImage)> Use) {
  const kpack::ArchiveEntry &Entry = *Part.Entry;
  if (Status S = checkUnpacked(Archive, Entry); !S.ok())
    return toError(S);
  if (Status S = Archive.checkEntry(Entry); !S.ok())
    return toError(S);
  std::unique_ptr<WritableMemoryBuffer> Bytes =
      WritableMemoryBuffer::getNewUninitMemBuffer(Entry.OriginalSize);
  if (!Bytes)
    return objectError(Archive.path(), "not enough memory for an entry of " +
                                           Twine(Entry.OriginalSize) +
                                           " bytes; close other programs");
  if (Status S =
          Archive.readInto(Entry, Bytes->getBufferStart(), Entry.OriginalSize);
      !S.ok())
    return toError(S);
  StringRef All(Bytes->getBufferStart(), Bytes->getBufferSize());
  return Use({Part.Target, All, std::shared_ptr<const void>(std::move(Bytes))});
}

Error offload::forEachImage(const DeviceCode &Code, const DevicePart &Part,
                            StringRef Name,
                            function_ref<Error(StreamedImage)> Use) {
  switch (Part.Form) {
  case DevicePart::ArchiveEntry:
    return useEntry(*Code.Archive, Part, Use);
  case DevicePart::RdcImage:
    return Use({Part.Target, Part.Code.Bytes, nullptr});
  case DevicePart::InContainer:
    break;
  }
  if (Part.Member.empty())
    return forEachImage(Part.Code, Name, Use);
  return forEachImage(Part.Code, (Name + "(" + Part.Member + ")").str(), Use);
}
