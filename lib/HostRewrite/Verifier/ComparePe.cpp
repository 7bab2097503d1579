//===- ComparePe.cpp - comparison of Windows files ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the memory images of two Windows files, section by section, and the
// bytes outside of sections: symbols and appended bytes. Skips device code,
// markers, the checksum, a signature (any change invalidates it), and file
// offsets. Sibling for ELF: CompareHost.cpp.
//
//===----------------------------------------------------------------------===//
#include "CompareHost.h"
#include "LoadedPe.h"
#include "Offload/HipSymbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/Endian.h"

#include <map>

using namespace kpack;
using namespace kpack::hostrewrite;
using namespace kpack::hostrewrite::verifier;
using namespace llvm;
using namespace llvm::support::endian;

namespace {
class PeComparer {
public:
  PeComparer(const LoadedPe &Old, const LoadedPe &New, Findings &F)
      : Old(Old), New(New), F(F) {}
  void run();

private:
  void compareHeaders();
  void compareNumbers(uint64_t Offset, uint64_t End,
                      ArrayRef<uint64_t> MayChange);
  void compareDirectories();
  void compareSections();
  void compareSection(const PeSection &Was, const PeSection &Is);
  void compareDebug();
  bool isMovable(const PeSection &S) const;
  void compareSymbols();
  bool isSameSymbol(StringRef Was, StringRef Is) const;
  void compareRest();
  void different(const Twine &Problem) {
    F.problem(Problem, "keep the original, and convert it again");
  }

  const LoadedPe &Old, &New;
  Findings &F;
  Ranges Changed; // addresses that may change
  /// New section numbers of the host, by the original ones.
  std::map<int64_t, int64_t> Numbers;
};
} // namespace

/// Compares the headers in units of four bytes, except for some offsets.
void PeComparer::compareNumbers(uint64_t Offset, uint64_t End,
                                ArrayRef<uint64_t> MayChange) {
  for (; Offset < End; Offset += 4) {
    if (is_contained(MayChange, Offset))
      continue;
    if (Old.header32(Offset) != New.header32(Offset))
      different("its header has " + hexText(New.header32(Offset)) + " at " +
                hexText(New.headerOffset() + Offset) + ", the original " +
                hexText(Old.header32(Offset)));
  }
}

void PeComparer::compareHeaders() {
  constexpr uint64_t Optional = 20;
  if (Old.headerOffset() != New.headerOffset() ||
      Old.tableOffset() != New.tableOffset() ||
      Old.file().take_front(Old.headerOffset()) !=
          New.file().take_front(New.headerOffset()))
    return different("what stands before its headers is not that of the "
                     "original");
  // Skip the number of sections, next to the machine, the pointer to symbols,
  // the sizes of initialized data, memory and headers, and the checksum.
  if (Old.header16(0) != New.header16(0))
    different("it is for another machine than the original");
  compareNumbers(
      4, Optional + 112,
      {8, Optional + 8, Optional + 56, Optional + 60, Optional + 64});
  if ((Old.checksum() == 0) != (New.checksum() == 0))
    different("one of it and the original has a checksum");
  uint64_t Begin = std::max(Old.tableEnd(), New.tableEnd());
  uint64_t End = std::min(Old.headersSize(), New.headersSize());
  if (Begin < End &&
      Old.file().slice(Begin, End) != New.file().slice(Begin, End))
    different("what stands behind its headers is not that of the original");
}

void PeComparer::compareDirectories() {
  for (size_t I = 0; I != PeDirectoryCount; ++I) {
    PeDirectory Was = Old.directory(I), Is = New.directory(I);
    bool MayGo = I == PeSignature && (Was.Size == 0 || Is.Size == 0);
    if (!MayGo && (Was.Address != Is.Address || Was.Size != Is.Size))
      different("its directory " + Twine(I) + " is not that of the original");
  }
}

static bool isDeviceCode(const PeSection &S) {
  return S.Name == offload::FatBinSectionName.take_front(8) ||
         S.Name == ".kpackrf" || S.Name == ".hip_old";
}

/// MinGW's linker stores long names elsewhere and puts their offset here.
static StringRef longName(const LoadedPe &Image, const PeSection &S) {
  uint64_t Offset = 0;
  if (!S.Name.starts_with("/") || S.Name.drop_front().getAsInteger(10, Offset))
    return S.Name;
  Offset += Image.header32(8) + uint64_t(Image.header32(12)) * 18;
  constexpr size_t Most = 64; // longer than all names compared with it
  return Image.file().substr(Offset).take_front(Most).take_until(
      [](char C) { return C == '\0'; });
}

static bool isDeviceCode(const LoadedPe &Image, const PeSection &S) {
  return isDeviceCode(S) || longName(Image, S) == offload::FatBinSectionName;
}

/// True for DWARF, to which no address refers, so it may move.
bool PeComparer::isMovable(const PeSection &S) const {
  constexpr uint32_t Discardable = 0x02000000;
  auto Meets = [&](size_t I) {
    PeDirectory D = Old.directory(I);
    return I != PeSignature && D.Address >= S.Address && D.Address < S.end();
  };
  return longName(Old, S).starts_with(".debug_") && (S.Flags & Discardable) &&
         none_of(seq<size_t>(0, PeDirectoryCount), Meets);
}

void PeComparer::compareSection(const PeSection &Was, const PeSection &Is) {
  if (Was.Name != Is.Name || Was.Size != Is.Size || Was.Flags != Is.Flags)
    return different("section " + Was.Name +
                     " has another name, size or rights than in the original");
  StringRef A = Old.file().substr(Was.Offset, Was.FileSize);
  StringRef B = New.file().substr(Is.Offset, Is.FileSize);
  uint64_t End = Was.Address + std::max({A.size(), B.size(), size_t(0)});
  Changed.forEachOther(Was.Address, End, [&](uint64_t First, uint64_t Last) {
    StringRef X = A.slice(First - Was.Address, Last - Was.Address);
    StringRef Y = B.slice(First - Was.Address, Last - Was.Address);
    if (X.size() < Y.size())
      std::swap(X, Y);
    // The bytes that only one of them has must be zeros.
    if (X.take_front(Y.size()) != Y ||
        X.drop_front(Y.size()).find_first_not_of('\0') != StringRef::npos)
      different("some of " + hexText(Last - First) + " bytes at " +
                hexText(First) + " are not those of the original");
  });
}

void PeComparer::compareSections() {
  auto Other = [](const LoadedPe &Image) {
    std::vector<const PeSection *> All;
    for (const PeSection &S : Image.sections())
      if (!isDeviceCode(Image, S))
        All.push_back(&S);
    return All;
  };
  std::vector<const PeSection *> Were = Other(Old), Are = Other(New);
  if (Were.size() != Are.size())
    return different("it has " + Twine(Are.size()) +
                     " sections of the host, the original " +
                     Twine(Were.size()));
  for (const auto &[Was, Is] : zip_equal(Were, Are)) {
    Numbers[1 + (Was - Old.sections().data())] =
        1 + (Is - New.sections().data());
    if (Was->Address != Is->Address && !isMovable(*Was))
      return different("section " + Was->Name + " is at " +
                       hexText(Is->Address) + ", in the original at " +
                       hexText(Was->Address));
    compareSection(*Was, *Is);
  }
  constexpr uint64_t Most = 1 << 20;
  if (New.imageSize() > Old.imageSize() + Most)
    different("it takes " + hexText(New.imageSize()) +
              " bytes of memory, the original " + hexText(Old.imageSize()));
}

/// Compares the entries' file offsets; the rest is compared as memory.
void PeComparer::compareDebug() {
  constexpr uint64_t Size = 28;
  PeDirectory D = Old.directory(PeDebug);
  std::optional<StringRef> Was = Old.bytesAt(D.Address, D.Size);
  std::optional<StringRef> Is = New.bytesAt(D.Address, D.Size);
  if (!Was || !Is)
    return;
  uint64_t Budget = Old.file().size();
  for (uint64_t I = 0; I + Size <= D.Size; I += Size) {
    uint64_t Length = read32le(Was->data() + I + 16);
    uint64_t Before = read32le(Was->data() + I + 24);
    uint64_t After = read32le(Is->data() + I + 24);
    if (Length > Budget)
      return different("its debug information shares its bytes");
    Budget -= Length;
    if ((Before == 0) != (After == 0) ||
        Old.file().substr(Before, Length) != New.file().substr(After, Length))
      different("debug information is not that of the original");
  }
}

static constexpr uint64_t SymbolSize = 18;

/// Compares a symbol and its auxiliary records. A symbol of device code may
/// have the number of any section that is not the host's.
bool PeComparer::isSameSymbol(StringRef Was, StringRef Is) const {
  constexpr uint64_t NumberAt = 12, NumberEnd = 14;
  int64_t OldIndex = int16_t(read16le(Was.data() + NumberAt));
  int64_t NewIndex = int16_t(read16le(Is.data() + NumberAt));
  auto Known = Numbers.find(OldIndex);
  bool IsSection = OldIndex > 0 && OldIndex <= int64_t(Old.sections().size());
  bool IsSameNumber = OldIndex == NewIndex;
  if (IsSection && Known != Numbers.end())
    IsSameNumber = NewIndex == Known->second;
  else if (IsSection)
    IsSameNumber = NewIndex > 0 && NewIndex <= int64_t(New.sections().size()) &&
                   isDeviceCode(New, New.sections()[NewIndex - 1]);
  return IsSameNumber && Was.take_front(NumberAt) == Is.take_front(NumberAt) &&
         Was.drop_front(NumberEnd) == Is.drop_front(NumberEnd);
}

static StringRef getSymbols(const LoadedPe &Image) {
  uint64_t Offset = Image.header32(8), Count = Image.header32(12);
  if (Offset == 0 || Offset > Image.file().size())
    return StringRef();
  return Image.file().substr(Offset, Count * SymbolSize);
}

void PeComparer::compareSymbols() {
  StringRef Was = getSymbols(Old), Is = getSymbols(New);
  bool IsSame = (Old.header32(8) == 0) == (New.header32(8) == 0) &&
                Was.size() == Is.size();
  while (IsSame && Was.size() >= SymbolSize) {
    // Auxiliary records follow their symbol.
    uint64_t Size = (1 + uint64_t(uint8_t(Was[17]))) * SymbolSize;
    IsSame = isSameSymbol(Was.take_front(Size), Is.take_front(Size));
    Was = Was.drop_front(std::min<uint64_t>(Size, Was.size()));
    Is = Is.drop_front(std::min<uint64_t>(Size, Is.size()));
  }
  if (!IsSame || Was != Is)
    different("its symbols are not those of the original");
}

static std::pair<StringRef, StringRef> getRest(const LoadedPe &Image) {
  StringRef Rest = Image.file().substr(Image.contentsEnd());
  PeDirectory Signature = Image.directory(PeSignature);
  uint64_t Begin = Signature.Address - Image.contentsEnd();
  if (Signature.Size == 0 || Begin > Rest.size())
    return {Rest, StringRef()};
  return {Rest.take_front(Begin), Rest.substr(Begin).substr(Signature.Size)};
}

void PeComparer::compareRest() {
  auto [A1, A2] = getRest(Old);
  auto [B1, B2] = getRest(New);
  // Symbols were compared, and may differ in section numbers.
  uint64_t Before = Old.header32(8) - Old.contentsEnd();
  uint64_t Size = getSymbols(Old).size();
  auto HasSymbols = [&](StringRef Rest) {
    return Before <= Rest.size() && Size <= Rest.size() - Before;
  };
  if (Before == New.header32(8) - New.contentsEnd() &&
      Size == getSymbols(New).size() && HasSymbols(A1) && HasSymbols(B1) &&
      A1.take_front(Before) == B1.take_front(Before)) {
    A1 = A1.drop_front(Before + Size);
    B1 = B1.drop_front(Before + Size);
  }
  // One of them has a signature, the other may have none.
  bool IsSame = A1.size() + A2.size() == B1.size() + B2.size();
  if (A1.size() < B1.size()) {
    std::swap(A1, B1);
    std::swap(A2, B2);
  }
  size_t Between = A1.size() - B1.size();
  IsSame = IsSame && A1.take_front(B1.size()) == B1 &&
           A1.drop_front(B1.size()) == B2.take_front(Between) &&
           A2 == B2.drop_front(Between);
  if (!IsSame)
    different("what stands behind its sections is not that of the original");
}

void PeComparer::run() {
  VerifiedHost Was = verifyHost(Old.file(), "");
  VerifiedHost Is = verifyHost(New.file(), "");
  for (const HostWrapper &W : Was.Wrappers) {
    uint64_t Address = W.Address - Old.base();
    Changed.add(Address, Address + offload::WrapperSize);
  }
  PeDirectory Debug = Old.directory(PeDebug);
  // An absent directory may have any size.
  if (!Old.bytesAt(Debug.Address, Debug.Size))
    Debug.Size = 0;
  for (uint64_t I = 0; I + 28 <= Debug.Size; I += 28)
    Changed.add(Debug.Address + I + 24, Debug.Address + I + 28);
  Changed.sort();
  compareHeaders();
  compareDirectories();
  compareSections();
  compareDebug();
  compareWrappers(Was.Wrappers, Is.Wrappers,
                  [&](const Twine &Problem) { different(Problem); });
  // Old compilers put file offsets into symbols.
  if (any_of(Old.sections(),
             [](const PeSection &S) { return S.LineNumberCount != 0; }))
    return;
  compareSymbols();
  compareRest();
}

void verifier::comparePe(StringRef Before, StringRef After, Findings &F) {
  Findings Unused("");
  std::optional<LoadedPe> Old, New;
  if (LoadedPe::startsOne(Before))
    Old = LoadedPe::read(Before, Unused);
  if (LoadedPe::startsOne(After))
    New = LoadedPe::read(After, Unused);
  if (!Old || !New)
    return F.problem("one of it and the original is no 64-bit Windows program",
                     "give a file and what it was made of");
  PeComparer(*Old, *New, F).run();
}
