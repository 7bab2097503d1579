//===- RunBuild.cpp - execution of --emit-kpack commands ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Read Build::run() first. BuildPlan.cpp makes the commands, JobRunner.cpp runs
// them, OutputReplay.cpp prints their output, FinishUnit.cpp completes the
// objects.
//
//===----------------------------------------------------------------------===//

#include "RunBuild.h"
#include "ClangOptions.h"
#include "DryRun.h"
#include "FinishUnit.h"
#include "JobRunner.h"
#include "OutputReplay.h"
#include "PlanNames.h"
#include "Support/InstallLayout.h"
#include "Targets.h"
#include "ToolSupport/Errors.h"
#include "Workspace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstring>
#include <thread>

using namespace llvm;
using namespace llvm::opt;

namespace kpack::driver {

/// Returns the directory of this program with links resolved, since our other
/// files are installed beside it.
static std::string ownFolder(const char *Argv0) {
  std::string Self =
      sys::fs::getMainExecutable(Argv0, reinterpret_cast<void *>(&ownFolder));
  return sys::path::parent_path(Self).str();
}

std::string pluginPath(const char *Argv0) {
  SmallString<256> Plugin(ownFolder(Argv0));
  sys::path::append(Plugin, librariesFromPrograms(), "KpackPlugin.so");
  sys::path::remove_dots(Plugin, /*remove_dot_dot=*/true);
  return Plugin.str().str();
}

static Toolbox findTools(StringRef Clang, const char *Argv0,
                         const Workspace &Work) {
  Toolbox Tools;
  Tools.Clang = Clang.str();
  Tools.Linker = ownFolder(Argv0) + "/ld.kpack";
  Tools.Plugin = pluginPath(Argv0);
  Tools.TempDir = Work.path();
  SmallString<128> Outer;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Outer);
  Tools.CrashDir = std::string(Outer);
  Tools.Colour = sys::Process::StandardErrHasColors();
  if (sys::Process::StandardErrIsDisplayed())
    Tools.Columns = sys::Process::StandardErrColumns();
  return Tools;
}

namespace {
class Build {
public:
  Build(const CommandLine &Command, SignalWatch &Signals, Workspace &Work,
        Toolbox Tools)
      : Command(Command), Signals(Signals), Work(Work), Tools(std::move(Tools)),
        Output(this->Tools),
        Runner(Signals, jobs(Command.Kpack.Jobs), Work.environment()),
        DryRun(Command.args().hasArg(options::OPT__HASH_HASH_HASH)),
        Verbose(DryRun || Command.args().hasArg(options::OPT_v)) {}

  /// Returns the exit code; an Error is one of ours, to be printed.
  Expected<int> run();

private:
  static unsigned jobs(unsigned Asked) {
    return Asked != 0 ? Asked
                      : std::max(1u, std::thread::hardware_concurrency());
  }

  Expected<std::vector<std::string>> targets(int &ExitCode);
  Expected<int> compile();
  Expected<std::vector<std::string>> rdcLinkArguments(int &ExitCode);
  Expected<int> link();
  Error addJob(std::vector<std::string> Arguments, unsigned Weight,
               ArrayRef<size_t> After);
  int exitCode(const Job &J, const JobResult &Result) const;
  void describeFinish(const TranslationUnit &Unit) const;

  const CommandLine &Command;
  SignalWatch &Signals;
  Workspace &Work;
  Toolbox Tools;
  Replay Output;
  JobRunner Runner;
  bool DryRun;
  bool Verbose;
  Plan ThePlan;
  std::vector<Job> Jobs;
  std::string StdinFile;
  std::string CheckOutput;
};
} // namespace

Error Build::addJob(std::vector<std::string> Arguments, unsigned Weight,
                    ArrayRef<size_t> After) {
  Job J;
  if (DryRun)
    Arguments.insert(Arguments.begin() + 1, "-###");
  if (Error E = Work.shorten(std::move(Arguments)).moveInto(J.Arguments))
    return E;
  J.Weight = Weight;
  J.After = After.vec();
  if (!StdinFile.empty())
    J.InputFile = StdinFile;
  Jobs.push_back(std::move(J));
  return Error::success();
}

/// Returns a compiler's exit code; reports a death by signal like a shell.
int Build::exitCode(const Job &J, const JobResult &Result) const {
  if (Result.How == JobResult::State::Exited)
    return Result.Code;
  WithColor::error(errs(), ProgramName)
      << J.Arguments.front() << ": ended by signal " << Result.Code << " ("
      << ::strsignal(Result.Code) << "); run its command of -### by itself\n";
  return 128 + Result.Code;
}

void Build::describeFinish(const TranslationUnit &Unit) const {
  errs() << " # kpack: add the device code of ";
  ListSeparator Comma;
  for (const DeviceCompile &Device : Unit.Devices)
    errs() << Comma << Device.Target;
  errs() << " to \"" << Unit.Object << "\"\n";
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Returns the targets; if "native" is among them clang looks for the GPUs.
/// Sets \p ExitCode if clang has reported an error.
Expected<std::vector<std::string>> Build::targets(int &ExitCode) {
  std::vector<std::string> Targets = offloadTargets(Command.args());
  if (!is_contained(Targets, "native"))
    return Targets;
  Job Ask;
  Ask.Arguments = {Tools.Clang, "-###",      "--no-offload-new-driver",
                   "-nogpulib", "-nogpuinc", "-x",
                   "hip",       "-c",        "/dev/null",
                   "-o",        "/dev/null"};
  for (const Arg *A : Command.args())
    if (A->getOption().matches(options::OPT_offload_arch_EQ) ||
        A->getOption().matches(options::OPT_no_offload_arch_EQ) ||
        A->getOption().matches(ArchTool) ||
        A->getOption().matches(options::OPT_rocm_path_EQ))
      append_range(Ask.Arguments, Command.spelling(*A));
  JobResult Answer;
  if (Error E = Runner.runOne(Ask).moveInto(Answer))
    return std::move(E);
  if (!Answer.succeeded()) {
    Output.dryRun(Answer);
    ExitCode = exitCode(Ask, Answer);
    return Targets;
  }
  std::vector<std::string> Found = dryRunTargets(Answer.Err);
  if (Found.empty())
    return objectError(Tools.Clang, "does not say which GPUs "
                                    "--offload-arch=native means; name them");
  return Found;
}

/// Runs all compiles of the command, then completes each object.
Expected<int> Build::compile() {
  // Measured costs: a device compile includes a link and takes longest; the dry
  // run takes almost no time.
  constexpr unsigned DeviceWeight = 3, HostWeight = 2, CheckWeight = 1;
  if (any_of(Command.Inputs, [](const Input &I) { return I.Path == "-"; }))
    if (Error E = Work.saveStdin().moveInto(StdinFile))
      return std::move(E);

  // In the order of a serial driver. The dry run is first, so that its
  // diagnostics of the command line precede all others.
  Job Check;
  if (Error E = Work.shorten(ThePlan.Check).moveInto(Check.Arguments))
    return std::move(E);
  Check.Weight = CheckWeight;
  Jobs.push_back(std::move(Check));
  // Units come in the order of the inputs, and so do the other sources.
  std::vector<size_t> EndOfUnit;
  const OtherSource *Other = ThePlan.Others.data();
  // Compiles with the same base name run in order: they write the same side
  // outputs, and those of the last source must stay.
  StringMap<std::vector<size_t>> LastOfName;
  for (const Input &I : Command.Inputs) {
    std::vector<size_t> &Last = LastOfName[baseName(I)];
    size_t First = Jobs.size();
    if (EndOfUnit.size() < ThePlan.Units.size() &&
        ThePlan.Units[EndOfUnit.size()].Source == &I) {
      const TranslationUnit &Unit = ThePlan.Units[EndOfUnit.size()];
      for (const DeviceCompile &Device : Unit.Devices)
        if (Error E = addJob(Device.Arguments, DeviceWeight, Last))
          return std::move(E);
      if (Error E = addJob(Unit.HostArguments, HostWeight, Last))
        return std::move(E);
      EndOfUnit.push_back(Jobs.size());
    } else if (Other != ThePlan.Others.data() + ThePlan.Others.size() &&
               Other->Source == &I) {
      if (Error E = addJob((Other++)->Arguments, HostWeight, Last))
        return std::move(E);
    }
    if (First != Jobs.size()) {
      auto Own = seq(First, Jobs.size());
      Last.assign(Own.begin(), Own.end());
    }
  }

  std::vector<ReplacedObject> Before;
  for (const TranslationUnit &Unit : ThePlan.Units)
    Before.push_back(replacedObject(Unit));

  auto RemoveFrom = [&](size_t FirstBad) {
    if (DryRun)
      return;
    for (auto [Unit, End] : zip(ThePlan.Units, EndOfUnit))
      if (End > FirstBad)
        removeOutputs(Unit);
  };
  std::vector<JobResult> Results;
  if (Error E = Runner.run(Jobs).moveInto(Results)) {
    RemoveFrom(0);
    return std::move(E);
  }
  if (Signals.caught() != 0) {
    RemoveFrom(0);
    return 1;
  }

  size_t FirstBad = size_t(
      find_if(Results, [](const JobResult &R) { return !R.succeeded(); }) -
      Results.begin());
  CheckOutput = Results.front().Err;
  Output.dryRun(Results.front());
  for (size_t I = 1; I < Results.size() && I <= FirstBad; ++I)
    Output.compile(Results[I]);

  for (auto [Unit, End, Replaced] : zip(ThePlan.Units, EndOfUnit, Before)) {
    if (End > FirstBad)
      continue;
    if (Verbose)
      describeFinish(Unit);
    if (DryRun)
      continue;
    if (Error E = finishUnit(Unit, Command, Replaced)) {
      RemoveFrom(0);
      return std::move(E);
    }
  }
  if (FirstBad == Results.size())
    return 0;
  RemoveFrom(FirstBad);
  return exitCode(Jobs[FirstBad], Results[FirstBad]);
}

/// Returns the options that the old driver, whose device link ld.kpack
/// replaces, passes to that link. Sets \p ExitCode if clang refuses the line.
Expected<std::vector<std::string>> Build::rdcLinkArguments(int &ExitCode) {
  std::vector<std::string> Stock = Command.stockArguments();
  llvm::erase(Stock, "--offload-new-driver");
  Job Ask;
  Ask.Arguments = {Tools.Clang, "-###", "--no-offload-new-driver"};
  append_range(Ask.Arguments, Stock);
  JobResult Answer;
  if (Error E = Work.shorten(Ask.Arguments).moveInto(Ask.Arguments))
    return std::move(E);
  if (Error E = Runner.runOne(Ask).moveInto(Answer))
    return std::move(E);
  if (Answer.succeeded())
    return deviceLinkArgs(Answer.Err);
  Output.dryRun(Answer);
  ExitCode = exitCode(Ask, Answer);
  return std::vector<std::string>();
}

Expected<int> Build::link() {
  std::vector<std::string> DeviceArguments;
  if (Command.isRdc()) {
    DeviceArguments = deviceLinkArgs(CheckOutput);
    int ExitCode = 0;
    if (DeviceArguments.empty())
      if (Error E = rdcLinkArguments(ExitCode).moveInto(DeviceArguments))
        return std::move(E);
    if (ExitCode != 0)
      return ExitCode;
  }

  Job Link;
  if (Error E = linkCommand(Command, Tools, ThePlan, DeviceArguments)
                    .moveInto(Link.Arguments))
    return std::move(E);
  if (DryRun) {
    Link.Arguments.insert(Link.Arguments.begin() + 1, "-###");
    // Even for a dry run clang checks that its inputs exist.
    auto Touch = [&](StringRef Object) {
      std::error_code EC;
      if (Object.starts_with(Tools.TempDir))
        raw_fd_ostream Empty(Object, EC);
    };
    for (const TranslationUnit &Unit : ThePlan.Units)
      Touch(Unit.Object);
    for (const OtherSource &Other : ThePlan.Others)
      Touch(Other.Object);
  }
  if (Error E = Work.shorten(Link.Arguments).moveInto(Link.Arguments))
    return std::move(E);
  Link.takeOurStreams();
  JobResult Result;
  if (Error E = Runner.runOne(Link).moveInto(Result))
    return std::move(E);
  if (Signals.caught() != 0)
    return 1;
  return Result.succeeded() ? 0 : exitCode(Link, Result);
}

/// Fails if the link would overwrite a source. ld.kpack checks objects only.
static Error checkOutputs(const CommandLine &Command) {
  if (Command.Mode != Action::Link)
    return Error::success();
  for (const Input &I : Command.Inputs) {
    auto Overwrites = [&](StringRef Output) {
      return !Output.empty() && sys::fs::is_regular_file(I.Path) &&
             sys::fs::equivalent(Output, I.Path);
    };
    if (Overwrites(Command.Kpack.Archive))
      return objectError(I.Path, "is an input and --emit-kpack= at "
                                 "once; give the archive another name");
    if (Overwrites(Command.output()) || Overwrites(Command.Kpack.HostOnly))
      return objectError(I.Path, "is an input and the output at once; "
                                 "name another output with -o");
  }
  return Error::success();
}

Expected<int> Build::run() {
  std::vector<std::string> Targets;
  int ExitCode = 0;
  if (Command.hasHipInput()) {
    if (Error E = targets(ExitCode).moveInto(Targets))
      return std::move(E);
    if (ExitCode != 0)
      return ExitCode;
  }
  if (Error E = checkOutputs(Command))
    return std::move(E);
  if (Error E = makePlan(Command, Tools, Targets).moveInto(ThePlan))
    return std::move(E);
  if (Command.Mode == Action::Link) {
    if (!sys::fs::can_execute(Tools.Linker))
      return objectError(Tools.Linker, "no program there; keep it beside the "
                                       "real kpack-clang++");
    // Check the link before compiling anything.
    Expected<std::vector<std::string>> Link =
        linkCommand(Command, Tools, ThePlan, {});
    if (!Link)
      return Link.takeError();
  }
  if (ThePlan.compiles()) {
    Expected<int> Compiled = compile();
    if (!Compiled || *Compiled != 0 || Signals.caught() != 0)
      return Compiled;
  }
  return Command.Mode == Action::Link ? link() : Expected<int>(0);
}

Expected<int> runBuild(const CommandLine &Command, StringRef Clang,
                       const char *Argv0, int &Signal) {
  DriverSignals Signals; // outlives the directory
  Workspace Work;
  if (Error E = Work.create())
    return std::move(E);
  Build B(Command, Signals, Work, findTools(Clang, Argv0, Work));
  Expected<int> ExitCode = B.run();
  Signal = Signals.caught();
  return ExitCode;
}

} // namespace kpack::driver
