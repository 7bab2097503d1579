//===- Options.td - options of ck-jit index and ck-jit rewrite ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bits are OptionVisibility in Commands.cpp.
//
//===----------------------------------------------------------------------===//
include "llvm/Option/OptParser.td"

def IndexOption : OptionVisibility;
def RewriteOption : OptionVisibility;

let Visibility = [IndexOption, RewriteOption] in {
def help : Flag<["--"], "help">, HelpText<"Print this help">;
def help_h : Flag<["-"], "h">, Alias<help>;
def blobs_EQ : Joined<["--"], "blobs=">, MetaVarName<"<path>">,
    HelpText<"A blob, or a folder of them: all sources in it but '*_api.*' "
             "(repeatable)">;
def blobs : Separate<["--"], "blobs">, Alias<blobs_EQ>;
def output : JoinedOrSeparate<["-"], "o">, MetaVarName<"<file>">,
    HelpText<"Where to write; '-', the default, is standard output">;
def clang_EQ : Joined<["--"], "clang=">, MetaVarName<"<program>">,
    HelpText<"The clang++ whose builtin headers are used">;
}

let Visibility = [IndexOption, RewriteOption] in {
def thorough : Flag<["--"], "thorough">,
    HelpText<"Parse every body of every file: the same result, late">;
}

let Visibility = [RewriteOption] in {
def table : Flag<["--"], "table">,
    HelpText<"Turn else-if chains into tables that are searched at run time">;
def format_EQ : Joined<["--"], "format=">, MetaVarName<"<style>">,
    HelpText<"Style of changed lines, as for clang-format; 'none': as they come">;
def report_EQ : Joined<["--"], "report=">, MetaVarName<"<file>">,
    HelpText<"Write what was rewritten, and what not, as JSON">;
def no_line : Flag<["--"], "no-line-directives">,
    HelpText<"Do not emit #line">;
def header_EQ : Joined<["--"], "runtime-header=">, MetaVarName<"<header>">,
    HelpText<"What the result includes instead of kpack/CkJit/Runtime.h">;
}
