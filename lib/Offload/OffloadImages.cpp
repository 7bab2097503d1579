//===- OffloadImages.cpp - reader of LLVM's OffloadBinary -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang-format off
//   <binary>  ::= 10 FF 10 AD <u32 version> <u64 size> <u64 entries> <u64 size of the entry, version 2: count> ...
//   <entry>   ::= <u16 image kind> <u16 producer> <u32 flags> <u64 strings> <u64 count> <u64 image> <u64 size>
//   <string>  ::= <u64 key> <u64 value>, version 2: <u64 size of the value>
// clang-format on
//
// Offsets count from the start of the binary, and all parts end before the size
// in its header. Strings end in a zero byte; values of version 2 have a size as
// well. Also compiled into the compiler plugin.
//
//===----------------------------------------------------------------------===//
#include "OffloadImages.h"

#include "llvm/Support/Endian.h"

using namespace llvm;

namespace kpack::offload {

static constexpr uint64_t HeaderSize = 32;
static constexpr uint64_t EntrySize = 40;

static Error bad(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

namespace {

class ImageReader {
public:
  ImageReader(StringRef Binary, unsigned Version)
      : Binary(Binary), Version(Version), TablesLeft(Binary.size()),
        BytesLeft(Binary.size()) {}

  Expected<OffloadImage> read(uint64_t Start);

private:
  Error readStrings(uint64_t Table, uint64_t Count, OffloadImage &Image);
  Expected<StringRef> textAt(uint64_t Position) const;
  Expected<StringRef> valueOf(uint64_t Slot) const;

  bool inBounds(uint64_t Position, uint64_t Length) const {
    return Position <= Binary.size() && Length <= Binary.size() - Position;
  }
  uint64_t number(uint64_t Position) const {
    return support::endian::read64le(Binary.data() + Position);
  }

  StringRef Binary;
  unsigned Version;
  // Parts of a valid binary do not overlap. Overlapping ones would make a
  // reader visit the same bytes once for each entry.
  uint64_t TablesLeft, BytesLeft;
};

} // namespace

Expected<OffloadImage> ImageReader::read(uint64_t Start) {
  if (!inBounds(Start, EntrySize))
    return bad("entry lies outside");
  const char *Entry = Binary.data() + Start;
  OffloadImage Image;
  Image.ImageKind = support::endian::read16le(Entry);
  Image.Producer = support::endian::read16le(Entry + 2);
  Image.Flags = support::endian::read32le(Entry + 4);
  uint64_t Offset = number(Start + 24), Size = number(Start + 32);
  if (!inBounds(Offset, Size))
    return bad("image lies outside");
  if (Size > BytesLeft)
    return bad("images overlap");
  BytesLeft -= Size;
  Image.Bytes = Binary.substr(Offset, Size);
  if (Error E = readStrings(number(Start + 8), number(Start + 16), Image))
    return std::move(E);
  return Image;
}

Error ImageReader::readStrings(uint64_t Table, uint64_t Count,
                               OffloadImage &Image) {
  uint64_t SlotSize = Version == 1 ? 16 : 24;
  if (!inBounds(Table, 0) || Count > (Binary.size() - Table) / SlotSize)
    return bad("string table lies outside");
  if (Count * SlotSize > TablesLeft)
    return bad("string tables overlap");
  TablesLeft -= Count * SlotSize;
  for (uint64_t I = 0; I != Count; ++I) {
    uint64_t Slot = Table + I * SlotSize;
    Expected<StringRef> Key = textAt(number(Slot));
    if (!Key)
      return Key.takeError();
    // Read known keys only: many values of a hostile file that share one long
    // string would take quadratic time.
    std::optional<StringRef> *Known = *Key == "triple"          ? &Image.Triple
                                      : *Key == "arch"          ? &Image.Target
                                      : *Key == OffloadTokenKey ? &Image.Token
                                                                : nullptr;
    if (!Known)
      continue;
    if (*Known)
      return bad("key " + *Key + " occurs twice");
    if (Error E = valueOf(Slot).moveInto(*Known))
      return E;
  }
  return Error::success();
}

// Limits the search for the end of keys, target ids and tokens.
static constexpr size_t MaxLength = 256;

Expected<StringRef> ImageReader::valueOf(uint64_t Slot) const {
  uint64_t Position = number(Slot + 8);
  if (Version == 1)
    return textAt(Position);
  uint64_t Size = number(Slot + 16);
  if (!inBounds(Position, Size))
    return bad("string lies outside");
  if (Size > MaxLength)
    return bad("string is too long");
  return Binary.substr(Position, Size);
}

Expected<StringRef> ImageReader::textAt(uint64_t Position) const {
  if (!inBounds(Position, 1))
    return bad("string lies outside");
  StringRef Text = Binary.substr(Position, MaxLength);
  size_t End = Text.find('\0');
  if (End == StringRef::npos)
    return bad("string has no end");
  return Text.take_front(End);
}

Expected<OffloadImages> readOffloadHeader(StringRef Bytes) {
  if (Bytes.size() < HeaderSize)
    return bad("device code is cut off");
  if (!Bytes.starts_with(OffloadBinaryMagic))
    return bad("not device code");
  OffloadImages Binary;
  Binary.Version = support::endian::read32le(Bytes.data() + 4);
  if (Binary.Version != 1 && Binary.Version != 2)
    return bad("unknown version " + Twine(Binary.Version));
  Binary.Size = support::endian::read64le(Bytes.data() + 8);
  if (Binary.Size < HeaderSize || Binary.Size > Bytes.size())
    return bad("device code is cut off");
  return Binary;
}

Expected<OffloadImages> readOffloadImages(StringRef Bytes) {
  Expected<OffloadImages> Binary = readOffloadHeader(Bytes);
  if (!Binary)
    return Binary.takeError();
  Bytes = Bytes.take_front(Binary->Size);
  uint64_t Start = support::endian::read64le(Bytes.data() + 16);
  uint64_t Last = support::endian::read64le(Bytes.data() + 24);
  uint64_t Count = Binary->Version == 1 ? 1 : Last;
  if (Bytes.size() < HeaderSize + EntrySize && Count != 0)
    return bad("device code is cut off");
  if (Start > Bytes.size() || Count > (Bytes.size() - Start) / EntrySize ||
      (Binary->Version == 1 && Last < EntrySize))
    return bad("entry lies outside");
  ImageReader Reader(Bytes, Binary->Version);
  for (uint64_t I = 0; I != Count; ++I) {
    Expected<OffloadImage> Image = Reader.read(Start + I * EntrySize);
    if (!Image)
      return Image.takeError();
    Binary->Images.push_back(std::move(*Image));
  }
  return Binary;
}

} // namespace kpack::offload
