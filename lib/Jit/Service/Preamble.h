//===- Preamble.h - the directives before a source's code -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The directives before a source's first declaration. The blobs of a family
// share them, and precompiled headers replace them (Pch.h). Only directives
// that a precompiled header can replace count: includes and macros, whole
// conditionals, and no pragma except `once`.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_PREAMBLE_H
#define KPACK_JIT_SERVICE_PREAMBLE_H

#include <cstddef>
#include <string>
#include <string_view>

namespace kpack::jit {

struct Preamble {
  /// Offset of the first line after the last include; 0 without an include.
  size_t Bytes = 0;
  /// The directives up to there, one a line, without comments.
  std::string Text;
};

Preamble parsePreamble(std::string_view Source);

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_PREAMBLE_H
