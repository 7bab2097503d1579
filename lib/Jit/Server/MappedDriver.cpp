//===- MappedDriver.cpp - the clang driver in this process ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver plans, reports errors and removes incomplete outputs, as in its
// program. Where it would start a front end, an assembler or an lld that are
// mapped, this file calls them. Other jobs, such as GNU ld, run as programs.
//
//===----------------------------------------------------------------------===//
#include "Tools.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/Stack.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/Job.h"
#include "clang/Driver/ToolChain.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <cstdlib>

using namespace kpack;
using namespace kpack::jit;
using namespace clang;
using llvm::StringRef;
using Words = llvm::SmallVector<const char *, 256>;

/// Returns true if clang's main() handles one of these variables or arguments.
static bool concernsMain(llvm::ArrayRef<const char *> Args) {
  for (const char *Name :
       {"CCC_OVERRIDE_OPTIONS", "CC_PRINT_OPTIONS", "CC_PRINT_HEADERS",
        "CC_PRINT_HEADERS_FORMAT", "CC_LOG_DIAGNOSTICS", "CC_PRINT_PROC_STAT",
        "CC_PRINT_INTERNAL_STAT", "FORCE_CLANG_DIAGNOSTICS_CRASH"})
    if (std::getenv(Name))
      return true;
  for (StringRef Arg : Args.slice(1))
    for (StringRef Start :
         {"-cc1", "--driver-mode", "-no-canonical-prefixes", "-fintegrated-cc1",
          "-fno-integrated-cc1", "-parallel-jobs", "-gen-reproducer",
          "--serialize-diagnostics", "-serialize-diagnostics", "-ftime-report",
          "-fproc-stat-report"})
      if (Arg.starts_with(Start))
        return true;
  return false;
}

/// Adds the arguments that the program's name implies: "clang++" compiles C++.
static void addMode(const driver::ParsedClangName &Name, Words &Args,
                    llvm::SmallVectorImpl<std::string> &Kept) {
  Kept.assign({Name.DriverMode ? Name.DriverMode : "", Name.TargetPrefix});
  if (Name.DriverMode)
    Args.insert(Args.begin() + 1, Kept[0].c_str());
  if (Name.TargetIsValid) {
    const char *Target[] = {"-target", Kept[1].c_str()};
    Args.insert(Args.begin() + 1, std::begin(Target), std::end(Target));
  }
}

/// Returns true for a job of clang itself, by "-cc1" or "-cc1as".
static bool isClangs(const driver::Command &Job) {
  return !Job.getArguments().empty() &&
         StringRef(Job.getArguments()[0]).starts_with("-cc1");
}

/// Calls a tool, or starts its program if it refuses.
static int runTool(llvm::ArrayRef<const char *> Args, bool IsLinker,
                   Traces &Left) {
  if (IsLinker)
    return runLinker(Args, Left);
  std::optional<int> Code;
  if (StringRef(Args[1]) == "-cc1")
    Code = runFrontEnd(Args, Left);
  else if (StringRef(Args[1]) == "-cc1as")
    Code = runAssembler(Args);
  if (Code)
    return *Code;
  llvm::SmallVector<StringRef, 64> Same(Args.begin(), Args.end());
  return llvm::sys::ExecuteAndWait(Args[0], Same);
}

namespace {

/// A job of the driver whose program is mapped.
class MappedCommand : public driver::Command {
public:
  MappedCommand(const driver::Command &Job, bool IsLinker, Traces &Left)
      : Command(Job), IsLinker(IsLinker), Left(Left) {}

  int Execute(llvm::ArrayRef<std::optional<StringRef>> Redirects,
              std::string *Message, bool *Failed) const override {
    if (!Redirects.empty())
      return Command::Execute(Redirects, Message, Failed);
    if (Failed)
      *Failed = false;
    Words Args{getExecutable()};
    Args.append(getArguments().begin(), getArguments().end());
    return runTool(Args, IsLinker, Left);
  }

private:
  const bool IsLinker;
  Traces &Left;
};

} // namespace

/// Replaces jobs by mapped ones. If clang's job is the only one, the driver
/// calls it.
static void replaceJobs(driver::JobList &Jobs, MappedFiles &Files,
                        Traces &Left) {
  if (Jobs.size() == 1 && isClangs(*Jobs.begin()))
    return;
  llvm::SmallVector<std::unique_ptr<driver::Command>, 4> All;
  for (driver::Command &Job : Jobs) {
    bool IsLinker = !isClangs(Job) && Files.isLld(Job.getExecutable());
    if (IsLinker || isClangs(Job))
      All.push_back(std::make_unique<MappedCommand>(Job, IsLinker, Left));
    else
      All.push_back(std::make_unique<driver::Command>(Job));
  }
  Jobs.clear();
  for (std::unique_ptr<driver::Command> &Job : All)
    Jobs.addJob(std::move(Job));
}

static int execute(driver::Driver &Driver, llvm::ArrayRef<const char *> Args,
                   MappedFiles &Files, Traces &Left) {
  std::unique_ptr<driver::Compilation> Plan(Driver.BuildCompilation(Args));
  if (!Plan || Plan->containsError())
    return 1;
  // For -###, print the plan unchanged.
  bool IsShown = llvm::any_of(
      Args, [](const char *Arg) { return StringRef(Arg) == "-###"; });
  if (!IsShown)
    replaceJobs(Plan->getJobs(), Files, Left);
  llvm::SmallVector<std::pair<int, const driver::Command *>, 4> Failing;
  int Code = Driver.ExecuteCompilation(*Plan, Failing);
  for (const auto &[Failure, Job] : Failing)
    Code = Code ? Code : Failure;
  return Code;
}

std::optional<int> jit::runDriver(llvm::ArrayRef<const char *> Given,
                                  MappedFiles &Files, Traces &Left) {
  noteBottomOfStack();
  Words Args(Given.begin(), Given.end());
  llvm::BumpPtrAllocator Allocator;
  auto System = llvm::vfs::getRealFileSystem();
  if (llvm::Error Failed = driver::expandResponseFiles(
          Args, /*ClangCLMode=*/false, Allocator, System.get())) {
    llvm::consumeError(std::move(Failed));
    return std::nullopt;
  }
  if (concernsMain(Args))
    return std::nullopt;
  // The driver's program also passes the resolved path of its file.
  llvm::SmallString<128> Path;
  if (llvm::sys::fs::real_path(Args[0], Path))
    return std::nullopt;
  std::unique_ptr<DiagnosticOptions> Options = CreateAndPopulateDiagOpts(Args);
  Options->DiagnosticSuppressionMappingsFile.clear();
  auto *Printer = new TextDiagnosticPrinter(llvm::errs(), *Options);
  Printer->setPrefix(llvm::sys::path::stem(Args[0]).str());
  DiagnosticsEngine Engine(DiagnosticIDs::create(), *Options, Printer);
  ProcessWarningOptions(Engine, *Options, *System, /*ReportDiags=*/false);
  driver::Driver Driver(Path, llvm::sys::getDefaultTargetTriple(), Engine,
                        "clang LLVM compiler", System);
  auto Name = driver::ToolChain::getTargetAndModeFromProgramName(Args[0]);
  Driver.setTargetAndMode(Name);
  llvm::SmallVector<std::string, 2> Kept;
  addMode(Name, Args, Kept);
  auto Call = [&Left](llvm::SmallVectorImpl<const char *> &Job) {
    return runTool(Job, /*IsLinker=*/false, Left);
  };
  Driver.CC1Main = Call;
  int Code = execute(Driver, Args, Files, Left);
  Engine.getClient()->finish();
  llvm::outs().flush();
  return Code;
}
