//===- FakeRocm.h - link tree: ROCm with ck-jit-hipcc -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds use ROCM_PATH/bin/hipcc. This gives them a folder of links to ROCm,
// except for its compilers, which are ck-jit-hipcc.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_BUILD_FAKEROCM_H
#define KPACK_LIB_CKJIT_BUILD_FAKEROCM_H

#include "llvm/Support/Error.h"

#include <string>

namespace kpack::ckjit {

/// Returns \p Wanted, or, if it is empty, the first of these that has
/// bin/hipcc: ROCM_PATH, ROCM_HOME, the ROCm of a hipcc in PATH, /opt/rocm.
/// Skips kpack's hipcc; for ROCm's Python packages, runs their rocm-sdk.
/// Errors: \p Wanted or all of these have no bin/hipcc.
llvm::Expected<std::string> findRocm(const std::string &Wanted);

/// Replaces \p Folder. Errors: a failed call; ck-jit-hipcc is missing.
llvm::Error makeFakeRocm(const std::string &Folder, const std::string &Real);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_BUILD_FAKEROCM_H
