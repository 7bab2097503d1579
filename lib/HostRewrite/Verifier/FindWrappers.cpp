//===- FindWrappers.cpp - wrappers found in loaded memory -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass over the mapped bytes, eight at a time. Verifier.cpp selects the
// file's wrappers among the candidates, after applying relocations.
//
//===----------------------------------------------------------------------===//
#include "FindWrappers.h"
#include "Offload/HipSymbols.h"
#include "kpack/Archive/Marker.h"
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

void verifier::findWrappersIn(StringRef Bytes, uint64_t Address,
                              uint64_t Offset,
                              std::vector<HostWrapper> &Found) {
  uint64_t Position = alignTo(Address, 8) - Address;
  for (; Position + WrapperSize <= Bytes.size(); Position += 8) {
    const char *P = Bytes.data() + Position;
    if (isWrapper(P))
      Found.push_back({Address + Position, Offset + Position, read32le(P),
                       read32le(P + 4), read64le(P + WrapperPointerOffset),
                       read64le(P + WrapperReservedOffset)});
  }
}

std::vector<HostWrapper> verifier::findWrappers(const LoadedImage &Image) {
  std::vector<HostWrapper> Found;
  for (const Segment &S : Image.loads())
    findWrappersIn(Image.file().substr(S.Offset, S.FileSize), S.Address,
                   S.Offset, Found);
  return Found;
}

StringRef verifier::markerIn(StringRef Bytes) {
  Bytes = Bytes.take_front(MaxMarkerSize);
  size_t Size = 0;
  if (Bytes.empty() || !decodeMarker(std::string_view(Bytes), false, &Size))
    return StringRef();
  return Bytes.take_front(Size);
}

/// Returns the end of the last entry of a "__CLANG_OFFLOAD_BUNDLE__".
static uint64_t plainBundleSize(StringRef Bytes) {
  constexpr uint64_t HeaderSize = 32, EntrySize = 24;
  uint64_t Size = HeaderSize;
  if (Bytes.size() < HeaderSize)
    return 0;
  uint64_t Position = HeaderSize;
  // No compiler has that many targets.
  if (read64le(Bytes.data() + 24) > 256)
    return 0;
  for (uint64_t Count = read64le(Bytes.data() + 24); Count != 0; --Count) {
    if (Bytes.size() - Position < EntrySize)
      return Size;
    const char *P = Bytes.data() + Position;
    uint64_t Offset = read64le(P), Length = read64le(P + 8);
    uint64_t NameSize = read64le(P + 16);
    if (Offset <= Bytes.size() && Length <= Bytes.size() - Offset)
      Size = std::max(Size, Offset + Length);
    if (NameSize > Bytes.size() - Position - EntrySize)
      return Size;
    Position += EntrySize + NameSize;
  }
  return std::max(Size, Position);
}

/// Returns the size of a "CCOB" bundle. Versions 2 and 3 store it. Version 1
/// does not, and ends with a nonzero byte before the next page.
static uint64_t compressedBundleSize(StringRef Bytes) {
  if (Bytes.size() < 24)
    return 0;
  uint16_t Version = read16le(Bytes.data() + 4);
  uint64_t Size = Version >= 3   ? read64le(Bytes.data() + 8)
                  : Version == 2 ? read32le(Bytes.data() + 8)
                                 : 24;
  return std::min<uint64_t>(Size, Bytes.size());
}

uint64_t verifier::bundleSizeIn(StringRef Bytes) {
  if (Bytes.starts_with("__CLANG_OFFLOAD_BUNDLE__"))
    return plainBundleSize(Bytes);
  if (Bytes.starts_with("CCOB"))
    return compressedBundleSize(Bytes);
  // A single code object ends with its section headers.
  if (Bytes.starts_with("\177ELF") && Bytes.size() >= EhdrSize) {
    uint64_t Offset = read64le(Bytes.data() + 40);
    uint64_t Size =
        uint64_t(read16le(Bytes.data() + 58)) * read16le(Bytes.data() + 60);
    if (Offset <= Bytes.size() && Size <= Bytes.size() - Offset)
      return Offset + Size;
  }
  return 0;
}
