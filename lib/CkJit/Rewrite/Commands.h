//===- Rewrite/Commands.h - subcommands of ck-jit with clang ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Subcommands of `ck-jit` that need clang. Each gets its arguments without the
// names of program and subcommand, writes messages to \p Err and returns the
// exit code: 0, or 1 after any error. Flags of the dispatcher's compile follow
// "--".
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_REWRITE_COMMANDS_H
#define KPACK_CKJIT_REWRITE_COMMANDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace kpack::ckjit {

/// `ck-jit index`: prints the blobs for a dispatcher's references as JSON.
int indexMain(llvm::ArrayRef<const char *> Args, llvm::raw_ostream &Out,
              llvm::raw_ostream &Err);

/// `ck-jit rewrite`: prints a dispatcher with stubs.
int rewriteMain(llvm::ArrayRef<const char *> Args, llvm::raw_ostream &Out,
                llvm::raw_ostream &Err);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_REWRITE_COMMANDS_H
