//===- kpack.cpp - look into kpack archives -------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// main() of `kpack`. Everything else is lib/Tool; start reading in Tool.cpp.
//
//===----------------------------------------------------------------------===//
#include "kpack/Tool/Tool.h"
#include "kpack/ToolSupport/Output.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"

#include <csignal>

int main(int Argc, char **Argv) {
  // No handler for SIGPIPE: `kpack list | head` ends in silence.
  llvm::InitLLVM Init(Argc, Argv, /*InstallPipeSignalExitHandler=*/false);
  // A file size limit is an error of the write, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  llvm::setBugReportMsg("kpack crashed; please report this with the command "
                        "line and the files that it was given\n");
  llvm::ArrayRef<const char *> Args(Argv + 1, Argc - 1);
  return kpack::finishOutput(
      "kpack", kpack::tool::runKpack(Args, llvm::outs(), llvm::errs()));
}
