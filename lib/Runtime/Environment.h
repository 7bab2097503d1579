//===- Runtime/Environment.h - what the user sets ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The variables ROCM_KPACK_* (docs/reference/environment.md). They are read
// once, when a cache is created, so that a setenv() in another thread never
// races with a load.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_RUNTIME_ENVIRONMENT_H
#define KPACK_RUNTIME_ENVIRONMENT_H

#include <string>
#include <string_view>
#include <vector>

namespace kpack::runtime {

struct Environment {
  /// ROCM_KPACK_PATH: if it names anything, the only places to look at.
  std::vector<std::string> Paths;
  /// ROCM_KPACK_PATH_PREFIX: looked at before the marker's own paths.
  std::vector<std::string> PathPrefix;
  /// ROCM_KPACK_DISABLE: every load fails with NotImplemented.
  bool Disabled = false;
  /// ROCM_KPACK_DEBUG: every step of a search is written to stderr.
  bool Debug = false;

  /// A program that runs with more rights than its user (setuid) gets an empty
  /// environment: the variables choose what code the device executes.
  static Environment read();
};

/// Items of a list between \p Separator; empty ones are dropped.
std::vector<std::string> splitPathList(std::string_view List, char Separator);

} // namespace kpack::runtime

#endif // KPACK_RUNTIME_ENVIRONMENT_H
