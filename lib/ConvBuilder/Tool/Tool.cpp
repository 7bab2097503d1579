//===- Tool.cpp - conv-builder: command line and dispatch -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first argument selects the verb; the rest is parsed with the options of
// the verb. Siblings: Options.td, ConvVerb.h, one file for each verb.
//
//===----------------------------------------------------------------------===//
#include "ConvBuilder/Tool/ConvTool.h"

#include "ConvVerb.h"

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;
using namespace llvm::opt;

namespace {
#include "ToolSupport/OptionTable.inc"
} // namespace

static const Command *const Verbs[] = {
    &DescribeVerb, &ExplainVerb, &CandidatesVerb, &ReportVerb, &EmitVerb,
    &RunVerb,      &CheckVerb,   &DiffVerb,       &OpsVerb,    &LayoutsVerb,
    &TypesVerb,    &FieldsVerb,  &PrebuildVerb};

static constexpr VerbMenu Menu = {
    .Program = "conv-builder",
    .Head = "OVERVIEW: conv-builder: convolutions by signature (what is "
            "computed) and algorithm (how)\n\n"
            "USAGE: conv-builder <verb> [options] <operand>...\n\nVERBS:\n",
    .Tail =
        "\nA value is a text, '@<file>' with one, or '-' for standard "
        "input:\n\n"
        "  {spatial_dim=2,data_type=FP16,input={config={layout=NHWGC}}}\n"
        "  {kind=IMPLICIT_GEMM,isa=MFMA,tile={m=128,n=128,k=32}}\n\n"
        "Fields that are left out have their default; JSON is read, too. Begin "
        "with\n\n"
        "  $ conv-builder fields\n"
        "  $ conv-builder describe --tree '{spatial_dim=2,data_type=FP16}'\n\n"
        "'conv-builder <verb> --help' explains a verb, with examples, "
        "'conv-builder --version'\n"
        "says which conv-builder this is.\n\n"
        "EXIT STATUS: 0, or 1 when anything was wrong; of diff as of diff(1)\n",
    .NoneGiven = "no verb given",
    .NotOne = "no such verb",
    .Version = "conv-builder " KPACK_VERSION "\n",
    .Options = KpackOptTable::get};

int conv::runConvBuilder(ArrayRef<const char *> Arguments, raw_ostream &Out,
                         raw_ostream &Err) {
  return runCommands(Menu, Verbs, Arguments, Out, Err);
}
