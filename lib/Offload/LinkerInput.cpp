//===- LinkerInput.cpp - device code of a linker input --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ELF objects come in four forms; one object may mix them after ld -r:
//
//   kpack       .kpack.devobj; wrapper marked     payloads as they are
//   fat         .hip_fatbin; wrapper points in    FatBinaryTaker
//   fat, RDC    .hip_fatbin and a global symbol   FatBinaryTaker
//   (link time) __hip_fatbin_<h> for each TU
//   RDC         a section for each target, wrap-  takeRdcBundles
//   (compiled)  per points to undefined symbol
//
// Bitcode has the kpack form only. Fat bitcode is refused: removing the
// constant would require rewriting the module with its summary. The compiler
// plugin does that.
//
//===----------------------------------------------------------------------===//
#include "Offload/LinkerInput.h"

#include "BitcodeObject.h"
#include "Damaged.h"
#include "ObjectWrappers.h"
#include "Offload/FatBinary.h"
#include "Offload/HipSymbols.h"
#include "Offload/Registration.h"
#include "RelocatableElf.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/xxhash.h"

#include <map>
#include <utility>

using namespace llvm;

namespace kpack::offload {

//===----------------------------------------------------------------------===//
// Both kinds of file
//===----------------------------------------------------------------------===//

/// Records an undefined symbol if the link step defines it.
static void addReference(LinkerInput &Input, StringRef Name) {
  if (std::optional<uint64_t> Token = parseTokenSymbol(Name, FatBinPrefix))
    Input.FatBinRefs.push_back(*Token);
  else if (parseTokenSymbol(Name, GpuBinHandlePrefix))
    Input.HandleRefs.push_back(Name.str());
  else if (isAnonymousFatBin(Name))
    Input.HasAnonymousFatBin = true;
}

static Error addPayloads(LinkerInput &Input, StringRef Section,
                         StringRef Object) {
  Expected<std::vector<DevicePayload>> Payloads = readPayloads(Section, Object);
  if (!Payloads)
    return Payloads.takeError();
  std::move(Payloads->begin(), Payloads->end(),
            std::back_inserter(Input.Payloads));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Fat binaries of ELF objects
//===----------------------------------------------------------------------===//

namespace {

/// Takes the bundles out of .hip_fatbin. The place in a relocation or symbol
/// alone determines the owner of a bundle.
class FatBinaryTaker {
public:
  FatBinaryTaker(RelocatableElf &Elf, LinkerInput &Input, StringRef Object)
      : Elf(Elf), Input(Input), Object(Object) {}

  /// Returns true if the object changed.
  Expected<bool> run(ArrayRef<ObjectWrapper> Wrappers);

private:
  /// Section number, and offset in the section.
  using Place = std::pair<uint32_t, uint64_t>;
  struct Users {
    std::vector<const ObjectWrapper *> Wrappers;
    /// Numbers and hashes of global symbols __hip_fatbin_<h>.
    std::vector<std::pair<uint32_t, uint64_t>> Definitions;
  };

  void collect(ArrayRef<ObjectWrapper> Wrappers);
  /// Takes the bundle at the start of \p Bytes.
  Error take(StringRef Bytes, const Users &Who);
  uint32_t markerSymbol();

  RelocatableElf &Elf;
  LinkerInput &Input;
  StringRef Object;
  std::map<Place, Users> Places;
  uint32_t Marker = 0;
};

} // namespace

Expected<bool> FatBinaryTaker::run(ArrayRef<ObjectWrapper> Wrappers) {
  collect(Wrappers);
  for (auto It = Places.begin(), End = Places.end(); It != End; ++It) {
    auto [Section, Offset] = It->first;
    StringRef Bytes = Elf.sections()[Section].contents();
    // A bundle ends where the next one begins. This bounds compressed bundles
    // of version 1, and keeps hostile ones from overlapping, which would make
    // the output larger than the input.
    auto Next = std::next(It);
    if (Next != End && Next->first.first == Section)
      Bytes = Bytes.take_front(Next->first.second);
    if (Elf.sections()[Section].Name != FatBinSectionName)
      return damagedObject(Object, "a wrapper points into section " +
                                       Twine(Section) + ", which is not " +
                                       FatBinSectionName);
    if (Offset >= Bytes.size())
      return damagedObject(Object,
                           Twine("a wrapper points behind the end of ") +
                               FatBinSectionName);
    if (Error E = take(Bytes.drop_front(Offset), It->second))
      return std::move(E);
  }
  // Emptied only now: the bytes above point into the sections.
  bool Changed = false;
  for (RelocatableElf::Section &S : Elf.sections())
    if (S.Name == FatBinSectionName && !S.contents().empty()) {
      S.empty();
      Changed = true;
    }
  return Changed;
}

void FatBinaryTaker::collect(ArrayRef<ObjectWrapper> Wrappers) {
  for (const ObjectWrapper &W : Wrappers)
    if (W.TargetSection != 0)
      Places[{W.TargetSection, W.TargetOffset}].Wrappers.push_back(&W);
  ArrayRef<RelocatableElf::Symbol> Symbols = Elf.symbols();
  for (uint32_t I = 1; I < Symbols.size(); ++I) {
    if (Symbols[I].getBinding() == ELF::STB_LOCAL)
      continue;
    uint32_t Section = Elf.sectionOfSymbol(I);
    if (Section == 0 || Elf.sections()[Section].Name != FatBinSectionName)
      continue;
    StringRef Name = Elf.nameOf(Symbols[I]);
    if (std::optional<uint64_t> Token = parseTokenSymbol(Name, FatBinPrefix))
      Places[{Section, Symbols[I].st_value}].Definitions.push_back({I, *Token});
    else if (isAnonymousFatBin(Name))
      Input.HasAnonymousFatBin = true;
  }
}

Error FatBinaryTaker::take(StringRef Bytes, const Users &Who) {
  Expected<Container> Found = readContainer(Bytes, Object);
  if (!Found)
    return Found.takeError();
  Expected<OpenContainer> Bundle = openContainer(*Found, Object);
  if (!Bundle)
    return Bundle.takeError();
  if (Bundle->Storage)
    Input.Storage.push_back(std::move(Bundle->Storage));

  // Each definition gets a list of all images. Real inputs have thousands of
  // TUs and a dozen targets.
  static constexpr uint64_t MaxImages = 1 << 20;
  if (Who.Definitions.size() * Bundle->Images.size() > MaxImages)
    return damagedObject(Object, "too many names for one fat binary");
  for (auto [Symbol, Token] : Who.Definitions) {
    Input.Payloads.push_back({Token, PayloadKind::Image, Bundle->Images});
    Elf.undefineSymbol(Symbol);
    Input.FatBinRefs.push_back(Token);
  }
  if (Who.Wrappers.empty())
    return Error::success();

  uint64_t Token = 0;
  if (!Who.Definitions.empty()) {
    Token = Who.Definitions.front().second;
  } else {
    Token = xxh3_64bits(Found->Bytes);
    Input.Payloads.push_back({Token, PayloadKind::Image, Bundle->Images});
  }
  for (const ObjectWrapper *W : Who.Wrappers) {
    repointWrapper(Elf, *W, markerSymbol());
    markWrapper(Elf, *W, Token);
  }
  return Error::success();
}

uint32_t FatBinaryTaker::markerSymbol() {
  if (Marker == 0)
    Marker = Elf.addUndefined(MarkerSymbol);
  return Marker;
}

//===----------------------------------------------------------------------===//
// Other ELF objects
//===----------------------------------------------------------------------===//

/// Marks wrappers that point to an undefined __hip_fatbin_<h> but come from a
/// compiler without the kpack plugin. Returns true if there was one.
static Expected<bool> markUndefined(RelocatableElf &Elf,
                                    ArrayRef<ObjectWrapper> Wrappers,
                                    StringRef Object) {
  bool Changed = false;
  for (const ObjectWrapper &W : Wrappers) {
    if (W.TargetSection != 0 || isAnonymousFatBin(W.SymbolName))
      continue;
    // Keep an existing token: the payload has the same one, and the symbol may
    // have another.
    bool HasToken = W.Reserved1 != 0 || W.SymbolToken == 0u;
    bool IsKnown = W.SymbolToken || W.SymbolName == MarkerSymbol;
    if (IsKnown && HasToken && W.Magic == WrapperMagicKpack)
      continue;
    if (!W.SymbolToken)
      return damagedObject(Object, "a wrapper points to " + W.SymbolName +
                                       ", which is not a fat binary");
    markWrapper(Elf, W, *W.SymbolToken);
    Changed = true;
  }
  return Changed;
}

static constexpr StringLiteral RdcSectionPrefix = "__CLANG_OFFLOAD_BUNDLE__";

/// Returns the token of an object with RDC sections; such a section has one TU.
static Expected<std::optional<uint64_t>>
rdcToken(const RelocatableElf &Elf, ArrayRef<ObjectWrapper> Wrappers,
         StringRef Object) {
  std::optional<uint64_t> Token, Tu;
  bool SeveralTus = false;
  auto Note = [&](uint64_t Hash) {
    SeveralTus |= Tu && *Tu != Hash;
    Tu = Hash;
  };
  for (const ObjectWrapper &W : Wrappers)
    if (W.TargetSection == 0 && W.SymbolToken)
      Note(*(Token = W.SymbolToken));
  for (const RelocatableElf::Symbol &S : Elf.symbols())
    if (S.st_shndx != ELF::SHN_UNDEF && S.getBinding() != ELF::STB_LOCAL)
      if (auto Cuid = parseTokenSymbol(Elf.nameOf(S), CuidPrefix))
        Note(*Cuid);
  if (SeveralTus)
    return objectError(Object,
                       "device code of several -fgpu-rdc TUs was joined "
                       "by a relocatable link; link the objects "
                       "themselves");
  return Token;
}

/// Takes the device code of an RDC TU, to which clang-offload-bundler adds one
/// section for each target.
static Error takeRdcBundles(RelocatableElf &Elf,
                            ArrayRef<ObjectWrapper> Wrappers, StringRef Object,
                            LinkerInput &Input) {
  DevicePayload Payload;
  Payload.Kind = PayloadKind::Rdc;
  StringSet<> Targets;
  for (const RelocatableElf::Section &S : Elf.sections()) {
    StringRef Id = S.Name;
    if (!Id.consume_front(RdcSectionPrefix))
      continue;
    std::optional<StringRef> Target = deviceTargetOfEntry(Id);
    // An absent part is a section of one zero byte.
    if (!Target || S.contents().size() <= 1)
      continue;
    if (!Targets.insert(*Target).second)
      return damagedObject(Object,
                           "two sections with device code for " + *Target);
    Payload.Images.push_back({Target->str(), S.contents()});
  }
  if (Payload.Images.empty())
    return Error::success();
  if (Error E = rdcToken(Elf, Wrappers, Object).moveInto(Payload.Token))
    return E;
  Input.Payloads.push_back(std::move(Payload));
  return Error::success();
}

/// Removes the remaining fat parts of a rewritten object: sections that the
/// linker would drop anyway, and bitcode (-ffat-lto-objects), whose wrapper is
/// unchanged; without it, lld takes the object's code.
static void dropLeftovers(RelocatableElf &Elf) {
  for (RelocatableElf::Section &S : Elf.sections()) {
    if (S.Name == ".llvm.lto") {
      S.Header.sh_name = 0;
      S.Header.sh_type = ELF::SHT_PROGBITS;
      S.empty();
    } else if (S.Name.starts_with(RdcSectionPrefix)) {
      S.empty();
    }
  }
}

/// True if a .llvm.offloading section holds images of HIP (not of OpenMP).
static bool holdsHipImages(StringRef Section, StringRef Object) {
  Expected<std::vector<Container>> All = readContainers(Section, Object);
  if (!All)
    return consumeError(All.takeError()), false;
  for (const Container &C : *All) {
    Expected<OpenContainer> Open = openContainer(C, Object);
    if (!Open)
      return consumeError(Open.takeError()), false;
    if (!Open->Images.empty())
      return true;
  }
  return false;
}

static Expected<LinkerInput> readElf(StringRef Bytes, StringRef Object) {
  Expected<RelocatableElf> Elf = RelocatableElf::parse(Bytes, Object);
  if (!Elf)
    return Elf.takeError();
  LinkerInput Input;
  bool Registers = false;
  for (const RelocatableElf::Symbol &S : Elf->symbols()) {
    if (S.st_shndx != ELF::SHN_UNDEF || S.getBinding() == ELF::STB_LOCAL)
      continue;
    StringRef Name = Elf->nameOf(S);
    addReference(Input, Name);
    Input.NeedsRegistration |= Name == StubFunction;
    Registers |= Name == RegisterFunction;
  }
  Input.NeedsRegistration &= !Registers;
  for (const RelocatableElf::Section &S : Elf->sections()) {
    if (S.Name == PayloadSectionName)
      if (Error E = addPayloads(Input, S.contents(), Object))
        return std::move(E);
    if (S.Name == ".llvm.offloading")
      Input.NeedsLinkerWrapper |= holdsHipImages(S.contents(), Object);
  }

  Expected<std::vector<ObjectWrapper>> Wrappers = findWrappers(*Elf, Object);
  if (!Wrappers)
    return Wrappers.takeError();
  if (Error E = takeRdcBundles(*Elf, *Wrappers, Object, Input))
    return std::move(E);
  Expected<bool> Marked = markUndefined(*Elf, *Wrappers, Object);
  if (!Marked)
    return Marked.takeError();
  Expected<bool> Taken = FatBinaryTaker(*Elf, Input, Object).run(*Wrappers);
  if (!Taken)
    return Taken.takeError();
  if (*Marked || *Taken) {
    dropLeftovers(*Elf);
    Input.Rewritten = MemoryBuffer::getMemBufferCopy(Elf->write(), Object);
  }
  return std::move(Input);
}

//===----------------------------------------------------------------------===//
// Bitcode
//===----------------------------------------------------------------------===//

static Error checkWrapper(const BitcodeWrapper &W, StringRef Object) {
  // The link step refuses wrappers that LinkerInput.h calls anonymous.
  if (W.IsAnonymous && W.Magic == WrapperMagicFat)
    return Error::success();
  if (W.IsFat)
    return objectError(Object, "its bitcode holds a fat binary; compile it "
                               "with -fpass-plugin=KpackPlugin.so");
  if (W.Magic != WrapperMagicKpack || (W.Reserved1 == 0 && W.SymbolToken != 0u))
    return objectError(Object, "its bitcode was not marked for kpack; compile "
                               "it with -fpass-plugin=KpackPlugin.so");
  return Error::success();
}

static Expected<LinkerInput> readBitcodeInput(StringRef Bytes,
                                              StringRef Object) {
  LinkerInput Input;
  Expected<BitcodeParts> Parts = splitBitcode(Bytes, Object);
  if (!Parts)
    return Parts.takeError();
  if (Error E = addPayloads(Input, Parts->Tail, Object))
    return std::move(E);
  Expected<BitcodeObject> Bitcode = readBitcode(Parts->Module, Object);
  if (!Bitcode)
    return Bitcode.takeError();
  for (const std::string &Name : Bitcode->Undefined)
    addReference(Input, Name);
  // A module's string table holds names verbatim.
  Input.NeedsRegistration = Parts->Module.contains(StubFunction) &&
                            !Parts->Module.contains(RegisterFunction);
  for (const BitcodeWrapper &W : Bitcode->Wrappers)
    if (Error E = checkWrapper(W, Object))
      return std::move(E);
  for (const std::string &Payload : Bitcode->Payloads) {
    Input.Storage.push_back(MemoryBuffer::getMemBufferCopy(Payload, Object));
    if (Error E = addPayloads(Input, Input.Storage.back()->getBuffer(), Object))
      return std::move(E);
  }
  for (const std::string &Section : Bitcode->Offloading)
    Input.NeedsLinkerWrapper |= holdsHipImages(Section, Object);
  return std::move(Input);
}

/// Returns the ELF object \p Bytes with another token in its wrappers.
static Expected<std::string> changeElfToken(StringRef Bytes, uint64_t Old,
                                            uint64_t Token, StringRef Name) {
  Expected<RelocatableElf> Elf = RelocatableElf::parse(Bytes, Name);
  if (!Elf)
    return Elf.takeError();
  Expected<std::vector<ObjectWrapper>> Wrappers = findWrappers(*Elf, Name);
  if (!Wrappers)
    return Wrappers.takeError();
  for (const ObjectWrapper &W : *Wrappers)
    if (W.Magic == WrapperMagicKpack && W.Reserved1 == Old)
      markWrapper(*Elf, W, Token);
  dropLeftovers(*Elf);
  return Elf->write();
}

/// Does the same for bitcode; returns an empty string if that is impossible.
static Expected<std::string> changeModuleToken(StringRef Bytes, uint64_t Old,
                                               uint64_t Token, StringRef Name) {
  Expected<BitcodeParts> Parts = splitBitcode(Bytes, Name);
  if (!Parts)
    return Parts.takeError();
  return changeBitcodeToken(Parts->Module, Old, Token, Name);
}

Expected<bool> changeToken(LinkerInput &Input, DevicePayload &Payload,
                           uint64_t Token, MemoryBufferRef Object,
                           StringRef Name) {
  StringRef Bytes =
      Input.Rewritten ? Input.Rewritten->getBuffer() : Object.getBuffer();
  if (!Payload.Token)
    return false;
  Expected<std::string> Changed =
      RelocatableElf::isSupported(Bytes)
          ? changeElfToken(Bytes, *Payload.Token, Token, Name)
      : isBitcodeFile(Bytes)
          ? changeModuleToken(Bytes, *Payload.Token, Token, Name)
          : std::string();
  if (!Changed)
    return Changed.takeError();
  if (Changed->empty())
    return false;
  Input.Rewritten = MemoryBuffer::getMemBufferCopy(*Changed, Name);
  Payload.Token = Token;
  return true;
}

Expected<LinkerInput> readLinkerInput(MemoryBufferRef Object, StringRef Name) {
  StringRef Bytes = Object.getBuffer();
  if (RelocatableElf::isSupported(Bytes))
    return readElf(Bytes, Name);
  if (isBitcodeFile(Bytes))
    return readBitcodeInput(Bytes, Name);
  return LinkerInput();
}

} // namespace kpack::offload
