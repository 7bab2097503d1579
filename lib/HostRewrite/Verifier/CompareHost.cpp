//===- CompareHost.cpp - comparison with the original file ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the memory images of two files, address by address, so file offsets
// do not matter. Places that a conversion has to change are skipped there and
// compared by meaning: the dynamic table by its tags, relocations as a set,
// wrappers one by one. Verifier.cpp checks that the new file loads at all.
//
//===----------------------------------------------------------------------===//
#include "CompareHost.h"
#include "LoadedPe.h"
#include "Offload/HipSymbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace kpack;
using namespace kpack::hostrewrite;
using namespace kpack::hostrewrite::verifier;
using namespace llvm;
using namespace llvm::support::endian;

Side::Side(const LoadedImage &Image) : Image(Image) {
  // verifyHost() reports the problems of each file.
  Findings Unused("");
  Table = DynamicTable::read(Image, Unused);
  if (Table) {
    Table->check(Unused);
    Relocated.emplace(Image, *Table, Unused);
  }
  VerifiedHost Host = verifyHost(Image.file(), "");
  Wrappers = std::move(Host.Wrappers);
  Sections = readSections(Image.file(), Unused);
  for (const Section &S : Sections) {
    if (S.isMapped())
      Contents.add(S.Address, S.Address + S.Size);
    if (S.isMapped() && (S.Flags & ELF::SHF_EXECINSTR))
      Code.add(S.Address, S.Address + S.Size);
  }
  Contents.sort();
  Code.sort();
}

bool verifier::isFoundByHeader(uint32_t Type) {
  return Type == ELF::PT_NOTE || Type == ELF::PT_INTERP ||
         Type == ELF::PT_GNU_PROPERTY;
}

static StringRef getContents(const LoadedImage &Image, const Segment &S) {
  StringRef File = Image.file();
  if (S.Offset > File.size())
    return StringRef();
  return File.substr(S.Offset, S.FileSize);
}

std::vector<const Segment *> verifier::otherSegments(const LoadedImage &Image) {
  std::vector<const Segment *> All;
  for (const Segment &S : Image.segments())
    if (S.Type != ELF::PT_LOAD && S.Type != ELF::PT_PHDR &&
        S.Type != ELF::PT_NULL)
      All.push_back(&S);
  return All;
}

/// True if \p S covers a part of the table of program headers. patchelf moves
/// sections away from a longer table and leaves a PT_GNU_PROPERTY at their old
/// place. The table has to change, so it is not compared as contents.
static bool meetsHeaders(const LoadedImage &Image, const Segment &S) {
  uint64_t Begin = Image.headersOffset();
  uint64_t End = Begin + Image.segments().size() * PhdrSize;
  return S.FileSize != 0 && S.Offset < End &&
         (S.Offset >= Begin || S.FileSize > Begin - S.Offset);
}

/// Compares parts that only a program header refers to, which may move. Other
/// parts stay at their address, where compareMemory() compares them.
bool HostComparer::isSameSegment(const Segment &Was, const Segment &Is) const {
  auto Facts = [](const Segment &S) {
    bool IsDynamic = S.Type == ELF::PT_DYNAMIC;
    return std::tuple(S.Type, S.Flags, IsDynamic ? 0 : S.MemorySize, S.Align);
  };
  if (Facts(Was) != Facts(Is))
    return false;
  if (isFoundByHeader(Was.Type) && !meetsHeaders(Old.Image, Was))
    return getContents(Old.Image, Was) == getContents(New.Image, Is);
  return Moved.at(Was.Address) == Is.Address;
}

/// Compares the headers except for the places of tables.
void HostComparer::compareHeaders() {
  if (Old.Image.type() != New.Image.type() ||
      Old.Image.machine() != New.Image.machine() ||
      Moved.at(Old.Image.entry()) != New.Image.entry() ||
      read32le(Old.Image.file().data() + 48) !=
          read32le(New.Image.file().data() + 48))
    different("type, machine, flags or entry point are not those of the "
              "original");
  std::vector<const Segment *> Was = otherSegments(Old.Image);
  std::vector<const Segment *> Is = otherSegments(New.Image);
  if (!std::equal(Was.begin(), Was.end(), Is.begin(), Is.end(),
                  [&](const Segment *A, const Segment *B) {
                    return isSameSegment(*A, *B);
                  }))
    different("program headers besides PT_LOAD and PT_PHDR are not those of "
              "the original");
}

void verifier::compareWrappers(ArrayRef<HostWrapper> AllWere,
                               ArrayRef<HostWrapper> AllAre,
                               function_ref<void(const Twine &)> Different,
                               const Shift &Moved) {
  if (AllWere.size() != AllAre.size())
    return Different("it has " + Twine(AllAre.size()) +
                     " wrappers, the original " + Twine(AllWere.size()));
  std::map<uint32_t, uint64_t> CodeOf;
  for (const auto &[Position, Both] : enumerate(zip_equal(AllWere, AllAre))) {
    const auto &[Was, Is] = Both;
    std::string Name = "wrapper " + std::to_string(Position);
    if (Moved.at(Was.Address) != Is.Address || Was.Version != Is.Version)
      return Different(Name + " is at " + hexText(Is.Address) +
                       ", in the original at " + hexText(Was.Address));
    if (Was.Magic == Is.Magic) { // was converted before
      if (Was.Reserved1 != Is.Reserved1)
        Different(Name + " has another index than in the original");
      continue;
    }
    auto [It, IsNew] = CodeOf.try_emplace(uint32_t(Is.Reserved1), Was.Pointer);
    if (!IsNew && It->second != Was.Pointer)
      Different(Name + " has index " + Twine(uint32_t(Is.Reserved1)) +
                " like another one, which led to other device code");
    if (Was.Reserved1 >> 32 != Is.Reserved1 >> 32)
      Different(Name + ": bytes behind its index are not those of the "
                       "original");
  }
}

/// Debug information and notes stay; symbols may get other section numbers.
void HostComparer::compareSection(const Section &Was, const Section &Is) {
  bool IsMapped = Was.Flags & ELF::SHF_ALLOC;
  if (Was.Type != Is.Type || Was.Flags != Is.Flags || Was.Size != Is.Size)
    return different("section " + Was.Name +
                     " has another type or size than in the original");
  // compareMemory() covers sections at the same address; symbols are separate.
  bool IsElsewhere =
      Moved.at(Was.Address) != Is.Address && Was.Type != ELF::SHT_DYNSYM;
  StringRef Before = Was.bytesOf(Old.Image.file());
  // Sections do not overlap, but a hostile file may repeat one range.
  if (Before.size() > SectionBudget)
    return different("section " + Was.Name + " is where others are");
  SectionBudget -= Before.size();
  bool IsOther = !IsMapped && Was.Type == ELF::SHT_PROGBITS && !Moved.isAny();
  if ((IsMapped ? IsElsewhere : IsOther) &&
      Before != Is.bytesOf(New.Image.file()))
    different("section " + Was.Name +
              " has not the contents that it has in the original");
}

/// True for sections that a conversion may resize or drop.
static bool mayChange(const Section &S) {
  return S.Name == offload::FatBinSectionName || S.Type == ELF::SHT_RELA ||
         S.Type == ELF::SHT_REL || S.Type == ELF::SHT_RELR ||
         S.Type == ELF::SHT_DYNAMIC || S.Type == ELF::SHT_STRTAB ||
         S.Type == ELF::SHT_SYMTAB || S.Type == ELF::SHT_NULL;
}

static bool mayMove(const Section &S) {
  switch (S.Type) {
  case ELF::SHT_NOTE:
  case ELF::SHT_HASH:
  case ELF::SHT_GNU_HASH:
  case ELF::SHT_DYNSYM:
  case ELF::SHT_GNU_versym:
  case ELF::SHT_GNU_verneed:
  case ELF::SHT_GNU_verdef:
    return true;
  }
  return S.Name == ".interp";
}

void HostComparer::compareSections() {
  if (!Old.Sections.empty() && New.Sections.empty())
    return different("it has no section headers, the original has");
  using Key = std::tuple<StringRef, uint64_t, size_t>;
  std::set<Key> Found;
  auto Find = [&](StringRef Name, uint64_t Low, uint64_t High) {
    auto It = Found.lower_bound(Key(Name, Low, 0));
    bool IsIt = It != Found.end() && std::get<0>(*It) == Name &&
                std::get<1>(*It) <= High;
    return IsIt ? It : Found.end();
  };
  for (const auto &[Index, S] : enumerate(New.Sections))
    if (!mayChange(S))
      Found.emplace(S.Name, S.Address, Index);
  for (const Section &S : Old.Sections) {
    if (mayChange(S))
      continue;
    uint64_t Address =
        S.Flags & ELF::SHF_ALLOC ? Moved.at(S.Address) : S.Address;
    auto It = Find(S.Name, Address, Address);
    if (It == Found.end() && mayMove(S))
      It = Find(S.Name, 0, ~uint64_t(0));
    if (It == Found.end()) {
      different("section " + S.Name + " of the original is not there");
      continue;
    }
    compareSection(S, New.Sections[std::get<2>(*It)]);
    Found.erase(It);
  }
}

void HostComparer::run() {
  compareHeaders();
  compareDynamic();
  compareRelocations();
  compareWrappers(
      Old.Wrappers, New.Wrappers,
      [&](const Twine &Problem) { different(Problem); }, Moved);
  compareSections();
  compareMemory();
}

std::vector<std::string>
hostrewrite::compareHost(StringRef Before, StringRef After, StringRef Name) {
  Findings F(Name);
  Findings Original((Name + ": the original").str());
  if (LoadedPe::startsOne(Before) || LoadedPe::startsOne(After)) {
    comparePe(Before, After, F);
    return F.take();
  }
  std::optional<LoadedImage> Old = LoadedImage::read(Before, Original);
  if (!Old)
    return Original.take();
  if (std::optional<LoadedImage> New = LoadedImage::read(After, F)) {
    Side Was(*Old), Is(*New);
    HostComparer(Was, Is, F).run();
  }
  return F.take();
}
