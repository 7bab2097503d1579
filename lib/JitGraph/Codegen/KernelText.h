//===- KernelText.h - C++ functions of kernels ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two forms of kernels. Both compute one buffer; KernelWriter writes their
// innermost loop.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_CODEGEN_KERNELTEXT_H
#define KPACK_LIB_JITGRAPH_CODEGEN_KERNELTEXT_H

#include "JitGraph/Codegen/LowerGraph.h"
#include "KernelWriter.h"

namespace kpack::jit {

/// Rows of a contraction that a CPU computes at once, and the side of a GPU's
/// tile.
constexpr int ContractRows = 6;
constexpr int GpuTile = 16;

struct KernelText {
  std::string Head; ///< up to the name
  std::string Tail; ///< after the name
  std::vector<uint32_t> Reads;
  std::vector<Dim> Sizes;
  Dim Rows;
  Dim Blocks;
  uint32_t Block = 0;
  std::string Operations;
  OpLocation Where;
};

struct KernelRequest {
  const OpGraph &Graph;
  const Fusion &Chosen;
  const LowerOptions &How;
  uint32_t Root;
  bool IsCopy = false; ///< of a buffer
  /// The operand that is overwritten; see InPlace.h.
  uint32_t InPlace = OpGraph::None;
};

/// Writes loops over rows, and over the elements of the last axis in them.
KernelText writeRowKernel(const KernelRequest &R);
/// Writes a kernel that computes \p Contract on the way to the root.
KernelText writeContractKernel(const KernelRequest &R, uint32_t Contract);

/// Returns the row that a block computes. If sizes are in memory, there are
/// blocks for the upper bounds, so that some have no row.
std::string gpuRow(KernelWriter &Writer, const KernelRequest &R, Dim Blocks);

/// Wraps statements in the function's head, arguments and end.
void wrapKernel(KernelText &Kernel, const KernelRequest &R,
                const KernelWriter &Writer, const std::string &Body);

/// Writes "long long i0 = row / n;" and the indices for these axes of \p Shape,
/// from \p Counter.
void splitRow(KernelWriter &Writer, std::span<const Dim> Shape,
              std::span<const size_t> Axes, const std::string &Counter,
              KernelWriter::Indices &Position);

/// Returns the product of these axes' extents.
Dim countOf(DimContext &Dims, std::span<const Dim> Shape,
            std::span<const size_t> Axes);

/// Returns the text before all kernels.
std::string kernelPrelude(const LowerOptions &Options);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_CODEGEN_KERNELTEXT_H
