//===- HostObject.cpp - device code added to a host object ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the wrapper's token first (and in ELF writes it, with magic HIPK), then
// adds the device code under that token.
//
//===----------------------------------------------------------------------===//
#include "Offload/HostObject.h"

#include "BitcodeObject.h"
#include "Damaged.h"
#include "ObjectWrappers.h"
#include "Offload/HipSymbols.h"
#include "RelocatableElf.h"
#include "ToolSupport/Errors.h"

using namespace llvm;

namespace kpack::offload {

static Expected<RelocatableElf> parseElf(StringRef Bytes, StringRef Object) {
  Expected<RelocatableElf> Elf = RelocatableElf::parse(Bytes, Object);
  if (Elf && !Elf->hasSectionNames())
    return damagedObject(Object, "has no section names");
  return Elf;
}

static Error alreadyFinished(StringRef Object) {
  return objectError(Object, "already holds device code in " +
                                 Twine(PayloadSectionName) +
                                 "; finish each object once");
}

static Error fatBinary(StringRef Object) {
  return objectError(Object, "holds a fat binary; compile it with "
                             "--offload-host-only");
}

static Error noHash(StringRef Object) {
  return objectError(Object, "its fat binary has no hash in its name; compile "
                             "it without -fuse-cuid=none");
}

/// Checks that all wrappers of an object, which is one TU, have one token.
static Error unite(std::optional<uint64_t> &Token, uint64_t Next,
                   StringRef Object) {
  if (Token && *Token != Next)
    return objectError(Object, "holds several TUs; finish each object before "
                               "it is linked with -r");
  Token = Next;
  return Error::success();
}

/// Returns the token of a module whose wrappers must have been marked.
static Expected<std::optional<uint64_t>> markedToken(StringRef Module,
                                                     StringRef Object) {
  Expected<BitcodeObject> Bitcode = readBitcode(Module, Object);
  if (!Bitcode)
    return Bitcode.takeError();
  if (!Bitcode->Payloads.empty())
    return alreadyFinished(Object);
  std::optional<uint64_t> Token;
  for (const BitcodeWrapper &W : Bitcode->Wrappers) {
    if (W.IsFat)
      return fatBinary(Object);
    if (W.IsAnonymous)
      return noHash(Object);
    if (W.Magic != WrapperMagicKpack || W.Reserved1 != *W.SymbolToken)
      return objectError(Object,
                         "its bitcode was not marked for kpack; compile it "
                         "with -fpass-plugin=KpackPlugin.so");
    if (Error E = unite(Token, *W.SymbolToken, Object))
      return std::move(E);
  }
  return Token;
}

/// Marks the wrappers of \p Elf and returns their token.
static Expected<std::optional<uint64_t>> markAll(RelocatableElf &Elf,
                                                 StringRef Object) {
  Expected<std::vector<ObjectWrapper>> Wrappers = findWrappers(Elf, Object);
  if (!Wrappers)
    return Wrappers.takeError();
  std::optional<uint64_t> Token;
  for (const ObjectWrapper &W : *Wrappers) {
    if (W.TargetSection != 0)
      return fatBinary(Object);
    if (!W.SymbolToken)
      return noHash(Object);
    if (W.Magic == WrapperMagicKpack && W.Reserved1 != *W.SymbolToken)
      return damagedObject(Object, "its wrapper carries another token than its "
                                   "symbol " +
                                       W.SymbolName);
    if (Error E = unite(Token, *W.SymbolToken, Object))
      return std::move(E);
    markWrapper(Elf, W, *W.SymbolToken);
  }
  return Token;
}

/// Makes links with other linkers fail. A shared library may leave a symbol
/// undefined and then fails at load, unless the symbol is hidden.
static void hideFatBinaries(RelocatableElf &Elf) {
  for (uint32_t I = 0, E = Elf.symbols().size(); I != E; ++I) {
    const RelocatableElf::Symbol &S = Elf.symbols()[I];
    if (S.st_shndx == ELF::SHN_UNDEF && S.getBinding() == ELF::STB_GLOBAL &&
        parseTokenSymbol(Elf.nameOf(S), FatBinPrefix))
      Elf.hideSymbol(I);
  }
}

/// Returns the section's contents; empty if no code refers to them.
static std::string makePayload(ArrayRef<DeviceImage> Images, PayloadKind Kind,
                               std::optional<uint64_t> Token) {
  if (!Token && Kind == PayloadKind::Image)
    return std::string();
  return writePayload({Token, Kind, Images.vec()});
}

static Expected<std::string> finishElf(StringRef Bytes, StringRef Object,
                                       ArrayRef<DeviceImage> Images,
                                       PayloadKind Kind) {
  Expected<RelocatableElf> Elf = parseElf(Bytes, Object);
  if (!Elf)
    return Elf.takeError();
  if (Elf->find(PayloadSectionName))
    return alreadyFinished(Object);
  Expected<std::optional<uint64_t>> Token = markAll(*Elf, Object);
  if (!Token)
    return Token.takeError();

  // With -ffat-lto-objects the linker may use the bitcode instead.
  if (const RelocatableElf::Section *Lto = Elf->find(".llvm.lto")) {
    Expected<std::optional<uint64_t>> LtoToken =
        markedToken(Lto->contents(), Object);
    if (!LtoToken)
      return LtoToken.takeError();
    if (*LtoToken != *Token)
      return damagedObject(Object, "its bitcode and its code have different "
                                   "tokens");
  }

  std::string Payload = makePayload(Images, Kind, *Token);
  if (!Payload.empty())
    Elf->addExcluded(PayloadSectionName, Payload);
  hideFatBinaries(*Elf);
  return Elf->write();
}

static Expected<std::string> finishBitcode(StringRef Bytes, StringRef Object,
                                           ArrayRef<DeviceImage> Images,
                                           PayloadKind Kind) {
  Expected<BitcodeParts> Parts = splitBitcode(Bytes, Object);
  if (!Parts)
    return Parts.takeError();
  if (Parts->Tail.find_first_not_of('\0') != StringRef::npos)
    return alreadyFinished(Object);
  Expected<std::optional<uint64_t>> Token = markedToken(Parts->Module, Object);
  if (!Token)
    return Token.takeError();
  std::string Payload = makePayload(Images, Kind, *Token);
  if (Payload.empty())
    return Bytes.str();
  if (Parts->Module.size() > UINT32_MAX)
    return objectError(Object, "bitcode of more than 4 GiB; compile it without "
                               "-flto");
  return joinBitcode(Parts->Module, Payload);
}

Expected<std::string> finishHostObject(MemoryBufferRef Object,
                                       ArrayRef<DeviceImage> Images,
                                       PayloadKind Kind) {
  StringRef Bytes = Object.getBuffer(), Name = Object.getBufferIdentifier();
  if (isBitcodeFile(Bytes))
    return finishBitcode(Bytes, Name, Images, Kind);
  return finishElf(Bytes, Name, Images, Kind);
}

Expected<std::string> addExcludedSection(MemoryBufferRef Object, StringRef Name,
                                         StringRef Contents) {
  Expected<RelocatableElf> Elf =
      parseElf(Object.getBuffer(), Object.getBufferIdentifier());
  if (!Elf)
    return Elf.takeError();
  if (Elf->find(Name))
    return objectError(Object.getBufferIdentifier(),
                       "already has a section " + Name + "; add it once");
  Elf->addExcluded(Name, Contents);
  return Elf->write();
}

} // namespace kpack::offload
