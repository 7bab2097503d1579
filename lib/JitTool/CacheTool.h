//===- JitTool/CacheTool.h - entry point of ck-jit cache --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `ck-jit cache` inspects and maintains a cache of kernels (Jit/Store/Store.h).
// Its verbs are in lib/JitTool, one file each, and serve every front door.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITTOOL_CACHETOOL_H
#define KPACK_JITTOOL_CACHETOOL_H

#include "JitTool/FrontDoor.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace kpack::jittool {

/// \p Args begin with the verb. Returns the exit code.
int cacheMain(const FrontDoor &Door, llvm::ArrayRef<const char *> Args,
              llvm::raw_ostream &Out, llvm::raw_ostream &Err);

} // namespace kpack::jittool

#endif // KPACK_JITTOOL_CACHETOOL_H
