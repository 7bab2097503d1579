//===- Verifier.cpp - checks of an ELF program ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows a wrapper's pointer in a loader's order: program headers
// (LoadedImage.cpp), the dynamic table (DynamicTable.cpp), relocations
// (DynamicRelocations.cpp), the wrapper in memory (FindWrappers.cpp), its
// marker. Section headers (Sections.cpp) come last. Sibling for a file and its
// original: CompareHost.cpp.
//
//===----------------------------------------------------------------------===//
#include "HostRewrite/Verifier/Verifier.h"
#include "DynamicRelocations.h"
#include "FindWrappers.h"
#include "LoadedPe.h"
#include "Offload/HipSymbols.h"
#include "Sections.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace kpack;
using namespace kpack::hostrewrite;
using namespace kpack::hostrewrite::verifier;
using namespace llvm;

namespace {

/// Functions that are called when the file is loaded or unloaded.
struct CalledArray {
  uint64_t Tag, SizeTag;
  const char *Name;
};
constexpr CalledArray CalledArrays[] = {
    {ELF::DT_PREINIT_ARRAY, ELF::DT_PREINIT_ARRAYSZ, "DT_PREINIT_ARRAY"},
    {ELF::DT_INIT_ARRAY, ELF::DT_INIT_ARRAYSZ, "DT_INIT_ARRAY"},
    {ELF::DT_FINI_ARRAY, ELF::DT_FINI_ARRAYSZ, "DT_FINI_ARRAY"}};

class HostVerifier {
public:
  HostVerifier(const LoadedImage &Image, Findings &F)
      : Image(Image), F(F), Values(Image) {}
  void run(VerifiedHost &Host);

private:
  void readDynamic();
  void wantValues();
  void checkFunctions();
  void checkArray(const CalledArray &A);
  void checkPltGot();
  void checkWrappers(VerifiedHost &Host);
  bool checkPointer(const HostWrapper &W, size_t Position);
  void checkMarker(const HostWrapper &W, size_t Position, VerifiedHost &Host);
  void checkUntouched(const VerifiedHost &Host);
  StringRef findMarker(uint64_t Address);

  const LoadedImage &Image;
  Findings &F;
  std::optional<DynamicTable> Table;
  std::optional<Relocations> Relocated;
  LoadedValues Values;
  std::vector<HostWrapper> Candidates;
  /// Markers by address; few, since a program has one.
  std::map<uint64_t, StringRef> Markers;
};

} // namespace

/// A hostile file could have more of them; reading all would take quadratic
/// time.
static constexpr size_t MostMarkers = 64;

void HostVerifier::readDynamic() {
  Table = DynamicTable::read(Image, F);
  if (!Table)
    return;
  Table->check(F);
  Relocated.emplace(Image, *Table, F);
  Relocated->check(F);
}

void HostVerifier::wantValues() {
  for (const HostWrapper &W : Candidates)
    Values.want(W.Address + offload::WrapperPointerOffset);
  for (const CalledArray &A : CalledArrays) {
    uint64_t Address = Table ? Table->getOr(A.Tag, 0) : 0;
    uint64_t Size = Table ? Table->getOr(A.SizeTag, 0) : 0;
    if (Size && Image.bytesAt(Address, Size))
      for (uint64_t I = 0; I + 8 <= Size; I += 8)
        Values.want(Address + I);
  }
  if (Relocated)
    Values.apply(*Relocated);
}

void HostVerifier::checkArray(const CalledArray &A) {
  std::optional<uint64_t> Address = Table->get(A.Tag);
  uint64_t Size = Table->getOr(A.SizeTag, 0);
  if (!Address && !Size)
    return;
  if (!Address || Size % 8 || !Image.bytesAt(*Address, Size))
    return F.problem(A.Name + Twine(" at ") + hexText(Address.value_or(0)) +
                     " with " + hexText(Size) + " bytes is not mapped");
  for (uint64_t I = 0; I != Size; I += 8) {
    LoadedValues::Value V = Values.at(*Address + I);
    bool IsMoved = V.Relocations != 0 || !Image.isMovable();
    // By convention 0 and -1 are no functions.
    if (!V.Address || (!V.Relocations && *V.Address + 1 <= 1))
      continue;
    if (!IsMoved || !Image.isMapped(*V.Address, 1, ELF::PF_X))
      return F.problem(A.Name + Twine(" has ") + hexText(*V.Address) + " at " +
                       hexText(*Address + I) +
                       (IsMoved ? ", which is not executable"
                                : ", which no relocation moves"));
  }
}

/// Checks that functions called at load are executable.
void HostVerifier::checkFunctions() {
  if (!Table)
    return;
  for (uint64_t Tag : {ELF::DT_INIT, ELF::DT_FINI})
    if (std::optional<uint64_t> Address = Table->get(Tag);
        Address && !Image.isMapped(*Address, 1, ELF::PF_X))
      F.problem((Tag == ELF::DT_INIT ? "DT_INIT " : "DT_FINI ") +
                hexText(*Address) + " is not executable");
  for (const CalledArray &A : CalledArrays)
    checkArray(A);
  checkPltGot();
}

/// For lazy binding the dynamic linker writes to the second and third word of
/// DT_PLTGOT.
void HostVerifier::checkPltGot() {
  uint64_t Address = Table->getOr(ELF::DT_PLTGOT, 0);
  if (Table->getOr(ELF::DT_PLTRELSZ, 0) &&
      !Image.isMapped(Address, 24, ELF::PF_W))
    F.problem("DT_PLTGOT " + hexText(Address) + " is not writable");
}

StringRef HostVerifier::findMarker(uint64_t Address) {
  auto It = Markers.find(Address);
  if (It != Markers.end())
    return It->second;
  if (Markers.size() == MostMarkers)
    return StringRef();
  return Markers[Address] = markerAt(Image, Address);
}

static std::string nameOf(size_t Position) {
  return "wrapper " + std::to_string(Position);
}

/// Returns true if the target of the wrapper is known.
bool HostVerifier::checkPointer(const HostWrapper &W, size_t Position) {
  LoadedValues::Value V = Values.at(W.Address + offload::WrapperPointerOffset);
  std::string Name = nameOf(Position) + " at " + hexText(W.Address);
  if (!Image.isMapped(W.Address, offload::WrapperSize, ELF::PF_R))
    F.problem(Name + " is not readable");
  if (V.Relocations > 1)
    F.problem(Name + ": " + Twine(V.Relocations) +
              " relocations write its pointer");
  if (!V.Address)
    F.problem(Name + ": its pointer is that of another file");
  else if (V.Relocations == 0 && Image.isMovable())
    F.problem(Name + ": no relocation writes its pointer, so it does not lead "
                     "into the memory of the program");
  else
    return true;
  return false;
}

void HostVerifier::checkMarker(const HostWrapper &W, size_t Position,
                               VerifiedHost &Host) {
  StringRef Bytes = findMarker(W.Pointer);
  std::string Name = nameOf(Position) + " leads to " + hexText(W.Pointer);
  if (Bytes.empty()) {
    bool IsMapped = !Image.bytesFrom(W.Pointer).empty();
    return F.problem(Name + (IsMapped ? ", where no marker stands"
                                      : ", which is not mapped from the file"));
  }
  if (!Image.isMapped(W.Pointer, Bytes.size(), ELF::PF_R))
    F.problem(Name + ", which is not readable");
  if (Host.MarkerBytes.empty()) {
    Host.MarkerBytes = Bytes;
    Host.MarkerAddress = W.Pointer;
  } else if (Host.MarkerAddress != W.Pointer && Host.MarkerBytes != Bytes) {
    F.problem(Name + ", where another marker stands than the one at " +
              hexText(Host.MarkerAddress));
  }
}

void HostVerifier::checkWrappers(VerifiedHost &Host) {
  for (HostWrapper W : Candidates) {
    LoadedValues::Value V =
        Values.at(W.Address + offload::WrapperPointerOffset);
    W.Pointer = V.Address.value_or(0);
    const Segment *S = Image.loadAt(W.Address);
    bool IsKpack = W.Magic == offload::WrapperMagicKpack;
    if ((S->Flags & ELF::PF_X) &&
        (IsKpack ? findMarker(W.Pointer).empty()
                 : bundleSizeAt(Image, W.Pointer) == 0))
      continue;
    size_t Position = Host.Wrappers.size();
    Host.Wrappers.push_back(W);
    // Readers of bundles check fat wrappers.
    if (IsKpack && checkPointer(W, Position))
      checkMarker(W, Position, Host);
  }
}

/// Checks that no relocation writes into the marker, or to other fields of a
/// wrapper.
void HostVerifier::checkUntouched(const VerifiedHost &Host) {
  if (!Relocated || Host.MarkerBytes.empty())
    return;
  uint64_t Begin = Host.MarkerAddress, End = Begin + Host.MarkerBytes.size();
  Relocated->forEach([&](const Relocation &R) {
    if (R.Place < End && R.Place + 8 > Begin && R.Place < AddressLimit)
      F.problem("the relocation for " + hexText(R.Place) +
                " writes into the marker");
  });
}

void HostVerifier::run(VerifiedHost &Host) {
  checkSegments(Image, F);
  readDynamic();
  Candidates = verifier::findWrappers(Image);
  wantValues();
  checkFunctions();
  checkWrappers(Host);
  checkUntouched(Host);
  Host.LoaderProblemCount = F.size();
  std::vector<Section> Sections = readSections(Image.file(), F);
  checkSections(Image, Table ? &*Table : nullptr, Sections, F);
  checkHipSections(Image, Sections, Host, F);
}

VerifiedHost hostrewrite::verifyHost(StringRef Bytes, StringRef Name) {
  VerifiedHost Host;
  Findings F(Name);
  if (LoadedPe::startsOne(Bytes)) {
    verifyPe(Bytes, F, Host);
    Host.Problems = F.take();
    return Host;
  }
  std::optional<LoadedImage> Image = LoadedImage::read(Bytes, F);
  if (Image && Image->isDebugFile())
    F.problem("has debug information and nothing that can be loaded",
              "give the file that it is of");
  else if (Image)
    HostVerifier(*Image, F).run(Host);
  if (!Image || Image->isDebugFile())
    Host.LoaderProblemCount = F.size();
  Host.Problems = F.take();
  return Host;
}
