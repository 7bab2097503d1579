//===- Driver.cpp - the compiler driver kpack-clang++ ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// runDriver() is the overview: translate the command if our name is hipcc
// (Hipcc.cpp), add the options that HIP needs on this machine
// (HipDefaults.cpp), then become clang (Clang.cpp) or build (RunBuild.cpp).
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "Clang.h"
#include "ClangOptions.h"
#include "Help.h"
#include "HipDefaults.h"
#include "Hipcc.h"
#include "Identity.h"
#include "LlvmTools.h"
#include "RunBuild.h"
#include "Support/Printable.h"
#include "Targets.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>

using namespace llvm;
using namespace llvm::opt;

namespace kpack::driver {

static int fail(Error E) {
  handleAllErrors(std::move(E), [](const ErrorInfoBase &Info) {
    WithColor::error(errs(), ProgramName)
        << printableLines(Info.message()) << '\n';
  });
  return 1;
}

static int exitCode(Expected<int> Result) {
  return Result ? *Result : fail(Result.takeError());
}

/// The first clang whose --offload-host-only names the fat binary after the
/// cuid, so that separately compiled host and device code match.
static constexpr unsigned OldestClang = 19;

/// The newest clang that still has HIP's old driver, whose dry run shows the
/// meaning of -fgpu-rdc and --offload-arch=native. Later ones have another
/// format, and register -fgpu-rdc code in their own link.
static constexpr unsigned NewestClangWithOldDriver = 23;

/// Fails on options with which a clang that is too new for this driver would
/// make a program without device code.
static Error checkForNewClang(const CommandLine &Command, StringRef Clang,
                              const VersionTuple &Version) {
  if (Version.getMajor() <= NewestClangWithOldDriver)
    return Error::success();
  StringRef Option = Command.isRdc() ? "-fgpu-rdc"
                     : is_contained(offloadTargets(Command.args()), "native")
                         ? "--offload-arch=native"
                         : "";
  if (Option.empty())
    return Error::success();
  return objectError(
      Clang, "is clang " + Version.getAsString() + ", by which " + Option +
                 " would make a program without device code; name one of "
                 "version " +
                 Twine(OldestClang) + " to " + Twine(NewestClangWithOldDriver) +
                 " with --kpack-clang= or HIP_CLANG_PATH, or " +
                 (Command.isRdc() ? "drop -fgpu-rdc" : "name the GPUs"));
}

/// True if clang would find the program that makes SPIR-V for it.
static bool hasSpirvTranslator(StringRef Clang, unsigned Major) {
  std::string Versioned = "llvm-spirv-" + std::to_string(Major);
  return any_of(ArrayRef<StringRef>{Versioned, "llvm-spirv"}, [&](StringRef N) {
    return sys::findProgramByName(N) ||
           sys::findProgramByName(N, {sys::path::parent_path(Clang)});
  });
}

/// Returns the options that HIP sources need on this machine beyond the user's;
/// reports them if -v or -### is given.
static Expected<std::vector<std::string>>
suppliedArguments(const CommandLine &Command, StringRef Clang,
                  const char *Argv0) {
  bool Builds = Command.Kpack.EmitKpack && Command.Mode != Action::Stock;
  if (!Command.hasHipInput() && !Builds)
    return std::vector<std::string>();
  Expected<VersionTuple> Version = clangVersion(Clang);
  if (!Version)
    return Version.takeError();
  if (Builds && Version->getMajor() < OldestClang)
    return objectError(
        Clang, "is clang " + Version->getAsString() +
                   ", and --emit-kpack needs clang " + Twine(OldestClang) +
                   " or later; name another with --kpack-clang= or "
                   "HIP_CLANG_PATH");
  if (Builds)
    if (Error E = checkForNewClang(Command, Clang, *Version))
      return std::move(E);
  if (!Command.hasHipInput())
    return std::vector<std::string>();
  HipInstallation Hip = findHip(hipQuery(Command, Clang, Version->getMajor()),
                                *vfs::getRealFileSystem());
  Hip.HasSpirvTranslator = hasSpirvTranslator(Clang, Version->getMajor());
  std::string Plugin = pluginPath(Argv0);
  if (Version->getMajor() != LLVM_VERSION_MAJOR || !sys::fs::exists(Plugin))
    Plugin.clear();
  HipDefaults Defaults = hipDefaults(Command, Hip, Version->getMajor(), Plugin);
  if (Command.args().hasArg(options::OPT_v, options::OPT__HASH_HASH_HASH))
    for (const std::string &Note : Defaults.Notes)
      WithColor::note(errs(), ProgramName) << "added " << Note << '\n';
  for (const std::string &Warning : Defaults.Warnings)
    WithColor::warning(errs(), ProgramName) << Warning << '\n';
  return std::move(Defaults.Arguments);
}

/// Replaces this process by clang with \p Arguments, run by \p Launcher if that
/// is not empty.
static int becomeClangBy(StringRef Launcher, StringRef Clang,
                         std::vector<std::string> Arguments) {
  if (Launcher.empty())
    return exitCode(becomeClang(Clang, std::move(Arguments)));
  ErrorOr<std::string> Program = sys::findProgramByName(Launcher);
  if (!Program)
    return fail(objectError(
        Launcher, "no program; set HIP_CLANG_LAUNCHER to one, or unset it"));
  Arguments.insert(Arguments.begin(), Clang.str());
  return exitCode(becomeClang(*Program, std::move(Arguments)));
}

/// clang's version comes first: build systems take the first version in the
/// output.
static int answerVersion(const std::string &Clang,
                         const std::vector<std::string> &Arguments) {
  SmallVector<StringRef, 8> Command{Clang};
  append_range(Command, Arguments);
  outs().flush();
  int Code = sys::ExecuteAndWait(Clang, Command);
  outs() << "driven by " << ProgramName << " " KPACK_VERSION "\n";
  return Code;
}

int runDriver(ArrayRef<const char *> Argv) {
  ArrayRef<const char *> Arguments = Argv.drop_front();
  if (StringRef Tool = getLlvmTool(Argv.front()); !Tool.empty())
    return fail(becomeLlvmTool(Tool, Arguments));
  if (!Arguments.empty() && StringRef(Arguments[0]).starts_with("-cc1")) {
    Expected<std::string> Clang = findClang("");
    return fail(Clang ? becomeClang(*Clang, Arguments) : Clang.takeError());
  }
  std::vector<std::string> Compile;
  std::vector<const char *> WithCompile;
  if (is_contained(Arguments, IdentityOption)) {
    // First: after "--" of the compile it would be an input.
    Compile = argumentsOfCcache();
    append_range(WithCompile, Arguments);
    for (const std::string &Argument : Compile)
      WithCompile.push_back(Argument.c_str());
    Arguments = WithCompile;
  }
  HipccCommand Hipcc;
  std::vector<const char *> HipccArguments;
  if (isHipcc(Argv.front())) {
    if (Error E = translateHipcc(Arguments).moveInto(Hipcc))
      return fail(std::move(E));
    if (Hipcc.Answered)
      return 0;
    for (const std::string &Argument : Hipcc.Arguments)
      HipccArguments.push_back(Argument.c_str());
    Arguments = HipccArguments;
  }

  auto Has = [&](StringRef Wanted) {
    return any_of(Arguments, [&](StringRef A) { return A == Wanted; });
  };
  bool Asks = Arguments.size() == 1 && Has("--kpack-help");
  if (Asks || Has("--help"))
    outs() << HelpText;
  if (Asks)
    return 0;

  // A plain clang command, the usual case: clang gets the arguments unchanged
  // and reports errors in them.
  auto BecomeDefaultClang = [&](std::vector<std::string> Supplied = {}) {
    Expected<std::string> Clang = findClang("");
    if (!Clang)
      return fail(Clang.takeError());
    if (Supplied.empty() && !isHipcc(Argv.front()))
      return fail(becomeClang(*Clang, Arguments));
    append_range(Supplied, Arguments);
    return becomeClangBy(Hipcc.Launcher, *Clang, std::move(Supplied));
  };
  Expected<std::unique_ptr<CommandLine>> Parsed = CommandLine::parse(Arguments);
  if (!Parsed && !mentionsKpack(Arguments)) {
    consumeError(Parsed.takeError());
    return BecomeDefaultClang();
  }
  if (!Parsed)
    return fail(Parsed.takeError());
  Expected<std::string> Clang = findClang((*Parsed)->Kpack.Clang);
  if (!Clang)
    return fail(Clang.takeError());
  if ((*Parsed)->Kpack.AsksIdentity) {
    ArrayRef<const char *> Given;
    if (isHipcc(Argv.front()))
      Given = WithCompile;
    Error E = printIdentity(**Parsed, *Clang, Given, Argv.front(), outs());
    return E ? fail(std::move(E)) : 0;
  }
  if ((*Parsed)->args().hasArg(options::OPT__version))
    return answerVersion(*Clang, (*Parsed)->stockArguments());
  Expected<std::vector<std::string>> Supplied =
      suppliedArguments(**Parsed, *Clang, Argv.front());
  if (!Supplied)
    return fail(Supplied.takeError());
  if (!(*Parsed)->hasOwnOptions())
    return BecomeDefaultClang(std::move(*Supplied));

  if (!Supplied->empty())
    Parsed = CommandLine::parse(Arguments, *Supplied);
  if (!Parsed)
    return fail(Parsed.takeError());
  const CommandLine &Command = **Parsed;
  if (!Command.Kpack.EmitKpack)
    for (const std::string &Spelling : Command.Kpack.NeedEmitKpack)
      WithColor::warning(errs(), ProgramName)
          << Spelling << ": has no effect; add --emit-kpack\n";
  if (!Command.Kpack.EmitKpack || Command.Mode == Action::Stock)
    return becomeClangBy(Hipcc.Launcher, *Clang, Command.stockArguments());
  if (!Hipcc.Launcher.empty())
    WithColor::warning(errs(), ProgramName)
        << "HIP_CLANG_LAUNCHER: has no effect with --emit-kpack; put the "
           "launcher in front of hipcc\n";
  int Signal = 0;
  int ExitCode = exitCode(runBuild(Command, *Clang, Argv.front(), Signal));
  if (Signal != 0)
    ::raise(Signal);
  return ExitCode;
}

} // namespace kpack::driver
