//===- Run/RunProgram.h - kpack-run: programs on emulated GPUs --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kpack-run without its main(): runs a HIP program in a separate process, with
// the system's ROCm runtime above emulated GPUs. RunKernel.h runs single
// kernels.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_RUN_RUNPROGRAM_H
#define KPACK_SOFTGPU_RUN_RUNPROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace kpack::softgpu {

/// \p Args begin with this program's name, beside which the libraries are.
/// Changes the environment of this process. Returns the exit status, which
/// docs/reference/kpack-run.md lists.
int runProgramMain(llvm::ArrayRef<char *> Args, llvm::raw_ostream &Out,
                   llvm::raw_ostream &Err);

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_RUN_RUNPROGRAM_H
