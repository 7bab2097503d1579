//===- Runtime/Environment.h - ROCM_KPACK_ variables ------------*- C++ -*-===//
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
  /// ROCM_KPACK_PATH: replaces all other search paths if not empty.
  std::vector<std::string> Paths;
  /// ROCM_KPACK_PATH_PREFIX: searched before the marker's paths.
  std::vector<std::string> PathPrefix;
  /// ROCM_KPACK_DISABLE: every load fails with NotImplemented.
  bool Disabled = false;
  /// ROCM_KPACK_DEBUG: each step of a search is written to stderr.
  bool Debug = false;

  /// Reads the variables. A setuid program gets an empty environment: the
  /// variables select the code that the device executes.
  static Environment read();
};

/// Splits a list at \p Separator; drops empty items.
std::vector<std::string> splitPathList(std::string_view List, char Separator);

} // namespace kpack::runtime

#endif // KPACK_RUNTIME_ENVIRONMENT_H
