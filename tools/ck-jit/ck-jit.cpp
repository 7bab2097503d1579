//===- ck-jit.cpp - kernel variants compiled on first call ----------------===//
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
#include "ToolSupport/Verbs.h"

using namespace kpack;
using namespace llvm;

namespace {
struct Command : Verb {
  int (*Run)(ArrayRef<const char *>, raw_ostream &, raw_ostream &);
};
} // namespace

static constexpr Command Commands[] = {
    {{"index", "", "which blob has what a dispatcher needs"}, ckjit::indexMain},
    {{"rewrite", "", "a dispatcher with stubs"}, ckjit::rewriteMain},
    {{"seam", "", "stubs for a dispatcher that stays as it is"},
     ckjit::seamMain},
    {{"embed", "", "the manifest of a build as a source file"},
     ckjit::embedMain},
    {{"cache", "",
      "look into the cache of compiled kernels and keep it in order"},
     ckjit::cacheMain},
    {{"build", "", "a library of late kernels, out of a project's own build"},
     ckjit::buildMain},
    {{"prebuild", "", "blobs compiled before they are called"},
     ckjit::prebuildMain},
};

static constexpr VerbMenu Menu = {
    .Program = "ck-jit",
    .Head = "OVERVIEW: ck-jit: kernel variants that are compiled when they are "
            "first called\n\nUSAGE: ck-jit <command> [options] "
            "<operand>...\n\nCOMMANDS:\n",
    .Tail = "\n'ck-jit <command> --help' explains a command, 'ck-jit "
            "--version' says which ck-jit this is.\n",
    .Version = "ck-jit " KPACK_VERSION "\n"};

static int run(ArrayRef<const char *> Words, raw_ostream &Out,
               raw_ostream &Err) {
  Session S(Out, Err, "ck-jit");
  if (std::optional<size_t> Chosen = chooseVerb(S, Menu, Commands, Words))
    return Commands[*Chosen].Run(Words.drop_front(), Out, Err);
  return S.exitCode();
}

int main(int Argc, char **Argv) { return runTool("ck-jit", Argc, Argv, run); }
