//===- softgpu-run.cpp - main(): one kernel on an emulated GPU ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// main() of softgpu-run. lib/SoftGpu/Run/RunKernel.cpp implements it.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Run/RunKernel.h"
#include "ToolSupport/Verbs.h"

int main(int Argc, char **Argv) {
  return kpack::runTool("softgpu-run", Argc, Argv,
                        kpack::softgpu::runKernelMain);
}
