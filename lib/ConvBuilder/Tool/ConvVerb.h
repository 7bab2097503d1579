//===- ConvVerb.h - verbs of conv-builder -----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verbs (ToolSupport/Commands.h). Options.td lists the verbs of each
// option.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_TOOL_CONVVERB_H
#define KPACK_LIB_CONVBUILDER_TOOL_CONVVERB_H

#include "ToolSupport/Commands.h"

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

extern const Command DescribeVerb;
extern const Command DiffVerb;
extern const Command ExplainVerb;
extern const Command CandidatesVerb;
extern const Command ReportVerb;
extern const Command EmitVerb;
extern const Command RunVerb;
extern const Command CheckVerb;
extern const Command OpsVerb;
extern const Command PrebuildVerb;
extern const Command LayoutsVerb;
extern const Command TypesVerb;
extern const Command FieldsVerb;

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TOOL_CONVVERB_H
