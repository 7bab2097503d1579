//===- Command.h - options of kpack's subcommands ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The subcommands (ToolSupport/Commands.h). lib/Tool/Options.td has the
// options, and for each option its subcommands.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_TOOL_COMMAND_H
#define KPACK_LIB_TOOL_COMMAND_H

#include "Tool/EntryFilter.h"
#include "ToolSupport/Commands.h"

namespace kpack::tool {

/// The bits of Options.td: one for each subcommand.
enum OptionVisibility : unsigned {
  ListOption = 1 << 1,
  ShowOption = 1 << 2,
  ExtractOption = 1 << 3,
  VerifyOption = 1 << 4,
  RefOption = 1 << 5,
  MergeOption = 1 << 6,
  PruneOption = 1 << 7,
  DiffOption = 1 << 8,
  ConvertOption = 1 << 9,
  InspectOption = 1 << 10,
  DoctorOption = 1 << 11,
  PackTreeOption = 1 << 12,
  StripOption = 1 << 14,
  ReportOption = 1 << 15,
  UnpackOption = 1 << 16,
};

#define KPACK_OPTION_TABLE "ToolOptions.inc"
#include "ToolSupport/OptionIds.inc"

extern const Command ListCommand;
extern const Command ShowCommand;
extern const Command ExtractCommand;
extern const Command VerifyCommand;
extern const Command RefCommand;
extern const Command MergeCommand;
extern const Command PruneCommand;
extern const Command DiffCommand;
extern const Command ConvertCommand;
extern const Command PackTreeCommand;
extern const Command UnpackCommand;
extern const Command InspectCommand;
extern const Command DoctorCommand;
extern const Command StripCommand;
extern const Command ReportCommand;

/// Returns the operands in order. Without any, reports an error and returns an
/// empty list.
std::vector<std::string> getInputs(Invocation &I, llvm::StringRef Noun);

/// Fails if "-" is one of the operands. The message ends in \p Message, the
/// reason why the command needs files with names, and the remedy.
llvm::Error refuseStdin(const llvm::opt::InputArgList &Args,
                        llvm::StringRef Message);

/// Checks \p Name, the value of \p Option, for use in file names.
llvm::Error checkNamePart(llvm::StringRef Option, llvm::StringRef Name);

/// Returns the filter of --arch= and --binary=.
llvm::Expected<EntryFilter> parseFilter(const llvm::opt::InputArgList &Args);

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_COMMAND_H
