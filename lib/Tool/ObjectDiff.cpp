//===- ObjectDiff.cpp - differences of two code objects -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sections are matched by name, the n-th one with the n-th one of that name, so
// an additional section does not make later ones look different.
//
//===----------------------------------------------------------------------===//
#include "Tool/ObjectDiff.h"
#include "ToolSupport/ElfFile.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::object;

namespace {

struct Section {
  StringRef Name;
  StringRef Content;
  uint64_t Size = 0; // even without content
  bool IsLoaded = false;
};

/// The name, and the index among sections of that name.
using SectionKey = std::pair<StringRef, unsigned>;

struct Sections {
  std::map<SectionKey, Section> ByKey;
  std::vector<SectionKey> InOrder;
};

} // namespace

static std::optional<Section> readSection(const ElfFile &File,
                                          const ELF64LE::Shdr &Header) {
  Expected<StringRef> Name = File.getSectionName(Header);
  if (!Name)
    return consumeError(Name.takeError()), std::nullopt;
  Section Read{
      *Name, {}, Header.sh_size, (Header.sh_flags & ELF::SHF_ALLOC) != 0};
  if (Header.sh_type == ELF::SHT_NOBITS)
    return Read;
  Expected<ArrayRef<uint8_t>> Content = File.getSectionContents(Header);
  if (!Content)
    return consumeError(Content.takeError()), std::nullopt;
  Read.Content = toStringRef(*Content);
  return Read;
}

static std::optional<Sections> readSections(StringRef Bytes) {
  Expected<ElfFile> File = ElfFile::create(Bytes);
  if (!File)
    return consumeError(File.takeError()), std::nullopt;
  Expected<ELF64LE::ShdrRange> Headers = File->sections();
  if (!Headers)
    return consumeError(Headers.takeError()), std::nullopt;
  Sections All;
  std::map<StringRef, unsigned> Seen;
  for (const ELF64LE::Shdr &Header : *Headers) {
    // Section names are compared directly, so skip their table.
    if (Header.sh_type == ELF::SHT_NULL ||
        &Header - Headers->begin() == File->getHeader().e_shstrndx)
      continue;
    std::optional<Section> Read = readSection(*File, Header);
    if (!Read)
      return std::nullopt;
    SectionKey Key{Read->Name, Seen[Read->Name]++};
    All.InOrder.push_back(Key);
    All.ByKey.emplace(Key, std::move(*Read));
  }
  return All;
}

static bool isEqual(const Section &A, const Section &B) {
  return A.Content == B.Content && A.Size == B.Size && A.IsLoaded == B.IsLoaded;
}

static void add(ObjectDifference &Difference, const Section &Differs) {
  Difference.Sections.push_back(Differs.Name.str());
  Difference.InLoaded |= Differs.IsLoaded;
}

std::optional<ObjectDifference> tool::compareObjects(StringRef Old,
                                                     StringRef New) {
  if (Old == New)
    return std::nullopt;
  std::optional<Sections> Before = readSections(Old), After = readSections(New);
  if (!Before || !After)
    return ObjectDifference{{"as a whole"}, true};
  ObjectDifference Found;
  for (const SectionKey &Key : After->InOrder) {
    const Section &Now = After->ByKey.at(Key);
    auto It = Before->ByKey.find(Key);
    if (It == Before->ByKey.end() || !isEqual(It->second, Now))
      add(Found, Now);
  }
  for (const SectionKey &Key : Before->InOrder)
    if (!After->ByKey.count(Key))
      add(Found, Before->ByKey.at(Key));
  if (Found.Sections.empty())
    return ObjectDifference{{"headers"}, true};
  return Found;
}
