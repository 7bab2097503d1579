//===- Options.td - options of ck-jit cache -------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list for all verbs; the visibility of an option names those that know
// it. The bits are OptionVisibility in Command.h.
//
//===----------------------------------------------------------------------===//
include "llvm/Option/OptParser.td"

def StatsOption : OptionVisibility;
def ListOption : OptionVisibility;
def ExplainOption : OptionVisibility;
def VerifyOption : OptionVisibility;
def PruneOption : OptionVisibility;
def PinOption : OptionVisibility;
def ExportOption : OptionVisibility;
def ImportOption : OptionVisibility;
def DoctorOption : OptionVisibility;
def PushOption : OptionVisibility;

// An option without help text is a second spelling and stays out of --help.
let Visibility = [StatsOption, ListOption, ExplainOption, VerifyOption,
                  PruneOption, PinOption, ExportOption, ImportOption,
                  DoctorOption, PushOption] in {
def help : Flag<["--"], "help">, HelpText<"Print this help">;
def help_h : Flag<["-"], "h">, Alias<help>;
def json : Flag<["--"], "json">,
    HelpText<"Print JSON; its \"schema\" names the layout and its version">;
def cache_dir_EQ : Joined<["--"], "cache-dir=">, MetaVarName<"<folder>">,
    HelpText<"The cache; by default CK_JIT_CACHE_DIR, else the folder <name> in "
             "XDG_CACHE_HOME or ~/.cache">;
def cache_dir : Separate<["--"], "cache-dir">, Alias<cache_dir_EQ>;
def name_EQ : Joined<["--"], "name=">, MetaVarName<"<name>">,
    HelpText<"<name> of the default cache; by default CK_JIT_NAME, else ck_jit">;
def name : Separate<["--"], "name">, Alias<name_EQ>;
}

let Visibility = [ListOption, PruneOption, PinOption, ExportOption,
                  PushOption] in {
def kind_EQ : Joined<["--"], "kind=">, MetaVarName<"<kind>">,
    HelpText<"Only entries of this kind: shared-object, code-object, pch, recipe "
             "(repeatable)">;
def kind : Separate<["--"], "kind">, Alias<kind_EQ>;
}
let Visibility = [ListOption, PinOption, ExportOption, PushOption] in {
def pinned : Flag<["--"], "pinned">, HelpText<"Only entries that are pinned">;
}

let Visibility = [ListOption, PruneOption, PinOption, ExportOption,
                  ExplainOption, DoctorOption, PushOption] in {
def target_EQ : Joined<["--"], "target=">, MetaVarName<"<target>">,
    HelpText<"Only entries for these targets, a glob (repeatable); in explain "
             "and doctor the target id to compile for">;
def target : Separate<["--"], "target">, Alias<target_EQ>;
}

let Visibility = [VerifyOption, PruneOption, ImportOption, PushOption] in {
def dry_run : Flag<["--"], "dry-run">,
    HelpText<"Say what would be done, and change nothing">;
def dry_run_n : Flag<["-"], "n">, Alias<dry_run>;
}

let Visibility = [StatsOption] in {
def top_EQ : Joined<["--"], "top=">, MetaVarName<"<number>">,
    HelpText<"How many kernels to list, 0: all; 10 by default, in JSON all">;
def top : Separate<["--"], "top">, Alias<top_EQ>;
def reset : Flag<["--"], "reset">,
    HelpText<"Forget the counts, after printing them; entries stay">;
}
let Visibility = [StatsOption, ListOption] in {
def sort_EQ : Joined<["--"], "sort=">, MetaVarName<"<column>">,
    HelpText<"Order, largest first. stats: seconds (the default), hits, misses, "
             "compiles, failures, fetched, bytes, last-use, name; list: name (the "
             "default), size, created, last-use, seconds">;
def sort : Separate<["--"], "sort">, Alias<sort_EQ>;
}

let Visibility = [PruneOption] in {
def max_size_EQ : Joined<["--"], "max-size=">, MetaVarName<"<size>">,
    HelpText<"Keep at most this much, for example 10G; K, M, G and T are powers "
             "of 1024">;
def max_size : Separate<["--"], "max-size">, Alias<max_size_EQ>;
def max_age_EQ : Joined<["--"], "max-age=">, MetaVarName<"<time>">,
    HelpText<"Keep what was used within this time, for example 30d; s, m, h, d, "
             "w">;
def max_age : Separate<["--"], "max-age">, Alias<max_age_EQ>;
def max_entries_EQ : Joined<["--"], "max-entries=">, MetaVarName<"<number>">,
    HelpText<"Keep at most this many entries">;
def max_entries : Separate<["--"], "max-entries">, Alias<max_entries_EQ>;
def all : Flag<["--"], "all">, HelpText<"Remove all that is not pinned">;
}

let Visibility = [PushOption] in {
def force : Flag<["--"], "force">,
    HelpText<"Upload also what the server has, over it">;
}

let Visibility = [ImportOption] in {
def pin : Flag<["--"], "pin">, HelpText<"Pin what the bundle holds">;
def mode_EQ : Joined<["--"], "mode=">, MetaVarName<"<mode>">,
    HelpText<"Who may read the cache: 0755, 0750 (with its group) or 0700; a new "
             "one that root names, or of CK_JIT_SYSTEM_CACHE, gets 0755">;
def mode : Separate<["--"], "mode">, Alias<mode_EQ>;
def max_entry_EQ : Joined<["--"], "max-entry-size=">, MetaVarName<"<size>">,
    HelpText<"Refuse larger entries; 1G by default">;
def max_entry : Separate<["--"], "max-entry-size">, Alias<max_entry_EQ>;
}

let Visibility = [ExplainOption, DoctorOption] in {
def manifest_EQ : Joined<["--"], "manifest=">, MetaVarName<"<file>">,
    HelpText<"The manifest of the build (ck_jit_manifest.json)">;
def manifest : Separate<["--"], "manifest">, Alias<manifest_EQ>;
def root_EQ : Joined<["--"], "root=">, MetaVarName<"<folder>">,
    HelpText<"Where relative sources of the manifest are; by default "
             "CK_JIT_ROOT, else the manifest's folder">;
def root : Separate<["--"], "root">, Alias<root_EQ>;
def compiler_EQ : Joined<["--"], "compiler=">, MetaVarName<"<program>">,
    HelpText<"The clang++; by default as the library finds it">;
def compiler : Separate<["--"], "compiler">, Alias<compiler_EQ>;
}

let Visibility = [ExplainOption] in {
def source_EQ : Joined<["--"], "source=">, MetaVarName<"<file>">,
    HelpText<"A source, with its flags behind '--'; instead of a manifest">;
def source : Separate<["--"], "source">, Alias<source_EQ>;
def symbol_EQ : Joined<["--"], "symbol=">, MetaVarName<"<symbol>">,
    HelpText<"What the source's object exports (repeatable)">;
def symbol : Separate<["--"], "symbol">, Alias<symbol_EQ>;
}
