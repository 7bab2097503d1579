//===- Resolve.cpp - device code of the linked wrappers -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two objects with the same token are no error as such: a library may be named
// twice, and members may stay out of the link. If their device code differs and
// at most one of them is certainly linked, InputFiles.cpp has given one another
// token, unless it is bitcode of several modules. The map therefore keeps a
// rival beside the first object. That is an error before the link if both are
// certainly linked, and after it if a wrapper with the token lives, because its
// owner is ambiguous then.
//
// clang's --hip-link ignores the bitcode of kpack-clang++ and makes one object
// without code for it, with the tokens of all TUs. Such code gives way to other
// code.
//
// The output is treated as hostile, since a linker script can do anything to
// it. Wrappers are checked first, because those messages help most; then the
// sections: the marker must be there byte for byte as it was linked; then that
// each wrapper points to it. Until then reserved1 holds the token;
// patchLinkedFile() (Outputs.cpp) writes the index there.
//
//===----------------------------------------------------------------------===//
#include "Resolve.h"

#include "Offload/HipSymbols.h"
#include "Offload/Wrappers.h"
#include "ToolSupport/Errors.h"
#include "kpack/Archive/Marker.h"

using namespace llvm;
using namespace kpack::offload;

namespace kpack::linker {

bool LinkedCode::hasRdc() const {
  return any_of(Wrappers, [](const LiveWrapper &W) {
    return W.Payload->Kind == PayloadKind::Rdc;
  });
}

TokenMap::TokenMap(const InputFiles &Inputs) {
  for (const std::unique_ptr<InputFile> &File : Inputs.files())
    for (const InputObject &Object : File->Objects)
      for (const DevicePayload &Payload : Object.Contents.Payloads) {
        if (!Payload.Token)
          continue;
        auto [It, IsNew] =
            Entries.try_emplace(*Payload.Token, Entry{&Payload, &Object});
        if (IsNew || sameCode(*It->second.Payload, Payload) ||
            isLinkOfNothing(Payload))
          continue;
        if (isLinkOfNothing(*It->second.Payload)) {
          It->second = {&Payload, &Object};
          continue;
        }
        const InputObject *&Rival = It->second.Rival;
        if (!Rival || Rival->IsLazy)
          Rival = &Object;
      }
}

static Error sameCuid(uint64_t Token, const TokenMap::Entry &Entry) {
  // clang has linked the bitcode that it can read, without the other objects:
  // kernels of the two parts could not call each other.
  auto IsRdc = [&](const InputObject &Object) {
    return any_of(Object.Contents.Payloads, [&](const DevicePayload &P) {
      return P.Token == Token && P.Kind == PayloadKind::Rdc;
    });
  };
  bool IsRivalRdc = IsRdc(*Entry.Rival);
  if (IsRivalRdc != IsRdc(*Entry.Object))
    return objectError((IsRivalRdc ? Entry.Rival : Entry.Object)->Name,
                       "compiled by kpack-clang++ with -fgpu-rdc, and linked "
                       "by clang's --hip-link with objects that were not; "
                       "link all of them without --hip-link");
  return objectError(Entry.Rival->Name,
                     "two translation units with one cuid: same " +
                         tokenSymbol(FatBinPrefix, Token) + " as " +
                         Entry.Object->Name +
                         ", other device code; compile one with another "
                         "-cuid=");
}

Error TokenMap::check() const {
  for (const auto &[Token, Entry] : Entries)
    if (Entry.Rival && !Entry.Rival->IsLazy && !Entry.Object->IsLazy)
      return sameCuid(Token, Entry);
  return Error::success();
}

const TokenMap::Entry *TokenMap::find(uint64_t Token) const {
  auto It = Entries.find(Token);
  return It == Entries.end() ? nullptr : &It->second;
}

/// Checks the section structure that later readers rely on.
static Error checkSections(const LinkedBinary &Binary, StringRef File,
                           StringRef Name, StringRef Marker) {
  // A live wrapper refers to the marker, so the file has both or neither.
  bool HasMarker = !Binary.MarkerBytes.empty();
  bool IsElsewhere = HasMarker ? Binary.MarkerBytes != Marker
                               : !Marker.empty() && File.contains(Marker);
  if (Binary.Wrappers.empty() != HasMarker && !IsElsewhere)
    return Error::success();
  return objectError(Name, "the linker script puts " + WrapperSectionName +
                               " or " + StringRef(MarkerSectionName) +
                               " into another section; give each an output "
                               "section of its own name");
}

static Expected<LiveWrapper> resolveWrapper(const Wrapper &W, StringRef Name,
                                            const TokenMap &Tokens) {
  if (W.Magic == WrapperMagicFat)
    return objectError(Name, "a fat binary was linked in from a file that the "
                             "kpack step did not see; name the file on the "
                             "command line");
  if (W.Magic != WrapperMagicKpack || W.Version != WrapperVersion)
    return objectError(Name, "the wrapper at offset 0x" +
                                 Twine::utohexstr(W.FileOffset) +
                                 " is of no known kind; rebuild its object");
  std::string Symbol = tokenSymbol(FatBinPrefix, W.Reserved1);
  const TokenMap::Entry *Entry = Tokens.find(W.Reserved1);
  if (!Entry)
    return objectError(Name, "no device code for " + Symbol +
                                 "; its object was compiled without device "
                                 "code, or a tool removed it");
  if (Entry->Rival)
    return sameCuid(W.Reserved1, *Entry);
  return LiveWrapper{W.FileOffset, W.Reserved1, Entry->Payload, Entry->Object};
}

Expected<LinkedCode> resolve(MemoryBufferRef Linked, StringRef Name,
                             StringRef Marker, const TokenMap &Tokens) {
  Expected<LinkedBinary> Binary = readLinkedBinary(Linked, Name);
  if (!Binary)
    return Binary.takeError();
  LinkedCode Code;
  for (const Wrapper &W : Binary->Wrappers)
    if (Error E = resolveWrapper(W, Name, Tokens)
                      .moveInto(Code.Wrappers.emplace_back()))
      return std::move(E);
  if (Error E = checkSections(*Binary, Linked.getBuffer(), Name, Marker))
    return std::move(E);
  for (const auto &[W, Live] : zip(Binary->Wrappers, Code.Wrappers))
    if (W.Pointer != Binary->MarkerAddress)
      return objectError(Name, "the wrapper of " + Live.Object->Name +
                                   " does not point to the marker; leave " +
                                   tokenSymbol(FatBinPrefix, Live.Token) +
                                   " to ld.kpack");
  if (!Binary->MarkerBytes.empty()) {
    Code.MarkerOffset = Binary->MarkerBytes.data() - Linked.getBufferStart();
    Code.MarkerSize = Binary->MarkerBytes.size();
  }
  return Code;
}

} // namespace kpack::linker
