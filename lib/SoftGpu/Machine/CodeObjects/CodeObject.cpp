//===- CodeObject.cpp - loader of AMDGPU code objects ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps segments, applies dynamic relocations, and finds kernels and variables.
// The file is untrusted: ElfFile checks its tables, this file every address.
// KernelLaunch.cpp launches kernels.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Machine/CodeObjects/CodeObject.h"

#include "CodeObjectMetadata.h"

#include "ToolSupport/ElfFile.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <sys/mman.h>

using namespace kpack;
using namespace kpack::softgpu;
using namespace llvm;
using namespace llvm::object;

/// Limit of an image's size. Device code has some megabytes.
static constexpr uint64_t MaxImageBytes = uint64_t(2) << 30;

namespace kpack::softgpu {

/// One load(): fills a CodeObject.
class CodeObjectLoader {
public:
  CodeObjectLoader(CodeObject &Object, const ElfFile &File)
      : Object(Object), File(File) {}

  Error run();

private:
  using Sym = ELF64LE::Sym;

  Error checkHeader() const;
  Error mapSegments();
  Error readDynamicSymbols();
  Error readMetadata();
  Error addKernel(CodeObjectMetadata::Entry Entry);
  Error relocate();
  Error relocate(const ELF64LE::Rela &Relocation);
  Expected<uint64_t> symbolAddress(uint32_t Index) const;
  uint8_t *at(uint64_t Address, uint64_t Size) const;

  CodeObject &Object;
  const ElfFile &File;
  ELF64LE::PhdrRange Segments;
  ELF64LE::SymRange Symbols;
  StringRef SymbolNames;
};

} // namespace kpack::softgpu

static Error malformed(const Twine &Problem) {
  return createStringError("code object: " + Problem +
                           "; compile or extract it again");
}

Error CodeObjectLoader::run() {
  if (Error E = checkHeader())
    return E;
  if (Error E = File.program_headers().moveInto(Segments))
    return E;
  if (Error E = mapSegments())
    return E;
  if (Error E = readDynamicSymbols())
    return E;
  if (Error E = relocate())
    return E;
  return readMetadata();
}

Error CodeObjectLoader::checkHeader() const {
  const ELF64LE::Ehdr &Header = File.getHeader();
  if (Header.e_machine != ELF::EM_AMDGPU || Header.e_type != ELF::ET_DYN)
    return malformed("not an AMDGPU shared object");
  if (Header.e_ident[ELF::EI_OSABI] != ELF::ELFOSABI_AMDGPU_HSA)
    return malformed("not for the HSA runtime (OS ABI " +
                     Twine(unsigned(Header.e_ident[ELF::EI_OSABI])) + ")");
  unsigned Version = Header.e_ident[ELF::EI_ABIVERSION];
  if (Version < ELF::ELFABIVERSION_AMDGPU_HSA_V4 ||
      Version > ELF::ELFABIVERSION_AMDGPU_HSA_V6)
    return malformed("ABI version " + Twine(Version) +
                     " is not that of code object version 4, 5 or 6");
  return Error::success();
}

/// Returns \p Size bytes of the image, or null.
uint8_t *CodeObjectLoader::at(uint64_t Address, uint64_t Size) const {
  if (Address > Object.ImageSize || Size > Object.ImageSize - Address)
    return nullptr;
  return Object.Image + Address;
}

Error CodeObjectLoader::mapSegments() {
  uint64_t Size = 0, BytesLeft = 2 * File.bytes().size();
  for (const ELF64LE::Phdr &P : Segments) {
    if (P.p_type != ELF::PT_LOAD)
      continue;
    if (P.p_filesz > P.p_memsz || P.p_offset > File.bytes().size() ||
        P.p_filesz > File.bytes().size() - P.p_offset)
      return malformed("a segment of " + Twine(P.p_filesz) +
                       " bytes does not lie in the file");
    // Segments may share a page of the file. A malicious file could have the
    // same bytes copied once for each segment.
    if (P.p_filesz > BytesLeft)
      return malformed("segments overlap");
    BytesLeft -= P.p_filesz;
    if (P.p_vaddr > MaxImageBytes || P.p_memsz > MaxImageBytes - P.p_vaddr)
      return malformed("a segment at " + Twine(P.p_vaddr) + " with " +
                       Twine(P.p_memsz) + " bytes is too large");
    Size = std::max<uint64_t>(Size, P.p_vaddr + P.p_memsz);
  }
  if (Size == 0)
    return malformed("no segment to load");
  Size = alignTo(Size, PageBytes);
  void *Pages = mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, 0);
  if (Pages == MAP_FAILED)
    return createStringError("code object: out of memory for " + Twine(Size) +
                             " bytes");
  Object.Image = static_cast<uint8_t *>(Pages);
  Object.ImageSize = Size;
  for (const ELF64LE::Phdr &P : Segments) {
    if (P.p_type != ELF::PT_LOAD || P.p_memsz == 0)
      continue;
    if (P.p_filesz)
      std::memcpy(Object.Image + P.p_vaddr, File.bytes().data() + P.p_offset,
                  P.p_filesz);
    uint64_t Begin = reinterpret_cast<uint64_t>(Object.Image) + P.p_vaddr;
    Object.Memory.add({Begin, Begin + P.p_memsz,
                       /*Writable=*/(P.p_flags & ELF::PF_W) != 0,
                       "code object"});
  }
  return Error::success();
}

Error CodeObjectLoader::readDynamicSymbols() {
  Expected<ELF64LE::ShdrRange> Sections = File.sections();
  if (!Sections)
    return Sections.takeError();
  for (const ELF64LE::Shdr &S : *Sections) {
    if (S.sh_type != ELF::SHT_DYNSYM)
      continue;
    if (Error E = File.symbols(&S).moveInto(Symbols))
      return E;
    if (Error E = File.getStringTableForSymtab(S).moveInto(SymbolNames))
      return E;
    break;
  }
  // A malicious table can name one long text in every symbol.
  uint64_t BytesLeft = 2 * SymbolNames.size();
  for (const Sym &S : Symbols) {
    Expected<StringRef> Name = S.getName(SymbolNames);
    if (!Name)
      return Name.takeError();
    if (Name->size() > BytesLeft)
      return malformed("symbols share their names");
    BytesLeft -= Name->size();
    if (S.getType() == ELF::STT_OBJECT && S.st_shndx != ELF::SHN_UNDEF &&
        at(S.st_value, S.st_size))
      Object.Variables[*Name] = {
          reinterpret_cast<uint64_t>(Object.Image + S.st_value), S.st_size};
  }
  return Error::success();
}

Expected<uint64_t> CodeObjectLoader::symbolAddress(uint32_t Index) const {
  if (Index == 0)
    return reinterpret_cast<uint64_t>(Object.Image);
  if (Index >= Symbols.size())
    return malformed("a relocation against symbol " + Twine(Index) + " of " +
                     Twine(Symbols.size()));
  const Sym &S = Symbols[Index];
  if (S.st_shndx == ELF::SHN_UNDEF) {
    if (S.getBinding() == ELF::STB_WEAK)
      return 0;
    Expected<StringRef> Name = S.getName(SymbolNames);
    if (!Name)
      return Name.takeError();
    return createStringError("code object: undefined symbol '" + *Name +
                             "'; link what defines it");
  }
  if (S.st_shndx == ELF::SHN_ABS)
    return S.st_value;
  return reinterpret_cast<uint64_t>(Object.Image) + S.st_value;
}

// Applies the relocations of dynamic linkers (AMDGPUUsage, "Relocation
// Records").
Error CodeObjectLoader::relocate(const ELF64LE::Rela &R) {
  uint32_t Type = R.getType(/*isMips64EL=*/false);
  bool Wide = Type == ELF::R_AMDGPU_ABS64 || Type == ELF::R_AMDGPU_RELATIVE64;
  if (!Wide && Type != ELF::R_AMDGPU_ABS32 && Type != ELF::R_AMDGPU_ABS32_LO &&
      Type != ELF::R_AMDGPU_ABS32_HI)
    return malformed("relocation type " + Twine(Type) + " is not supported");
  uint8_t *Place = at(R.r_offset, Wide ? 8 : 4);
  if (!Place)
    return malformed("a relocation at " + Twine(R.r_offset) +
                     " outside of the image");
  uint32_t Symbol = R.getSymbol(/*isMips64EL=*/false);
  Expected<uint64_t> Address =
      symbolAddress(Type == ELF::R_AMDGPU_RELATIVE64 ? 0 : Symbol);
  if (!Address)
    return Address.takeError();
  uint64_t Value = *Address + uint64_t(int64_t(R.r_addend));
  if (Wide)
    support::endian::write64le(Place, Value);
  else
    support::endian::write32le(
        Place, uint32_t(Type == ELF::R_AMDGPU_ABS32_HI ? Value >> 32 : Value));
  return Error::success();
}

Error CodeObjectLoader::relocate() {
  Expected<ELF64LE::ShdrRange> Sections = File.sections();
  if (!Sections)
    return Sections.takeError();
  for (const ELF64LE::Shdr &S : *Sections) {
    if (S.sh_type != ELF::SHT_RELA || !(S.sh_flags & ELF::SHF_ALLOC))
      continue;
    Expected<ELF64LE::RelaRange> Relocations = File.relas(S);
    if (!Relocations)
      return Relocations.takeError();
    for (const ELF64LE::Rela &R : *Relocations)
      if (Error E = relocate(R))
        return E;
  }
  return Error::success();
}

Error CodeObjectLoader::addKernel(CodeObjectMetadata::Entry Entry) {
  Kernel &K = Entry.Contents;
  auto Found = Object.Variables.find(Entry.Symbol);
  if (Found == Object.Variables.end() || Found->second.Size != 64)
    return malformed("no kernel descriptor '" + Entry.Symbol + "' of kernel '" +
                     K.Name + "'");
  K.Descriptor = Found->second.Address;
  Object.Variables.erase(Found);
  std::string Name = K.Name;
  Object.Kernels[Name] = std::move(K);
  return Error::success();
}

Error CodeObjectLoader::readMetadata() {
  for (const ELF64LE::Phdr &P : Segments) {
    if (P.p_type != ELF::PT_NOTE)
      continue;
    Expected<std::vector<ElfNote>> Notes = File.readNotes(P);
    if (!Notes)
      return Notes.takeError();
    for (const ElfNote &Note : *Notes) {
      if (Note.Name != "AMDGPU" || Note.Type != ELF::NT_AMDGPU_METADATA)
        continue;
      auto Metadata = CodeObjectMetadata::parse(Note.Description);
      if (!Metadata)
        return Metadata.takeError();
      Object.Processor = StringRef(Metadata->Target).split(':').first.str();
      for (CodeObjectMetadata::Entry &Entry : Metadata->Kernels)
        if (Error E = addKernel(std::move(Entry)))
          return E;
      return Error::success();
    }
  }
  return malformed("no metadata note");
}

Expected<std::unique_ptr<CodeObject>> CodeObject::load(ArrayRef<uint8_t> Elf,
                                                       MemoryMap &Memory) {
  StringRef Bytes(reinterpret_cast<const char *>(Elf.data()), Elf.size());
  if (!Bytes.starts_with(ELF::ElfMagic) || Bytes.size() < ELF::EI_NIDENT ||
      Bytes[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      Bytes[ELF::EI_DATA] != ELF::ELFDATA2LSB)
    return malformed("not a 64-bit little-endian ELF file");
  // llvm::object requires aligned headers, and the caller's bytes may not be.
  std::unique_ptr<MemoryBuffer> Copy = MemoryBuffer::getMemBufferCopy(Bytes);
  Expected<ElfFile> File = ElfFile::create(Copy->getBuffer());
  if (!File)
    return File.takeError();
  std::unique_ptr<CodeObject> Object(new CodeObject(Memory));
  Error E = CodeObjectLoader(*Object, *File).run();
  if (E)
    return std::move(E);
  return std::move(Object);
}

CodeObject::~CodeObject() {
  if (!Image)
    return;
  uint64_t Begin = reinterpret_cast<uint64_t>(Image);
  for (auto &[Gpu, Forget] : Users)
    Forget(Begin, Begin + ImageSize);
  Memory.remove(Begin, Begin + ImageSize);
  munmap(Image, ImageSize);
}

std::optional<Variable> CodeObject::variable(StringRef Name) const {
  auto Found = Variables.find(Name);
  if (Found == Variables.end())
    return std::nullopt;
  return Found->second;
}
