//===- BuiltTargets.cpp - list of built targets in the marker -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// builtCode() is exact, but known only after the link, when the size of the
// marker is fixed. expectedCode() estimates that size before the link; Link.cpp
// links again if the exact targets do not fit.
//
// Names are for people, so a failure to read one is no error: the object's name
// replaces it. It also does if there are several STT_FILE symbols (ld -r), none
// of which is better than the others. Only the last part of a path is kept, so
// that the marker does not depend on the build directory.
//
//===----------------------------------------------------------------------===//
#include "BuiltTargets.h"

#include "ToolSupport/ElfFile.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/LTO/LTO.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace llvm::object;
using namespace kpack::offload;

namespace kpack::linker {

/// Returns the only STT_FILE symbol; "" if there is none, or several (ld -r).
static std::string sourceOfElf(StringRef Bytes) {
  Expected<ElfFile> File = ElfFile::create(Bytes);
  if (!File)
    return consumeError(File.takeError()), "";
  Expected<ELF64LE::ShdrRange> Sections = File->sections();
  if (!Sections)
    return consumeError(Sections.takeError()), "";
  std::string Found;
  for (const ELF64LE::Shdr &Section : *Sections) {
    if (Section.sh_type != ELF::SHT_SYMTAB)
      continue;
    Expected<ELF64LE::SymRange> Symbols = File->symbols(&Section);
    if (!Symbols)
      return consumeError(Symbols.takeError()), "";
    Expected<StringRef> Names = File->getStringTableForSymtab(Section);
    if (!Names)
      return consumeError(Names.takeError()), "";
    for (const ELF64LE::Sym &Symbol : *Symbols) {
      if (Symbol.getBinding() != ELF::STB_LOCAL)
        break; // local symbols come first
      if (Symbol.getType() != ELF::STT_FILE)
        continue;
      Expected<StringRef> Name = Symbol.getName(*Names);
      if (!Name)
        return consumeError(Name.takeError()), "";
      if (!Found.empty())
        return "";
      Found = Name->str();
    }
  }
  return Found;
}

static std::string sourceOfBitcode(MemoryBufferRef Bytes) {
  Expected<std::unique_ptr<lto::InputFile>> File =
      lto::InputFile::create(Bytes);
  if (!File)
    return consumeError(File.takeError()), "";
  return (*File)->getSourceFileName().str();
}

std::string unitName(const InputObject &Object) {
  std::string Name =
      identify_magic(Object.Bytes.getBuffer()) == file_magic::elf_relocatable
          ? sourceOfElf(Object.Bytes.getBuffer())
          : sourceOfBitcode(Object.Bytes);
  if (Name.empty())
    Name = Object.Name;
  Name = sys::path::filename(Name).str();
  // Python's readers reject text that is not UTF-8.
  const auto *Begin = reinterpret_cast<const UTF8 *>(Name.data());
  if (!isLegalUTF8String(&Begin, reinterpret_cast<const UTF8 *>(Name.data()) +
                                     Name.size()))
    for (char &C : Name)
      if (static_cast<unsigned char>(C) >= 0x80)
        C = '?';
  return Name;
}

namespace {
/// Adds TUs to a BuiltCode. A device link gives all of its TUs the same
/// targets.
class Builder {
public:
  explicit Builder(const InputFiles &Inputs) {
    for (const std::unique_ptr<InputFile> &File : Inputs.files())
      for (const InputObject &Object : File->Objects)
        for (const DevicePayload &Payload : Object.Contents.Payloads)
          if (Payload.Kind == PayloadKind::Rdc)
            for (const DeviceImage &Image : Payload.Images)
              RdcTargets.insert(Image.Target);
  }

  void add(const DevicePayload &Payload, const InputObject &Object) {
    std::set<std::string> Targets;
    if (Payload.Kind == PayloadKind::Rdc)
      Targets = RdcTargets;
    else
      for (const DeviceImage &Image : Payload.Images)
        Targets.insert(Image.Target);
    Built.add({Targets.begin(), Targets.end()}, unitName(Object));
  }

  BuiltCode take() { return std::move(Built); }

private:
  std::set<std::string> RdcTargets;
  BuiltCode Built;
};
} // namespace

BuiltCode builtCode(const InputFiles &Inputs, const LinkedCode &Code) {
  Builder B(Inputs);
  for (const LiveWrapper &W : Code.Wrappers)
    B.add(*W.Payload, *W.Object);
  return B.take();
}

BuiltCode expectedCode(const InputFiles &Inputs, bool WithLazy) {
  Builder B(Inputs);
  std::set<uint64_t> Seen;
  for (bool IsLazy : {false, true})
    for (const std::unique_ptr<InputFile> &File : Inputs.files())
      for (const InputObject &Object : File->Objects)
        for (const DevicePayload &Payload : Object.Contents.Payloads)
          if (Object.IsLazy == IsLazy && (!IsLazy || WithLazy) &&
              Payload.Token && Seen.insert(*Payload.Token).second)
            B.add(Payload, Object);
  return B.take();
}

} // namespace kpack::linker
