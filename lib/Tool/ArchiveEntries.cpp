//===- ArchiveEntries.cpp - ELF headers against archive tables ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lib/Offload/CheckCodeObject.cpp has the rules for valid code objects. Kernels
// are the symbols "<name>.kd" of the dynamic symbol table, which runtimes need
// and strip keeps.
//
//===----------------------------------------------------------------------===//
#include "Tool/ArchiveEntries.h"
#include "Offload/CheckCodeObject.h"
#include "ToolSupport/ElfFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"

#include <tuple>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::object;

std::vector<std::string> tool::checkCodeObject(StringRef Bytes,
                                               StringRef Target) {
  std::vector<std::string> Problems =
      offload::codeObjectProblems(Bytes, Target);
  for (std::string &Problem : Problems)
    Problem += "; build the archive again";
  return Problems;
}

std::vector<std::string> tool::getKernels(StringRef Bytes) {
  std::vector<std::string> Kernels;
  Expected<ElfFile> File = ElfFile::create(Bytes);
  if (!File)
    return consumeError(File.takeError()), Kernels;
  Expected<ELF64LE::ShdrRange> Sections = File->sections();
  if (!Sections)
    return consumeError(Sections.takeError()), Kernels;
  for (const ELF64LE::Shdr &Section : *Sections) {
    if (Section.sh_type != ELF::SHT_DYNSYM)
      continue;
    Expected<ELF64LE::SymRange> Symbols = File->symbols(&Section);
    if (!Symbols)
      return consumeError(Symbols.takeError()), Kernels;
    Expected<StringRef> Names = File->getStringTableForSymtab(Section);
    if (!Names)
      return consumeError(Names.takeError()), Kernels;
    // A hostile table can name one long text in every symbol.
    uint64_t BytesLeft = 2 * Names->size();
    for (const ELF64LE::Sym &Symbol : *Symbols) {
      Expected<StringRef> Name = Symbol.getName(*Names);
      if (!Name) {
        consumeError(Name.takeError());
        continue;
      }
      if (Name->size() > BytesLeft)
        return Kernels;
      BytesLeft -= Name->size();
      // Every kernel has a kernel descriptor.
      if (Name->consume_back(".kd"))
        Kernels.push_back(Name->str());
    }
  }
  return Kernels;
}

bool tool::comesBefore(const ArchiveEntry &A, const ArchiveEntry &B) {
  StringRef NameA = A.Binary, NameB = B.Binary;
  uint64_t IndexA = 0, IndexB = 0;
  splitBinaryKey(A.Binary, NameA, IndexA);
  splitBinaryKey(B.Binary, NameB, IndexB);
  return std::make_tuple(NameA, IndexA, StringRef(A.Binary),
                         StringRef(A.Arch)) <
         std::make_tuple(NameB, IndexB, StringRef(B.Binary), StringRef(B.Arch));
}

std::string tool::entryName(const ArchiveReader &Archive,
                            const ArchiveEntry &Entry) {
  return Archive.path() + ": " + Entry.describe();
}

bool tool::splitBinaryKey(StringRef Key, StringRef &Name, uint64_t &Index) {
  StringRef Digits;
  std::tie(Name, Digits) = Key.rsplit('#');
  // "#007" is another key than "#7", and lookups use "#7".
  bool Canonical = Digits == "0" || !Digits.starts_with("0");
  return !Name.empty() && !Digits.empty() && Canonical &&
         all_of(Digits, isDigit) && !Digits.getAsInteger(10, Index);
}
