//===- Child.h - the program that is run ------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Started, waited for, and told of signals that only kpack-run gets.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_RUN_CHILD_H
#define KPACK_LIB_SOFTGPU_RUN_CHILD_H

#include "Support/Process.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace kpack::run {

/// Runs \p Arguments until it ends. \p ExecError is set if the program cannot
/// be executed. Errors: no process can be had.
llvm::Expected<ProcessEnd> runProgram(llvm::ArrayRef<std::string> Arguments,
                                      std::error_code &ExecError);

} // namespace kpack::run

#endif // KPACK_LIB_SOFTGPU_RUN_CHILD_H
