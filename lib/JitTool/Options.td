//===- Options.td - options of ck-jit cache -------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list for all verbs; the visibility of an option names those that know
// it. The bits are OptionVisibility in CacheVerb.h.
//
//===----------------------------------------------------------------------===//
include "llvm/Option/OptParser.td"
include "ToolSupport/Values.td"

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
defm cache_dir : Value<"cache-dir", "<folder>",
    "The cache; by default CK_JIT_CACHE_DIR, else the folder <name> in "
    "XDG_CACHE_HOME or ~/.cache">;
defm name : Value<"name", "<name>",
    "<name> of the default cache; by default CK_JIT_NAME, else ck_jit">;
}

let Visibility = [ListOption, PruneOption, PinOption, ExportOption,
                  PushOption] in {
defm kind : Value<"kind", "<kind>",
    "Only entries of this kind: shared-object, code-object, ptx, pch, recipe "
    "(repeatable)">;
}
let Visibility = [ListOption, PinOption, ExportOption, PushOption] in {
def pinned : Flag<["--"], "pinned">, HelpText<"Only entries that are pinned">;
}

let Visibility = [ListOption, PruneOption, PinOption, ExportOption,
                  ExplainOption, DoctorOption, PushOption] in {
defm target : Value<"target", "<target>",
    "Only entries for these targets, a glob (repeatable); in explain and "
    "doctor the target id to compile for">;
}

let Visibility = [VerifyOption, PruneOption, ImportOption, PushOption] in {
def dry_run : Flag<["--"], "dry-run">,
    HelpText<"Say what would be done, and change nothing">;
def dry_run_n : Flag<["-"], "n">, Alias<dry_run>;
}

let Visibility = [StatsOption] in {
defm top : Value<"top", "<number>",
    "How many kernels to list, 0: all; 10 by default, in JSON all">;
def reset : Flag<["--"], "reset">,
    HelpText<"Forget the counts, after printing them; entries stay">;
}
let Visibility = [StatsOption, ListOption] in {
defm sort : Value<"sort", "<column>",
    "Order, largest first. stats: seconds (the default), hits, misses, "
    "compiles, failures, fetched, bytes, last-use, name; list: name (the "
    "default), size, created, last-use, seconds">;
}

let Visibility = [PruneOption] in {
defm max_size : Value<"max-size", "<size>",
    "Keep at most this much, for example 10G; K, M, G and T are powers of "
    "1024">;
defm max_age : Value<"max-age", "<time>",
    "Keep what was used within this time, for example 30d; s, m, h, d, w">;
defm max_entries : Value<"max-entries", "<number>",
    "Keep at most this many entries">;
def all : Flag<["--"], "all">, HelpText<"Remove all that is not pinned">;
}

let Visibility = [ExportOption] in {
def header : Flag<["--"], "header">,
    HelpText<"A header of C and C++ with one program's functions, for programs "
             "that have no compiler">;
}

let Visibility = [PushOption] in {
def force : Flag<["--"], "force">,
    HelpText<"Upload also what the server has, over it">;
}

let Visibility = [ImportOption] in {
def pin : Flag<["--"], "pin">, HelpText<"Pin what the bundle holds">;
defm mode : Value<"mode", "<mode>",
    "Who may read the cache: 0755, 0750 (with its group) or 0700; a new one "
    "that root names, or of CK_JIT_SYSTEM_CACHE, gets 0755">;
defm max_entry : Value<"max-entry-size", "<size>",
    "Refuse larger entries; 1G by default">;
}

let Visibility = [ExplainOption, DoctorOption] in {
defm manifest : Value<"manifest", "<file>",
    "The manifest of the build (ck_jit_manifest.json)">;
defm root : Value<"root", "<folder>",
    "Where relative sources of the manifest are; by default CK_JIT_ROOT, "
    "else the manifest's folder">;
defm compiler : Value<"compiler", "<program>",
    "The clang++; by default as the library finds it">;
}

let Visibility = [ExplainOption] in {
defm source : Value<"source", "<file>",
    "A source, with its flags behind '--'; instead of a manifest">;
defm symbol : Value<"symbol", "<symbol>",
    "What the source's object exports (repeatable)">;
}
