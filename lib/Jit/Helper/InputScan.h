//===- InputScan.h - asks a compiler what it reads --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs what answers the compile helper's questions "inputs" and "programs": the
// preprocessor for its list of headers, the driver for its plan, the linker for
// the files that it opens. What follows from the answers: CompileInputs.h,
// LinkedFiles.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_INPUTSCAN_H
#define KPACK_LIB_JIT_HELPER_INPUTSCAN_H

#include "CompileJob.h"

namespace kpack::jit {

/// As CompileService::scan().
Result<FileNames> scanInputs(CompileJob &Work);

/// As CompileService::tools().
Result<FileNames> scanTools(CompileJob &Work);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_INPUTSCAN_H
