//===- Command.h - verbs of conv-builder ------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A verb is its texts and one function, like a command of kpack
// (lib/Tool/Command.h). Options.td lists the verbs of each option.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_TOOL_COMMAND_H
#define KPACK_LIB_CONVBUILDER_TOOL_COMMAND_H

#include "ToolSupport/CommandOptions.h"

namespace kpack::conv {

/// The bits of Options.td.
enum OptionVisibility : unsigned {
  DescribeOption = 1 << 1,
  DiffOption = 1 << 2,
  OpsOption = 1 << 3,
  LayoutsOption = 1 << 4,
  TypesOption = 1 << 5,
  FieldsOption = 1 << 6,
  ExplainOption = 1 << 7,
  PrebuildOption = 1 << 8,
  CandidatesOption = 1 << 9,
  ReportOption = 1 << 10,
  EmitOption = 1 << 11,
  RunOption = 1 << 12,
  CheckOption = 1 << 13,
};

#define KPACK_OPTION_TABLE "ConvBuilderOptions.inc"
#include "ToolSupport/OptionIds.inc"

/// One command line of a verb.
struct Invocation {
  Session &S;
  const CommandOptions &Options;
  const llvm::opt::InputArgList &Args;

  std::vector<std::string> operands() const {
    return Args.getAllArgValues(OPT_INPUT);
  }
  bool json() const { return Args.hasArg(OPT_json); }
  /// Returns false and reports operands, for a verb that takes none.
  bool hasNoOperands() const;
};

struct ConvVerb : Verb {
  /// Returns the exit status; nullopt stands for 1 if an error was reported,
  /// else 0.
  std::optional<int> (*Run)(Invocation &I);
  /// The exit status for a wrong command line.
  int Trouble = 1;
};

extern const ConvVerb DescribeVerb;
extern const ConvVerb DiffVerb;
extern const ConvVerb ExplainVerb;
extern const ConvVerb CandidatesVerb;
extern const ConvVerb ReportVerb;
extern const ConvVerb EmitVerb;
extern const ConvVerb RunVerb;
extern const ConvVerb CheckVerb;
extern const ConvVerb OpsVerb;
extern const ConvVerb PrebuildVerb;
extern const ConvVerb LayoutsVerb;
extern const ConvVerb TypesVerb;
extern const ConvVerb FieldsVerb;

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TOOL_COMMAND_H
