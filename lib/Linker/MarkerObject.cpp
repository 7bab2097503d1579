//===- MarkerObject.cpp - the object that defines the marker --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The object is described in yaml2obj's format and written by its library. All
// symbols are hidden, since the marker belongs to this output file only.
//
//===----------------------------------------------------------------------===//
#include "MarkerObject.h"

#include "Offload/HipSymbols.h"
#include "ToolSupport/Errors.h"
#include "kpack/Archive/Marker.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/ObjectYAML/yaml2obj.h"
#include "llvm/Support/YAMLTraits.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using kpack::objectError;

namespace kpack::linker {

static constexpr StringLiteral ObjectName = "kpack-marker.o";
static constexpr StringLiteral HandleSection = ".bss.__hip_gpubin_handle";
static constexpr uint64_t HandleSize = 8;

/// Prints a note with all property bits (IBT, SHSTK, BTI, ...). lld keeps the
/// bits that all objects have, and an object without code must not clear any.
static void printPropertyNote(raw_ostream &OS, uint16_t Machine) {
  StringRef PropertyType;
  if (Machine == ELF::EM_X86_64)
    PropertyType = "020000c0"; // GNU_PROPERTY_X86_FEATURE_1_AND
  else if (Machine == ELF::EM_AARCH64)
    PropertyType = "000000c0"; // GNU_PROPERTY_AARCH64_FEATURE_1_AND
  else
    return;
  OS << "  - Name: .note.gnu.property\n"
        "    Type: SHT_NOTE\n"
        "    Flags: [ SHF_ALLOC ]\n"
        "    AddressAlign: 8\n"
        "    Notes:\n"
        "      - Name: GNU\n"
        "        Type: NT_GNU_PROPERTY_TYPE_0\n"
        "        Desc: "
     << PropertyType << "04000000ffffffff00000000\n";
}

static void printSections(raw_ostream &OS, StringRef Marker,
                          uint64_t HandleBytes, uint16_t Machine) {
  // No SHF_GNU_RETAIN, so that --gc-sections drops an unreferenced marker. No
  // padding, since readers take the section for the marker.
  OS << "Sections:\n"
        "  - Name: "
     << StringRef(MarkerSectionName)
     << "\n    Type: SHT_PROGBITS\n"
        "    Flags: [ SHF_ALLOC ]\n"
        "    AddressAlign: 8\n"
        "    Content: '"
     << toHex(Marker) << "'\n";
  if (HandleBytes)
    OS << "  - Name: " << HandleSection
       << "\n    Type: SHT_NOBITS\n"
          "    Flags: [ SHF_ALLOC, SHF_WRITE ]\n"
          "    AddressAlign: 8\n"
          "    Size: "
       << HandleBytes << "\n";
  printPropertyNote(OS, Machine);
  OS << "  - Name: .note.GNU-stack\n"
        "    Type: SHT_PROGBITS\n";
}

static void printSymbol(raw_ostream &OS, StringRef Name, StringRef Section,
                        StringRef Binding, uint64_t Value, uint64_t Size) {
  OS << "  - Name: '" << Name
     << "'\n    Type: STT_OBJECT\n    Section: " << Section
     << "\n    Binding: " << Binding
     << "\n    Other: [ STV_HIDDEN ]\n    Value: " << Value
     << "\n    Size: " << Size << "\n";
}

Expected<std::string> makeMarkerObject(StringRef Marker,
                                       const MarkerSymbols &Symbols,
                                       uint16_t Machine) {
  bool HasShared = !Symbols.SharedHandles.empty();
  uint64_t HandleBytes = HandleSize * (HasShared + Symbols.OwnHandles.size());

  std::string Yaml;
  raw_string_ostream OS(Yaml);
  OS << "--- !ELF\n"
        "FileHeader:\n"
        "  Class: ELFCLASS64\n"
        "  Data: ELFDATA2LSB\n"
        "  Type: ET_REL\n"
        "  Machine: "
     << Machine << "\n";
  printSections(OS, Marker, HandleBytes, Machine);
  OS << "Symbols:\n";
  printSymbol(OS, offload::MarkerSymbol, StringRef(MarkerSectionName),
              "STB_GLOBAL", 0, Marker.size());
  for (uint64_t Token : Symbols.Tokens)
    printSymbol(OS, offload::tokenSymbol(offload::FatBinPrefix, Token),
                StringRef(MarkerSectionName), "STB_GLOBAL", 0, Marker.size());
  for (const std::string &Handle : Symbols.SharedHandles)
    printSymbol(OS, Handle, HandleSection, "STB_WEAK", 0, HandleSize);
  uint64_t Slot = HasShared ? HandleSize : 0;
  for (const std::string &Handle : Symbols.OwnHandles) {
    printSymbol(OS, Handle, HandleSection, "STB_WEAK", Slot, HandleSize);
    Slot += HandleSize;
  }

  std::string Message;
  yaml::Input Input(Yaml);
  SmallString<0> Object;
  raw_svector_ostream ObjectOS(Object);
  if (!yaml::convertYAML(Input, ObjectOS,
                         [&](const Twine &M) { Message = M.str(); }))
    return objectError(ObjectName, Message + "; please report this");
  return Object.str().str();
}

Expected<MemoryFile> makeMarkerArchive(StringRef Object) {
  NewArchiveMember Member(MemoryBufferRef(Object, ObjectName));
  Expected<std::unique_ptr<MemoryBuffer>> Archive = writeArchiveToBuffer(
      Member, SymtabWritingMode::NoSymtab, object::Archive::K_GNU,
      /*Deterministic=*/true, /*Thin=*/false);
  if (!Archive)
    return Archive.takeError();
  return MemoryFile::create("kpack-marker.a", (*Archive)->getBuffer());
}

} // namespace kpack::linker
