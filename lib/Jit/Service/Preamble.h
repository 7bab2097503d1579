//===- Jit/Service/Preamble.h - how a source begins -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The directives in front of a source's first declaration: what blobs of a
// family have in common, and what is compiled beforehand for them (Pch.h). Only
// what a precompiled header can stand for: includes and macros, whole
// conditionals, no other pragma than `once`.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_PREAMBLE_H
#define KPACK_JIT_SERVICE_PREAMBLE_H

#include <cstddef>
#include <string>
#include <string_view>

namespace kpack::jit {

struct Preamble {
  /// Where the first line after the last include starts; 0: there is none.
  size_t Bytes = 0;
  /// The directives up to there, a line each, without comments.
  std::string Text;
};

Preamble preambleOf(std::string_view Source);

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_PREAMBLE_H
