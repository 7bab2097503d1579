//===- kpack/JitGraph/PrepareConfig.h - how a graph is prepared -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second argument of prepare(). What is not said comes from the
// environment, which has a variable for each member that makes sense there:
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

/// What kernels may do with floating-point numbers.
enum class MathMode : uint8_t {
  Strict,  ///< what IEEE 754 says, but products and sums may be fused
  Relaxed, ///< sums in any order, division by reciprocals; infinities stay
  Fast,    ///< -ffast-math: there are no infinities and no NaNs
};

/// Values of variables by their names; the others are at their upper bounds.
using SizeBucket = std::vector<std::pair<std::string, int64_t>>;

struct PrepareConfig {
  /// Where kernels are kept; null: the cache of the process.
  kpack_jit_cache *cache = nullptr;
  /// What executes the kernels.
  GraphTarget where = GraphTarget::Cpu;
  /// The processor, as -march= has it, or the GPU's target id; empty: that of
  /// this machine, or of the device.
  std::string target;
  /// Of GPUs: which, as the runtime counts them; below 0: the current one of
  /// the thread that prepares.
  int device = -1;
  /// Of GPUs: the kernels as one graph of the runtime, which is launched at
  /// once; off: one launch a kernel.
  bool one_launch = false;
  /// With one_launch: a graph of the runtime for each, of the same kernels. A
  /// call takes the smallest that has all blocks which it needs; there always
  /// is one for the upper bounds. bucketsOf() makes them (Graph.h).
  std::vector<SizeBucket> buckets;
  MathMode math = MathMode::Relaxed;
  /// More flags of the compiler, after those that follow from the above.
  std::vector<std::string> flags;
  /// Off: a kernel for each operation, to find out which one goes wrong.
  bool fuse = true;
  /// An input that the build function never uses is an error, not a note.
  bool strict = false;
  /// The build function is run twice and must write the same graph.
  bool verify_trace = false;
  /// The plan is executed on zeros once, at the lower bounds.
  bool warm_run = true;
  /// After each call, too, it is looked whether kernels have written outside of
  /// their buffers.
  bool check_buffers = false;
  /// Makes kernels of operations, in the place of lower() (Lower.h).
  std::function<Result<GraphPlan>(OpGraph)> lower;

  /// Why the environment makes no sense: prepare() then fails with it.
  Status environment;

  static PrepareConfig from_env();
};

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_PREPARECONFIG_H
