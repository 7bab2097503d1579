//===- Full.h - project builds with ck-jit-hipcc ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `ck-jit build full`: runs a project's build with ck-jit-hipcc.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_BUILD_FULL_H
#define KPACK_LIB_CKJIT_BUILD_FULL_H

#include "BuildSettings.h"
#include "Processes.h"

namespace kpack::ckjit {

struct FullOptions {
  std::string GpuArchs;
  std::string Bf16; ///< CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT
  std::string RocmPath;
  std::string Python;
  /// Shell commands; empty: aiter's compile.py, fwd and bwd.
  std::vector<std::string> Commands;
};

/// Errors: InterruptError; a failed build, with the end of its output.
llvm::Error runFullBuild(HeldSignals &Signals, BuildSettings &Settings,
                         const FullOptions &Options, llvm::raw_ostream &Log);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_BUILD_FULL_H
