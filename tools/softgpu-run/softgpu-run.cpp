//===- softgpu-run.cpp - one kernel on an emulated GPU --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program is lib/SoftGpu/Run/RunKernel.cpp. Here is what belongs to a
// process: LLVM's setup, and what is said when we crash.
//
//===----------------------------------------------------------------------===//
#include "kpack/SoftGpu/Run/RunKernel.h"
#include "kpack/ToolSupport/Output.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"

int main(int Argc, char **Argv) {
  llvm::InitLLVM Init(Argc, Argv);
  llvm::setBugReportMsg(
      "softgpu-run crashed; please report this with the command "
      "line and the files that it was given\n");
  int Status = kpack::softgpu::runKernelMain({Argv + 1, Argv + Argc},
                                             llvm::outs(), llvm::errs());
  return kpack::finishOutput("softgpu-run", Status);
}
