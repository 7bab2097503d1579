//===- kpack/JitGraph/GraphPlan.h - kernels, in their order -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a graph has become when it is prepared: the text of its kernels, the
// buffers between them, and the calls that compute it once, with sizes that
// depend on the variables of each call.
//
//   node   kernel          writes    reads             sizes          rows
//      0   matmul_0        %2        mel, weight 0     b, t           b*t
//      1   row_1           encoded   %2                b, t           b*t
//
// On a CPU a kernel is
//   void name(void *const *buffers, const long long *sizes,
//             long long first, long long last);
// which computes the rows from first to before last. Buffers are what the node
// says, written ones first; sizes are the node's, in their order.
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
  Input,   ///< of the caller, or the graph's own copy
  Output,  ///< stays valid until the next call
  Weight,  ///< read only, shared by everybody who has this plan
  Derived, ///< computed from weights by GraphPlan::Setup, and shared like them
  Pooled,  ///< lives from one node to another; see GraphPlan::Memory
};

struct GraphBuffer {
  std::string Name; ///< of the member, of the weight, or "%7"
  BufferRole Role = BufferRole::Pooled;
  ElementType Type = ElementType::Float32;
  /// Of a call. At the upper bounds they are Type-strided as Strides says.
  std::vector<Dim> Extents;
  std::vector<int64_t> Strides; ///< in elements, the same for all calls
  uint64_t Bytes = 0;           ///< at the upper bounds
  /// Which input, output, weight, or place of Memory. Of Derived: which of
  /// these.
  uint32_t Which = 0;
};

/// Where a kernel was when its plan was compiled.
enum class KernelOrigin : uint8_t {
  Unknown,  ///< it was not compiled yet
  Memory,   ///< another graph of this process has it
  File,     ///< in the cache
  Compiled, ///< nowhere
};

struct GraphKernel {
  std::string Name; ///< of the function, unique in the plan
  /// What was fused into it: "contract, add, cast".
  std::string Operations;
  OpLocation Where;
  uint32_t Unit = 0; ///< 0: it is in Source; else in Units[Unit - 1]
  // When it is compiled:
  KernelOrigin Origin = KernelOrigin::Unknown;
  std::string Key = {}; ///< of the cache's entry: 64 digits
};

/// A text of the user's own, around it what it needs to be called by a plan
/// (CustomKernel.h). It is compiled by itself, so that nothing in it can be in
/// the way of other kernels.
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
  Dim Bytes, Flops;                ///< for profiles; may be invalid: not known
};

/// Who executes kernels: the processor, HIP, or CUDA's driver.
enum class GraphTarget : uint8_t { Cpu, Hip, Cuda };

struct GraphPlan {
  GraphTarget Target = GraphTarget::Cpu;
  bool SizesInMemory = false;
  OpGraph Ops; ///< what it was made of, and the owner of all Dims
  std::vector<OpConstant> Weights;
  std::vector<GraphBuffer> Buffers;
  std::vector<uint32_t> Inputs;  ///< buffers of Ops.inputs()
  std::vector<uint32_t> Outputs; ///< buffers of Ops.outputs()
  std::vector<GraphKernel> Kernels;
  /// What only depends on weights: once, and after a weight has changed.
  std::vector<GraphNode> Setup;
  std::vector<GraphNode> Nodes; ///< in the order of their launch
  std::string Source;           ///< one unit with all kernels of our own
  std::vector<GraphUnit> Units; ///< and those with the user's
  std::vector<PlanBuffer> Pooled;
  MemoryPlan Memory; ///< of Pooled
};

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_GRAPHPLAN_H
