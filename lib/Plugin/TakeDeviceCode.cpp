//===- TakeDeviceCode.cpp - extraction of device code from IR -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First finds every fat wrapper and plans its change, including all steps that
// can fail; then carries out the plans, which cannot fail. Wrappers are found
// by section and magic, not by name: LTO and llvm-link rename them.
//
//===----------------------------------------------------------------------===//
#include "TakeDeviceCode.h"

#include "Offload/FatBinary.h"
#include "Offload/HipSymbols.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace kpack::plugin {
namespace {

/// A wrapper that still has magic HIPF.
struct FatWrapper {
  GlobalVariable *Wrapper;
  ConstantStruct *Fields;
  GlobalVariable *FatBin; // embedded bundle, or external __hip_fatbin_<h>
};

/// The planned change of a wrapper.
struct Plan {
  FatWrapper Fat;
  uint64_t Token;
  std::string Symbol;  // new target of the wrapper
  std::string Payload; // for .kpack.devobj; empty: the compile has none
};

} // namespace

/// Returns an error about the source file of \p M.
static Error moduleError(const Module &M, const Twine &What) {
  return objectError(M.getSourceFileName(), What);
}

/// Returns the integer in field \p Index of a wrapper; nullopt if the field is
/// not an integer.
static std::optional<uint64_t> intField(const ConstantStruct &Fields,
                                        unsigned Index) {
  if (const auto *Field = dyn_cast<ConstantInt>(Fields.getOperand(Index)))
    return Field->getZExtValue();
  return std::nullopt;
}

static Expected<std::vector<FatWrapper>> findFatWrappers(Module &M) {
  std::vector<FatWrapper> Result;
  for (GlobalVariable &Global : M.globals()) {
    if (!Global.hasInitializer() ||
        Global.getSection() != offload::WrapperSectionName)
      continue;
    ConstantStruct *Fields = dyn_cast<ConstantStruct>(Global.getInitializer());
    if (Fields && Fields->getNumOperands() == 4 &&
        intField(*Fields, 0) == offload::WrapperMagicKpack)
      continue;
    GlobalVariable *FatBin = nullptr;
    if (Fields && Fields->getNumOperands() == 4 &&
        intField(*Fields, 0) == offload::WrapperMagicFat &&
        intField(*Fields, 1) == offload::WrapperVersion)
      FatBin =
          dyn_cast<GlobalVariable>(Fields->getOperand(2)->stripPointerCasts());
    if (!FatBin)
      return moduleError(M, "'" + Global.getName() + "' in section " +
                                offload::WrapperSectionName +
                                " is not a wrapper this kpack knows; use a "
                                "kpack made for this compiler");
    Result.push_back({&Global, Fields, FatBin});
  }
  return Result;
}

/// Plans host-only and RDC compiles, whose symbol contains the token.
static Expected<Plan> planExternal(const Module &M, const FatWrapper &Fat) {
  StringRef Symbol = Fat.FatBin->getName();
  std::optional<uint64_t> Token =
      offload::parseTokenSymbol(Symbol, offload::FatBinPrefix);
  if (!Token)
    return moduleError(M, "'" + Symbol +
                              "' does not tell this source from others, its "
                              "device code could not be found; drop "
                              "-fuse-cuid=none or pass -cuid=<id>");
  return Plan{Fat, *Token, Symbol.str(), ""};
}

/// Returns the hash in the module's __hip_cuid_<h>; nullopt if there is none,
/// or more than one (merged modules do not record which wrapper belongs to
/// which).
static std::optional<uint64_t> uniqueCuid(const Module &M) {
  std::optional<uint64_t> Result;
  for (const GlobalVariable &Global : M.globals()) {
    std::optional<uint64_t> Hash =
        offload::parseTokenSymbol(Global.getName(), offload::CuidPrefix);
    if (!Hash)
      continue;
    if (Result && *Result != *Hash)
      return std::nullopt;
    Result = Hash;
  }
  return Result;
}

/// Plans ordinary compiles, whose module contains the bundle.
static Expected<Plan> planEmbedded(const Module &M, const FatWrapper &Fat,
                                   std::optional<uint64_t> Cuid) {
  const auto *Data =
      dyn_cast<ConstantDataSequential>(Fat.FatBin->getInitializer());
  if (!Data)
    return moduleError(M, "the embedded fat binary is not a string of bytes; "
                          "use a kpack made for this compiler");
  StringRef Bytes = Data->getRawDataValues();
  Expected<offload::Container> Found =
      offload::readContainer(Bytes, M.getSourceFileName());
  if (!Found)
    return Found.takeError();
  Expected<offload::OpenContainer> Bundle =
      offload::openContainer(*Found, M.getSourceFileName());
  if (!Bundle)
    return Bundle.takeError();
  if (Bundle->Images.empty())
    return moduleError(M, "the embedded fat binary has no device code; name "
                          "an architecture with --offload-arch=");

  Plan Result{Fat, 0, "", ""};
  if (Cuid) {
    Result.Token = *Cuid;
    Result.Symbol = offload::tokenSymbol(offload::FatBinPrefix, *Cuid);
  } else {
    Result.Token = xxh3_64bits(Bytes);
    Result.Symbol = offload::MarkerSymbol.str();
  }
  offload::DevicePayload Payload;
  Payload.Token = Result.Token;
  Payload.Images = std::move(Bundle->Images);
  Result.Payload = offload::writePayload(Payload);
  return Result;
}

/// Declares the symbol that ld.kpack will define. It is hidden like the
/// definition, so that position-independent code needs no dynamic relocation
/// for it.
static Constant *declareMarker(Module &M, StringRef Name) {
  if (GlobalValue *Existing = M.getNamedValue(Name))
    return Existing;
  auto *Declaration = new GlobalVariable(
      M, Type::getInt8Ty(M.getContext()), /*isConstant=*/true,
      GlobalValue::ExternalLinkage, /*Initializer=*/nullptr, Name);
  Declaration->setVisibility(GlobalValue::HiddenVisibility);
  Declaration->setDSOLocal(true);
  return Declaration;
}

/// True if the gpubin handle of \p Token is left to the link, as in RDC.
static bool isLinkedByDriver(const Module &M, uint64_t Token) {
  const GlobalVariable *Handle = M.getNamedGlobal(
      offload::tokenSymbol(offload::GpuBinHandlePrefix, Token));
  return Handle && Handle->isDeclaration();
}

/// Makes an RDC link by clang fail, which would define __hip_fatbin_<h> as a
/// fat binary, while the wrapper's magic promises a marker. Adds a reference
/// that only ld.kpack resolves, as a distance of 32 bits, which needs no
/// dynamic relocation.
static void requireKpackLinker(Module &M) {
  static constexpr StringLiteral CheckName = "kpack.linker.check";
  if (M.getNamedValue(CheckName))
    return;
  Type *Int32 = Type::getInt32Ty(M.getContext());
  Type *Int64 = Type::getInt64Ty(M.getContext());
  auto *Check = new GlobalVariable(M, Int32, /*isConstant=*/true,
                                   GlobalValue::PrivateLinkage,
                                   /*Initializer=*/nullptr, CheckName);
  Constant *Marker = declareMarker(M, offload::MarkerSymbol);
  Check->setInitializer(ConstantExpr::getTrunc(
      ConstantExpr::getSub(ConstantExpr::getPtrToInt(Marker, Int64),
                           ConstantExpr::getPtrToInt(Check, Int64)),
      Int32));
  appendToUsed(M, {Check});
}

static void carryOut(Module &M, const Plan &P) {
  const FatWrapper &Fat = P.Fat;
  if (!P.Payload.empty())
    embedBufferInModule(M, MemoryBufferRef(P.Payload, "kpack"),
                        offload::PayloadSectionName, Align(8));

  else if (isLinkedByDriver(M, P.Token))
    requireKpackLinker(M);

  auto *Magic = cast<ConstantInt>(Fat.Fields->getOperand(0));
  auto *Token = ConstantInt::get(Type::getInt64Ty(M.getContext()), P.Token);
  Constant *Marker = declareMarker(M, P.Symbol);
  Fat.Wrapper->setInitializer(ConstantStruct::get(
      Fat.Fields->getType(),
      ConstantInt::get(Magic->getType(), offload::WrapperMagicKpack),
      Fat.Fields->getOperand(1),
      ConstantExpr::getPointerCast(Marker,
                                   Fat.Fields->getOperand(2)->getType()),
      ConstantExpr::getIntToPtr(Token, Fat.Fields->getOperand(3)->getType())));

  // The old initializer is still a user, and -O0 has no pass that removes it.
  Fat.FatBin->removeDeadConstantUsers();
}

/// True if only wrappers refer to the embedded \p FatBin, so that it can be
/// erased once they point elsewhere.
static bool belongsToWrappers(GlobalVariable &FatBin,
                              ArrayRef<FatWrapper> Wrappers) {
  FatBin.removeDeadConstantUsers();
  return all_of(FatBin.users(), [&](const User *Fields) {
    return isa<ConstantStruct>(Fields) &&
           all_of(Fields->users(), [&](const User *Owner) {
             return any_of(Wrappers, [&](const FatWrapper &Fat) {
               return Fat.Wrapper == Owner;
             });
           });
  });
}

Expected<bool> takeDeviceCode(Module &M) {
  Expected<std::vector<FatWrapper>> Wrappers = findFatWrappers(M);
  if (!Wrappers)
    return Wrappers.takeError();

  SmallSetVector<GlobalVariable *, 1> Embedded;
  for (const FatWrapper &Fat : *Wrappers)
    if (Fat.FatBin->hasInitializer())
      Embedded.insert(Fat.FatBin);
  for (GlobalVariable *FatBin : Embedded)
    if (!belongsToWrappers(*FatBin, *Wrappers))
      return moduleError(M, "the embedded fat binary is used outside its "
                            "wrapper; use a kpack made for this compiler");

  std::optional<uint64_t> Cuid;
  if (Embedded.size() == 1)
    Cuid = uniqueCuid(M);
  std::vector<Plan> Plans;
  for (const FatWrapper &Fat : *Wrappers)
    if (Error E = (Fat.FatBin->hasInitializer() ? planEmbedded(M, Fat, Cuid)
                                                : planExternal(M, Fat))
                      .moveInto(Plans.emplace_back()))
      return std::move(E);

  for (const Plan &P : Plans)
    carryOut(M, P);
  for (GlobalVariable *FatBin : Embedded)
    FatBin->eraseFromParent();
  return !Plans.empty();
}

bool isLinkerWrapperInput(const Module &M) {
  bool IsHip = false;
  bool HasOffloadSection = false;
  for (const GlobalVariable &Global : M.globals()) {
    IsHip |= Global.getName().starts_with(offload::CuidPrefix);
    HasOffloadSection |= Global.getSection() == ".llvm.offloading";
  }
  return IsHip && HasOffloadSection;
}

} // namespace kpack::plugin
