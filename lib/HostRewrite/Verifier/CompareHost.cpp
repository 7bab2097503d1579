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
#include "llvm/Support/MathExtras.h"

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
  void compareTables();
  void compareSymbols();
  void compareRelocations();
  void compareWrappers();
  void compareSections();
  void compareSection(const Section &Was, const Section &Is);
  void compareAmount();
  void compareMemory();
  void compareRange(const Segment &Load, uint64_t Begin, uint64_t End);
  bool hasSameRights(const Segment &Was, const Segment &Is, uint64_t At,
                     uint64_t Size) const;
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

/// What only its program header leads to, so that it may be moved.
static bool isFoundByHeader(uint32_t Type) {
  return Type == ELF::PT_NOTE || Type == ELF::PT_INTERP ||
         Type == ELF::PT_GNU_PROPERTY;
}

static StringRef contentsOf(const LoadedImage &Image, const Segment &S) {
  StringRef File = Image.file();
  if (S.Offset > File.size())
    return StringRef();
  return File.substr(S.Offset, S.FileSize);
}

/// In their order, without those that a conversion splits, adds or drops.
static std::vector<const Segment *> otherSegments(const LoadedImage &Image) {
  std::vector<const Segment *> All;
  for (const Segment &S : Image.segments())
    if (S.Type != ELF::PT_LOAD && S.Type != ELF::PT_PHDR &&
        S.Type != ELF::PT_NULL)
      All.push_back(&S);
  return All;
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
  using Key =
      std::tuple<uint32_t, uint32_t, uint64_t, uint64_t, uint64_t, StringRef>;
  auto Keys = [](const LoadedImage &Image) {
    std::vector<Key> All;
    for (const Segment *S : otherSegments(Image)) {
      bool MayMove = isFoundByHeader(S->Type);
      All.emplace_back(S->Type, S->Flags, MayMove ? 0 : S->Address,
                       S->Type == ELF::PT_DYNAMIC ? 0 : S->MemorySize, S->Align,
                       MayMove ? contentsOf(Image, *S) : StringRef());
    }
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

static constexpr uint64_t SymbolSize = 24;
/// Tables that only the dynamic table leads to, so that they may be moved.
static constexpr uint64_t MovableTables[] = {
    ELF::DT_HASH,   ELF::DT_GNU_HASH, ELF::DT_SYMTAB, ELF::DT_STRTAB,
    ELF::DT_VERSYM, ELF::DT_VERNEED,  ELF::DT_VERDEF};

static uint64_t addressOf(const Side &S, uint64_t Tag) {
  return S.Table ? S.Table->getOr(Tag, 0) : 0;
}

/// The bytes of a table: as many as its section has, or else up to whatever
/// stands behind it.
static StringRef tableBytes(const Side &S, uint64_t Tag) {
  uint64_t At = addressOf(S, Tag);
  StringRef Bytes = S.Image.bytesFrom(At);
  if (Tag == ELF::DT_STRTAB)
    return Bytes.take_front(addressOf(S, ELF::DT_STRSZ));
  for (const Section &Of : S.Sections)
    if (Of.isMapped() && Of.Address == At)
      return Bytes.take_front(Of.Size);
  auto CutAt = [&](uint64_t Next) {
    if (Next > At)
      Bytes = Bytes.take_front(Next - At);
  };
  for (uint64_t Other : MovableTables)
    CutAt(addressOf(S, Other));
  for (uint64_t Other :
       {ELF::DT_RELA, ELF::DT_RELR, ELF::DT_JMPREL, ELF::DT_INIT, ELF::DT_FINI})
    CutAt(addressOf(S, Other));
  for (const Segment *Other : otherSegments(S.Image))
    CutAt(Other->Address);
  // What aligns the next one is no part of it.
  return Bytes.rtrim('\0');
}

static bool isMoved(const Side &Old, const Side &New, uint64_t Tag) {
  return addressOf(Old, Tag) != addressOf(New, Tag);
}

/// Section numbers of symbols are for tools: the dynamic linker asks whether
/// there is one, and is told with large ones that the value is no address.
static bool isSameSymbol(StringRef A, StringRef B) {
  constexpr uint64_t SectionAt = 6, SectionEnd = 8;
  auto Kind = [](StringRef Symbol) {
    uint16_t Section = read16le(Symbol.data() + SectionAt);
    return Section >= ELF::SHN_LORESERVE ? Section : uint16_t(Section != 0);
  };
  return A.take_front(SectionAt) == B.take_front(SectionAt) &&
         A.drop_front(SectionEnd) == B.drop_front(SectionEnd) &&
         Kind(A) == Kind(B);
}

/// The symbol table with whole symbols.
static StringRef symbolBytes(const Side &S) {
  uint64_t Size = alignTo(tableBytes(S, ELF::DT_SYMTAB).size(), SymbolSize);
  StringRef Bytes = S.Image.bytesFrom(addressOf(S, ELF::DT_SYMTAB));
  return Bytes.take_front(Size - (Size > Bytes.size() ? SymbolSize : 0));
}

void HostComparer::compareSymbols() {
  StringRef Was = symbolBytes(Old);
  StringRef Is = New.Image.bytesFrom(addressOf(New, ELF::DT_SYMTAB));
  if (Is.size() < Was.size())
    return different("the table of dynamic symbols is shorter than that of the "
                     "original");
  for (uint64_t At = 0; At + SymbolSize <= Was.size(); At += SymbolSize)
    if (!isSameSymbol(Was.substr(At, SymbolSize), Is.substr(At, SymbolSize)))
      return different("dynamic symbol " + Twine(At / SymbolSize) +
                       " is not that of the original");
}

/// Each that stands elsewhere is there as a whole.
void HostComparer::compareTables() {
  compareSymbols();
  for (uint64_t Tag : MovableTables) {
    if (!isMoved(Old, New, Tag) || Tag == ELF::DT_SYMTAB)
      continue;
    StringRef Was = tableBytes(Old, Tag);
    uint64_t At = addressOf(New, Tag);
    if (addressOf(Old, Tag) == 0 || !New.Image.bytesFrom(At).starts_with(Was))
      different("dynamic tag " + hexText(Tag) + " leads to " + hexText(At) +
                ", where not the same table stands as in the original at " +
                hexText(addressOf(Old, Tag)));
  }
}

void HostComparer::compareDynamic() {
  compareTables();
  auto Entries = [](const Side &S) {
    std::vector<DynamicTable::Entry> All;
    if (S.Table)
      llvm::copy_if(S.Table->entries(), std::back_inserter(All),
                    [](const DynamicTable::Entry &E) {
                      return !isAboutRelocations(E.Tag) &&
                             !is_contained(MovableTables, E.Tag);
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
  // At the same address they are compared in memory, and symbols by themselves.
  bool IsElsewhere = Was.Address != Is.Address && Was.Type != ELF::SHT_DYNSYM;
  if ((IsMapped ? IsElsewhere : Was.Type == ELF::SHT_PROGBITS) &&
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
  auto Find = [&](StringRef Name, uint64_t From, uint64_t To) {
    auto At = Found.lower_bound(Key(Name, From, 0));
    bool IsIt =
        At != Found.end() && std::get<0>(*At) == Name && std::get<1>(*At) <= To;
    return IsIt ? At : Found.end();
  };
  for (const auto &[Index, S] : enumerate(New.Sections))
    if (!mayChange(S))
      Found.emplace(S.Name, S.Address, Index);
  for (const Section &S : Old.Sections) {
    if (mayChange(S))
      continue;
    auto At = Find(S.Name, S.Address, S.Address);
    if (At == Found.end() && mayMove(S))
      At = Find(S.Name, 0, ~uint64_t(0));
    if (At == Found.end()) {
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
  for (uint64_t Tag : MovableTables)
    if (isMoved(Old, New, Tag))
      All.add(addressOf(Old, Tag),
              addressOf(Old, Tag) + tableBytes(Old, Tag).size());
  uint64_t Symbols = addressOf(Old, ELF::DT_SYMTAB);
  All.add(Symbols, Symbols + symbolBytes(Old).size());
  std::vector<const Segment *> Was = otherSegments(Old.Image);
  std::vector<const Segment *> Is = otherSegments(New.Image);
  for (const auto &[A, B] : zip(Was, Is))
    if (isFoundByHeader(A->Type) && A->Address != B->Address)
      All.add(A->Address, A->Address + A->MemorySize);
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
    auto Next =
        upper_bound(Image.loads(), Address, [](uint64_t At, const Segment &S) {
          return At < S.Address;
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

/// Rights to write or read are those of the original. What held no code may
/// lose the right to be executed, as linkers of today lay files out.
bool HostComparer::hasSameRights(const Segment &Was, const Segment &Is,
                                 uint64_t At, uint64_t Size) const {
  uint32_t Lost = (Was.Flags ^ Is.Flags) & (ELF::PF_R | ELF::PF_W | ELF::PF_X);
  if (Lost == 0)
    return true;
  if (Lost != ELF::PF_X || !(Was.Flags & ELF::PF_X) || Old.Sections.empty())
    return false;
  return none_of(Old.Sections, [&](const Section &S) {
    return S.isMapped() && (S.Flags & ELF::SHF_EXECINSTR) &&
           S.Address < At + Size && S.Address + S.Size > At;
  });
}

void HostComparer::compareRange(const Segment &Load, uint64_t Begin,
                                uint64_t End) {
  for (uint64_t At = Begin; At < End;) {
    Piece Was = pieceAt(Old.Image, At), Is = pieceAt(New.Image, At);
    uint64_t Size = std::min({Was.Size, Is.Size, End - At});
    std::string Name = hexText(Size) + " bytes at " + hexText(At);
    if (!Is.Load)
      different(Name + ", section contents of the original, are not mapped");
    else if (!hasSameRights(Load, *Is.Load, At, Size))
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
