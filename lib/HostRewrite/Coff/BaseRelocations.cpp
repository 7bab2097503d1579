//===- BaseRelocations.cpp - pointers that Windows relocates --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table consists of blocks, one for each page with pointers: the page, the
// size of the block, and a 16-bit number for each pointer. In 64-bit programs
// all entries but padding have one type.
//
//===----------------------------------------------------------------------===//
#include "BaseRelocations.h"

#include "../Range.h"
#include "Offload/HipSymbols.h"
#include "llvm/Support/Endian.h"

#include <unordered_map>

using namespace llvm;
using namespace llvm::object;
using namespace llvm::support::endian;

namespace kpack::hostrewrite {

using offload::PeImage;

/// Calls \p Use with the address of each pointer, relative to the base.
static Error forEachPointer(const PeImage &Image,
                            function_ref<Error(uint64_t)> Use) {
  data_directory Table = Image.directory(COFF::BASE_RELOCATION_TABLE);
  if (!Image.isMovable() || Table.Size == 0)
    return Error::success();
  std::optional<uint64_t> Offset =
      Image.offsetOf(Table.RelativeVirtualAddress, Table.Size);
  if (!Offset)
    return Image.damaged("its base relocations are not in the file");
  StringRef Left = Image.Bytes.substr(*Offset, Table.Size);
  constexpr size_t HeaderSize = sizeof(coff_base_reloc_block_header);
  while (!Left.empty()) {
    uint32_t Page = 0, Size = 0;
    if (Left.size() >= HeaderSize) {
      Page = read32le(Left.data());
      Size = read32le(Left.data() + 4);
    }
    if (Size < HeaderSize || Size > Left.size())
      return Image.damaged("its base relocations are cut off");
    for (size_t I = HeaderSize; I + 2 <= Size; I += 2) {
      uint16_t Entry = read16le(Left.data() + I);
      if (Entry >> 12 == COFF::IMAGE_REL_BASED_DIR64)
        if (Error E = Use(uint64_t(Page) + (Entry & 0xfff)))
          return E;
    }
    Left = Left.drop_front(Size);
  }
  return Error::success();
}

Expected<std::vector<uint64_t>>
readPePointers(const PeImage &Image, ArrayRef<offload::Wrapper> Wrappers,
               const PeImage::Section *Device) {
  uint64_t Base = Image.Optional.ImageBase;
  std::vector<uint64_t> Pointers;
  std::unordered_map<uint64_t, unsigned> Moved; // by address of the pointer
  for (const offload::Wrapper &W : Wrappers) {
    Pointers.push_back(W.Pointer);
    Moved[W.Address + offload::WrapperPointerOffset] = 0;
  }
  Range Code;
  if (Device)
    Code = {Base + Device->VirtualAddress,
            Base + Device->VirtualAddress + Device->VirtualSize};
  if (Error E = forEachPointer(Image, [&](uint64_t Rva) -> Error {
        auto Found = Moved.find(Base + Rva);
        if (Found != Moved.end()) {
          ++Found->second;
          return Error::success();
        }
        std::optional<uint64_t> Offset = Image.offsetOf(Rva, sizeof(uint64_t));
        if (Offset && Code.contains(read64le(Image.Bytes.data() + *Offset)))
          return Image.error("something besides wrappers points into the "
                             "device code; convert the file as its linker has "
                             "left it");
        return Error::success();
      }))
    return std::move(E);
  for (const auto &[I, W] : enumerate(Wrappers))
    if (Image.isMovable() &&
        Moved[W.Address + offload::WrapperPointerOffset] != 1)
      return Image.damaged("not one base relocation for the pointer of "
                           "wrapper " +
                           Twine(I));
  return std::move(Pointers);
}

} // namespace kpack::hostrewrite
