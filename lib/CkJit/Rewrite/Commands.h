//===- Rewrite/Commands.h - the ck-jit program as functions -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Subcommands of `ck-jit` that need clang. Each gets its arguments without the
// program's and its own name, writes messages to \p Err and returns the exit
// code: 0, or 1 when anything went wrong. What follows "--" are flags of the
// dispatcher's compile.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_REWRITE_COMMANDS_H
#define KPACK_CKJIT_REWRITE_COMMANDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace kpack::ckjit {

/// `ck-jit index`: which blob has what a dispatcher needs, as JSON.
int indexMain(llvm::ArrayRef<const char *> Args, llvm::raw_ostream &Out,
              llvm::raw_ostream &Err);

/// `ck-jit rewrite`: a dispatcher with stubs.
int rewriteMain(llvm::ArrayRef<const char *> Args, llvm::raw_ostream &Out,
                llvm::raw_ostream &Err);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_REWRITE_COMMANDS_H
