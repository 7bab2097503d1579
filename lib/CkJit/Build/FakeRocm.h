//===- FakeRocm.h - a ROCm with another compiler ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds ask for ROCM_PATH/bin/hipcc: they get a folder that is ROCm in
// everything (links) but in its compilers, which are ck-jit-hipcc.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_BUILD_FAKEROCM_H
#define KPACK_LIB_CKJIT_BUILD_FAKEROCM_H

#include "llvm/Support/Error.h"

#include <string>

namespace kpack::ckjit {

/// \p Wanted, else ROCM_PATH, ROCM_HOME, what a hipcc of PATH belongs to,
/// /opt/rocm. kpack's own hipcc is passed over; where ROCm's Python packages
/// stand, their rocm-sdk is asked. Errors: none has bin/hipcc.
llvm::Expected<std::string> findRocm(const std::string &Wanted);

/// Makes \p Folder anew. Errors: not possible; ck-jit-hipcc is missing.
llvm::Error makeFakeRocm(const std::string &Folder, const std::string &Real);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_BUILD_FAKEROCM_H
