//===- DevicePayload.cpp - device code in an object's section -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes section .kpack.devobj. LLVM's OffloadBinary writes it, but
// OffloadImages.cpp reads it: OffloadBinary::create() does not check offsets
// against the size of the buffer, and object files may be hostile. The grammar
// is in docs/format/devobj.md.
//
// Also compiled into the compiler plugin: uses only LLVM's Support, Object and
// BinaryFormat.
//
//===----------------------------------------------------------------------===//
#include "Offload/DevicePayload.h"

#include "Damaged.h"
#include "OffloadImages.h"

#include "Offload/HipSymbols.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/OffloadBinary.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using llvm::object::OffloadBinary;

namespace kpack::offload {

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
      Out.StringData[OffloadTokenKey] = TokenText;
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

/// The strings and the image of one OffloadBinary.
struct Entry {
  std::optional<uint64_t> Token;
  PayloadKind Kind = PayloadKind::Image;
  StringRef Target;
  StringRef Bytes;
};

} // namespace

static Error malformed(StringRef Object, uint64_t Offset, const Twine &What) {
  return damagedObject(Object, PayloadSectionName + " at offset " +
                                   Twine(Offset) + ": " + What);
}

/// Reads the strings of kpack's payloads from \p Image. Errors do not name an
/// object.
static Expected<Entry> makeEntry(const OffloadImage &Image) {
  auto Bad = [](const Twine &What) {
    return createStringError(inconvertibleErrorCode(), What);
  };
  if (Image.ImageKind != object::IMG_Object &&
      Image.ImageKind != object::IMG_Bitcode)
    return Bad("image kind " + Twine(Image.ImageKind) +
               " is neither object nor bitcode");
  Entry Result;
  if (Image.Flags & RdcFlag)
    Result.Kind = PayloadKind::Rdc;
  else if (Image.ImageKind == object::IMG_Bitcode)
    return Bad("bitcode is not a linked code object");
  Result.Bytes = Image.Bytes;
  if (!Image.Triple)
    return Bad("no triple");
  if (*Image.Triple != DeviceTriple)
    return Bad("device code is for " + *Image.Triple);
  if (!Image.Target || Image.Target->empty())
    return Bad("no target id");
  Result.Target = *Image.Target;
  const std::optional<StringRef> &Token = Image.Token;
  uint64_t Number = 0;
  if (Token && (Token->size() != 16 || !all_of(*Token, isHexDigit) ||
                Token->getAsInteger(16, Number)))
    return Bad("token is not 16 hex digits");
  if (Token)
    Result.Token = Number;
  else if (Result.Kind == PayloadKind::Image)
    return Bad("no token");
  return Result;
}

/// True if \p E continues \p Payload: same TU, and a target that it lacks. (A
/// repeated target separates two RDC TUs without a wrapper.)
static bool belongsTo(const DevicePayload &Payload, const Entry &E) {
  return Payload.Token == E.Token && Payload.Kind == E.Kind &&
         none_of(Payload.Images, [&](const DeviceImage &Image) {
           return Image.Target == E.Target;
         });
}

static Error addEntry(std::vector<DevicePayload> &Payloads, const Entry &E,
                      StringRef Object) {
  if (Payloads.empty() || !belongsTo(Payloads.back(), E))
    Payloads.push_back({E.Token, E.Kind, {}});
  // belongsTo() visits all of them.
  static constexpr size_t MaxTargets = 1024;
  if (Payloads.back().Images.size() == MaxTargets)
    return damagedObject(Object, PayloadSectionName + Twine(": more than ") +
                                     Twine(MaxTargets) +
                                     " targets for one source file");
  Payloads.back().Images.push_back({E.Target.str(), E.Bytes});
  return Error::success();
}

Expected<std::vector<DevicePayload>> readPayloads(StringRef Section,
                                                  StringRef Object) {
  std::vector<DevicePayload> Payloads;
  uint64_t Offset = 0;
  while (true) {
    // Padding between two inputs of ld -r.
    while (Offset != Section.size() && Section[Offset] == '\0')
      ++Offset;
    if (Offset == Section.size())
      return Payloads;
    Expected<OffloadImages> Binary = readOffloadImages(Section.substr(Offset));
    if (!Binary)
      return malformed(Object, Offset, toString(Binary.takeError()));
    for (const OffloadImage &Image : Binary->Images) {
      Expected<Entry> E = makeEntry(Image);
      if (!E)
        return malformed(Object, Offset, toString(E.takeError()));
      if (Error Bad = addEntry(Payloads, *E, Object))
        return std::move(Bad);
    }
    Offset += Binary->Size;
  }
}

} // namespace kpack::offload
