//===- KernelText.h - a kernel's function -----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two forms that a kernel has. Both compute one buffer; what is written
// into their innermost loop comes from KernelWriter.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_CODEGEN_KERNELTEXT_H
#define KPACK_LIB_JITGRAPH_CODEGEN_KERNELTEXT_H

#include "JitGraph/Codegen/Lower.h"
#include "KernelWriter.h"

namespace kpack::jit {

/// Rows of a contraction that a CPU computes at once, and the side of a GPU's
/// tile.
constexpr int ContractRows = 6;
constexpr int GpuTile = 16;

struct KernelText {
  std::string Head; ///< up to the name
  std::string Tail; ///< from the name's end
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
  bool IsCopy = false; ///< of what is in a buffer
  /// What is read where it is written; see InPlace.h.
  uint32_t InPlace = OpGraph::None;
};

/// Loops over the elements of the last axis, and around them over rows.
KernelText writeRowKernel(const KernelRequest &R);
/// \p Contract is computed on the way to the root.
KernelText writeContractKernel(const KernelRequest &R, uint32_t Contract);

/// Which row a block computes. Blocks are those of the upper bounds where sizes
/// are in memory: some have none.
std::string gpuRow(KernelWriter &Writer, const KernelRequest &R, Dim Blocks);

/// Around statements: the function's head, arguments and end.
void wrapKernel(KernelText &Kernel, const KernelRequest &R,
                const KernelWriter &Writer, const std::string &Body);

/// "long long i0 = row / n;" for these axes of \p Shape, from \p Counter; and
/// the indices.
void splitRow(KernelWriter &Writer, std::span<const Dim> Shape,
              std::span<const size_t> Axes, const std::string &Counter,
              KernelWriter::Indices &At);

/// The product of these axes.
Dim countOf(DimContext &Dims, std::span<const Dim> Shape,
            std::span<const size_t> Axes);

/// In front of all kernels.
std::string kernelPrelude(const LowerOptions &How);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_CODEGEN_KERNELTEXT_H
