//===- Options.td - options of ck-jit seam and ck-jit embed ---------------===//
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

def SeamOption : OptionVisibility;
def EmbedOption : OptionVisibility;

let Visibility = [SeamOption, EmbedOption] in {
def help : Flag<["--"], "help">, HelpText<"Print this help">;
def help_h : Flag<["-"], "h">, Alias<help>;
def index_EQ : Joined<["--"], "index=">, MetaVarName<"<file>">,
    HelpText<"Which blob has which symbol, from 'ck-jit index' (repeatable)">;
def output : JoinedOrSeparate<["-"], "o">, MetaVarName<"<file>">,
    HelpText<"Where to write; '-', the default, is standard output">;
}

let Visibility = [EmbedOption] in {
def name_EQ : Joined<["--"], "name=">, MetaVarName<"<name>">,
    HelpText<"Of the cache folder, unless CK_JIT_NAME is set">;
def root_EQ : Joined<["--"], "root=">, MetaVarName<"<folder>">,
    HelpText<"Paths below it are kept relative, so that the tree can move">;
def install_root_EQ : Joined<["--"], "install-root=">, MetaVarName<"<folder>">,
    HelpText<"Where the root is when the library runs, absolute or relative to "
             "the library; 'ck_jit' beside it by default">;
def compiler_EQ : Joined<["--"], "compiler=">, MetaVarName<"<program>">,
    HelpText<"The clang++ that compiles blobs; by default ROCm's, else that of "
             "PATH">;
def json_EQ : Joined<["--"], "json=">, MetaVarName<"<file>">,
    HelpText<"Write the manifest as JSON too: ck_jit_manifest.json in the root, "
             "which 'ck-jit prebuild' reads">;
def link_flag_EQ : Joined<["--"], "link-flag=">, MetaVarName<"<flag>">,
    HelpText<"For the link of every blob, for example -lamdhip64 (repeatable)">;
}
