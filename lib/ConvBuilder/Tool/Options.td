//===- Options.td - options of conv-builder -------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list for all verbs; the visibility of an option lists the verbs that know
// it. The bits are OptionVisibility in ConvVerb.h.
//
//===----------------------------------------------------------------------===//
include "llvm/Option/OptParser.td"
include "ToolSupport/Values.td"

def DescribeOption : OptionVisibility;
def DiffOption : OptionVisibility;
def OpsOption : OptionVisibility;
def LayoutsOption : OptionVisibility;
def TypesOption : OptionVisibility;
def FieldsOption : OptionVisibility;
def ExplainOption : OptionVisibility;
def PrebuildOption : OptionVisibility;
def CandidatesOption : OptionVisibility;
def ReportOption : OptionVisibility;
def EmitOption : OptionVisibility;
def RunOption : OptionVisibility;
def CheckOption : OptionVisibility;

// An option without help text is a second spelling and stays out of --help.
let Visibility = [DescribeOption, DiffOption, OpsOption, LayoutsOption,
                  TypesOption, FieldsOption, ExplainOption, PrebuildOption,
                  CandidatesOption, ReportOption, EmitOption, RunOption,
                  CheckOption] in {
def help : Flag<["--"], "help">, HelpText<"Print this help">;
def help_h : Flag<["-"], "h">, Alias<help>;
}

let Visibility = [DescribeOption, DiffOption, OpsOption, LayoutsOption,
                  TypesOption, FieldsOption, ExplainOption, CandidatesOption,
                  RunOption, CheckOption] in {
def json : Flag<["--"], "json">,
    HelpText<"Print JSON; its \"schema\" names the layout and its version">;
}

let Visibility = [OpsOption, LayoutsOption, TypesOption, FieldsOption] in {
def markdown : Flag<["--"], "markdown">,
    HelpText<"Print tables as in the reference manual">;
}

let Visibility = [DescribeOption, DiffOption] in {
defm as : Value<"as", "<signature|algorithm|problem>",
    "What the values are; by default the names of their fields say it">;
}

let Visibility = [DescribeOption] in {
def short : Flag<["--"], "short">,
    HelpText<"The text, with what differs from the default">;
def full : Flag<["--"], "full">,
    HelpText<"The text with every field, which keeps its meaning when defaults "
             "change; every field in --tree and --json, too">;
def tree : Flag<["--"], "tree">,
    HelpText<"A line for each field, with its unit and its meaning">;
def cxx : Flag<["--"], "cxx">,
    HelpText<"C++ that compiles to the value">;
def hash : Flag<["--"], "hash">,
    HelpText<"64 bits that name the value, in hexadecimal">;
}

let Visibility = [ExplainOption, CandidatesOption, ReportOption, PrebuildOption,
                  EmitOption] in {
defm arch : Value<"arch", "<gpu>",
    "The processor, such as gfx942; 'explain' chooses nothing without one, "
    "'emit' takes cpu, too, 'prebuild' several, with commas">;
}

let Visibility = [PrebuildOption] in {
defm bundle : Value<"bundle", "<file>",
    "A bundle of the cache, too; compressed where its name ends with zst">;
}

let Visibility = [PrebuildOption, ReportOption, EmitOption] in {
def output_file : JoinedOrSeparate<["-"], "o">, MetaVarName<"<file>">,
    HelpText<"The file that is written; without one 'emit' prints">;
}

let Visibility = [CandidatesOption, ReportOption] in {
defm workspace : Value<"workspace", "<bytes>",
    "Only those that need no more memory beside the tensors">;
def deterministic : Flag<["--"], "deterministic">,
    HelpText<"Only those with the same bits each time">;
def allow_reference : Flag<["--"], "allow-reference">,
    HelpText<"REFERENCE, too, which is right and slow">;
}

let Visibility = [CandidatesOption] in {
def refused : Flag<["--"], "refused">,
    HelpText<"Those that are none, too, and why">;
}

let Visibility = [EmitOption] in {
defm headers : Value<"headers", "<folder>",
    "Write the headers that the text includes below this folder">;
}

let Visibility = [RunOption, CheckOption] in {
defm on : Value<"on", "<device>",
    "Where it runs: cpu (the default), hip, the first GPU that HIP has, or "
    "softgpu:<gpu>, an emulated one; of 'check' also several, with commas">;
defm set : Value<"set", "<tensor>.<number>=<value>",
    "A number of an operation, such as output.a=0.5; once for each">;
}

let Visibility = [RunOption] in {
defm input : Value<"input", "<file>",
    "The input; BACKWARD_DATA writes it">;
defm weight : Value<"weight", "<file>",
    "The weight; BACKWARD_WEIGHT writes it">;
defm output : Value<"output", "<file>",
    "The output; FORWARD writes it">;
defm aux : Value<"aux", "<file>",
    "An auxiliary operand; once for each, those of the input first, then of "
    "the weight, then of the output">;
}

let Visibility = [CheckOption] in {
def random : Flag<["--"], "random">,
    HelpText<"Any numbers, and a bound that is computed, not small integers "
             "and the same bits">;
defm seed : Value<"seed", "<number>", "Which data; 1 by default">;
}
