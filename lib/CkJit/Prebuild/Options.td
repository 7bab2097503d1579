//===- Options.td - options of ck-jit prebuild ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bits are OptionVisibility in Commands.cpp. Values may follow "=" or be
// the next word: existing call sites have the latter.
//
//===----------------------------------------------------------------------===//
include "llvm/Option/OptParser.td"

def ListOption : OptionVisibility;
def BuildOption : OptionVisibility;
def CleanOption : OptionVisibility;
def ReportOption : OptionVisibility;

multiclass Value<string name, string meta, string help> {
  def NAME # _EQ : Joined<["--"], name # "=">, MetaVarName<meta>, HelpText<help>;
  def NAME : Separate<["--"], name>, Alias<!cast<Option>(NAME # "_EQ")>;
}

let Visibility = [ListOption, BuildOption, CleanOption, ReportOption] in {
def help : Flag<["--"], "help">, HelpText<"Print this help">;
def help_h : Flag<["-"], "h">, Alias<help>;
def json : Flag<["--"], "json">, HelpText<"Print the outcome as JSON">;
}

let Visibility = [ListOption, BuildOption, CleanOption] in {
defm manifest : Value<"manifest", "<file>",
    "The blobs: ck_jit_manifest.json, or what a build has recorded">;
defm library : Value<"library", "<file>",
    "The blobs: those of a library that is linked with 'ck-jit embed'">;
defm cache_dir : Value<"cache-dir", "<folder>",
    "Default: CK_JIT_CACHE_DIR, else where the library looks by default">;
defm root : Value<"root", "<folder>",
    "Where relative sources are; default: CK_JIT_ROOT, else the manifest's">;
defm blob_list : Value<"blob-list", "<file>",
    "A file with a blob a line; '-' is standard input (repeatable)">;
def all : Flag<["--"], "all">, HelpText<"Every blob">;
defm where : Value<"where", "<predicate>",
    "Of the blobs that are named (of all, if none is) those whose name fits: "
    "'dtype==fp16 && hdim<=128', 'stem~\"nmask\"' (repeatable: all must hold)">;
defm target : Value<"target", "<id>",
    "Target id, such as gfx90a or gfx90a:xnack- (repeatable); default: this "
    "machine's GPUs, else what the build names">;
}

let Visibility = [ListOption, BuildOption] in {
defm compiler : Value<"compiler", "<program>",
    "Default: CK_JIT_COMPILER, else the manifest's, else ROCm's clang++">;
defm link_flag : Value<"link-flag", "<flag>",
    "For the link of every blob, where the manifest does not say (repeatable)">;
}

let Visibility = [BuildOption, CleanOption] in {
def dry_run : Flag<["--"], "dry-run">,
    HelpText<"Say what would be done, and do nothing">;
def dry_run_n : Flag<["-"], "n">, Alias<dry_run>;
def verbose : Flag<["--"], "verbose">,
    HelpText<"Say more: what compilers print also where they succeed; what is "
             "removed">;
def verbose_v : Flag<["-"], "v">, Alias<verbose>;
}

let Visibility = [BuildOption] in {
defm jobs : Value<"jobs", "<n>",
    "Compiles at once; fewer run while memory is short">;
def jobs_j : JoinedOrSeparate<["-"], "j">, Alias<jobs_EQ>;
def keep_going : Flag<["--"], "keep-going">,
    HelpText<"Compile what can be, whatever fails">;
def keep_going_k : Flag<["-"], "k">, Alias<keep_going>;
defm pch : Value<"pch", "<on|auto|off>",
    "Precompiled headers in the cache; on, the default, makes them first">;
defm mode : Value<"mode", "<mode>",
    "Who may read the cache: 0755, 0750 (with its group) or 0700; a new one that "
    "root names, or of CK_JIT_SYSTEM_CACHE, gets 0755">;
defm ninja : Value<"ninja", "<file>",
    "Write a file for ninja with one command a blob, instead of compiling">;
defm launcher : Value<"launcher", "<words>",
    "With --ninja: what is put before every command, such as 'srun -n1'">;
defm slurm : Value<"slurm", "<file>",
    "Write a job array for Slurm's sbatch, instead of compiling">;
defm trace : Value<"trace", "<folder>",
    "Add who compiled what to it, for 'ck-jit prebuild report'">;
defm stamp : Value<"stamp", "<file>",
    "Written when everything is in the cache">;
defm depfile : Value<"depfile", "<file>",
    "Make rule with the files that the blobs were compiled from">;
}
