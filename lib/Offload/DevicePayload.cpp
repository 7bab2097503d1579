//===- DevicePayload.cpp - device code in a .o ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Section .kpack.devobj. Written with LLVM's OffloadBinary; read by a reader
// of our own, because OffloadBinary::create() follows the offsets it finds
// without comparing them with the size of the buffer, and object files come
// from anywhere. The grammar is in docs/format/devobj.md.
//
// Compiled into the compiler plugin too: uses nothing but LLVM's Support,
// Object and BinaryFormat.
//
//===----------------------------------------------------------------------===//
#include "kpack/Offload/DevicePayload.h"

#include "Damaged.h"

#include "kpack/Offload/HipSymbols.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/OffloadBinary.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using llvm::object::OffloadBinary;

namespace kpack::offload {

static constexpr StringLiteral TokenKey = "kpack.token";
static constexpr uint32_t RdcFlag = 1;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string writePayload(const DevicePayload &Payload) {
  bool IsRdc = Payload.Kind == PayloadKind::Rdc;
  std::string TokenText;
  if (Payload.Token)
    TokenText = hex16(*Payload.Token);

  std::string Section;
  for (const DeviceImage &Image : Payload.Images) {
    OffloadBinary::OffloadingImage Out;
    bool IsBitcode =
        IsRdc && identify_magic(Image.Bytes) == file_magic::bitcode;
    Out.TheImageKind = IsBitcode ? object::IMG_Bitcode : object::IMG_Object;
    Out.TheOffloadKind = object::OFK_HIP;
    Out.Flags = IsRdc ? RdcFlag : 0;
    Out.StringData["triple"] = DeviceTriple;
    Out.StringData["arch"] = Image.Target;
    if (Payload.Token)
      Out.StringData[TokenKey] = TokenText;
    Out.Image = MemoryBuffer::getMemBuffer(Image.Bytes, "",
                                           /*RequiresNullTerminator=*/false);
    SmallString<0> Written = OffloadBinary::write(Out);
    Section.append(Written.begin(), Written.end());
    Section.resize(alignTo(Section.size(), OffloadBinary::getAlignment()));
  }
  return Section;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// What one OffloadBinary says.
struct Entry {
  std::optional<uint64_t> Token;
  PayloadKind Kind = PayloadKind::Image;
  StringRef Target;
  StringRef Bytes;
};

/// Reads the OffloadBinary at the start of a buffer; all offsets count from
/// there and none may leave the size in its header.
class EntryReader {
public:
  EntryReader(StringRef Rest, uint64_t Offset, StringRef Object)
      : Binary(Rest), Offset(Offset), Object(Object) {}

  /// Leaves in \p Size how many bytes the binary takes.
  Expected<Entry> read(uint64_t &Size);

private:
  Error readStrings(uint64_t Table, uint64_t Count);
  Expected<StringRef> stringAt(uint64_t Position) const;

  bool inBounds(uint64_t Position, uint64_t Length) const {
    return Position <= Binary.size() && Length <= Binary.size() - Position;
  }
  uint32_t word(uint64_t Position) const {
    return support::endian::read32le(Binary.data() + Position);
  }
  uint64_t doubleWord(uint64_t Position) const {
    return support::endian::read64le(Binary.data() + Position);
  }
  Error malformed(const Twine &What) const {
    return damagedObject(Object, PayloadSectionName + " at offset " +
                                     Twine(Offset) + ": " + What);
  }

  StringRef Binary;
  uint64_t Offset;
  StringRef Object;
  std::optional<StringRef> Triple, Target, Token;
};

} // namespace

static constexpr StringLiteral BinaryMagic = "\x10\xFF\x10\xAD";
static constexpr uint64_t HeaderSize = 32;
static constexpr uint64_t EntrySize = 40;
static constexpr uint64_t StringEntrySize = 16;

Expected<Entry> EntryReader::read(uint64_t &Size) {
  if (!inBounds(0, HeaderSize))
    return malformed("device code is cut off");
  if (!Binary.starts_with(BinaryMagic))
    return malformed("not device code");
  if (word(4) != OffloadBinary::Version)
    return malformed("unknown version " + Twine(word(4)));
  Size = doubleWord(8);
  if (Size < HeaderSize + EntrySize || !inBounds(0, Size))
    return malformed("device code is cut off");
  Binary = Binary.take_front(Size);

  uint64_t Start = doubleWord(16);
  if (doubleWord(24) < EntrySize || !inBounds(Start, doubleWord(24)))
    return malformed("entry lies outside");
  uint16_t ImageKind = support::endian::read16le(Binary.data() + Start);
  if (ImageKind != object::IMG_Object && ImageKind != object::IMG_Bitcode)
    return malformed("image kind " + Twine(ImageKind) +
                     " is neither object nor bitcode");

  Entry Result;
  if (word(Start + 4) & RdcFlag)
    Result.Kind = PayloadKind::Rdc;
  else if (ImageKind == object::IMG_Bitcode)
    return malformed("bitcode is not a linked code object");

  uint64_t Image = doubleWord(Start + 24), ImageSize = doubleWord(Start + 32);
  if (!inBounds(Image, ImageSize))
    return malformed("image lies outside");
  Result.Bytes = Binary.substr(Image, ImageSize);

  if (Error E = readStrings(doubleWord(Start + 8), doubleWord(Start + 16)))
    return std::move(E);
  if (!Triple)
    return malformed("no triple");
  if (*Triple != DeviceTriple)
    return malformed("device code is for " + *Triple);
  if (!Target || Target->empty())
    return malformed("no target id");
  Result.Target = *Target;
  uint64_t Number = 0;
  if (Token && (Token->size() != 16 || !all_of(*Token, isHexDigit) ||
                Token->getAsInteger(16, Number)))
    return malformed("token is not 16 hex digits");
  if (Token)
    Result.Token = Number;
  else if (Result.Kind == PayloadKind::Image)
    return malformed("no token");
  return Result;
}

Error EntryReader::readStrings(uint64_t Table, uint64_t Count) {
  if (!inBounds(Table, 0) || Count > (Binary.size() - Table) / StringEntrySize)
    return malformed("string table lies outside");
  for (uint64_t I = 0; I != Count; ++I) {
    uint64_t Slot = Table + I * StringEntrySize;
    Expected<StringRef> Key = stringAt(doubleWord(Slot));
    if (!Key)
      return Key.takeError();
    // Only known keys are followed: hostile values that all name one long
    // string would otherwise take quadratic time.
    std::optional<StringRef> *Known = *Key == "triple"   ? &Triple
                                      : *Key == "arch"   ? &Target
                                      : *Key == TokenKey ? &Token
                                                         : nullptr;
    if (!Known)
      continue;
    if (*Known)
      return malformed("key " + *Key + " occurs twice");
    if (Error E = stringAt(doubleWord(Slot + 8)).moveInto(*Known))
      return E;
  }
  return Error::success();
}

Expected<StringRef> EntryReader::stringAt(uint64_t Position) const {
  // Keys, target ids and tokens are short; so is the search for their end.
  static constexpr size_t MaxLength = 256;
  if (!inBounds(Position, 1))
    return malformed("string lies outside");
  StringRef Text = Binary.substr(Position, MaxLength);
  size_t End = Text.find('\0');
  if (End == StringRef::npos)
    return malformed("string has no end");
  return Text.take_front(End);
}

/// True if \p E continues \p Payload: same TU, and a target it lacks. (Two RDC
/// TUs without a wrapper are told apart by the repeated target.)
static bool belongsTo(const DevicePayload &Payload, const Entry &E) {
  return Payload.Token == E.Token && Payload.Kind == E.Kind &&
         none_of(Payload.Images, [&](const DeviceImage &Image) {
           return Image.Target == E.Target;
         });
}

Expected<std::vector<DevicePayload>> readPayloads(StringRef Section,
                                                  StringRef Object) {
  std::vector<DevicePayload> Payloads;
  uint64_t Offset = 0;
  while (true) {
    // Padding that a linker put between two inputs (ld -r).
    while (Offset != Section.size() && Section[Offset] == '\0')
      ++Offset;
    if (Offset == Section.size())
      return Payloads;
    uint64_t Size = 0;
    Expected<Entry> E =
        EntryReader(Section.substr(Offset), Offset, Object).read(Size);
    if (!E)
      return E.takeError();
    if (Payloads.empty() || !belongsTo(Payloads.back(), *E))
      Payloads.push_back({E->Token, E->Kind, {}});
    // belongsTo() looks at each of them.
    static constexpr size_t MaxTargets = 1024;
    if (Payloads.back().Images.size() == MaxTargets)
      return damagedObject(Object, PayloadSectionName + Twine(": more than ") +
                                       Twine(MaxTargets) +
                                       " targets for one source file");
    Payloads.back().Images.push_back({E->Target.str(), E->Bytes});
    Offset += Size;
  }
}

} // namespace kpack::offload
