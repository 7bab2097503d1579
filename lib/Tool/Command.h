//===- Command.h - what a subcommand is made of -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A subcommand is its texts and one function. The options themselves are in
// lib/Tool/Options.td, which also says which subcommand knows which option.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_TOOL_COMMAND_H
#define KPACK_LIB_TOOL_COMMAND_H

#include "Tool/EntryFilter.h"
#include "ToolSupport/Verbs.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"

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

struct Command : Verb {
  void (*Run)(Session &S, const llvm::opt::InputArgList &Args);
};

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

/// The operands, in order; an error and an empty list when there are none.
std::vector<std::string> inputsOf(Session &S,
                                  const llvm::opt::InputArgList &Args,
                                  const Command &C, llvm::StringRef What);

/// An error where "-" is one of the operands: \p What says why a command that
/// needs files with names refuses it, and how to go on.
llvm::Error refuseStdin(const llvm::opt::InputArgList &Args,
                        llvm::StringRef What);

/// \p Name, of \p Option, is a part of file names.
llvm::Error checkNamePart(llvm::StringRef Option, llvm::StringRef Name);

/// What --arch= and --binary= ask for.
llvm::Expected<EntryFilter> filterOf(const llvm::opt::InputArgList &Args);

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_COMMAND_H
