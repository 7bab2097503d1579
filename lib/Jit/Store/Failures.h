//===- Jit/Store/Failures.h - kept sources of failed compiles ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cache directory keeps the newest failed compiles, each in a separate
// directory: the source, the compiler's output and a script that repeats the
// commands (Cache/Repro.h writes it). That is all a bug report against the
// compiler needs.
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

/// Keeps \p Files below \p Root as failures/<Id> and removes old failures. Also
/// returns true if that failure is already there.
bool keepFailure(int Root, const Digest &Id,
                 const std::vector<NamedText> &Files);

} // namespace kpack::jit

#endif // KPACK_JIT_STORE_FAILURES_H
