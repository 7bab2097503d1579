//===- kpack/Jit/Source.h - source text with an entry function --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The source of an executor (Executor.h), and of a custom kernel in a graph
// (JitGraph/CustomKernel.h).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SOURCE_H
#define KPACK_JIT_SOURCE_H

#include "kpack/Support/Status.h"

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace kpack::jit {
// Names of the library itself are in the outer namespace.
inline namespace executors {

/// A text, and the function to compile from it.
struct Source {
  std::string text;
  /// A C++ expression: "add", "ns::saxpy<4, float>".
  std::string entry;
  /// Names and texts of headers that exist in memory only.
  std::vector<std::pair<std::string, std::string>> headers = {};
  /// The name in messages; empty: "source.cpp".
  std::string display_name = {};

  /// Reads a file now. Errors: FileNotFound.
  static Result<Source> file(const std::string &path, std::string entry) {
    std::ifstream In(path, std::ios::binary);
    std::string Text(std::istreambuf_iterator<char>(In), {});
    if (!In)
      return Status(StatusCode::FileNotFound,
                    path + ": cannot be read; name a file");
    return Source{std::move(Text), std::move(entry), {}, path};
  }
};

} // namespace executors
} // namespace kpack::jit

#endif // KPACK_JIT_SOURCE_H
