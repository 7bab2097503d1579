//===- InputScan.h - commands that list a compile's inputs ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the programs that answer the helper's questions "inputs" and "programs":
// the preprocessor for its headers, the driver for its plan, the linker for the
// files that it opens. CompileInputs.h and LinkedFiles.h evaluate the output.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_INPUTSCAN_H
#define KPACK_LIB_JIT_HELPER_INPUTSCAN_H

#include "CompileJob.h"

namespace kpack::jit {

/// Implements CompileService::scan().
Result<FileNames> scanInputs(CompileJob &Work);

/// Implements CompileService::tools().
Result<FileNames> scanTools(CompileJob &Work);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_INPUTSCAN_H
