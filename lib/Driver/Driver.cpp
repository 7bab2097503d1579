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
#include "kpack/Driver/CommandLine.h"
#include "llvm/ADT/STLExtras.h"
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

int runDriver(ArrayRef<const char *> Argv) {
  ArrayRef<const char *> Arguments = Argv.drop_front();
  auto BecomeDefaultClang = [&]() {
    Expected<std::string> Clang = findClang("");
    return fail(Clang ? becomeClang(*Clang, Arguments) : Clang.takeError());
  };

  // A plain clang command, which most are.
  bool AsksHelp = is_contained(
      map_range(Arguments, [](const char *A) { return StringRef(A); }),
      StringRef("--help"));
  if (AsksHelp)
    outs() << HelpText;
  if (!mentionsKpack(Arguments) ||
      (!Arguments.empty() && StringRef(Arguments[0]).starts_with("-cc1")))
    return BecomeDefaultClang();
  if (Arguments.size() == 1 && StringRef(Arguments[0]) == "--kpack-help") {
    outs() << HelpText;
    return 0;
  }

  Expected<std::unique_ptr<CommandLine>> Parsed = CommandLine::parse(Arguments);
  if (!Parsed)
    return fail(Parsed.takeError());
  const CommandLine &Command = **Parsed;
  if (!Command.hasOwnOptions())
    return BecomeDefaultClang();
  Expected<std::string> Clang = findClang(Command.Kpack.Clang);
  if (!Clang)
    return fail(Clang.takeError());

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
