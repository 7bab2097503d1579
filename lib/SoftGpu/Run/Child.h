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

#include "llvm/Support/Error.h"

namespace kpack::run {

/// How a program ended.
struct Ending {
  int Status = 0; ///< 128 plus Signal where that is not 0
  int Signal = 0; ///< that it died of
};

/// Runs \p Arguments, a list that ends in null, until it ends. \p ExecError is
/// set if the program cannot be executed. Errors: no process can be had.
llvm::Expected<Ending> runProgram(char **Arguments, std::error_code &ExecError);

} // namespace kpack::run

#endif // KPACK_LIB_SOFTGPU_RUN_CHILD_H
