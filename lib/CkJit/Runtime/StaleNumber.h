//===- StaleNumber.h - numbers that a library was linked with ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library has the constants of its blobs (block sizes, alignments) as numbers
// since it was linked. A blob that is compiled from an edited source may mean
// others: it is not run with arguments that were made for the old ones.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_RUNTIME_STALENUMBER_H
#define KPACK_LIB_CKJIT_RUNTIME_STALENUMBER_H

#include "Jit/Executor/Load.h"
#include "kpack/CkJit/Runtime.h"

namespace kpack::ckjit {

/// What is wrong with the first number that \p Code, which is the blob \p Stem,
/// does not give any more; empty: none. What is no more than a number in a
/// register (x86-64, compiled with optimization) is read from the machine code.
/// Another function is called if it has no parameters, and else not compared. A
/// function that is missing has changed, unless it is weak.
std::string staleNumber(const ck_jit_manifest &Manifest, const char *Stem,
                        const jit::LoadedCode &Code);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_RUNTIME_STALENUMBER_H
