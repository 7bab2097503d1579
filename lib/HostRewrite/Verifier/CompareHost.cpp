//===- CompareHost.cpp - is the host part what it was? --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two files are compared in the memory that they become, address by address,
// so it does not matter where in the file a byte has gone. What a conversion
// has to change is left out there and compared by what it means: the dynamic
// table by its tags, relocations as a set, wrappers one by one. Whether the
// new file loads at all is asked by Verifier.cpp.
//
//===----------------------------------------------------------------------===//
#include "FindWrappers.h"
#include "Ranges.h"
#include "Relocations.h"
#include "Sections.h"
#include "kpack/HostRewrite/Verifier.h"
#include "kpack/Offload/HipSymbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

#include <set>
#include <tuple>

using namespace kpack;
using namespace kpack::hostrewrite;
using namespace kpack::hostrewrite::verifier;
using namespace llvm;
using namespace llvm::support::endian;

namespace {

/// One of the two files.
struct Side {
  const LoadedImage &Image;
  std::optional<DynamicTable> Table;
  std::optional<Relocations> Relocated;
  std::vector<HostWrapper> Wrappers;
  std::vector<Section> Sections;

  explicit Side(const LoadedImage &Image);
};

class HostComparer {
public:
  HostComparer(const Side &Old, const Side &New, Findings &F)
      : Old(Old), New(New), F(F) {}
  void run();

private:
  void compareHeaders();
  void compareDynamic();
  void compareRelocations();
  void compareWrappers();
  void compareSections();
  void compareSection(const Section &Was, const Section &Is);
  void compareAmount();
  void compareMemory();
  void compareRange(const Segment &Load, uint64_t Begin, uint64_t End);
  Ranges changedPlaces() const;
  void different(const Twine &What) {
    F.problem(What, "keep the original, and convert it again");
  }

  const Side &Old, &New;
  Findings &F;
};

} // namespace

Side::Side(const LoadedImage &Image) : Image(Image) {
  // What is wrong with a file is said by verifyHost().
  Findings Unused("");
  Table = DynamicTable::read(Image, Unused);
  if (Table) {
    Table->check(Unused);
    Relocated.emplace(Image, *Table, Unused);
  }
  VerifiedHost Host = verifyHost(Image.file(), "");
  Wrappers = std::move(Host.Wrappers);
  Sections = readSections(Image.file(), Unused);
}

/// What the ELF header and program headers say, but for where tables are.
void HostComparer::compareHeaders() {
  if (Old.Image.type() != New.Image.type() ||
      Old.Image.machine() != New.Image.machine() ||
      Old.Image.entry() != New.Image.entry() ||
      read32le(Old.Image.file().data() + 48) !=
          read32le(New.Image.file().data() + 48))
    different("type, machine, flags or entry point are not those of the "
              "original");
  using Key = std::tuple<uint32_t, uint32_t, uint64_t, uint64_t, uint64_t>;
  auto Keys = [](const LoadedImage &Image) {
    std::vector<Key> All;
    for (const Segment &S : Image.segments())
      if (S.Type != ELF::PT_LOAD && S.Type != ELF::PT_PHDR &&
          S.Type != ELF::PT_NULL)
        All.emplace_back(S.Type, S.Flags, S.Address,
                         S.Type == ELF::PT_DYNAMIC ? 0 : S.MemorySize, S.Align);
    return All;
  };
  if (Keys(Old.Image) != Keys(New.Image))
    different("program headers besides PT_LOAD and PT_PHDR are not those of "
              "the original");
}

/// Entries that say where relocations are and how many.
static bool isAboutRelocations(uint64_t Tag) {
  switch (Tag) {
  case ELF::DT_RELA:
  case ELF::DT_RELASZ:
  case ELF::DT_RELAENT:
  case ELF::DT_RELACOUNT:
  case ELF::DT_REL:
  case ELF::DT_RELSZ:
  case ELF::DT_RELENT:
  case ELF::DT_RELCOUNT:
  case ELF::DT_RELR:
  case ELF::DT_RELRSZ:
  case ELF::DT_RELRENT:
  case ELF::DT_JMPREL:
  case ELF::DT_PLTRELSZ:
    return true;
  }
  return false;
}

void HostComparer::compareDynamic() {
  auto Entries = [](const Side &S) {
    std::vector<DynamicTable::Entry> All;
    if (S.Table)
      llvm::copy_if(S.Table->entries(), std::back_inserter(All),
                    [](const DynamicTable::Entry &E) {
                      return !isAboutRelocations(E.Tag);
                    });
    return All;
  };
  std::vector<DynamicTable::Entry> Was = Entries(Old), Is = Entries(New);
  if (Was.size() != Is.size())
    return different("the dynamic table has " + Twine(Is.size()) +
                     " entries besides relocations, the original " +
                     Twine(Was.size()));
  for (const auto &[A, B] : zip_equal(Was, Is))
    if (!(A == B))
      return different("the dynamic table has " + hexText(B.Value) +
                       " for tag " + hexText(B.Tag) +
                       " where the original has " + hexText(A.Value) +
                       " for tag " + hexText(A.Tag));
}

static std::set<uint64_t> pointersOf(ArrayRef<HostWrapper> Wrappers) {
  std::set<uint64_t> All;
  for (const HostWrapper &W : Wrappers)
    All.insert(W.Address + offload::WrapperPointerOffset);
  return All;
}

void HostComparer::compareRelocations() {
  std::set<uint64_t> Pointers = pointersOf(Old.Wrappers);
  using Key = std::tuple<uint64_t, uint32_t, uint32_t, uint64_t>;
  auto Keys = [&](const Side &S) {
    std::vector<Key> All;
    if (S.Relocated)
      S.Relocated->forEach([&](const Relocation &R) {
        if (R.Type != 0 && !Pointers.count(R.Place))
          All.emplace_back(R.Place, R.Type, R.Symbol, R.Addend);
      });
    llvm::sort(All);
    return All;
  };
  std::vector<Key> Was = Keys(Old), Is = Keys(New);
  auto [A, B] = std::mismatch(Was.begin(), Was.end(), Is.begin(), Is.end());
  if (A == Was.end() && B == Is.end())
    return;
  uint64_t Place = A == Was.end()  ? std::get<0>(*B)
                   : B == Is.end() ? std::get<0>(*A)
                                   : std::min(std::get<0>(*A), std::get<0>(*B));
  different("the relocation for " + hexText(Place) +
            " is not that of the original");
}

/// Each is at its place, and two share an index only if they shared code.
void HostComparer::compareWrappers() {
  if (Old.Wrappers.size() != New.Wrappers.size())
    return different("it has " + Twine(New.Wrappers.size()) +
                     " wrappers, the original " + Twine(Old.Wrappers.size()));
  std::map<uint32_t, uint64_t> CodeOf;
  for (const auto &[Position, Both] :
       enumerate(zip_equal(Old.Wrappers, New.Wrappers))) {
    const auto &[Was, Is] = Both;
    std::string Name = "wrapper " + std::to_string(Position);
    if (Was.Address != Is.Address || Was.Version != Is.Version)
      return different(Name + " is at " + hexText(Is.Address) +
                       ", in the original at " + hexText(Was.Address));
    if (Was.Magic == Is.Magic) { // was converted before
      if (Was.Reserved1 != Is.Reserved1)
        different(Name + " has another index than in the original");
      continue;
    }
    auto [At, IsNew] = CodeOf.try_emplace(uint32_t(Is.Reserved1), Was.Pointer);
    if (!IsNew && At->second != Was.Pointer)
      different(Name + " has index " + Twine(uint32_t(Is.Reserved1)) +
                " like another one, which led to other device code");
    if (Was.Reserved1 >> 32 != Is.Reserved1 >> 32)
      different(Name + ": bytes behind its index are not those of the "
                       "original");
  }
}

/// Debug information and notes stay; symbols may get other section numbers.
void HostComparer::compareSection(const Section &Was, const Section &Is) {
  bool IsMapped = Was.Flags & ELF::SHF_ALLOC;
  if (Was.Type != Is.Type || Was.Flags != Is.Flags || Was.Size != Is.Size)
    return different("section " + Was.Name +
                     " has another type or size than in the original");
  if (!IsMapped && Was.Type == ELF::SHT_PROGBITS &&
      Was.bytesOf(Old.Image.file()) != Is.bytesOf(New.Image.file()))
    different("section " + Was.Name +
              " has not the contents that it has in the original");
}

/// What a conversion may give another size, or leave out.
static bool mayChange(const Section &S) {
  return S.Name == offload::FatBinSectionName || S.Type == ELF::SHT_RELA ||
         S.Type == ELF::SHT_REL || S.Type == ELF::SHT_RELR ||
         S.Type == ELF::SHT_DYNAMIC || S.Type == ELF::SHT_STRTAB ||
         S.Type == ELF::SHT_SYMTAB || S.Type == ELF::SHT_NULL;
}

void HostComparer::compareSections() {
  if (!Old.Sections.empty() && New.Sections.empty())
    return different("it has no section headers, the original has");
  using Key = std::tuple<StringRef, uint64_t, size_t>;
  std::set<Key> Found;
  for (const auto &[Index, S] : enumerate(New.Sections))
    if (!mayChange(S))
      Found.emplace(S.Name, S.Address, Index);
  for (const Section &S : Old.Sections) {
    if (mayChange(S))
      continue;
    auto At = Found.lower_bound(Key(S.Name, S.Address, 0));
    if (At == Found.end() || std::get<0>(*At) != S.Name ||
        std::get<1>(*At) != S.Address) {
      different("section " + S.Name + " of the original is not there");
      continue;
    }
    compareSection(S, New.Sections[std::get<2>(*At)]);
    Found.erase(At);
  }
}

/// The bundle that a wrapper of \p Image leads to, and the zeros behind it up
/// to the next page, where another bundle may begin.
static uint64_t endOfBundle(const LoadedImage &Image, uint64_t Address) {
  StringRef Bytes = Image.bytesFrom(Address);
  uint64_t Size = bundleSizeAt(Image, Address);
  while (Size < Bytes.size() && (Address + Size) % PageSize != 0 &&
         Bytes[Size] == 0)
    ++Size;
  return Address + Size;
}

/// Addresses at which the new file may have something else than the old one.
Ranges HostComparer::changedPlaces() const {
  Ranges All;
  for (const HostWrapper &W : Old.Wrappers) {
    All.add(W.Address, W.Address + offload::WrapperSize);
    if (W.Magic == offload::WrapperMagicFat)
      All.add(W.Pointer, endOfBundle(Old.Image, W.Pointer));
  }
  for (const Section &S : Old.Sections)
    if (S.Name == offload::FatBinSectionName && (S.Flags & ELF::SHF_ALLOC))
      All.add(S.Address, S.Address + S.Size);
  for (const Segment &S : Old.Image.segments())
    if (S.Type == ELF::PT_DYNAMIC)
      All.add(S.Address, S.Address + S.MemorySize);
  if (Old.Table)
    for (auto [Tag, SizeTag] : {std::pair(ELF::DT_RELA, ELF::DT_RELASZ),
                                {ELF::DT_REL, ELF::DT_RELSZ},
                                {ELF::DT_RELR, ELF::DT_RELRSZ},
                                {ELF::DT_JMPREL, ELF::DT_PLTRELSZ}})
      All.add(Old.Table->getOr(Tag, 0),
              Old.Table->getOr(Tag, 0) + Old.Table->getOr(SizeTag, 0));
  // The ELF header's own numbers, and the program headers.
  uint64_t Headers = Old.Image.headersOffset();
  for (const Segment &S : Old.Image.loads()) {
    auto AddOfFile = [&](uint64_t Offset, uint64_t Size) {
      if (Offset >= S.Offset && Offset - S.Offset < S.FileSize)
        All.add(S.Address + (Offset - S.Offset),
                S.Address + (Offset - S.Offset) + Size);
    };
    AddOfFile(32, 16); // e_phoff, e_shoff
    AddOfFile(56, 8);  // e_phnum, e_shentsize, e_shnum, e_shstrndx
    AddOfFile(Headers, Old.Image.segments().size() * PhdrSize);
  }
  All.sort();
  return All;
}

namespace {
/// What is at an address and behind it, as far as it is of one kind.
struct Piece {
  uint64_t Size;
  const Segment *Load; ///< null: nothing is mapped
  StringRef Bytes;     ///< empty: zeros
};
} // namespace

static Piece pieceAt(const LoadedImage &Image, uint64_t Address) {
  const Segment *Load = Image.loadAt(Address);
  if (!Load) {
    auto Next = find_if(Image.loads(), [&](const Segment &S) {
      return S.Address > Address && S.MemorySize != 0;
    });
    uint64_t End = Next == Image.loads().end() ? AddressLimit : Next->Address;
    return {End - Address, nullptr, StringRef()};
  }
  StringRef Bytes = Image.bytesFrom(Address);
  if (!Bytes.empty())
    return {Bytes.size(), Load, Bytes};
  return {Load->endOfMemory() - Address, Load, StringRef()};
}

static bool isSame(StringRef A, StringRef B, uint64_t Size) {
  auto IsZero = [&](StringRef Bytes) {
    return Bytes.take_front(Size).find_first_not_of('\0') == StringRef::npos;
  };
  if (A.empty() || B.empty())
    return IsZero(A.empty() ? B : A);
  return A.take_front(Size) == B.take_front(Size);
}

void HostComparer::compareRange(const Segment &Load, uint64_t Begin,
                                uint64_t End) {
  constexpr uint32_t Rights = ELF::PF_R | ELF::PF_W | ELF::PF_X;
  for (uint64_t At = Begin; At < End;) {
    Piece Was = pieceAt(Old.Image, At), Is = pieceAt(New.Image, At);
    uint64_t Size = std::min({Was.Size, Is.Size, End - At});
    std::string Name = hexText(Size) + " bytes at " + hexText(At);
    if (!Is.Load)
      different(Name + ", section contents of the original, are not mapped");
    else if ((Is.Load->Flags & Rights) != (Load.Flags & Rights))
      different(Name + " are mapped with other rights than in the original");
    else if (!isSame(Was.Bytes, Is.Bytes, Size))
      different("some of " + Name + " are not those of the original");
    At += Size;
  }
}

/// A marker and a table of program headers need little.
void HostComparer::compareAmount() {
  constexpr uint64_t Most = 1 << 20;
  auto Sum = [](const LoadedImage &Image) {
    uint64_t Size = 0;
    for (const Segment &S : Image.loads())
      Size += S.MemorySize;
    return Size;
  };
  uint64_t Was = Sum(Old.Image), Is = Sum(New.Image);
  if (Is > Was && Is - Was > Most)
    different("it takes " + hexText(Is) + " bytes of memory, the original " +
              hexText(Was));
}

void HostComparer::compareMemory() {
  compareAmount();
  Ranges Changed = changedPlaces();
  for (const Segment &Load : Old.Image.loads())
    Changed.forEachOther(
        Load.Address, Load.endOfMemory(),
        [&](uint64_t Begin, uint64_t End) { compareRange(Load, Begin, End); });
}

void HostComparer::run() {
  compareHeaders();
  compareDynamic();
  compareRelocations();
  compareWrappers();
  compareSections();
  compareMemory();
}

std::vector<std::string>
hostrewrite::compareHost(StringRef Before, StringRef After, StringRef Name) {
  Findings F(Name);
  Findings Original((Name + ": the original").str());
  std::optional<LoadedImage> Old = LoadedImage::read(Before, Original);
  if (!Old)
    return Original.take();
  if (std::optional<LoadedImage> New = LoadedImage::read(After, F)) {
    Side Was(*Old), Is(*New);
    HostComparer(Was, Is, F).run();
  }
  return F.take();
}
