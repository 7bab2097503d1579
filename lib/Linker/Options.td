//===- Options.td - options of ld.kpack -----------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First ld.kpack's own options, the only ones with a help text: lld prints the
// help of its own. Then the options of lld that say which files are linked and
// where the output goes, and those that take a separate value, so that a value
// is not taken for an input file. lld parses the command line itself; what is
// not listed here passes unseen.
//
//===----------------------------------------------------------------------===//
include "llvm/Option/OptParser.td"

class Own<string name> : Joined<["--"], name # "=">;

def kpack : Own<"kpack">, MetaVarName<"<file>">,
    HelpText<"Write the device code of the output to this archive; @GFXARCH@ "
             "in the name gives one archive for each target">;
def kpack_name : Own<"kpack-name">, MetaVarName<"<name>">,
    HelpText<"Name of the binary in marker and archives (default: the "
             "output's file name)">;
def kpack_group : Own<"kpack-group">, MetaVarName<"<name>">,
    HelpText<"Group the archives belong to (default: the binary's name "
             "without extension)">;
def kpack_search_path : Own<"kpack-search-path">, MetaVarName<"<path>">,
    HelpText<"Where the marker says the archive is (repeatable; default: the "
             "archive's path relative to the output's directory)">;
def kpack_compression : Own<"kpack-compression">,
    MetaVarName<"zstd[:<level>]|none">,
    HelpText<"How kernels are stored (default: zstd:3)">;
def kpack_device_debug : Own<"kpack-device-debug">,
    MetaVarName<"keep|strip|split">,
    HelpText<"DWARF of device code stays in the archives, is left out, or goes "
             "into archives of its own, in a folder 'debug' beside them "
             "(default: keep)">;
def kpack_threads : Own<"kpack-threads">, MetaVarName<"<n>">,
    HelpText<"Threads that read inputs, link device code and compress "
             "(default: one for each CPU)">;
def kpack_device_opt_level : Own<"kpack-device-opt-level">,
    MetaVarName<"<level>">,
    HelpText<"Optimization level of the -fgpu-rdc device link: 0, 1, 2 or 3 "
             "(default: lld's)">;
def kpack_device_link_arg : Own<"kpack-device-link-arg">, MetaVarName<"<arg>">,
    HelpText<"Pass this argument to the -fgpu-rdc device link (repeatable)">;

// What lld accepts with one dash and with two, except names that start with
// 'o', and its newer options, which need two.
multiclass Value<string name, list<string> prefixes = ["--", "-"]> {
  def NAME : Separate<prefixes, name>;
  def NAME # _EQ : Joined<prefixes, name # "=">, Alias<!cast<Separate>(NAME)>;
}
multiclass LongValue<string name> : Value<name, ["--"]>;
class Switch<string name> : Flag<["--", "-"], name>;

// Inputs and how they are found.
def library : JoinedOrSeparate<["-"], "l">;
def : Separate<["--", "-"], "library">, Alias<library>;
def : Joined<["--", "-"], "library=">, Alias<library>;
def library_path : JoinedOrSeparate<["-"], "L">;
def : Separate<["--", "-"], "library-path">, Alias<library_path>;
def : Joined<["--", "-"], "library-path=">, Alias<library_path>;
defm sysroot : Value<"sysroot">;
def Bdynamic : Switch<"Bdynamic">;
def : Switch<"call_shared">, Alias<Bdynamic>;
def : Switch<"dy">, Alias<Bdynamic>;
def Bstatic : Switch<"Bstatic">;
def : Switch<"dn">, Alias<Bstatic>;
def : Switch<"non_shared">, Alias<Bstatic>;
def : Switch<"static">, Alias<Bstatic>;
def omagic : Flag<["--"], "omagic">;
def : Flag<["-"], "N">, Alias<omagic>;
def nmagic : Switch<"nmagic">;
def : Flag<["-"], "n">, Alias<nmagic>;
def whole_archive : Switch<"whole-archive">;
def no_whole_archive : Switch<"no-whole-archive">;
def start_lib : Switch<"start-lib">;
def end_lib : Switch<"end-lib">;
def push_state : Switch<"push-state">;
def pop_state : Switch<"pop-state">;
defm format : Value<"format">;
def : Separate<["-"], "b">, Alias<format>;
defm remap_inputs : LongValue<"remap-inputs">;
def remap_inputs_file : Joined<["--"], "remap-inputs-file=">;
defm rsp_quoting : LongValue<"rsp-quoting">;

// What is written, and what the link step cannot go along with.
def o : JoinedOrSeparate<["-"], "o">;
def : Separate<["--"], "output">, Alias<o>;
def : Joined<["--"], "output=">, Alias<o>;
defm Map : Value<"Map">;
def print_map : Switch<"print-map">;
def : Flag<["-"], "M">, Alias<print_map>;
defm dependency_file : LongValue<"dependency-file">;
def relocatable : Switch<"relocatable">;
def : Flag<["-"], "r">, Alias<relocatable>;
def help : Switch<"help">;
def version : Switch<"version">;
def m : JoinedOrSeparate<["-"], "m">;
def z : JoinedOrSeparate<["-"], "z">;
defm oformat : LongValue<"oformat">;
def lto_emit_asm : Flag<["--"], "lto-emit-asm">;
def lto_emit_llvm : Flag<["--"], "lto-emit-llvm">;
def thinlto_index_only : Flag<["--"], "thinlto-index-only">;
def thinlto_index_only_EQ : Joined<["--"], "thinlto-index-only=">,
    Alias<thinlto_index_only>;
def plugin_opt : Joined<["--", "-"], "plugin-opt=">;

// Values that are not inputs.
foreach name = ["O", "R", "T", "e", "h", "u", "y"] in
  def : JoinedOrSeparate<["-"], name>;
foreach name = ["F", "dT", "f"] in
  def : Separate<["-"], name>;
def : Separate<["--"], "chroot">;
foreach name = ["auxiliary", "Tbss", "Tdata", "Ttext", "Ttext-segment",
                "call-graph-ordering-file", "compress-debug-sections",
                "defsym", "dynamic-linker", "dynamic-list", "entry",
                "exclude-libs", "filter", "fini", "hash-style", "init",
                "just-symbols", "keep-unique", "mllvm", "orphan-handling",
                "plugin", "print-symbol-order", "retain-symbols-file", "rpath",
                "script", "section-start", "soname", "sort-section",
                "split-stack-adjust-size", "target2", "trace-symbol",
                "undefined", "unresolved-symbols", "version-script",
                "wrap"] in {
  def : Separate<["--", "-"], name>;
  def : Joined<["--", "-"], name # "=">;
}
foreach name = ["compress-sections", "default-script", "error-handling-script",
                "error-limit", "export-dynamic-symbol",
                "export-dynamic-symbol-list", "image-base", "in-implib",
                "irpgo-profile", "lto-known-safe-vtables", "opt-remarks-filename",
                "opt-remarks-format", "opt-remarks-hotness-threshold",
                "opt-remarks-passes", "out-implib", "pack-dyn-relocs",
                "reproduce", "shuffle-sections", "symbol-ordering-file",
                "thinlto-cache-policy", "threads", "time-trace-granularity",
                "undefined-glob", "warn-backrefs-exclude", "why-live"] in {
  def : Separate<["--"], name>;
  def : Joined<["--"], name # "=">;
}
