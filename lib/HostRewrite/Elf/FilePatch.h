//===- FilePatch.h - changes in a file being written ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Used by the two writers, Rewrite.cpp and AddSegment.cpp, to change bytes and
// table entries in the parts of the old file that they have written to the new
// one. Sibling: PointerPatch.h, the changes of a rewrite.
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_ELF_FILEPATCH_H
#define KPACK_LIB_HOSTREWRITE_ELF_FILEPATCH_H

#include "ElfView.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

namespace kpack::hostrewrite {

/// Overwrites bytes that \p OS has already. A write outside of these means that
/// a table of a damaged file was at an impossible place.
class FilePatch {
public:
  explicit FilePatch(llvm::raw_pwrite_stream &OS) : OS(OS) {}

  void write(uint64_t Offset, const void *Bytes, size_t Size) {
    Damaged |= Offset > OS.tell() || Size > OS.tell() - Offset;
    if (!Damaged)
      OS.pwrite(static_cast<const char *>(Bytes), Size, Offset);
  }
  void write64(uint64_t Offset, uint64_t Value) {
    char Bytes[sizeof(uint64_t)];
    llvm::support::endian::write64le(Bytes, Value);
    write(Offset, Bytes, sizeof(Bytes));
  }
  bool isDamaged() const { return Damaged; }

private:
  llvm::raw_pwrite_stream &OS;
  bool Damaged = false;
};

/// Calls \p Change for each entry of the tables with one of \p Types, and
/// writes the entries that it changes. \p NewOffset returns the offset of a
/// table in the new file by its section index. Tables are large, so only a part
/// is copied at a time.
template <typename EntryType>
void patchTables(
    const ElfView &View, llvm::ArrayRef<uint32_t> Types,
    llvm::function_ref<bool(EntryType &, const Elf::Shdr &)> Change,
    llvm::function_ref<uint64_t(size_t)> NewOffset, FilePatch &Patch) {
  constexpr uint64_t AtOnce = 1 << 14;
  for (size_t I = 0; I != View.Sections.size(); ++I) {
    const Elf::Shdr &Table = View.Sections[I];
    if (!llvm::is_contained(Types, Table.sh_type))
      continue;
    const auto *Begin = reinterpret_cast<const EntryType *>(View.Bytes.data() +
                                                            Table.sh_offset);
    llvm::ArrayRef<EntryType> All(Begin, Table.sh_size / sizeof(EntryType));
    for (uint64_t N = 0; N < All.size(); N += AtOnce) {
      std::vector<EntryType> Part =
          All.slice(N, std::min<uint64_t>(AtOnce, All.size() - N)).vec();
      bool IsChanged = false;
      for (EntryType &Entry : Part)
        IsChanged |= Change(Entry, Table);
      if (IsChanged)
        Patch.write(NewOffset(I) + N * sizeof(EntryType), Part.data(),
                    Part.size() * sizeof(EntryType));
    }
  }
}

inline void patchSymbols(const ElfView &View,
                         llvm::function_ref<bool(Elf::Sym &)> Change,
                         llvm::function_ref<uint64_t(size_t)> NewOffset,
                         FilePatch &Patch) {
  patchTables<Elf::Sym>(
      View, {llvm::ELF::SHT_SYMTAB, llvm::ELF::SHT_DYNSYM},
      [&](Elf::Sym &Symbol, const Elf::Shdr &) { return Change(Symbol); },
      NewOffset, Patch);
}

/// Replaces the section numbers in \p Section by those of the new file.
inline void renumber(Elf::Shdr &Section, llvm::ArrayRef<size_t> NewIndex) {
  bool InfoIsSection = Section.sh_type == llvm::ELF::SHT_RELA ||
                       Section.sh_type == llvm::ELF::SHT_REL ||
                       (Section.sh_flags & llvm::ELF::SHF_INFO_LINK);
  if (Section.sh_link < NewIndex.size())
    Section.sh_link = NewIndex[Section.sh_link];
  if (InfoIsSection && Section.sh_info < NewIndex.size())
    Section.sh_info = NewIndex[Section.sh_info];
}

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_ELF_FILEPATCH_H
