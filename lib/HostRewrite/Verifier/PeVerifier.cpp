//===- PeVerifier.cpp - checks of a Windows program -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks headers and sections (LoadedPe.cpp), the loader's tables
// (PeTables.cpp), and the pointer of each wrapper to the marker. Loaders ignore
// section names; they are only compared with the result. Sibling for ELF:
// Verifier.cpp.
//
//===----------------------------------------------------------------------===//
#include "FindWrappers.h"
#include "LoadedPe.h"
#include "Offload/HipSymbols.h"
#include "llvm/ADT/STLExtras.h"

using namespace kpack;
using namespace kpack::hostrewrite;
using namespace kpack::hostrewrite::verifier;
using namespace llvm;

static constexpr uint32_t MemExecute = 0x20000000, MemRead = 0x40000000;
static constexpr StringLiteral MarkerName = ".kpackrf";

namespace {
class PeVerifier {
public:
  PeVerifier(const LoadedPe &Image, Findings &F, VerifiedHost &Host)
      : Image(Image), F(F), Host(Host) {}
  void run();

private:
  void findWrappers();
  void checkWrapper(const HostWrapper &W, size_t Position);
  void checkRelocations();
  void checkSection();
  StringRef findMarker(const HostWrapper &W);

  const LoadedPe &Image;
  Findings &F;
  VerifiedHost &Host;
  std::vector<uint64_t> Relocated; // sorted
  StringRef Marker;                // the last one read
  uint64_t MarkerAt = 0;
};
} // namespace

/// Programs have one marker, so the last one is cached.
StringRef PeVerifier::findMarker(const HostWrapper &W) {
  if (Marker.empty() || MarkerAt != W.Pointer)
    Marker = markerIn(Image.bytesFrom(W.Pointer - Image.base()));
  MarkerAt = W.Pointer;
  return Marker;
}

void PeVerifier::findWrappers() {
  for (const PeSection &S : Image.sections()) {
    std::vector<HostWrapper> Found;
    StringRef Bytes = Image.file().substr(S.Offset, S.FileSize);
    findWrappersIn(Bytes, Image.base() + S.Address, S.Offset, Found);
    for (const HostWrapper &W : Found) {
      // In code it may be a constant of an instruction.
      bool IsKpack = W.Magic == offload::WrapperMagicKpack;
      StringRef There = Image.bytesFrom(W.Pointer - Image.base());
      if (!(S.Flags & MemExecute) ||
          (IsKpack ? !findMarker(W).empty() : bundleSizeIn(There) != 0))
        Host.Wrappers.push_back(W);
    }
  }
}

void PeVerifier::checkWrapper(const HostWrapper &W, size_t Position) {
  std::string Name = "wrapper " + std::to_string(Position);
  uint64_t Address = W.Address - Image.base();
  uint64_t Field = Address + offload::WrapperPointerOffset;
  auto Range = std::equal_range(Relocated.begin(), Relocated.end(), Field);
  if (!Image.isMapped(Address, offload::WrapperSize, MemRead))
    F.problem(Name + " at " + hexText(W.Address) + " is not readable");
  if (Image.isMovable() && Range.second - Range.first != 1)
    return F.problem(Name + " at " + hexText(W.Address) + ": " +
                     Twine(Range.second - Range.first) +
                     " base relocations write its pointer, where one has to");
  StringRef Bytes = findMarker(W);
  Name += " leads to " + hexText(W.Pointer);
  if (Bytes.empty())
    return F.problem(Name + ", where no marker is mapped from the file");
  if (!Image.isMapped(W.Pointer - Image.base(), Bytes.size(), MemRead))
    F.problem(Name + ", which is not readable");
  if (Host.MarkerBytes.empty()) {
    Host.MarkerBytes = Bytes;
    Host.MarkerAddress = W.Pointer;
  } else if (Host.MarkerAddress != W.Pointer) {
    F.problem(Name + ", where another marker stands than the one at " +
              hexText(Host.MarkerAddress));
  }
}

/// Checks that relocations write to the pointers of wrappers only, and not into
/// the marker.
void PeVerifier::checkRelocations() {
  auto Meets = [&](uint64_t Begin, uint64_t End, uint64_t Except) {
    auto First = llvm::lower_bound(Relocated, Begin < 7 ? 0 : Begin - 7);
    for (; First != Relocated.end() && *First < End; ++First)
      if (*First != Except)
        return true;
    return false;
  };
  for (const auto &[I, W] : enumerate(Host.Wrappers)) {
    uint64_t Address = W.Address - Image.base();
    if (Meets(Address, Address + offload::WrapperSize,
              Address + offload::WrapperPointerOffset))
      F.problem("a base relocation writes into wrapper " + Twine(I));
  }
  uint64_t Address = Host.MarkerAddress - Image.base();
  if (!Host.MarkerBytes.empty() &&
      Meets(Address, Address + Host.MarkerBytes.size(), UINT64_MAX))
    F.problem("a base relocation writes into the marker");
}

/// Tools find the marker by its section, and some use all bytes of it.
void PeVerifier::checkSection() {
  if (Host.MarkerBytes.empty())
    return;
  bool IsThere = false;
  for (const PeSection &S : Image.sections()) {
    if (S.Name != MarkerName)
      continue;
    if (IsThere)
      return F.problem("more than one section " + MarkerName);
    IsThere = true;
    if (Image.base() + S.Address != Host.MarkerAddress ||
        S.Size != Host.MarkerBytes.size())
      F.problem("section " + MarkerName + " is not the marker, " +
                hexText(Host.MarkerBytes.size()) + " bytes at " +
                hexText(Host.MarkerAddress));
  }
  if (!IsThere)
    F.problem("no section " + MarkerName + " has the marker at " +
              hexText(Host.MarkerAddress));
}

void PeVerifier::run() {
  checkPeTables(Image, F);
  Relocated = readPeRelocations(Image, F);
  llvm::sort(Relocated);
  findWrappers();
  for (const auto &[I, W] : enumerate(Host.Wrappers))
    if (W.Magic == offload::WrapperMagicKpack)
      checkWrapper(W, I);
  checkRelocations();
  checkSection();
}

void verifier::verifyPe(StringRef Bytes, Findings &F, VerifiedHost &Host) {
  if (std::optional<LoadedPe> Image = LoadedPe::read(Bytes, F))
    PeVerifier(*Image, F, Host).run();
}
