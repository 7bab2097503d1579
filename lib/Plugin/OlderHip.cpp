//===- OlderHip.cpp - names that HIP 5 needs from clang -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang 19 was the last to link hip.bc, which has the fence, and
// oclc_daz_opt_*.bc, whose constant tells whether denormals count as zero. The
// two intrinsics vanished with opaque pointers: LLVM still upgrades them when
// it reads old bitcode, which we use here.
//
//===----------------------------------------------------------------------===//
#include "OlderHip.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/AutoUpgrade.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kpack::plugin {

/// Defines void __atomic_work_item_fence(flags, order, scope) as a fence,
/// whatever memory the flags name. Orders are those of C, scopes those of
/// OpenCL.
static bool defineFence(Module &M) {
  Function *F = M.getFunction("__atomic_work_item_fence");
  if (!F || !F->isDeclaration() || F->arg_size() != 3 ||
      !all_of(F->args(),
              [](const Argument &A) { return A.getType()->isIntegerTy(32); }))
    return false;
  constexpr std::pair<unsigned, const char *> Scopes[] = {
      {1, "workgroup"}, {2, "agent"}, {3, ""}, {4, "wavefront"}};
  constexpr std::pair<unsigned, AtomicOrdering> Orders[] = {
      {2, AtomicOrdering::Acquire},
      {3, AtomicOrdering::Release},
      {4, AtomicOrdering::AcquireRelease},
      {5, AtomicOrdering::SequentiallyConsistent}};
  LLVMContext &Context = M.getContext();
  auto *Entry = BasicBlock::Create(Context, "", F);
  auto *Done = BasicBlock::Create(Context, "", F);
  IRBuilder<> Builder(Entry);
  Value *Case =
      Builder.CreateOr(Builder.CreateShl(F->getArg(2), 4), F->getArg(1));
  SwitchInst *Switch = Builder.CreateSwitch(Case, Done);
  for (auto [ScopeNumber, Scope] : Scopes)
    for (auto [OrderNumber, Order] : Orders) {
      auto *Block = BasicBlock::Create(Context, "", F, Done);
      Switch->addCase(Builder.getInt32(ScopeNumber << 4 | OrderNumber), Block);
      Builder.SetInsertPoint(Block);
      Builder.CreateFence(Order, Context.getOrInsertSyncScopeID(Scope));
      Builder.CreateBr(Done);
    }
  Builder.SetInsertPoint(Done);
  Builder.CreateRetVoid();
  F->setLinkage(GlobalValue::InternalLinkage);
  F->setVisibility(GlobalValue::DefaultVisibility);
  F->removeFnAttr(Attribute::NoInline);
  F->removeFnAttr(Attribute::OptimizeNone);
  F->addFnAttr(Attribute::AlwaysInline);
  return true;
}

/// True if functions of \p M treat denormals as zero.
static bool flushesSmallNumbers(const Module &M) {
  return any_of(M, [](const Function &F) {
    return !F.isDeclaration() &&
           F.getDenormalMode(APFloat::IEEEsingle()).Output ==
               DenormalMode::PreserveSign;
  });
}

static bool defineDenormalOption(Module &M) {
  GlobalVariable *V = M.getGlobalVariable("__oclc_daz_opt");
  if (!V || !V->isDeclaration() || !V->getValueType()->isIntegerTy())
    return false;
  V->setInitializer(
      ConstantInt::get(V->getValueType(), flushesSmallNumbers(M)));
  V->setConstant(true);
  V->setLinkage(GlobalValue::InternalLinkage);
  V->setVisibility(GlobalValue::DefaultVisibility);
  return true;
}

static bool upgradeAtomics(Module &M) {
  bool Changed = false;
  for (Function &F : make_early_inc_range(M))
    if (F.isDeclaration() &&
        (F.getName().starts_with("llvm.amdgcn.atomic.inc.") ||
         F.getName().starts_with("llvm.amdgcn.atomic.dec."))) {
      UpgradeCallsToIntrinsic(&F);
      Changed = true;
    }
  return Changed;
}

bool defineForOlderHip(Module &M) {
  bool Fence = defineFence(M);
  bool Option = defineDenormalOption(M);
  return upgradeAtomics(M) || Fence || Option;
}

} // namespace kpack::plugin
