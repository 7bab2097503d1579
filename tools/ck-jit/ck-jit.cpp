//===- ck-jit.cpp - main(): kernels compiled on first call ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// main() of `ck-jit`: the first argument selects the subcommand, which parses
// the rest. The subcommands are in lib/CkJit.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Build/Commands.h"
#include "CkJit/Cache/Commands.h"
#include "CkJit/Prebuild/Commands.h"
#include "CkJit/Rewrite/Commands.h"
#include "CkJit/Seam/Seam.h"
#include "ToolSupport/Commands.h"
#include "ToolSupport/Verbs.h"

using namespace kpack;
using namespace llvm;

static const Command *const Commands[] = {
    &ckjit::IndexVerb,   &ckjit::RewriteVerb, &ckjit::SeamVerb,
    &ckjit::EmbedVerb,   &ckjit::CacheVerb,   &ckjit::BuildVerb,
    &ckjit::PrebuildVerb};

static constexpr VerbMenu Menu = {
    .Program = "ck-jit",
    .Head = "OVERVIEW: ck-jit: kernel variants that are compiled when they are "
            "first called\n\nUSAGE: ck-jit <command> [options] "
            "<operand>...\n\nCOMMANDS:\n",
    .Tail = "\n'ck-jit <command> --help' explains a command, 'ck-jit "
            "--version' says which ck-jit this is.\n",
    .Version = "ck-jit " KPACK_VERSION "\n"};

static int run(ArrayRef<const char *> Args, raw_ostream &Out,
               raw_ostream &Err) {
  return runCommands(Menu, Commands, Args, Out, Err);
}

int main(int Argc, char **Argv) { return runTool("ck-jit", Argc, Argv, run); }
