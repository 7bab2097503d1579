//===- Commands.h - subcommands ck-jit index and rewrite --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Subcommands of `ck-jit` that need clang. Flags of the dispatcher's compile
// follow "--".
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_REWRITE_COMMANDS_H
#define KPACK_CKJIT_REWRITE_COMMANDS_H

#include "ToolSupport/Commands.h"

namespace kpack::ckjit {

/// `ck-jit index`: prints the blobs for a dispatcher's references as JSON.
extern const Command IndexVerb;

/// `ck-jit rewrite`: prints a dispatcher with stubs.
extern const Command RewriteVerb;

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_REWRITE_COMMANDS_H
