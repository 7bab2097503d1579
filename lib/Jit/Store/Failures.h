//===- Jit/Store/Failures.h - what a compiler refused -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a compiler refused is kept in the cache directory until there are newer
// failures, as files in a folder of its own: the source as it was, what was
// said, and a script that runs the same commands (Cache/Repro.h makes it). A
// report to who wrote the compiler needs no more.
//
// docs/format/jit-cache.md, "Directory".
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_STORE_FAILURES_H
#define KPACK_JIT_STORE_FAILURES_H

#include "Jit/Store/Key.h"

#include <utility>

namespace kpack::jit {

/// A file's name and content.
using NamedText = std::pair<std::string, std::string>;

/// Keeps \p Files below \p Root as failures/<Id>; the newest few failures stay.
/// True also when that one is there.
bool keepFailure(int Root, const Digest &Id,
                 const std::vector<NamedText> &Files);

} // namespace kpack::jit

#endif // KPACK_JIT_STORE_FAILURES_H
