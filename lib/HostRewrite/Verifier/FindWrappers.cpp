//===- FindWrappers.cpp - wrappers without section headers ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass over what is mapped, eight bytes at a time. Which of these are the
// file's wrappers is said by Verifier.cpp, once relocations are applied.
//
//===----------------------------------------------------------------------===//
#include "FindWrappers.h"
#include "kpack/Archive/Marker.h"
#include "kpack/Offload/HipSymbols.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace kpack::hostrewrite;
using namespace kpack::hostrewrite::verifier;
using namespace kpack::offload;
using namespace llvm;
using namespace llvm::support::endian;

static bool isWrapper(const char *P) {
  uint32_t Magic = read32le(P);
  return (Magic == WrapperMagicKpack || Magic == WrapperMagicFat) &&
         read32le(P + 4) == WrapperVersion;
}

static void findIn(const LoadedImage &Image, const Segment &S,
                   std::vector<HostWrapper> &Found) {
  StringRef Bytes = Image.file().substr(S.Offset, S.FileSize);
  uint64_t At = alignTo(S.Address, 8) - S.Address;
  for (; At + WrapperSize <= Bytes.size(); At += 8) {
    const char *P = Bytes.data() + At;
    if (isWrapper(P))
      Found.push_back({S.Address + At, S.Offset + At, read32le(P),
                       read32le(P + 4), read64le(P + WrapperPointerOffset),
                       read64le(P + WrapperReservedOffset)});
  }
}

std::vector<HostWrapper> verifier::findWrappers(const LoadedImage &Image) {
  std::vector<HostWrapper> Found;
  for (const Segment &S : Image.loads())
    findIn(Image, S, Found);
  return Found;
}

StringRef verifier::markerAt(const LoadedImage &Image, uint64_t Address) {
  StringRef Bytes = Image.bytesFrom(Address).take_front(MaxMarkerSize);
  size_t Size = 0;
  if (Bytes.empty() || !decodeMarker(std::string_view(Bytes), false, &Size))
    return StringRef();
  return Bytes.take_front(Size);
}
