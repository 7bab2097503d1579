//===- Driver.cpp - the compiler driver kpack-clang++ --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// runDriver() is the table of contents: become clang (Clang.cpp), or build
// (Build.cpp).
//
//===----------------------------------------------------------------------===//

#include "kpack/Driver/Driver.h"
#include "Build.h"
#include "Clang.h"
#include "ClangOptions.h"
#include "Help.h"
#include "kpack/Driver/HipDefaults.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>

using namespace llvm;
using namespace llvm::opt;

namespace kpack::driver {

static int fail(Error E) {
  handleAllErrors(std::move(E), [](const ErrorInfoBase &Info) {
    WithColor::error(errs(), ProgramName) << Info.message() << '\n';
  });
  return 1;
}

static int exitCode(Expected<int> Result) {
  return Result ? *Result : fail(Result.takeError());
}

/// What HIP sources need on this machine beyond what the user has said; says so
/// where clang would tell what it does.
static Expected<std::vector<std::string>>
suppliedArguments(const CommandLine &Command, StringRef Clang,
                  const char *Argv0) {
  if (!Command.hasHipInput())
    return std::vector<std::string>();
  Expected<VersionTuple> Version = clangVersion(Clang);
  if (!Version)
    return Version.takeError();
  HipInstallation Hip = findHip(hipQuery(Command, Clang, Version->getMajor()),
                                *vfs::getRealFileSystem());
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

int runDriver(ArrayRef<const char *> Argv) {
  ArrayRef<const char *> Arguments = Argv.drop_front();
  auto BecomeDefaultClang = [&](ArrayRef<std::string> Supplied = {}) {
    Expected<std::string> Clang = findClang("");
    if (!Clang)
      return fail(Clang.takeError());
    std::vector<const char *> All;
    for (const std::string &Argument : Supplied)
      All.push_back(Argument.c_str());
    All.insert(All.end(), Arguments.begin(), Arguments.end());
    return fail(becomeClang(*Clang, All));
  };

  bool AsksHelp = is_contained(
      map_range(Arguments, [](const char *A) { return StringRef(A); }),
      StringRef("--help"));
  if (AsksHelp)
    outs() << HelpText;
  if (!Arguments.empty() && StringRef(Arguments[0]).starts_with("-cc1"))
    return BecomeDefaultClang();
  if (Arguments.size() == 1 && StringRef(Arguments[0]) == "--kpack-help") {
    outs() << HelpText;
    return 0;
  }

  Expected<std::unique_ptr<CommandLine>> Parsed = CommandLine::parse(Arguments);
  if (!Parsed && !mentionsKpack(Arguments)) {
    consumeError(Parsed.takeError()); // clang finds it out, too
    return BecomeDefaultClang();
  }
  if (!Parsed)
    return fail(Parsed.takeError());
  Expected<std::string> Clang = findClang((*Parsed)->Kpack.Clang);
  if (!Clang)
    return fail(Clang.takeError());
  Expected<std::vector<std::string>> Supplied =
      suppliedArguments(**Parsed, *Clang, Argv.front());
  if (!Supplied)
    return fail(Supplied.takeError());
  // A plain clang command, which most are: its response files stay closed.
  if (!(*Parsed)->hasOwnOptions())
    return BecomeDefaultClang(*Supplied);

  if (!Supplied->empty())
    Parsed = CommandLine::parse(Arguments, *Supplied);
  if (!Parsed)
    return fail(Parsed.takeError());
  const CommandLine &Command = **Parsed;
  if (!Command.Kpack.EmitKpack)
    for (const std::string &Spelling : Command.Kpack.NeedEmitKpack)
      WithColor::warning(errs(), ProgramName)
          << Spelling << ": has no effect; add --emit-kpack\n";
  if (!Command.Kpack.EmitKpack || Command.Mode == Action::Stock) {
    if (Command.args().hasArg(options::OPT__version))
      outs() << ProgramName << " " KPACK_VERSION ", driving:\n";
    return exitCode(becomeClang(*Clang, Command.stockArguments()));
  }
  int Signal = 0;
  int ExitCode = exitCode(runBuild(Command, *Clang, Argv.front(), Signal));
  if (Signal != 0)
    ::raise(Signal);
  return ExitCode;
}

} // namespace kpack::driver
