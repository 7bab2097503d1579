//===- Verbs.cpp - main() of programs with verbs --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// runTool() keeps SIGPIPE, so that "kpack list | head" ends silently, and turns
// a file size limit into a write error, like a full disk. Out of memory is an
// error and not a crash: the programs are compiled without exceptions, and
// large blocks are allocated by functions that can name the file in the error.
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/Verbs.h"

#include "ToolSupport/Output.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"

#include <csignal>
#include <cstring>
#include <unistd.h>

using namespace kpack;
using namespace llvm;

/// Ends the program, since later steps would fail too. Allocates nothing.
/// \p Message is a text. Also used as LLVM's new handler.
static void endWithoutMemory(void *Message, const char *, bool) {
  const char *Text = static_cast<const char *>(Message);
  (void)!::write(STDERR_FILENO, Text, std::strlen(Text));
  sys::RunInterruptHandlers(); // temporary files
  ::_exit(1);
}

int kpack::runTool(StringRef Program, int Argc, char **Argv,
                   int (*Run)(ArrayRef<const char *>, raw_ostream &,
                              raw_ostream &),
                   AtWords Syntax) {
  InitLLVM Init(Argc, Argv, /*InstallPipeSignalExitHandler=*/false);
  std::signal(SIGXFSZ, SIG_IGN);
  static const std::string InCrash =
      (Program + " crashed; please report this with the command line and the "
                 "files that it was given\n")
          .str();
  setBugReportMsg(InCrash.c_str());
  static std::string OutOfMemory =
      (Program + ": error: out of memory; close other programs or raise the "
                 "limit (ulimit -v)\n")
          .str();
  install_bad_alloc_error_handler(endWithoutMemory, OutOfMemory.data());
  BumpPtrAllocator Allocator;
  SmallVector<const char *, 32> Args(Argv + 1, Argv + Argc);
  if (Syntax == AtWords::Word)
    return finishOutput(Program, Run(Args, outs(), errs()));
  cl::ExpansionContext Expansion(Allocator, cl::TokenizeGNUCommandLine);
  if (Error E = Expansion.expandResponseFiles(Args)) {
    Session(outs(), errs(), Program)
        .error("response file: " + toString(std::move(E)) +
               "; give a readable file after '@'");
    return 1;
  }
  return finishOutput(Program, Run(Args, outs(), errs()));
}
