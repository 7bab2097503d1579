//===- FrontEnd.cpp - clang -cc1 in this process --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statistics of the compiler and lists of its features are left to the program:
// the code that prints them is in no library.
//
//===----------------------------------------------------------------------===//
#include "KeptTargets.h"
#include "Tools.h"

#include "clang/Basic/Stack.h"
#include "clang/CodeGen/ObjectFilePCHContainerWriter.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "clang/FrontendTool/Utils.h"
#include "clang/Serialization/ObjectFilePCHContainerReader.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace kpack;
using namespace clang;

/// Returns true if the program's main() would do more than run a front end.
static bool isMeasured(CompilerInvocation &Invocation) {
  const FrontendOptions &Options = Invocation.getFrontendOpts();
  const CodeGenOptions &Code = Invocation.getCodeGenOpts();
  return !Options.TimeTracePath.empty() || !Options.StatsFile.empty() ||
         Options.ShowStats || Options.PrintSupportedCPUs ||
         Options.PrintSupportedExtensions || Options.PrintEnabledExtensions ||
         Code.TimePasses;
}

/// Returns true if the compile changes global state. The driver passes "-mllvm
/// -amdgpu-internalize-symbols" for every HIP source; that option is reset.
static bool leavesTraces(CompilerInvocation &Invocation) {
  const FrontendOptions &Options = Invocation.getFrontendOpts();
  return !Options.Plugins.empty() || !Options.AddPluginActions.empty() ||
         !Invocation.getCodeGenOpts().PassPlugins.empty() ||
         llvm::any_of(Options.LLVMArgs, [](const std::string &Arg) {
           // These get their defaults back at the next command's reset.
           return Arg != "-amdgpu-internalize-symbols" &&
                  !llvm::StringRef(Arg).starts_with(
                      "--amdhsa-code-object-version=");
         });
}

/// Ends the process on a fatal LLVM error. The command then runs again as a
/// program, whose message counts.
[[noreturn]] static void giveUp(void *, const char *Reason, bool) {
  llvm::errs() << "LLVM ERROR: " << Reason << "\n";
  llvm::sys::Process::Exit(70, /*NoCleanup=*/true);
}

std::optional<int> jit::runFrontEnd(llvm::ArrayRef<const char *> Args,
                                    Traces &Left) {
  // Reset the options of the driver and of earlier compiles.
  llvm::cl::ResetAllOptionOccurrences();
  auto Headers = std::make_shared<PCHContainerOperations>();
  Headers->registerWriter(std::make_unique<ObjectFilePCHContainerWriter>());
  Headers->registerReader(std::make_unique<ObjectFilePCHContainerReader>());
  // Buffer diagnostics of the arguments until the printing options are known.
  DiagnosticOptions Early;
  auto *Buffered = new TextDiagnosticBuffer;
  DiagnosticsEngine Engine(DiagnosticIDs::create(), Early, Buffered);
  auto Invocation = std::make_shared<CompilerInvocation>();
  bool Valid = CompilerInvocation::CreateFromArgs(*Invocation, Args.slice(1),
                                                  Engine, Args[0]);
  if (isMeasured(*Invocation))
    return std::nullopt;
  Left.AreLasting |= leavesTraces(*Invocation);
  Invocation->getFrontendOpts().DisableFree = false;
  KeptTarget Machine(Args, *Invocation);
  auto Clang = std::make_unique<CompilerInstance>(std::move(Invocation),
                                                  std::move(Headers));
  Clang->createVirtualFileSystem(llvm::vfs::getRealFileSystem(), Buffered);
  Clang->createDiagnostics();
  llvm::remove_fatal_error_handler();
  llvm::install_fatal_error_handler(giveUp);
  Buffered->FlushDiagnostics(Clang->getDiagnostics());
  bool Done = Valid && ExecuteCompilerInvocation(Clang.get());
  llvm::remove_fatal_error_handler();
  llvm::outs().flush();
  if (Done)
    Machine.keep();
  return Done ? 0 : 1;
}
