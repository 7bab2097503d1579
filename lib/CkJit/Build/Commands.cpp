//===- Commands.cpp - subcommand ck-jit build -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Command lines of the three commands; the options are in Options.td.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Build/Commands.h"

#include "Full.h"
#include "Install.h"

#include "CkJit/Intercept/CompilerArguments.h"
#include "ToolSupport/TemporaryFolder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;
using namespace llvm::opt;

/// The exit status of Python's argparse for a wrong command line.
static constexpr int UsageStatus = 2;

namespace {

enum OptionVisibility {
  FullOption = 1 << 1,
  QuickOption = 1 << 2,
  LinkOption = 1 << 3
};

#define KPACK_OPTION_TABLE "CkJitBuildOptions.inc"
#include "ToolSupport/OptionTable.inc"

} // namespace

static std::string absolute(StringRef Path) {
  if (Path.empty())
    return "";
  return absolutePath(absolutePath(Path), "");
}

static std::string value(const Invocation &I, OptionId Option) {
  return I.Args.getLastArgValue(Option).str();
}

static std::string path(const Invocation &I, OptionId Option) {
  return absolute(value(I, Option));
}

static void require(Invocation &I, const Twine &Option, const Twine &Fix) {
  I.S.error(Option + ": is required; " + Fix + ", " + I.Options.seeHelp());
}

/// Reports errors. After an interrupt, this process ends by the same signal.
static void finish(Session &S, Error E) {
  int Signal = 0;
  handleAllErrors(
      std::move(E),
      [&](const InterruptError &I) {
        Signal = I.Signal;
        S.setFailed();
      },
      [&](const CommandError &C) {
        S.setErrorStatus(C.Code);
        S.error(C.message());
      },
      [&](const ErrorInfoBase &Info) { S.error(Info.message()); });
  if (Signal) {
    S.err().flush();
    std::signal(Signal, SIG_DFL);
    std::raise(Signal);
  }
}

static BuildSettings readSettings(const Invocation &I) {
  BuildSettings S = BuildSettings::fromEnvironment();
  S.Verbose = I.Args.hasArg(OPT_verbose);
  S.TmpDir = path(I, OPT_tmp_dir_EQ);
  if (std::string Project = path(I, OPT_aiter_dir_EQ); !Project.empty())
    S.Project = Project;
  S.Project = absolute(S.Project);
  S.Seam |= I.Args.hasArg(OPT_seam);
  if (std::string Clang = value(I, OPT_clang_EQ); !Clang.empty())
    S.Clang = Clang;
  if (const Arg *A = I.Args.getLastArg(OPT_table_EQ))
    S.setTable(A->getValue());
  return S;
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

static Error installIfWanted(Invocation &I, HeldSignals &Signals,
                             const BuildSettings &Settings) {
  std::string InstallDir = path(I, OPT_install_dir_EQ);
  if (InstallDir.empty())
    return Error::success();
  return installLibraries(Signals, Settings, InstallDir, I.S.out());
}

static Error full(Invocation &I) {
  BuildSettings Settings = readSettings(I);
  FullOptions Options;
  Options.GpuArchs = value(I, OPT_gpu_archs_EQ);
  Options.Bf16 = I.Args.getLastArgValue(OPT_ck_tile_bf16_EQ, "3").str();
  Options.RocmPath = value(I, OPT_rocm_path_EQ);
  Options.Python = I.Args.getLastArgValue(OPT_python_EQ, "python3").str();
  Options.Commands = I.Args.getAllArgValues(OPT_build_command_EQ);
  for (auto [Option, Name] :
       {std::pair(OPT_dispatchers_EQ, "CK_JIT_DISPATCHERS"),
        std::pair(OPT_blobs_EQ, "CK_JIT_BLOBS"),
        std::pair(OPT_libraries_EQ, "CK_JIT_LIBRARIES")})
    if (const Arg *A = I.Args.getLastArg(Option))
      setVariable(Name, A->getValue());
  if (Settings.TmpDir.empty()) {
    SmallString<128> Folder;
    if (std::error_code Code = makeTemporaryFolder("ck_jit_build", Folder))
      return createStringError("temporary folder: " + Code.message() +
                               "; name one with --tmp-dir");
    Settings.TmpDir = Folder.str().str();
    I.S.out() << "ck-jit: kept for 'ck-jit build quick': --tmp-dir="
              << Settings.TmpDir << '\n';
    I.S.out().flush();
  }
  if (Error E = makeFolder(Settings.TmpDir))
    return E;
  HeldSignals Signals;
  if (Error E = runFullBuild(Signals, Settings, Options, I.S.out()))
    return E;
  return installIfWanted(I, Signals, Settings);
}

static Error quick(Invocation &I) {
  BuildSettings Settings = readSettings(I);
  Settings.MadeUpRocm = Settings.TmpDir + "/rocm";
  std::vector<std::string> Folders = libraryFolders(Settings.TmpDir);
  if (Folders.empty())
    return createStringError(Settings.TmpDir +
                             ": has no linked library; run 'ck-jit build full' "
                             "with this --tmp-dir");
  HeldSignals Signals;
  for (const std::string &Folder : Folders) {
    Expected<LibraryState> State = LibraryState::load(Folder);
    if (!State)
      return State.takeError();
    if (Error E = makeFolder(sys::path::parent_path(State->OutSo).str()))
      return E;
    // Use the settings of the full build unless given here.
    if (Settings.Project.empty())
      Settings.Project = State->Project;
    if (Settings.RealRocm.empty())
      Settings.RealRocm = State->RealRocm;
    if (Error E = linkInPlace(Signals, Settings, *State))
      return E;
    I.S.out() << "ck-jit: linked " << State->OutSo << '\n';
  }
  return installIfWanted(I, Signals, Settings);
}

static void requireProject(Invocation &I) {
  if (I.Args.hasArg(OPT_build_command_EQ))
    return;
  if (readSettings(I).Project.empty())
    require(I, "--aiter-dir", "give it, or a --build-command");
  if (!I.Args.hasArg(OPT_gpu_archs_EQ))
    require(I, "--gpu-archs", "give it, or a --build-command");
}

static void requireFolder(Invocation &I) {
  if (!I.Args.hasArg(OPT_tmp_dir_EQ))
    require(I, "--tmp-dir", "give that of a full build");
}

static void requireCompiler(Invocation &I) {
  for (auto [Option, Name] : {std::pair(OPT_tmp_dir_EQ, "--tmp-dir"),
                              std::pair(OPT_compiler_EQ, "--compiler")})
    if (!I.Args.hasArg(Option))
      require(I, Name, "run ck-jit-hipcc, which gives it");
}

static Error linkLibrary(Invocation &I) {
  return buildLibrary(readSettings(I), value(I, OPT_compiler_EQ),
                      {I.Options.rest().begin(), I.Options.rest().end()},
                      I.S.out());
}

/// Runs a command if its command line is complete.
template <void (*Require)(Invocation &), Error (*Run)(Invocation &)>
static void run(Invocation &I) {
  for (const std::string &Operand : I.operands())
    I.S.error(Operand + ": no operand is taken; " + I.Options.seeHelp());
  Require(I);
  if (I.S.exitCode())
    return;
  I.S.setErrorStatus(1); // the command line is right
  finish(I.S, Run(I));
}

static constexpr Command FullCommand = {
    {.Name = "full",
     .Operands = "--aiter-dir=<folder> --gpu-archs=<list>",
     .Overview = "Runs aiter's build of its attention libraries, or another "
                 "one, without compiling kernels, and installs libraries that "
                 "compile each kernel on its first call.",
     .Known = FullOption,
     .KeepsRest = true,
     .Messages = Session::Lines::Several},
    run<requireProject, full>};

static constexpr Command QuickCommand = {
    {.Name = "quick",
     .Operands = "--tmp-dir=<folder>",
     .Overview = "Links the libraries of a full build again, with the "
                 "variables and the runtime library as they are now.",
     .Known = QuickOption,
     .KeepsRest = true,
     .Messages = Session::Lines::Several},
    run<requireFolder, quick>};

static constexpr Command LinkCommand = {
    {.Name = "link",
     .Operands = "-- <arguments of the link>",
     .Overview = "The link step of a library with late kernels; run by "
                 "ck-jit-hipcc.",
     .Known = LinkOption,
     .KeepsRest = true,
     .Messages = Session::Lines::Several},
    run<requireCompiler, linkLibrary>};

static constexpr const Command *Commands[] = {&FullCommand, &QuickCommand,
                                              &LinkCommand};

static constexpr VerbMenu Menu = {
    .Program = "ck-jit build",
    .Head = "OVERVIEW: libraries whose kernels are compiled when they are "
            "first called\n\nUSAGE: ck-jit build full|quick|link "
            "[options]\n\n",
    .Tail = "'ck-jit build full --help' explains a command.\n",
    .NotOne = "no command of 'ck-jit build'",
    .Advice = "give full or quick, see 'ck-jit build --help'",
    .Options = KpackOptTable::get,
    .ErrorStatus = UsageStatus};

const Command ckjit::BuildVerb = {
    {.Name = "build",
     .Summary = "a library of late kernels, out of a project's own build",
     .Main = [](ArrayRef<const char *> Words, raw_ostream &Out,
                raw_ostream &Err) {
       return kpack::runCommands(Menu, Commands, Words, Out, Err);
     }}};
