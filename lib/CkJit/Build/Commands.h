//===- CkJit/Build/Commands.h - subcommand ck-jit build ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `ck-jit build`: makes a library whose blobs are compiled on their first call,
// from a build that would have compiled them all.
//   full   runs that build with ck-jit-hipcc (Intercept.h) in place of hipcc
//          and installs the result
//   link   run by the drop-in compiler to link the library
//   quick  links again with the files that `link` kept
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_BUILD_COMMANDS_H
#define KPACK_CKJIT_BUILD_COMMANDS_H

#include "ToolSupport/Commands.h"

namespace kpack::ckjit {

/// The exit status is 0, 1 for a failure, 2 for a wrong command line, or the
/// code of a failed compiler in `link`.
extern const Command BuildVerb;

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_BUILD_COMMANDS_H
