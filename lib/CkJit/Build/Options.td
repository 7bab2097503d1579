//===- Options.td - options of ck-jit build -------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bits are OptionVisibility in Commands.cpp. An option that ck_jit_build.py
// also has keeps the same name. Values may follow "=" or be the next word.
//
//===----------------------------------------------------------------------===//
include "llvm/Option/OptParser.td"

def FullOption : OptionVisibility;
def QuickOption : OptionVisibility;
def LinkOption : OptionVisibility;

/// --name=<value> and --name <value>.
multiclass Eq<string name, string meta, string help> {
  def _EQ : Joined<["--"], name # "=">, MetaVarName<meta>, HelpText<help>;
  def "" : Separate<["--"], name>, Alias<!cast<Option>(NAME # "_EQ")>;
}

let Visibility = [FullOption, QuickOption, LinkOption] in {
def help : Flag<["--"], "help">, HelpText<"Print this help">;
def help_h : Flag<["-"], "h">, Alias<help>;
def verbose : Flag<["--"], "verbose">,
    HelpText<"Show what the build prints, and what was not rewritten">;
defm tmp_dir : Eq<"tmp-dir", "<folder>",
    "Records, and what a quick build needs; a new folder by default">;
}

let Visibility = [FullOption, QuickOption] in {
defm aiter_dir : Eq<"aiter-dir", "<folder>",
    "aiter's checkout, or another project's: what is below it keeps its place "
    "in the installed tree (default: CK_JIT_AITER_DIR)">;
defm install_dir : Eq<"install-dir", "<folder>",
    "Where libraries and their folder ck_jit go">;
}

let Visibility = [FullOption] in {
defm gpu_archs : Eq<"gpu-archs", "<list>",
    "Architectures, ';' between them (GPU_ARCHS of aiter's build)">;
defm ck_tile_bf16 : Eq<"ck-tile-bf16", "<number>",
    "CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT of the build (default: 3)">;
defm build_command : Eq<"build-command", "<command>",
    "Another build, for the shell, instead of aiter's (repeatable: they run side "
    "by side)">;
defm rocm_path : Eq<"rocm-path", "<folder>",
    "The ROCm to build with (default: ROCM_PATH, that of hipcc, /opt/rocm)">;
defm python : Eq<"python", "<program>",
    "For aiter's compile.py (default: python3)">;
defm dispatchers : Eq<"dispatchers", "<regex>",
    "File names of dispatchers (default: "
    "fmha_(fwd|bwd|batch_prefill).*_api\\.(cu|cpp|hip)$)">;
defm blobs : Eq<"blobs", "<part>",
    "What the path of a blob has in it, ':' between several (default: /blob/)">;
defm libraries : Eq<"libraries", "<regex>",
    "File names of libraries with blobs (default: "
    "libmha_(fwd|bwd).*\\.so(\\.[0-9.]+)?$)">;
}

let Visibility = [FullOption, LinkOption] in {
def seam : Flag<["--"], "seam">,
    HelpText<"Leave dispatchers as they are and link stubs beside them "
             "(x86-64)">;
defm table : Eq<"table", "<list>",
    "APIs whose dispatchers search tables instead of long else-if chains: bwd "
    "(default), fwd, batch_prefill, all, none">;
defm clang : Eq<"clang", "<program>",
    "The clang++ whose builtin headers are used to read sources">;
}

let Visibility = [LinkOption] in {
defm compiler : Eq<"compiler", "<program>", "The compiler that links">;
}
