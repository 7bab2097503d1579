//===- JitGraph/GraphPlan.h - prepared graph as kernel calls ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of preparing a graph: the text of its kernels, the buffers between
// them, and the calls that compute it once, with sizes that depend on the
// variables of each call.
//
//   node   kernel          writes    reads             sizes          rows
//      0   matmul_0        %2        mel, weight 0     b, t           b*t
//      1   row_1           encoded   %2                b, t           b*t
//
// On a CPU a kernel is
//   void name(void *const *buffers, const long long *sizes,
//             long long first, long long last);
// which computes the rows from first to before last. Buffers are the node's,
// written ones first; sizes are the node's, in their order.
//
// On a GPU it is a __global__ function: the buffers as pointers, then the sizes
// as one struct of long longs by value, or (SizesInMemory) a pointer to them.
//
// Siblings: Lower.h makes it, Replay.h executes it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_GRAPHPLAN_H
#define KPACK_JITGRAPH_GRAPHPLAN_H

#include "kpack/JitGraph/MemoryPlan.h"
#include "kpack/JitGraph/OpGraph.h"

namespace kpack::jit {

enum class BufferRole : uint8_t {
  Input,   ///< the caller's memory, or the graph's copy
  Output,  ///< stays valid until the next call
  Weight,  ///< read only, shared by all users of this plan
  Derived, ///< computed from weights by GraphPlan::Setup, and shared like them
  Pooled,  ///< lives from one node to another; see GraphPlan::Memory
};

struct GraphBuffer {
  std::string Name; ///< of the member, of the weight, or "%7"
  BufferRole Role = BufferRole::Pooled;
  ElementType Type = ElementType::Float32;
  /// The extents of a call. The layout is that of the upper bounds, in Strides.
  std::vector<Dim> Extents;
  std::vector<int64_t> Strides; ///< in elements, the same for all calls
  uint64_t Bytes = 0;           ///< at the upper bounds
  /// The index of the input, the output, the weight, or the place of Memory;
  /// for Derived the index among these.
  uint32_t Which = 0;
};

/// The place of a kernel when its plan was compiled.
enum class KernelOrigin : uint8_t {
  Unknown,  ///< not compiled yet
  Memory,   ///< in another graph of this process
  File,     ///< in the cache
  Compiled, ///< in none: it was compiled
};

struct GraphKernel {
  std::string Name; ///< of the function, unique in the plan
  /// The operations that were fused into it: "contract, add, cast".
  std::string Operations;
  OpLocation Where;
  uint32_t Unit = 0; ///< 0: it is in Source; else in Units[Unit - 1]
  // Set by the compile:
  KernelOrigin Origin = KernelOrigin::Unknown;
  std::string Key = {}; ///< of the cache's entry: 64 digits
};

/// A text of the user, with the code that a plan needs to call it
/// (CustomKernel.h). It is compiled separately, so that it cannot conflict with
/// other kernels.
struct GraphUnit {
  std::string Name; ///< of the text, for messages
  std::string Text;
  std::vector<std::pair<std::string, std::string>> Headers;
};

struct GraphNode {
  uint32_t Kernel = 0;
  std::vector<uint32_t> Buffers; ///< the first Written are written
  uint32_t Written = 1;
  std::vector<Dim> Sizes;
  Dim Rows;                        ///< on a CPU
  std::array<Dim, 3> Grid;         ///< on a GPU: blocks
  uint32_t Block = 0;              ///< threads of a block, along x ...
  uint32_t BlockY = 1, BlockZ = 1; ///< ... and the other ways
  Dim Bytes, Flops;                ///< for profiles; invalid if not known
};

/// The executor of kernels: the processor, HIP, or CUDA's driver.
enum class GraphTarget : uint8_t { Cpu, Hip, Cuda };

struct GraphPlan {
  GraphTarget Target = GraphTarget::Cpu;
  bool SizesInMemory = false;
  OpGraph Ops; ///< its operations, and the owner of all Dims
  std::vector<OpConstant> Weights;
  std::vector<GraphBuffer> Buffers;
  std::vector<uint32_t> Inputs;  ///< buffers of Ops.inputs()
  std::vector<uint32_t> Outputs; ///< buffers of Ops.outputs()
  std::vector<GraphKernel> Kernels;
  /// Nodes that depend on weights only: run once, and after a weight has
  /// changed.
  std::vector<GraphNode> Setup;
  std::vector<GraphNode> Nodes; ///< in the order of their launch
  std::string Source;           ///< one unit with all our kernels
  std::vector<GraphUnit> Units; ///< units with the user's kernels
  std::vector<PlanBuffer> Pooled;
  MemoryPlan Memory; ///< of Pooled
};

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_GRAPHPLAN_H
