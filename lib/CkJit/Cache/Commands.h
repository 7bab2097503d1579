//===- CkJit/Cache/Commands.h - subcommand ck-jit cache ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `ck-jit cache`: the verbs of JitTool/CacheTool.h for the cache of libckjit.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_CACHE_COMMANDS_H
#define KPACK_CKJIT_CACHE_COMMANDS_H

#include "ToolSupport/Commands.h"

namespace kpack::ckjit {

extern const Command CacheVerb;

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_CACHE_COMMANDS_H
