//===- RunProgramOptions.td - options of kpack-run ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
include "llvm/Option/OptParser.td"

// No option takes its value from the next argument: the first argument that is
// no option is the program.

def help : Flag<["--"], "help">, HelpText<"Print this help">;
def help_h : Flag<["-"], "h">, Alias<help>;
def version : Flag<["--"], "version">, HelpText<"Print the version">;

def gpu_EQ : Joined<["--"], "gpu=">, MetaVarName<"<gpu>[,<gpu>...]">,
    HelpText<"The GPUs that the program finds (default gfx90a)">;
def rocm_EQ : Joined<["--"], "rocm=">, MetaVarName<"<folder>">,
    HelpText<"Run with the ROCm below a folder (a chroot, or unpacked "
             "packages) instead of this system's">;
def check_EQ : Joined<["--"], "check=">, MetaVarName<"<check>[,<check>]">,
    HelpText<"Report more errors of kernels: lds (reads of shared memory that "
             "was not written), alignment">;
def out_of_bounds_EQ : Joined<["--"], "out-of-bounds=">,
    MetaVarName<"<what>">,
    HelpText<"Accesses outside of shared memory: fail (default), or do as "
             "hardware does and warn">;
def instruction_limit_EQ : Joined<["--"], "instruction-limit=">,
    MetaVarName<"<n>">,
    HelpText<"Fail a kernel after so many wave-instructions">;
def threads_EQ : Joined<["--"], "threads=">, MetaVarName<"<n>">,
    HelpText<"Threads of each GPU; default: one a core">;
def stats : Flag<["--"], "stats">,
    HelpText<"Print a line for each kernel launch to standard error">;
def trace : Flag<["--"], "trace">,
    HelpText<"Print every instruction and what it changes to standard error">;
