//===- Child.h - child process of the user's program ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts the program, waits for it, and forwards signals sent to kpack-run.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_RUN_CHILD_H
#define KPACK_LIB_SOFTGPU_RUN_CHILD_H

#include "Support/Process.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace kpack::run {

/// Runs \p Arguments until the program ends. Sets \p ExecError if it cannot be
/// executed. Fails if no process can be created.
llvm::Expected<ProcessEnd> runProgram(llvm::ArrayRef<std::string> Arguments,
                                      std::error_code &ExecError);

} // namespace kpack::run

#endif // KPACK_LIB_SOFTGPU_RUN_CHILD_H
