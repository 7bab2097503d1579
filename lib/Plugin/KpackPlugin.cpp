//===- KpackPlugin.cpp - pass plugin for clang, opt and lld ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// KpackPlugin.so: clang -fpass-plugin=, opt -load-pass-plugin=, lld
// --load-pass-plugin=. Refers to no symbol of clang, because opt and lld have
// none. Sibling: ClangKpack.cpp, for -fplugin=.
//
//===----------------------------------------------------------------------===//
#include "HostCompiler.h"
#include "PassRegistration.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Passes/PassBuilder.h"
#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

#include <atomic>
#include <cstdio>
#include <unistd.h>

using namespace kpack;

namespace {

/// Records whether the plugin was called, for a check at exit: clang's
/// -fplugin= silently loads a pass plugin without ever calling it.
class LoadRecord {
public:
  ~LoadRecord() {
    if (!Entered) {
      std::fputs("error: KpackPlugin.so: loaded, but not as a pass plugin; "
                 "give it to -fpass-plugin=, or ClangKpack.so to -fplugin=\n",
                 stderr);
      std::fflush(nullptr);
      _exit(1);
    }
    if (Registered && !SawPass)
      std::fputs("warning: KpackPlugin.so: no pass ran, a HIP object stays "
                 "fat; drop -disable-llvm-passes, or use -fplugin= with "
                 "ClangKpack.so\n",
                 stderr);
  }

  std::atomic<bool> Entered = false;
  std::atomic<bool> Registered = false;
  std::atomic<bool> SawPass = false;
};

LoadRecord Record;

} // namespace

static void registerCallbacks(llvm::PassBuilder &PB) {
  plugin::registerPass(PB);
#if LLVM_VERSION_MAJOR < 22
  // This LLVM has no callback before code generation: without passes, the
  // plugin cannot process the module.
  if (llvm::PassInstrumentationCallbacks *Callbacks =
          PB.getPassInstrumentationCallbacks()) {
    Record.Registered = true;
    Callbacks->registerBeforeNonSkippedPassCallback(
        [](llvm::StringRef, llvm::Any) { Record.SawPass = true; });
  }
#endif
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  Record.Entered = true;
  llvm::PassPluginLibraryInfo Info{};
  Info.PluginName = "kpack";
  Info.PluginVersion = KPACK_VERSION;
  // The loader refuses version 0 with a message after ours.
  if (!plugin::hostCompilerFits("KpackPlugin.so"))
    return Info;
  Info.APIVersion = LLVM_PLUGIN_API_VERSION;
  Info.RegisterPassBuilderCallbacks = registerCallbacks;
#if LLVM_VERSION_MAJOR >= 22
  // Runs even without passes (-disable-llvm-passes).
  Info.PreCodeGenCallback = [](llvm::Module &M, llvm::TargetMachine &,
                               llvm::CodeGenFileType,
                               llvm::raw_pwrite_stream &) {
    plugin::runOnModule(M);
    return false;
  };
#endif
  return Info;
}
