//===- Commands.cpp - ck-jit build ----------------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
//===----------------------------------------------------------------------===//
#include "CkJit/Build/Commands.h"

#include "Full.h"
#include "Install.h"

#include "CkJit/Intercept/CommandLine.h"
#include "ToolSupport/CommandOptions.h"
#include "ToolSupport/TemporaryFolder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;
using namespace llvm::opt;

/// The exit code of Python's argparse for a wrong command line.
static constexpr int UsageCode = 2;

namespace {

enum OptionVisibility {
  FullOption = 1 << 1,
  QuickOption = 1 << 2,
  LinkOption = 1 << 3
};

#define KPACK_OPTION_TABLE "CkJitBuildOptions.inc"
#include "ToolSupport/OptionTable.inc"

/// One of the three commands.
class CommandLine {
public:
  CommandLine(const Verb &V, ArrayRef<const char *> Words, raw_ostream &Out,
              raw_ostream &Err)
      : S(Out, Err, "ck-jit", Session::Lines::Several),
        Options(Table, "ck-jit build", V, Words), Args(Options.args()),
        Rest(Options.rest().begin(), Options.rest().end()) {}

  void require(const Twine &Option, const Twine &Fix) {
    S.error(Option + ": is required; " + Fix + ", " + Options.seeHelp());
  }
  int finish(Error E);
  std::string value(OptionId Option) const {
    return Args.getLastArgValue(Option).str();
  }
  std::string path(OptionId Option) const;
  BuildSettings settings() const;

  KpackOptTable Table;
  Session S;
  CommandOptions Options;
  const InputArgList &Args;
  std::vector<std::string> Rest; ///< words after "--"
};

struct Command : Verb {
  /// Reports missing options.
  void (*Require)(CommandLine &Line);
  Error (*Run)(CommandLine &Line);
};

} // namespace

static std::string absolute(StringRef Path) {
  if (Path.empty())
    return "";
  return absolutePath(absolutePath(Path), "");
}

std::string CommandLine::path(OptionId Option) const {
  return absolute(value(Option));
}

/// Prints errors. After an interrupt, this process ends by the same signal.
int CommandLine::finish(Error E) {
  int Code = E ? 1 : 0, Signal = 0;
  handleAllErrors(
      std::move(E), [&](const InterruptError &I) { Signal = I.Signal; },
      [&](const CommandError &C) {
        Code = C.Code;
        S.error(C.message());
      },
      [&](const ErrorInfoBase &Info) { S.error(Info.message()); });
  if (Signal) {
    S.err().flush();
    std::signal(Signal, SIG_DFL);
    std::raise(Signal);
  }
  return Code;
}

BuildSettings CommandLine::settings() const {
  BuildSettings S = BuildSettings::fromEnvironment();
  S.Verbose = Args.hasArg(OPT_verbose);
  S.TmpDir = path(OPT_tmp_dir_EQ);
  if (std::string Project = path(OPT_aiter_dir_EQ); !Project.empty())
    S.Project = Project;
  S.Project = absolute(S.Project);
  S.Seam |= Args.hasArg(OPT_seam);
  if (std::string Clang = value(OPT_clang_EQ); !Clang.empty())
    S.Clang = Clang;
  if (const Arg *A = Args.getLastArg(OPT_table_EQ))
    S.setTable(A->getValue());
  return S;
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

static Error installIfWanted(CommandLine &Line, HeldSignals &Signals,
                             const BuildSettings &Settings) {
  std::string InstallDir = Line.path(OPT_install_dir_EQ);
  if (InstallDir.empty())
    return Error::success();
  return installLibraries(Signals, Settings, InstallDir, Line.S.out());
}

static Error full(CommandLine &Line) {
  BuildSettings Settings = Line.settings();
  FullOptions Options;
  Options.GpuArchs = Line.value(OPT_gpu_archs_EQ);
  Options.Bf16 = Line.Args.getLastArgValue(OPT_ck_tile_bf16_EQ, "3").str();
  Options.RocmPath = Line.value(OPT_rocm_path_EQ);
  Options.Python = Line.Args.getLastArgValue(OPT_python_EQ, "python3").str();
  Options.Commands = Line.Args.getAllArgValues(OPT_build_command_EQ);
  for (auto [Option, Name] :
       {std::pair(OPT_dispatchers_EQ, "CK_JIT_DISPATCHERS"),
        std::pair(OPT_blobs_EQ, "CK_JIT_BLOBS"),
        std::pair(OPT_libraries_EQ, "CK_JIT_LIBRARIES")})
    if (const Arg *A = Line.Args.getLastArg(Option))
      setVariable(Name, A->getValue());
  if (Settings.TmpDir.empty()) {
    SmallString<128> Folder;
    if (std::error_code Code = makeTemporaryFolder("ck_jit_build", Folder))
      return createStringError("temporary folder: " + Code.message() +
                               "; name one with --tmp-dir");
    Settings.TmpDir = Folder.str().str();
    Line.S.out() << "ck-jit: kept for 'ck-jit build quick': --tmp-dir="
                 << Settings.TmpDir << '\n';
    Line.S.out().flush();
  }
  if (Error E = makeFolder(Settings.TmpDir))
    return E;
  HeldSignals Signals;
  if (Error E = runFullBuild(Signals, Settings, Options, Line.S.out()))
    return E;
  return installIfWanted(Line, Signals, Settings);
}

static Error quick(CommandLine &Line) {
  BuildSettings Settings = Line.settings();
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
    Line.S.out() << "ck-jit: linked " << State->OutSo << '\n';
  }
  return installIfWanted(Line, Signals, Settings);
}

static constexpr Command Commands[] = {
    {{.Name = "full",
      .Operands = "--aiter-dir=<folder> --gpu-archs=<list>",
      .Overview = "Runs aiter's build of its attention libraries, or another "
                  "one, without compiling kernels, and installs libraries that "
                  "compile each kernel on its first call.",
      .Known = FullOption},
     [](CommandLine &Line) {
       if (Line.Args.hasArg(OPT_build_command_EQ))
         return;
       if (Line.settings().Project.empty())
         Line.require("--aiter-dir", "give it, or a --build-command");
       if (!Line.Args.hasArg(OPT_gpu_archs_EQ))
         Line.require("--gpu-archs", "give it, or a --build-command");
     },
     full},
    {{.Name = "quick",
      .Operands = "--tmp-dir=<folder>",
      .Overview = "Links the libraries of a full build again, with the "
                  "variables and the runtime library as they are now.",
      .Known = QuickOption},
     [](CommandLine &Line) {
       if (!Line.Args.hasArg(OPT_tmp_dir_EQ))
         Line.require("--tmp-dir", "give that of a full build");
     },
     quick},
    {{.Name = "link",
      .Operands = "-- <arguments of the link>",
      .Overview = "The link step of a library with late kernels; run by "
                  "ck-jit-hipcc.",
      .Known = LinkOption},
     [](CommandLine &Line) {
       for (auto [Option, Name] : {std::pair(OPT_tmp_dir_EQ, "--tmp-dir"),
                                   std::pair(OPT_compiler_EQ, "--compiler")})
         if (!Line.Args.hasArg(Option))
           Line.require(Name, "run ck-jit-hipcc, which gives it");
     },
     [](CommandLine &Line) {
       return buildLibrary(Line.settings(), Line.value(OPT_compiler_EQ),
                           Line.Rest, Line.S.out());
     }},
};

static constexpr VerbMenu Menu = {
    .Program = "ck-jit build",
    .Head = "OVERVIEW: libraries whose kernels are compiled when they are "
            "first called\n\nUSAGE: ck-jit build full|quick|link "
            "[options]\n\n",
    .Tail = "'ck-jit build full --help' explains a command.\n",
    .NotOne = "no command of 'ck-jit build'",
    .Advice = "give full or quick, see 'ck-jit build --help'"};

int ckjit::buildMain(ArrayRef<const char *> Args, raw_ostream &Out,
                     raw_ostream &Err) {
  Session S(Out, Err, "ck-jit");
  std::optional<size_t> Chosen = chooseVerb(S, Menu, Commands, Args);
  if (!Chosen)
    return S.exitCode() ? UsageCode : 0;
  const Command &C = Commands[*Chosen];
  CommandLine Line(C, Args.drop_front(), Out, Err);
  if (Line.Options.begin(Line.S)) {
    for (const Arg *A : Line.Args.filtered(OPT_INPUT))
      Line.S.error(A->getAsString(Line.Args) + ": no operand is taken; " +
                   Line.Options.seeHelp());
    C.Require(Line);
    if (!Line.S.exitCode())
      return Line.finish(C.Run(Line));
  }
  return Line.S.exitCode() ? UsageCode : 0;
}
