//===- kpack-run.cpp - main(): HIP programs on emulated GPUs --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// main() of kpack-run, which lib/SoftGpu/Run/RunProgram.cpp implements.
// Installs no signal handlers of LLVM: signals belong to the program that it
// runs.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Run/RunProgram.h"
#include "ToolSupport/Output.h"

int main(int Argc, char **Argv) {
  int Status = kpack::softgpu::runProgramMain({Argv, Argv + Argc}, llvm::outs(),
                                              llvm::errs());
  return kpack::finishOutput("kpack-run", Status, /*Failed=*/125);
}
