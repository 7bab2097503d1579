//===- BitcodeToken.cpp - replaced token of an LTO object -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The module is read and written as a whole, as clang would write it: its
// summary and its hash, the key in caches of ThinLTO, are computed again.
//
//===----------------------------------------------------------------------===//
#include "BitcodeObject.h"

#include "Offload/HipSymbols.h"
#include "ToolSupport/Errors.h"
#include "llvm/Analysis/ModuleSummaryAnalysis.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ModuleSummaryIndex.h"

using namespace llvm;

namespace kpack::offload {

/// Returns \p Wrapper with \p Token in reserved1, or null if its token is not
/// \p Old. A sanitizer wraps the struct into another one.
static Constant *withToken(Constant *Wrapper, uint64_t Old, uint64_t Token) {
  auto *Fields = dyn_cast<ConstantStruct>(Wrapper);
  if (!Fields)
    return nullptr;
  SmallVector<Constant *, 4> All;
  for (Use &Field : Fields->operands())
    All.push_back(cast<Constant>(Field.get()));
  if (All.size() == 2) {
    All[0] = withToken(All[0], Old, Token);
    return All[0] ? ConstantStruct::get(Fields->getType(), All) : nullptr;
  }
  auto *Cast = All.size() == 4 ? dyn_cast<ConstantExpr>(All[3]) : nullptr;
  if (!Cast || Cast->getOpcode() != Instruction::IntToPtr)
    return nullptr;
  auto *Number = dyn_cast<ConstantInt>(Cast->getOperand(0));
  if (!Number || Number->getZExtValue() != Old)
    return nullptr;
  All[3] = ConstantExpr::getIntToPtr(ConstantInt::get(Number->getType(), Token),
                                     Cast->getType());
  return ConstantStruct::get(Fields->getType(), All);
}

/// True if a wrapper of \p M has changed.
static bool changeWrappers(Module &M, uint64_t Old, uint64_t Token) {
  bool Changed = false;
  for (GlobalVariable &Global : M.globals()) {
    if (Global.isDeclaration() || Global.getSection() != WrapperSectionName)
      continue;
    if (Constant *New = withToken(Global.getInitializer(), Old, Token)) {
      Global.setInitializer(New);
      Changed = true;
    }
  }
  return Changed;
}

static std::string write(const Module &M, const BitcodeLTOInfo &Info) {
  std::string Out;
  raw_string_ostream Stream(Out);
  if (!Info.HasSummary) {
    WriteBitcodeToFile(M, Stream);
    return Out;
  }
  ProfileSummaryInfo Profile(M);
  ModuleSummaryIndex Index =
      buildModuleSummaryIndex(M, /*GetBFICallback=*/nullptr, &Profile);
  WriteBitcodeToFile(M, Stream, /*ShouldPreserveUseListOrder=*/false, &Index,
                     /*GenerateHash=*/Info.IsThinLTO);
  return Out;
}

Expected<std::string> changeBitcodeToken(StringRef Module, uint64_t Old,
                                         uint64_t Token, StringRef Object) {
  Expected<std::vector<BitcodeModule>> Parts =
      getBitcodeModuleList(MemoryBufferRef(Module, Object));
  if (!Parts)
    return objectError(Object, toString(Parts.takeError()));
  // Modules that were split for whole-program devirtualization depend on each
  // other.
  if (Parts->size() != 1)
    return std::string();
  Expected<BitcodeLTOInfo> Info = Parts->front().getLTOInfo();
  if (!Info)
    return objectError(Object, toString(Info.takeError()));
  LLVMContext Context;
  // Drop diagnostics: LLVM repeats them when the module is linked.
  Context.setDiagnosticHandlerCallBack([](const DiagnosticInfo *, void *) {});
  Expected<std::unique_ptr<llvm::Module>> M =
      Parts->front().parseModule(Context);
  if (!M)
    return objectError(Object, toString(M.takeError()));
  if (!changeWrappers(**M, Old, Token))
    return std::string();
  return write(**M, *Info);
}

} // namespace kpack::offload
