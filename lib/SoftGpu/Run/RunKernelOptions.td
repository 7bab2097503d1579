//===- RunKernelOptions.td - options of softgpu-run -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
include "llvm/Option/OptParser.td"

def help : Flag<["--"], "help">, HelpText<"Print this help">;
def help_h : Flag<["-"], "h">, Alias<help>;
def version : Flag<["--"], "version">, HelpText<"Print the version">;

def gpu_EQ : Joined<["--"], "gpu=">, MetaVarName<"<processor>">,
    HelpText<"The GPU to emulate; default: what the code object is for">;
def grid_EQ : Joined<["--"], "grid=">, MetaVarName<"<x>[,<y>[,<z>]]">,
    HelpText<"Blocks (default 1)">;
def block_EQ : Joined<["--"], "block=">, MetaVarName<"<x>[,<y>[,<z>]]">,
    HelpText<"Threads of a block (default 1)">;
def lds_EQ : Joined<["--"], "lds=">, MetaVarName<"<bytes>">,
    HelpText<"Dynamic shared memory of a block">;
def arg_EQ : Joined<["--"], "arg=">, MetaVarName<"<argument>">,
    HelpText<"The next kernel argument (repeatable); see below">;
def set_EQ : Joined<["--"], "set=">, MetaVarName<"<variable>:<file>">,
    HelpText<"Copy the file to a device variable first (repeatable)">;
def get_EQ : Joined<["--"], "get=">, MetaVarName<"<variable>:<file>">,
    HelpText<"Write a device variable to the file afterwards (repeatable)">;

def arch_EQ : Joined<["--"], "arch=">, MetaVarName<"<glob>">,
    HelpText<"Archives: the entry for this architecture">;
def binary_EQ : Joined<["--"], "binary=">, MetaVarName<"<glob>">,
    HelpText<"Archives: the entry under this key">;

def stats : Flag<["--"], "stats">,
    HelpText<"Print instructions, waves and time to standard error">;
def trace : Flag<["--"], "trace">,
    HelpText<"Print every instruction and what it changes to standard error">;
def threads_EQ : Joined<["--"], "threads=">, MetaVarName<"<n>">,
    HelpText<"Worker threads; default: one a core">;
def limit_EQ : Joined<["--"], "limit=">, MetaVarName<"<n>">,
    HelpText<"Fail after so many wave-instructions">;
def out_of_bounds_EQ : Joined<["--"], "out-of-bounds=">,
    MetaVarName<"<what>">,
    HelpText<"Accesses outside of shared memory: fail (default), or do as "
             "hardware does and warn">;
def check_lds : Flag<["--"], "check-lds">,
    HelpText<"Fail when shared memory is read that was not written">;
def check_alignment : Flag<["--"], "check-alignment">,
    HelpText<"Fail on accesses that are not aligned to their size">;
