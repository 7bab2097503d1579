//===- JitGraph/PrepareConfig.h - options of graph preparation --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second argument of prepare(). Defaults come from the environment, which
// has a variable for each member that is useful there:
// docs/reference/jit-graph.md has the table.
//
//   PrepareConfig How = PrepareConfig::from_env();
//   How.strict = true;
//   auto G = Encoder.prepare({...}, How);
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_PREPARECONFIG_H
#define KPACK_JITGRAPH_PREPARECONFIG_H

#include "kpack/JitGraph/GraphPlan.h"

#include <functional>
#include <utility>

struct kpack_jit_cache;

namespace kpack::jit {

/// The freedom of kernels with floating-point numbers.
enum class MathMode : uint8_t {
  Strict,  ///< IEEE 754, but products and sums may be fused
  Relaxed, ///< sums in any order, division by reciprocals; infinities stay
  Fast,    ///< -ffast-math: there are no infinities and no NaNs
};

/// Values of variables by their names; the others are at their upper bounds.
using SizeBucket = std::vector<std::pair<std::string, int64_t>>;

struct PrepareConfig {
  /// The cache of kernels; null: the cache of the process.
  kpack_jit_cache *cache = nullptr;
  /// The executor of the kernels.
  GraphTarget where = GraphTarget::Cpu;
  /// The processor, as for -march=, or the GPU's target id; empty: that of this
  /// machine, or of the device.
  std::string target;
  /// For GPUs the number of the device in the runtime; below 0: the current one
  /// of the thread that prepares.
  int device = -1;
  /// For GPUs: the kernels are one graph of the runtime, with one launch; off:
  /// one launch for each kernel.
  bool one_launch = false;
  /// With one_launch: a graph of the runtime for each bucket, of the same
  /// kernels. A call takes the smallest with all blocks that it needs; there is
  /// always one for the upper bounds. bucketsOf() makes buckets (Graph.h).
  std::vector<SizeBucket> buckets;
  MathMode math = MathMode::Relaxed;
  /// Further flags of the compiler, after those that follow from the above.
  std::vector<std::string> flags;
  /// Off: a kernel for each operation, to find a faulty one.
  bool fuse = true;
  /// Makes an input that the build function never uses an error, not a note.
  bool strict = false;
  /// Runs the build function twice; it must write the same graph.
  bool verify_trace = false;
  /// Executes the plan on zeros once, at the lower bounds.
  bool warm_run = true;
  /// Checks after each call, too, that kernels wrote to their buffers only.
  bool check_buffers = false;
  /// Makes kernels of operations instead of lower() (Lower.h).
  std::function<Result<GraphPlan>(OpGraph)> lower;

  /// The error of an invalid environment, with which prepare() fails.
  Status environment;

  static PrepareConfig from_env();
};

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_PREPARECONFIG_H
