//===- RunKernel.h - softgpu-run: a kernel on an emulated GPU ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// softgpu-run without its main(): runs a kernel of a code object or an archive,
// with arguments from the command line (docs/reference/softgpu-run.md).
// RunProgram.h runs whole programs.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_RUN_RUNKERNEL_H
#define KPACK_SOFTGPU_RUN_RUNKERNEL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace kpack::softgpu {

/// \p Args begin after the program's name. Returns the exit status: 0, or 1
/// after an error, which is printed to \p Err. Reads and writes the files that
/// the arguments name.
int runKernelMain(llvm::ArrayRef<const char *> Args, llvm::raw_ostream &Out,
                  llvm::raw_ostream &Err);

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_RUN_RUNKERNEL_H
