//===- ck-jit.cpp - kernel variants compiled on first call ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// main() of `ck-jit`: the first argument chooses the subcommand, which has the
// rest. The subcommands are in lib/CkJit.
//
//===----------------------------------------------------------------------===//
#include "kpack/CkJit/Build/Commands.h"
#include "kpack/CkJit/Prebuild/Commands.h"
#include "kpack/CkJit/Rewrite/Commands.h"
#include "kpack/CkJit/Seam/Seam.h"
#include "kpack/JitTool/CacheTool.h"
#include "kpack/ToolSupport/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"

#include <csignal>

using namespace llvm;

namespace {
struct Command {
  StringLiteral Name;
  StringLiteral Summary;
  int (*Run)(ArrayRef<const char *>, raw_ostream &, raw_ostream &);
};
} // namespace

static constexpr Command Commands[] = {
    {"index", "which blob has what a dispatcher needs",
     kpack::ckjit::indexMain},
    {"rewrite", "a dispatcher with stubs", kpack::ckjit::rewriteMain},
    {"seam", "stubs for a dispatcher that stays as it is",
     kpack::ckjit::seamMain},
    {"embed", "the manifest of a build as a source file",
     kpack::ckjit::embedMain},
    {"cache", "look into the cache of compiled kernels and keep it in order",
     kpack::ckjit::cacheMain},
    {"build", "a library of late kernels, out of a project's own build",
     kpack::ckjit::buildMain},
    {"prebuild", "blobs compiled before they are called",
     kpack::ckjit::prebuildMain},
};

static void printHelp(raw_ostream &OS) {
  OS << "OVERVIEW: ck-jit: kernel variants that are compiled when they are "
        "first called\n\nUSAGE: ck-jit <command> [options] <operand>...\n\n"
        "COMMANDS:\n";
  for (const Command &C : Commands)
    OS << "  " << left_justify(C.Name, 9) << C.Summary << '\n';
  OS << "\n'ck-jit <command> --help' explains a command, 'ck-jit --version' "
        "says which ck-jit this is.\n";
}

static int run(ArrayRef<const char *> Args) {
  StringRef Name = Args.empty() ? "" : Args.front();
  if (Name == "--help" || Name == "-h") {
    printHelp(outs());
    return 0;
  }
  if (Name == "--version") {
    outs() << "ck-jit " KPACK_VERSION "\n";
    return 0;
  }
  for (const Command &C : Commands)
    if (C.Name == Name)
      return C.Run(Args.drop_front(), outs(), errs());
  const Command *Near = find_if(Commands, [&](const Command &C) {
    return Name.edit_distance(C.Name) <= 2;
  });
  errs() << "ck-jit: error: "
         << (Args.empty() ? "command line: no command given"
                          : Name + ": no such command")
         << "; "
         << (Near == std::end(Commands) ? "see 'ck-jit --help'"
                                        : "did you mean '" + Near->Name + "'?")
         << '\n';
  return 1;
}

int main(int Argc, char **Argv) {
  InitLLVM Init(Argc, Argv, /*InstallPipeSignalExitHandler=*/false);
  std::signal(SIGXFSZ, SIG_IGN);
  setBugReportMsg("ck-jit crashed; please report this with the command line "
                  "and the files that it was given\n");
  BumpPtrAllocator Allocator;
  SmallVector<const char *, 32> Args(Argv + 1, Argv + Argc);
  cl::ExpansionContext Expansion(Allocator, cl::TokenizeGNUCommandLine);
  if (Error E = Expansion.expandResponseFiles(Args)) {
    errs() << "ck-jit: error: response file: " << toString(std::move(E))
           << "; give a readable file after '@'\n";
    return 1;
  }
  return kpack::finishOutput("ck-jit", run(Args));
}
