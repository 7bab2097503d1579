//===- CkJit/Prebuild/Commands.h - subcommand ck-jit prebuild ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `ck-jit prebuild`: fills libckjit's cache before a program runs, with the
// same requests (Request.h), so that it finds all entries.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_PREBUILD_COMMANDS_H
#define KPACK_CKJIT_PREBUILD_COMMANDS_H

#include "ToolSupport/Commands.h"

namespace kpack::ckjit {

/// The exit status is 0, 1 after any error, or 128 plus the number of a signal
/// that ended it.
extern const Command PrebuildVerb;

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_PREBUILD_COMMANDS_H
