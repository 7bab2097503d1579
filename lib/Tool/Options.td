//===- Options.td - options of the kpack program --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list for all subcommands; the visibility of an option names those that
// know it. The bits are OptionVisibility in Command.h.
//
//===----------------------------------------------------------------------===//
include "llvm/Option/OptParser.td"

def ListOption : OptionVisibility;
def ShowOption : OptionVisibility;
def ExtractOption : OptionVisibility;
def VerifyOption : OptionVisibility;
def RefOption : OptionVisibility;
def MergeOption : OptionVisibility;
def PruneOption : OptionVisibility;
def DiffOption : OptionVisibility;
def ConvertOption : OptionVisibility;
def InspectOption : OptionVisibility;
def DoctorOption : OptionVisibility;
def StripOption : OptionVisibility;
def ReportOption : OptionVisibility;
def PackTreeOption : OptionVisibility;
def UnpackOption : OptionVisibility;

// An option without help text is a second spelling and stays out of --help.
let Visibility = [ListOption, ShowOption, ExtractOption, VerifyOption,
                  RefOption, MergeOption, PruneOption, DiffOption,
                  ConvertOption, InspectOption, DoctorOption,
                  StripOption, ReportOption, PackTreeOption,
                  UnpackOption] in {
def help : Flag<["--"], "help">, HelpText<"Print this help">;
def help_h : Flag<["-"], "h">, Alias<help>;
def version : Flag<["--"], "version">, HelpText<"Print the version">;
}

let Visibility = [ListOption, ShowOption, ExtractOption, VerifyOption,
                  RefOption, MergeOption, PruneOption, DiffOption,
                  ConvertOption, InspectOption, DoctorOption,
                  StripOption, ReportOption, PackTreeOption,
                  UnpackOption] in {
def quiet : Flag<["--"], "quiet">,
    HelpText<"Print problems alone, and say the rest by the exit status">;
def quiet_q : Flag<["-"], "q">, Alias<quiet>;
}

let Visibility = [ListOption, ShowOption, VerifyOption, RefOption,
                  PruneOption, DiffOption, ConvertOption, InspectOption,
                  DoctorOption, StripOption, ReportOption, PackTreeOption,
                  UnpackOption] in {
def json : Flag<["--"], "json">,
    HelpText<"Print JSON; its \"schema\" names the layout and its version">;
}

let Visibility = [ListOption, ExtractOption, VerifyOption, RefOption,
                  MergeOption, PruneOption, DiffOption, ConvertOption,
                  InspectOption, DoctorOption, StripOption, ReportOption,
                  PackTreeOption, UnpackOption] in {
def max_unpacked_EQ : Joined<["--"], "max-unpacked=">, MetaVarName<"<size>">,
    HelpText<"What one compressed bundle or code object may become in memory, "
             "4G for one (default: 64 times its size, at least 32M)">;
def max_unpacked : Separate<["--"], "max-unpacked">, Alias<max_unpacked_EQ>;
}

let Visibility = [ListOption, ExtractOption, VerifyOption, PruneOption,
                  DiffOption, InspectOption, ReportOption, UnpackOption] in {
def arch_EQ : Joined<["--"], "arch=">, MetaVarName<"<glob>,...">,
    HelpText<"Only these architectures (repeatable)">;
def arch : Separate<["--"], "arch">, Alias<arch_EQ>;
}

let Visibility = [VerifyOption, PruneOption, InspectOption, DoctorOption,
                  ReportOption] in {
def gpu_EQ : Joined<["--"], "gpu=">, MetaVarName<"<device>,...">,
    HelpText<"Only what these devices need, gfx90a:sramecc+:xnack- for one "
             "(repeatable)">;
def gpu : Separate<["--"], "gpu">, Alias<gpu_EQ>;
}

let Visibility = [VerifyOption] in {
def expect_arch_EQ : Joined<["--"], "expect-arch=">,
    MetaVarName<"<target>,...">,
    HelpText<"These targets must have code, whatever the binary says "
             "(repeatable)">;
def expect_arch : Separate<["--"], "expect-arch">, Alias<expect_arch_EQ>;
def against_EQ : Joined<["--"], "against=">, MetaVarName<"<original>">,
    HelpText<"Compare the binary, or the packed tree, with what it was made of">;
def against : Separate<["--"], "against">, Alias<against_EQ>;
}

let Visibility = [InspectOption] in {
def kernel_EQ : Joined<["--"], "kernel=">, MetaVarName<"<glob>">,
    HelpText<"Only kernels with this name, as it was written or mangled "
             "(repeatable)">;
def kernel : Separate<["--"], "kernel">, Alias<kernel_EQ>;
def summary : Flag<["--"], "summary">,
    HelpText<"Print totals for each target, and no kernels">;
}

let Visibility = [ListOption] in {
def kernels : Flag<["--"], "kernels">,
    HelpText<"Name the kernels of each code object">;
}

let Visibility = [ListOption, ExtractOption, DiffOption] in {
def binary_EQ : Joined<["--"], "binary=">, MetaVarName<"<glob>">,
    HelpText<"Only entries under this key (repeatable)">;
def binary : Separate<["--"], "binary">, Alias<binary_EQ>;
}

let Visibility = [ExtractOption, MergeOption, PruneOption, ConvertOption,
                  StripOption, PackTreeOption, UnpackOption] in {
def output : JoinedOrSeparate<["-"], "o">, MetaVarName<"<path>">,
    HelpText<"The file to write; of a tree, the folder">,
    HelpTextForVariants<[ExtractOption], "Where to write: a file, a directory "
                        "(existing, or with a '/' at the end), or '-' for "
                        "standard output">;
def output_EQ : Joined<["--"], "output=">, Alias<output>;
def output_long : Separate<["--"], "output">, Alias<output>;
}

let Visibility = [MergeOption, ConvertOption, PackTreeOption] in {
def group_name_EQ : Joined<["--"], "group-name=">, MetaVarName<"<name>">,
    HelpText<"Package or build that the archive belongs to">,
    HelpTextForVariants<[ConvertOption, PackTreeOption],
                        "The package that the archives belong to: in their "
                        "names and in themselves (default: the name of the "
                        "output; of a tree, of the input)">;
def group_name : Separate<["--"], "group-name">, Alias<group_name_EQ>;
}

let Visibility = [MergeOption] in {
def link : Flag<["--"], "link">,
    HelpText<"Leave links to the shared archive at the names of the others">;
}

let Visibility = [PruneOption, ConvertOption, StripOption] in {
def in_place : Flag<["--"], "in-place">,
    HelpText<"Replace the archives; remove those in which nothing is left">,
    HelpTextForVariants<[ConvertOption, StripOption],
                        "Replace the input, at once and as a whole">;
}

let Visibility = [PruneOption] in {
def dry_run : Flag<["--"], "dry-run">,
    HelpText<"Say what would be left, and write nothing">;
}

let Visibility = [ConvertOption] in {
def archive_dir_EQ : Joined<["--"], "archive-dir=">, MetaVarName<"<dir>">,
    HelpText<"Where to write the archives, one for each architecture (default: "
             ".kpack beside the output)">;
def archive_dir : Separate<["--"], "archive-dir">, Alias<archive_dir_EQ>;
def keep_layout : Flag<["--"], "keep-layout">,
    HelpText<"Change no address of code or data">;
def compact : Flag<["--"], "compact">,
    HelpText<"Give up the addresses of device code as well, or fail (default: "
             "where the file's relocations allow it)">;
}

let Visibility = [ConvertOption, PackTreeOption] in {
def compression_EQ : Joined<["--"], "compression=">, MetaVarName<"<scheme>">,
    HelpText<"Of the archives: zstd, zstd:1 to zstd:22 (default: zstd:3), or "
             "none">;
def compression : Separate<["--"], "compression">, Alias<compression_EQ>;
}

let Visibility = [StripOption, ConvertOption, PackTreeOption] in {
def device_debug_EQ : Joined<["--"], "device-debug=">,
    MetaVarName<"strip|split">,
    HelpText<"Leave the debug information of device code out, or write it to "
             "files of its own">;
}

let Visibility = [ReportOption] in {
def html_EQ : Joined<["--"], "html=">, MetaVarName<"<file>">,
    HelpText<"Write a page with a treemap to this file, too">;
def html : Separate<["--"], "html">, Alias<html_EQ>;
}

let Visibility = [PackTreeOption] in {
def input_EQ : Joined<["--"], "input=">, MetaVarName<"<folder>">,
    HelpText<"The tree to copy">;
def input : Separate<["--"], "input">, Alias<input_EQ>;
def gfx_arch_family_EQ : Joined<["--"], "gfx-arch-family=">,
    MetaVarName<"<name>">,
    HelpText<"Write one archive, for this family of architectures">;
def gfx_arch_family : Separate<["--"], "gfx-arch-family">,
    Alias<gfx_arch_family_EQ>;
def gfx_arches_EQ : Joined<["--"], "gfx-arches=">, MetaVarName<"<target>,...">,
    HelpText<"Only code that runs on these; the rest is left out (repeatable)">;
def gfx_arches : Separate<["--"], "gfx-arches">, Alias<gfx_arches_EQ>;
def compression_level_EQ : Joined<["--"], "compression-level=">,
    MetaVarName<"<level>">, HelpText<"zstd level, 1 to 22 (default: 3)">;
def compression_level : Separate<["--"], "compression-level">,
    Alias<compression_level_EQ>;
def keep_fat : Flag<["--"], "keep-fat">,
    HelpText<"Copy binaries that cannot be converted as they are">;
def keep_going : Flag<["--"], "keep-going">,
    HelpText<"The same, and list them at the end, with exit status 1">;
def databases_EQ : Joined<["--"], "databases=">, MetaVarName<"keep|pack">,
    HelpText<"Leave the code objects of kernel databases (.co, .hsaco) files, "
             "or put them into the archives, for libkpack_hip.so to load by "
             "name or from mapped files (default: keep)">;
def databases : Separate<["--"], "databases">, Alias<databases_EQ>;
def verbose : Flag<["--"], "verbose">,
    HelpText<"Name each code object that stays as it is, not just the first">;
def verbose_v : Flag<["-"], "v">, Alias<verbose>;
}

let Visibility = [ConvertOption, PackTreeOption] in {
def threads : JoinedOrSeparate<["-"], "j">, MetaVarName<"<n>">,
    HelpText<"Threads, 1 to 1024 (default: one for each CPU)">;
}
