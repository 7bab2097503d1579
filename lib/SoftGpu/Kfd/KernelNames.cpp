//===- KernelNames.cpp - names of kernels in device memory ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory may hold no ELF file, or a damaged one, so every offset is checked
// against the allocation.
//
//===----------------------------------------------------------------------===//
#include "KernelNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Demangle/Demangle.h"
#include <cstring>

using namespace kpack::softgpu;
using namespace llvm;

namespace {

/// A loaded code object; addresses count from 0, as in its ELF file.
class Image {
public:
  explicit Image(const MemoryRange &R)
      : Bytes(reinterpret_cast<const char *>(R.host(R.Begin))),
        Size(R.End - R.Begin) {}

  template <typename T> std::optional<T> read(uint64_t Address) const {
    if (Address > Size || sizeof(T) > Size - Address)
      return std::nullopt;
    T Value;
    std::memcpy(&Value, Bytes + Address, sizeof(T));
    return Value;
  }

  /// Returns the string at \p Address, or an empty one if it has no terminator.
  StringRef string(uint64_t Address) const {
    if (Address >= Size)
      return "";
    const char *Begin = Bytes + Address;
    const void *End = std::memchr(Begin, 0, Size - Address);
    return End ? StringRef(Begin, static_cast<const char *>(End) - Begin) : "";
  }

private:
  const char *Bytes;
  uint64_t Size;
};

/// Addresses from the dynamic section; 0 if absent.
struct DynamicTables {
  uint64_t Symbols = 0, Strings = 0, Hash = 0;
};

} // namespace

static std::optional<DynamicTables> findTables(const Image &I,
                                               const ELF::Elf64_Ehdr &Header) {
  for (unsigned Index = 0; Index < Header.e_phnum; ++Index) {
    auto Segment = I.read<ELF::Elf64_Phdr>(Header.e_phoff +
                                           Index * sizeof(ELF::Elf64_Phdr));
    if (!Segment)
      return std::nullopt;
    if (Segment->p_type != ELF::PT_DYNAMIC)
      continue;
    DynamicTables Tables;
    for (uint64_t Address = Segment->p_vaddr;;
         Address += sizeof(ELF::Elf64_Dyn)) {
      auto Entry = I.read<ELF::Elf64_Dyn>(Address);
      if (!Entry || Entry->d_tag == ELF::DT_NULL)
        return Tables;
      if (Entry->d_tag == ELF::DT_SYMTAB)
        Tables.Symbols = Entry->d_un.d_ptr;
      else if (Entry->d_tag == ELF::DT_STRTAB)
        Tables.Strings = Entry->d_un.d_ptr;
      else if (Entry->d_tag == ELF::DT_HASH)
        Tables.Hash = Entry->d_un.d_ptr;
    }
  }
  return std::nullopt;
}

/// Returns the name of the symbol with value \p Value and suffix ".kd", or an
/// empty string.
static StringRef findSymbol(const MemoryRange &Range, uint64_t Value) {
  Image I(Range);
  auto Header = I.read<ELF::Elf64_Ehdr>(0);
  if (!Header || !Header->checkMagic() || Header->e_machine != ELF::EM_AMDGPU)
    return "";
  std::optional<DynamicTables> Tables = findTables(I, *Header);
  if (!Tables || !Tables->Hash)
    return "";
  // nchain, the second word of the hash table, is the number of symbols.
  uint32_t Count = I.read<uint32_t>(Tables->Hash + 4).value_or(0);
  for (uint32_t Index = 0; Index < Count; ++Index) {
    auto Symbol = I.read<ELF::Elf64_Sym>(
        Tables->Symbols + uint64_t(Index) * sizeof(ELF::Elf64_Sym));
    if (!Symbol)
      return "";
    if (Symbol->st_value != Value)
      continue;
    StringRef Name = I.string(Tables->Strings + Symbol->st_name);
    if (Name.consume_back(".kd"))
      return Name;
  }
  return "";
}

std::string kpack::softgpu::kernelName(const MemoryMap &Memory,
                                       uint64_t Descriptor) {
  if (std::optional<MemoryRange> Range = Memory.find(Descriptor)) {
    StringRef Name = findSymbol(*Range, Descriptor - Range->Begin);
    if (!Name.empty())
      return llvm::demangle(Name);
  }
  return "kernel object 0x" + utohexstr(Descriptor, /*LowerCase=*/true);
}
