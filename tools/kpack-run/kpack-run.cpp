//===- kpack-run.cpp - a HIP program on emulated GPUs ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program is lib/SoftGpu/Run/RunProgram.cpp. No handlers of LLVM's here:
// signals belong to the program that is run.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Run/RunProgram.h"
#include "ToolSupport/Output.h"

int main(int Argc, char **Argv) {
  int Status = kpack::softgpu::runProgramMain({Argv, Argv + Argc}, llvm::outs(),
                                              llvm::errs());
  return kpack::finishOutput("kpack-run", Status, /*Failed=*/125);
}
