//===- Variables.h - device variables from a command line -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --set=<variable>:<file> and --get=<variable>:<file> act like
// hipMemcpyToSymbol and hipMemcpyFromSymbol. KernelArguments.h has kernel
// arguments.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_RUN_VARIABLES_H
#define KPACK_LIB_SOFTGPU_RUN_VARIABLES_H

#include "SoftGpu/Machine/CodeObjects/CodeObject.h"

namespace kpack::softgpu {

/// Copies a file to a variable of \p Object; \p Text is the option's value. The
/// file must have exactly the variable's size.
llvm::Error setVariable(const CodeObject &Object, llvm::StringRef Text);

/// Writes the variable to the file.
llvm::Error getVariable(const CodeObject &Object, llvm::StringRef Text);

/// Checks \p Text before a kernel runs.
llvm::Error checkVariable(const CodeObject &Object, llvm::StringRef Option,
                          llvm::StringRef Text);

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_RUN_VARIABLES_H
