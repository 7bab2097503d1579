//===- KernelFacts.cpp - registers and memory of kernels ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See KernelFacts.h. The note is found through the program headers, as runtimes
// do: sections may have been stripped. A code object linked from several
// objects, as in assembler libraries of kernels, has a note of each, and all of
// them count. Kernel sizes are in the dynamic symbol table, which strip keeps.
// Each byte of a hostile file is read a constant number of times: only the
// first table counts, and notes are searched in no more bytes than the file
// has.
//
//===----------------------------------------------------------------------===//
#include "Offload/KernelFacts.h"

#include "ToolSupport/ElfFile.h"
#include "kpack/Archive/detail/Msgpack.h"
#include "kpack/Support/TargetId.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/ELF.h"

#include <utility>
#include <vector>

using namespace kpack;
using namespace kpack::offload;
using namespace llvm;
using namespace llvm::object;
using Value = kpack::detail::MsgpackValue;
using Reader = kpack::detail::MsgpackReader;

static Error damaged(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

//===----------------------------------------------------------------------===//
// The note and the symbols
//===----------------------------------------------------------------------===//

/// Returns the descriptions of the notes with AMDGPU metadata.
static Expected<SmallVector<StringRef, 1>> metadataNotes(const ElfFile &File) {
  Expected<ELF64LE::PhdrRange> Segments = File.program_headers();
  if (!Segments)
    return Segments.takeError();
  SmallVector<StringRef, 1> Found;
  uint64_t BytesLeft = File.bytes().size();
  for (const ELF64LE::Phdr &Segment : *Segments) {
    if (Segment.p_type != ELF::PT_NOTE)
      continue;
    if (Segment.p_filesz > BytesLeft)
      return damaged("its notes overlap");
    BytesLeft -= Segment.p_filesz;
    Expected<std::vector<ElfNote>> Notes = File.readNotes(Segment);
    if (!Notes)
      return Notes.takeError();
    for (const ElfNote &Note : *Notes)
      if (Note.Name == "AMDGPU" && Note.Type == ELF::NT_AMDGPU_METADATA)
        Found.push_back(Note.Description);
  }
  return Found;
}

namespace {
struct Function {
  StringRef Name;
  uint16_t Section;
  uint64_t Address, Size;
};
} // namespace

/// Computes sizes that are 0 because the assembler source lacks .size: such a
/// function extends to the next one, or to the end of its section.
static void completeSizes(std::vector<Function> &Functions,
                          ELF64LE::ShdrRange Sections) {
  auto Place = [](const Function &F) {
    return std::make_pair(F.Section, F.Address);
  };
  llvm::sort(Functions, [&](const Function &A, const Function &B) {
    return std::make_pair(Place(A), A.Name) < std::make_pair(Place(B), B.Name);
  });
  // Backwards: all functions of one address have the same successor.
  uint64_t Next = 0, Address = 0;
  unsigned Section = 0;
  for (Function &F : reverse(Functions)) {
    if (F.Section != Section && F.Section < Sections.size()) {
      const ELF64LE::Shdr &Header = Sections[F.Section];
      Section = F.Section;
      Address = Next = Header.sh_addr + Header.sh_size;
    }
    if (F.Address < Address)
      Next = std::exchange(Address, F.Address);
    if (F.Size == 0 && F.Section == Section && Next > F.Address)
      F.Size = Next - F.Address;
  }
}

/// Returns the sizes of functions in the first dynamic symbol table.
static Expected<StringMap<uint64_t>> getSizes(const ElfFile &File) {
  StringMap<uint64_t> Sizes;
  Expected<ELF64LE::ShdrRange> Sections = File.sections();
  if (!Sections)
    return Sections.takeError();
  auto Table = find_if(*Sections, [](const ELF64LE::Shdr &Section) {
    return Section.sh_type == ELF::SHT_DYNSYM;
  });
  if (Table == Sections->end())
    return Sizes;
  Expected<ELF64LE::SymRange> Symbols = File.symbols(&*Table);
  if (!Symbols)
    return Symbols.takeError();
  Expected<StringRef> Names = File.getStringTableForSymtab(*Table);
  if (!Names)
    return Names.takeError();
  // A hostile table can name one long text in every symbol.
  uint64_t BytesLeft = 2 * Names->size();
  std::vector<Function> Functions;
  for (const ELF64LE::Sym &Symbol : *Symbols) {
    if (Symbol.getType() != ELF::STT_FUNC)
      continue;
    Expected<StringRef> Name = Symbol.getName(*Names);
    if (!Name)
      return Name.takeError();
    if (Name->size() > BytesLeft)
      return damaged("its symbols share their names");
    BytesLeft -= Name->size();
    Functions.push_back(
        {*Name, Symbol.st_shndx, Symbol.st_value, Symbol.st_size});
  }
  completeSizes(Functions, *Sections);
  for (const Function &F : Functions)
    Sizes[F.Name] = F.Size;
  return Sizes;
}

//===----------------------------------------------------------------------===//
// MessagePack
//===----------------------------------------------------------------------===//

static bool takeText(Reader &In, const Value &V, std::string &To) {
  if (V.Kind != Value::Str)
    return In.refuse("a name is not a str");
  To = std::string(V.Text);
  return true;
}

/// A number in a kernel's map, with its key.
struct NumberField {
  std::string_view Key;
  std::optional<uint32_t> KernelFacts::*Member;
};

static constexpr NumberField NumberFields[] = {
    {".vgpr_count", &KernelFacts::Vgprs},
    {".sgpr_count", &KernelFacts::Sgprs},
    {".agpr_count", &KernelFacts::Agprs},
    {".vgpr_spill_count", &KernelFacts::VgprSpills},
    {".sgpr_spill_count", &KernelFacts::SgprSpills},
    {".group_segment_fixed_size", &KernelFacts::Lds},
    {".private_segment_fixed_size", &KernelFacts::Private},
    {".kernarg_segment_size", &KernelFacts::Kernarg},
    {".wavefront_size", &KernelFacts::WavefrontSize},
    {".max_flat_workgroup_size", &KernelFacts::MaxWorkgroup},
};

static bool takeField(Reader &In, std::string_view Key, KernelFacts &Kernel) {
  Value V;
  if (!In.read(V))
    return false;
  if (Key == ".name")
    return takeText(In, V, Kernel.Name);
  for (const NumberField &Field : NumberFields) {
    if (Key != Field.Key)
      continue;
    if (V.Kind != Value::Uint || V.Number > UINT32_MAX)
      return In.refuse("not a number of 32 bits");
    Kernel.*Field.Member = uint32_t(V.Number);
    return true;
  }
  return In.skip(V);
}

static bool takeKernels(Reader &In, const Value &V, CodeObjectFacts &To) {
  if (V.Kind != Value::Array)
    return In.refuse("kernels are not an array");
  return In.items(V, [&](const Value &Item) {
    KernelFacts Kernel;
    if (!In.map(Item, [&](std::string_view Key) {
          return takeField(In, Key, Kernel);
        }))
      return false;
    if (Kernel.Name.empty())
      return In.refuse("a kernel has no name");
    To.Kernels.push_back(std::move(Kernel));
    return true;
  });
}

static bool takeMetadata(Reader &In, CodeObjectFacts &To) {
  Value Root;
  return In.read(Root) && In.map(Root, [&](std::string_view Key) {
    Value V;
    if (!In.read(V))
      return false;
    if (Key == "amdhsa.target")
      return takeText(In, V, To.Target);
    return Key == "amdhsa.kernels" ? takeKernels(In, V, To) : In.skip(V);
  });
}

Expected<CodeObjectFacts> offload::readKernelFacts(StringRef Bytes) {
  Expected<ElfFile> File = ElfFile::create(Bytes);
  if (!File)
    return File.takeError();
  Expected<SmallVector<StringRef, 1>> Notes = metadataNotes(*File);
  if (!Notes)
    return Notes.takeError();
  CodeObjectFacts Facts;
  if (Notes->empty())
    return Facts;
  for (StringRef Note : *Notes) {
    Reader In(std::string_view(Note.data(), Note.size()));
    if (!takeMetadata(In, Facts))
      return damaged("its metadata cannot be read: " + In.reason());
  }
  Facts.Target = canonicalTarget(Facts.Target);
  Expected<StringMap<uint64_t>> Sizes = getSizes(*File);
  if (!Sizes)
    return Sizes.takeError();
  for (KernelFacts &Kernel : Facts.Kernels)
    if (auto Found = Sizes->find(Kernel.Name); Found != Sizes->end())
      Kernel.CodeSize = Found->second;
  return Facts;
}
