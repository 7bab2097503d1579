//===- CkJit/Build/Commands.h - libraries of late kernels -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `ck-jit build`: a library whose blobs are compiled on their first call, out
// of a build that would have compiled them all.
//   full   runs that build with ck-jit-hipcc (Intercept.h) in the place of
//   hipcc,
//          then installs what it made
//   link   what the drop-in compiler runs where the library is linked
//   quick  links again from what `link` has kept
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_BUILD_COMMANDS_H
#define KPACK_CKJIT_BUILD_COMMANDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace kpack::ckjit {

/// 0; 1 when something failed; 2 for a wrong command line; the compiler's code
/// where a compiler has failed in `link`.
int buildMain(llvm::ArrayRef<const char *> Args, llvm::raw_ostream &Out,
              llvm::raw_ostream &Err);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_BUILD_COMMANDS_H
