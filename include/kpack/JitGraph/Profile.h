//===- kpack/JitGraph/Profile.h - measured time of each kernel --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The measurements of execute_profiled(), for each node in the order of
// execution.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_PROFILE_H
#define KPACK_JITGRAPH_PROFILE_H

#include <cstdint>
#include <optional>
#include <string>

namespace kpack::jit {

struct KernelProfile {
  std::string name;
  std::string operations; ///< that were fused into it
  std::string location;   ///< "model.cpp:80"; empty: not known
  uint64_t ns = 0;
  /// For this call's sizes; nullopt if not known.
  std::optional<int64_t> bytes;
  std::optional<int64_t> flops;
};

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_PROFILE_H
