//===- Tool.cpp - kpack: command line and dispatch ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first argument that is no option selects the subcommand, whose options
// apply to the other arguments. "--" ends the options. Siblings: Options.td,
// Command.h. Each subcommand is a file in Commands/, or a folder.
//
//===----------------------------------------------------------------------===//
#include "Tool/Tool.h"
#include "Support/Files.h"
#include "Support/SealedFile.h"
#include "Support/UnpackLimit.h"
#include "Tool/Command.h"
#include "ToolSupport/Errors.h"
#include "kpack/Archive/Marker.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::opt;

namespace {
#include "ToolSupport/OptionTable.inc"
} // namespace

static const Command *const Commands[] = {
    &ListCommand,     &ShowCommand,   &ExtractCommand, &VerifyCommand,
    &DoctorCommand,   &RefCommand,    &InspectCommand, &ConvertCommand,
    &PackTreeCommand, &UnpackCommand, &MergeCommand,   &PruneCommand,
    &DiffCommand,     &StripCommand,  &ReportCommand};

static constexpr VerbMenu Menu = {
    .Program = "kpack",
    .Head =
        "OVERVIEW: kpack: look into kpack archives and the binaries that use "
        "them, merge\nand prune archives\n\n"
        "USAGE: kpack <command> [options] <operand>...\n\n"
        "COMMANDS:\n",
    .Tail = "\n'kpack help <command>' explains a command, with examples.\n"
            "--json and --quiet may stand in front of the command.\n"
            "'@<file>' reads arguments from a file, '--' ends the options, '-' "
            "as a "
            "file is\nstandard input.\n\n"
            "EXIT STATUS: 0, or 1 when anything was wrong\n",
    .Version = "kpack " KPACK_VERSION " (LLVM " LLVM_VERSION_STRING ")\n",
    .Options = KpackOptTable::get};

/// Stores --max-unpacked= in the environment, where all decompression code
/// reads it (Support/UnpackLimit.h). No other thread runs yet.
static Error setUnpackLimit(const InputArgList &Args) {
  const Arg *A = Args.getLastArg(OPT_max_unpacked_EQ);
  if (!A)
    return Error::success();
  if (!parseUnpackLimit(A->getValue()))
    return objectError(A->getAsString(Args),
                       "not a size; give bytes, or a number with K, M, G or T");
  ::setenv(UnpackLimitVariable, A->getValue(), /*overwrite=*/1);
  return Error::success();
}

/// Runs \p C with the options that all commands have.
static void runWithCommonOptions(const Command &C, Invocation &I) {
  if (I.Args.hasArg(OPT_version)) {
    I.S.out() << Menu.Version;
    return;
  }
  if (Error E = setUnpackLimit(I.Args))
    return I.S.error(std::move(E));
  // The output of extract is its result, so --quiet does not apply.
  if (I.Args.hasArg(OPT_quiet) && C.Known != ExtractOption)
    I.S.beQuiet();
  C.Run(I);
}

/// Skips the options that every command has and that may precede it.
static const char **
skipCommonOptions(SmallVectorImpl<const char *> &CommandLine) {
  return find_if_not(CommandLine, [](StringRef Word) {
    return Word == "--json" || Word == "--quiet" || Word == "-q";
  });
}

/// Moves the command to the front: common options may precede it. "help list"
/// becomes "list --help". Returns false without a command.
static bool putCommandFirst(SmallVectorImpl<const char *> &CommandLine) {
  const char **Command = skipCommonOptions(CommandLine);
  if (Command == CommandLine.end())
    return false;
  if (StringRef(*Command) != "help") {
    std::rotate(CommandLine.begin(), Command, Command + 1);
    return true;
  }
  CommandLine.erase(CommandLine.begin(), Command + 1);
  CommandLine.erase(CommandLine.begin(), skipCommonOptions(CommandLine));
  CommandLine.insert(CommandLine.begin() + !CommandLine.empty(), "--help");
  return true;
}

/// Replaces a pipe on standard input by a file in memory, because an archive is
/// read from its end.
static Error makeStdinAFile() {
  struct stat Info;
  if (::fstat(STDIN_FILENO, &Info) == 0 && S_ISREG(Info.st_mode))
    return Error::success();
  ErrorOr<std::unique_ptr<MemoryBuffer>> All = MemoryBuffer::getSTDIN();
  if (!All)
    return objectError("standard input",
                       All.getError().message() + "; give a file");
  UniqueFd File = memoryFile("stdin");
  if (!File || !writeAll(File.get(), (*All)->getBuffer()) ||
      ::dup2(File.get(), STDIN_FILENO) < 0)
    return objectError("standard input",
                       sys::StrError(errno) + "; save it to a file");
  return Error::success();
}

std::vector<std::string> tool::getInputs(Invocation &I, StringRef Noun) {
  std::vector<std::string> Inputs = I.operands();
  if (Inputs.empty())
    I.S.error("command line: no " + Noun + " given; " + I.Options.seeHelp());
  for (std::string &Input : Inputs)
    if (Input == "-") {
      I.S.error(makeStdinAFile());
      Input = "/dev/stdin";
    }
  return Inputs;
}

Error tool::refuseStdin(const InputArgList &Args, StringRef Message) {
  if (is_contained(Args.getAllArgValues(OPT_INPUT), "-"))
    return objectError("standard input", Message);
  return Error::success();
}

Error tool::checkNamePart(StringRef Option, StringRef Name) {
  if (!Name.empty() && !Name.contains('/') &&
      !Name.contains(StringRef(ArchPlaceholder)))
    return Error::success();
  return objectError((Option + Name).str(),
                     "is to be a part of file names; give one that is not "
                     "empty and has no '/' and no '" +
                         Twine(StringRef(ArchPlaceholder)) + "' in it");
}

Expected<EntryFilter> tool::parseFilter(const InputArgList &Args) {
  return EntryFilter::create(Args.getAllArgValues(OPT_arch_EQ),
                             Args.getAllArgValues(OPT_binary_EQ));
}

int tool::runKpack(ArrayRef<const char *> Args, raw_ostream &Out,
                   raw_ostream &Err) {
  SmallVector<const char *, 32> CommandLine(Args);
  // Common options alone are no command.
  if (!putCommandFirst(CommandLine))
    CommandLine.clear();
  return runCommands(Menu, Commands, CommandLine, Out, Err,
                     runWithCommonOptions);
}
