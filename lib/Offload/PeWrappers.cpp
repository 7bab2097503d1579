//===- PeWrappers.cpp - fat-binary wrappers of Windows files --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer in a Windows file holds its address for the preferred base, in
// place. A base relocation, if there is one, adds the distance to the actual
// base. Sibling: Wrappers.cpp, for ELF.
//
//===----------------------------------------------------------------------===//
#include "PeWrappers.h"

#include "Damaged.h"
#include "Offload/HipSymbols.h"
#include "Offload/PeImage.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::support::endian;

namespace kpack::offload {

static Error addWrappers(const PeImage &Image, const PeImage::Section &S,
                         std::vector<Wrapper> &All) {
  StringRef Bytes = Image.contents(S);
  Expected<std::vector<uint64_t>> Offsets = findWrappers(Bytes);
  if (!Offsets)
    return damagedBinary(Image.Name, Twine(WrapperSectionName) + ": " +
                                         toString(Offsets.takeError()));
  for (uint64_t At : *Offsets) {
    const char *Struct = Bytes.data() + At;
    Wrapper W;
    W.FileOffset = S.PointerToRawData + At;
    W.Address = Image.Optional.ImageBase + S.VirtualAddress + At;
    W.Magic = read32le(Struct);
    W.Version = read32le(Struct + 4);
    W.Pointer = read64le(Struct + WrapperPointerOffset);
    W.Reserved1 = read64le(Struct + WrapperReservedOffset);
    All.push_back(W);
  }
  return Error::success();
}

Expected<LinkedBinary> readLinkedPe(StringRef Bytes, StringRef Name) {
  Expected<PeImage> Image = PeImage::read(Bytes, Name);
  if (!Image)
    return Image.takeError();
  LinkedBinary Result;
  for (const PeImage::Section &S : Image->Sections) {
    if (Image->isNamed(S, FatBinSectionName))
      Result.FatBinSize += Image->contents(S).size();
    if (Image->isNamed(S, WrapperSectionName))
      if (Error E = addWrappers(*Image, S, Result.Wrappers))
        return std::move(E);
    if (!Image->isNamed(S, PeMarkerSectionName))
      continue;
    if (Result.MarkerAddress != 0)
      return damagedBinary(Name,
                           "more than one section " + PeMarkerSectionName);
    Result.MarkerBytes = Image->contents(S);
    Result.MarkerAddress = Image->Optional.ImageBase + S.VirtualAddress;
  }
  llvm::sort(Result.Wrappers, [](const Wrapper &A, const Wrapper &B) {
    return A.Address < B.Address;
  });
  return std::move(Result);
}

} // namespace kpack::offload
