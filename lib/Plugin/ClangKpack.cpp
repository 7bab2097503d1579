//===- ClangKpack.cpp - KpackPlugin's pass by -fplugin= -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ClangKpack.so, for builds that can pass -fplugin= but not -fpass-plugin=. It
// ignores the syntax tree; as a plugin action it can reach the code generation
// options, where it adds a callback for the pass pipeline. Sibling:
// KpackPlugin.cpp, which opt and lld load too.
//
//===----------------------------------------------------------------------===//
#include "HostCompiler.h"
#include "PassRegistration.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"

#include <unistd.h>

using namespace clang;
using namespace kpack;

namespace {

class KpackAction : public PluginASTAction {
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
                                                 llvm::StringRef) override {
    const LangOptions &Lang = CI.getLangOpts();
    if (Lang.HIP) {
      CodeGenOptions &Options = CI.getCodeGenOpts();
      Options.PassBuilderCallbacks.push_back(plugin::registerPass);
      // With passes disabled, only the verifier gives us a pass to precede.
      if (Options.DisableLLVMPasses && !Lang.CUDAIsDevice)
        Options.VerifyModule = true;
    }
    return std::make_unique<ASTConsumer>();
  }

  bool ParseArgs(const CompilerInstance &CI,
                 const std::vector<std::string> &Args) override {
    if (Args.empty())
      return true;
    DiagnosticsEngine &Diags = CI.getDiagnostics();
    Diags.Report(Diags.getCustomDiagID(
        DiagnosticsEngine::Error,
        "ClangKpack.so: unknown argument '%0'; the plugin takes none, drop "
        "-fplugin-arg-kpack-%0"))
        << Args.front();
    return false;
  }

  ActionType getActionType() override { return AddBeforeMainAction; }
};

/// Registers the action, unless the compiler has another major version. A
/// frontend plugin can only refuse by ending the process: without registration
/// the object would silently stay fat.
struct Registration {
  Registration() {
    if (!plugin::hostCompilerFits("ClangKpack.so"))
      _exit(1);
    static FrontendPluginRegistry::Add<KpackAction> Action(
        "kpack", "take device code out of HIP host objects");
  }
};

const Registration Register;

} // namespace
