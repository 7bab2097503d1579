//===- StaleNumber.h - check of a library's copied constants ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library contains the constants of its blobs (block sizes, alignments) as
// numbers since it was linked. A blob that is compiled from an edited source
// may have others: it must not run with arguments for the old ones.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_RUNTIME_STALENUMBER_H
#define KPACK_LIB_CKJIT_RUNTIME_STALENUMBER_H

#include "Jit/Executor/Load.h"
#include "kpack/CkJit/Runtime.h"

namespace kpack::ckjit {

/// Returns a message about the first number that \p Code, the blob \p Stem,
/// does not return any more; empty if there is none. A function that only loads
/// a number into a register (x86-64, optimized) is read from its machine code.
/// Another one is called if it has no parameters, and else not compared. A
/// missing function has changed, unless it is weak.
std::string staleNumber(const ck_jit_manifest &Manifest, const char *Stem,
                        const jit::LoadedCode &Code);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_RUNTIME_STALENUMBER_H
