//===- PassRegistration.cpp - registration of the kpack pass --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass is registered at the start of the pipeline. But -disable-llvm-passes
// (and with it the first step of -save-temps) builds no pipeline, and a
// link-time pipeline has no such extension point. Both still run passes that
// verify or write the module; the callback before a pass acts on the first of
// them. In both cases no analysis of the module is cached yet, so changing it
// is safe; a second run changes nothing.
//
//===----------------------------------------------------------------------===//
#include "PassRegistration.h"

#include "NoDeviceQueue.h"
#include "OlderHip.h"
#include "TakeDeviceCode.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace kpack::plugin {

namespace {

/// A warning about a module; clang puts it in group -Wbackend-plugin.
class ModuleWarning : public DiagnosticInfo {
public:
  explicit ModuleWarning(const Twine &Message)
      : DiagnosticInfo(getNextAvailablePluginDiagnosticKind(), DS_Warning),
        Message(Message.str()) {}
  void print(DiagnosticPrinter &Printer) const override { Printer << Message; }

private:
  std::string Message;
};

} // namespace

/// Marks a module that was diagnosed, so that the next hook does not repeat the
/// message.
static constexpr StringLiteral DiagnosedMark = "kpack.diagnosed";

bool runOnModule(Module &M) {
  if (M.getNamedMetadata(DiagnosedMark))
    return false;
  if (Triple(M.getTargetTriple()).isAMDGCN()) {
    bool Defined = defineForOlderHip(M);
    return markNoDeviceQueue(M) || Defined;
  }
  Expected<bool> Changed = takeDeviceCode(M);
  if (!Changed) {
    M.getContext().emitError(toString(Changed.takeError()));
    M.getOrInsertNamedMetadata(DiagnosedMark);
    return false;
  }
  if (!*Changed && isLinkerWrapperInput(M)) {
    M.getContext().diagnose(ModuleWarning(
        M.getSourceFileName() +
        ": -fgpu-rdc with the new offload driver makes its fat binary at link, "
        "out of the plugin's reach; link with ld.kpack as the linker of "
        "clang-linker-wrapper, or compile with --no-offload-new-driver"));
    M.getOrInsertNamedMetadata(DiagnosedMark);
  }
  return *Changed;
}

namespace {

struct KpackPass : PassInfoMixin<KpackPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    return runOnModule(M) ? PreservedAnalyses::none()
                          : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

/// Called before every pass; acts before the first.
class BeforeFirstPass {
public:
  void operator()(StringRef PassName, const Any &IR) {
    if (Done)
      return;
    Done = true;
    if (const Module *const *M = any_cast<const Module *>(&IR))
      runOnModule(const_cast<Module &>(**M));
  }

private:
  bool Done = false;
};

} // namespace

void registerPass(PassBuilder &PB) {
  PB.registerPipelineStartEPCallback(
      [](ModulePassManager &Passes, OptimizationLevel) {
        Passes.addPass(KpackPass());
      });
  PB.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &Passes,
         ArrayRef<PassBuilder::PipelineElement>) {
        if (Name != "kpack")
          return false;
        Passes.addPass(KpackPass());
        return true;
      });
  if (PassInstrumentationCallbacks *Callbacks =
          PB.getPassInstrumentationCallbacks())
    Callbacks->registerBeforeNonSkippedPassCallback(BeforeFirstPass());
}

} // namespace kpack::plugin
