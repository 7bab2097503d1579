//===- SoftGpu/Run/RunProgram.h - a program on our GPUs ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kpack-run without its main(): a HIP program in a process of its own, with the
// ROCm runtime of the system above emulated GPUs. Single kernels: RunKernel.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_RUN_RUNPROGRAM_H
#define KPACK_SOFTGPU_RUN_RUNPROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace kpack::softgpu {

/// \p Args begin with this program's own name, beside which the libraries are
/// looked for. Changes the environment of this process. Returns the exit
/// status, which docs/reference/kpack-run.md lists.
int runProgramMain(llvm::ArrayRef<char *> Args, llvm::raw_ostream &Out,
                   llvm::raw_ostream &Err);

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_RUN_RUNPROGRAM_H
