//===- kpack/ConvBuilder/Lower.h - numbers that define a kernel -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The integers with which a kernel is compiled, from a signature and an
// algorithm. Kernels (kernels/) use these and know nothing of the values
// above: members have the names in kernels, and each is a constant in a blob
// (Emit.h).
//
// Strides are arguments of a call; the only trace of a layout here is its
// fastest dimension. Types, operations and directions have the numbers of
// Enums.h.
//
// Sibling: LowerAlgorithm.h, which computes them, also at compile time.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_LOWER_H
#define KPACK_CONVBUILDER_LOWER_H

#include "kpack/ConvBuilder/Fields.h"
#include "kpack/Support/Status.h"

#include <string>
#include <string_view>

namespace kpack::conv {

/// The kernels that a blob may have. A launch runs them in this order.
enum class KernelStep : unsigned char {
  Zero,   ///< "_zero": clears the result to which Main adds
  Main,   ///< no suffix
  Reduce, ///< "_reduce": adds the partial sums of Main in the workspace
};
inline constexpr unsigned MaxSteps = 3;

struct LoweredAuxiliary {
  int type = 0;
  int compute = 0;
  int operation = 0;
  friend constexpr bool operator==(const LoweredAuxiliary &,
                                   const LoweredAuxiliary &) = default;
};

struct LoweredTensor {
  int type = 0;
  int compute = 0;
  int operation = 0;
  int activation = 0;
  int chain0 = 0;
  int chain1 = 0;
  int chain2 = 0;
  int chain3 = 0;
  int auxiliary_count = 0;
  LoweredAuxiliary auxiliary0{};
  LoweredAuxiliary auxiliary1{};
  LoweredAuxiliary auxiliary2{};
  LoweredAuxiliary auxiliary3{};
  LoweredAuxiliary auxiliary4{};
  friend constexpr bool operator==(const LoweredTensor &,
                                   const LoweredTensor &) = default;
};

/// The path of A or B from memory to the instruction that multiplies.
struct LoweredOperand {
  int vector = 1;
  int by_lines = 0;
  int loads = 0;
  int lds_vector = 1;
  int lds_pad = 0;
  friend constexpr bool operator==(const LoweredOperand &,
                                   const LoweredOperand &) = default;
};

struct Lowered {
  int kind = 0;
  int direction = 0;
  int spatial_dim = 3;
  int accumulation = 0;
  int fnuz = 0;
  int channels_last = 0;
  int index64 = 0;
  int by_images = 0;
  int block_size = 0;
  int instruction = 0;
  int tile_m = 0;
  int tile_n = 0;
  int tile_k = 0;
  int thread_m = 0;
  int thread_n = 0;
  int thread_k = 0;
  int threads_m = 0;
  int threads_n = 0;
  int wave_m = 0;
  int wave_n = 0;
  int pad_m = 1;
  int pad_n = 1;
  int pad_k = 1;
  int prefetch = 0;
  int buffers = 1;
  int through_lds = 0;
  int store_vector = 1;
  int shuffle_m = 1;
  int shuffle_n = 1;
  int split = 0;
  int k_batch = 1;
  int groups_merge = 1;
  int resident = 0;
  int persistent = 0;
  int in_pairs = 0;
  int images = 1;
  int in_vector = 1;
  int out_vector = 1;
  int filter_h = 0;
  int filter_w = 0;
  int stride_h = 0;
  int stride_w = 0;
  int dilation_h = 0;
  int dilation_w = 0;
  int pad_h = 0;
  int pad_w = 0;
  LoweredOperand a{};
  LoweredOperand b{};
  LoweredTensor input{};
  LoweredTensor weight{};
  LoweredTensor output{};
  friend constexpr bool operator==(const Lowered &, const Lowered &) = default;
};

template <> struct FieldList<LoweredAuxiliary> {
  template <typename Each> static constexpr void each(Each &&E) {
    E(&LoweredAuxiliary::type, Field{"type", "of the elements"});
    E(&LoweredAuxiliary::compute, Field{"compute", "what they are rounded to"});
    E(&LoweredAuxiliary::operation, Field{"operation", "done with each"});
  }
};

template <> struct FieldList<LoweredTensor> {
  template <typename Each> static constexpr void each(Each &&E) {
    E(&LoweredTensor::type, Field{"type", "of the elements"});
    E(&LoweredTensor::compute, Field{"compute", "what they are rounded to"});
    E(&LoweredTensor::operation, Field{"operation", "done with each"});
    E(&LoweredTensor::activation, Field{"activation", "in the operation"});
    E(&LoweredTensor::chain0, Field{"chain0", "first link of the operation"});
    E(&LoweredTensor::chain1, Field{"chain1", "second link"});
    E(&LoweredTensor::chain2, Field{"chain2", "third link"});
    E(&LoweredTensor::chain3, Field{"chain3", "last link"});
    E(&LoweredTensor::auxiliary_count,
      Field{"auxiliary_count", "operands of the operation"});
    E(&LoweredTensor::auxiliary0, Field{"auxiliary0", "operand d0"});
    E(&LoweredTensor::auxiliary1, Field{"auxiliary1", "operand d1"});
    E(&LoweredTensor::auxiliary2, Field{"auxiliary2", "operand d2"});
    E(&LoweredTensor::auxiliary3, Field{"auxiliary3", "operand d3"});
    E(&LoweredTensor::auxiliary4, Field{"auxiliary4", "operand d4"});
  }
};

template <> struct FieldList<LoweredOperand> {
  template <typename Each> static constexpr void each(Each &&E) {
    E(&LoweredOperand::vector, Field{"vector", "elements of one load"});
    E(&LoweredOperand::by_lines,
      Field{"by_lines", "threads that are neighbours load from neighbouring "
                        "rows of A, columns of B, and so vectors are; 0: k"});
    E(&LoweredOperand::loads, Field{"loads", "vectors of a thread"});
    E(&LoweredOperand::lds_vector,
      Field{"lds_vector", "elements of one access to LDS"});
    E(&LoweredOperand::lds_pad,
      Field{"lds_pad", "elements behind each row in LDS"});
  }
};

template <> struct FieldList<Lowered> {
  template <typename Each> static constexpr void each(Each &&E) {
    E(&Lowered::kind, Field{"kind", "which kernel"});
    E(&Lowered::direction, Field{"direction", "which tensor is the result"});
    E(&Lowered::spatial_dim,
      Field{"spatial_dim", "dimensions that are not of size 1 by themselves"});
    E(&Lowered::accumulation, Field{"accumulation", "type of sums"});
    E(&Lowered::fnuz, Field{"fnuz", "FP8 and BF8 have the form of gfx942"});
    E(&Lowered::channels_last,
      Field{"channels_last", "the result's neighbours are channels"});
    E(&Lowered::index64,
      Field{"index64", "tensors of 2 GiB and more (IMPLICIT_GEMM)"});
    E(&Lowered::by_images,
      Field{"by_images", "offsets begin at the first image of a tile"});
    E(&Lowered::block_size, Field{"block_size", "threads of a work-group"});
    E(&Lowered::instruction,
      Field{"instruction", "that multiplies tiles; 0: VALU"});
    E(&Lowered::tile_m,
      Field{"tile_m", "rows of a work-group; of DEPTHWISE, of positions"});
    E(&Lowered::tile_n, Field{"tile_n", "columns of a work-group"});
    E(&Lowered::tile_k, Field{"tile_k", "of the sum that LDS holds"});
    E(&Lowered::thread_m,
      Field{"thread_m", "neighbouring rows of a thread (VALU, DEPTHWISE)"});
    E(&Lowered::thread_n,
      Field{"thread_n", "neighbouring columns of a thread"});
    E(&Lowered::thread_k, Field{"thread_k", "of the sum in one step"});
    E(&Lowered::threads_m, Field{"threads_m", "threads along rows"});
    E(&Lowered::threads_n, Field{"threads_n", "threads along columns"});
    E(&Lowered::wave_m, Field{"wave_m", "waves along the rows of a tile"});
    E(&Lowered::wave_n, Field{"wave_n", "waves along its columns"});
    E(&Lowered::pad_m, Field{"pad_m", "tiles may go beyond the last row"});
    E(&Lowered::pad_n, Field{"pad_n", "tiles may go beyond the last column"});
    E(&Lowered::pad_k, Field{"pad_k", "tiles may go beyond the sum's end"});
    E(&Lowered::prefetch,
      Field{"prefetch", "the next tile is loaded while one is multiplied"});
    E(&Lowered::buffers, Field{"buffers", "tiles in LDS"});
    E(&Lowered::through_lds,
      Field{"through_lds", "sums are sorted in LDS before they are stored"});
    E(&Lowered::store_vector,
      Field{"store_vector", "elements of one store, along columns"});
    E(&Lowered::shuffle_m,
      Field{"shuffle_m", "repeats of a wave that pass LDS, along rows"});
    E(&Lowered::shuffle_n, Field{"shuffle_n", "the same along columns"});
    E(&Lowered::split,
      Field{"split", "0: sums are whole; 1: pieces are added to the result; 2: "
                     "in the workspace; 3: tiles are shared"});
    E(&Lowered::k_batch,
      Field{"k_batch", "pieces of the sum; 0: the problem says"});
    E(&Lowered::groups_merge,
      Field{"groups_merge", "groups of the convolution in one tile"});
    E(&Lowered::resident,
      Field{"resident", "work-groups that the GPU runs at once (split 3)"});
    E(&Lowered::persistent,
      Field{"persistent", "that many go over all tiles (split 3)"});
    E(&Lowered::in_pairs,
      Field{"in_pairs", "parts of a tile are added in pairs (split 3); 0: one "
                        "after another"});
    E(&Lowered::images, Field{"images", "that a work-group has (DEPTHWISE)"});
    E(&Lowered::in_vector,
      Field{"in_vector", "elements of an operand that are loaded at once"});
    E(&Lowered::out_vector,
      Field{"out_vector", "elements of the result that are stored at once"});
    E(&Lowered::filter_h,
      Field{"filter_h",
            "promised height of the filter; 0: nothing is promised"});
    E(&Lowered::filter_w, Field{"filter_w", "promised width"});
    E(&Lowered::stride_h, Field{"stride_h", "promised with filter_h"});
    E(&Lowered::stride_w, Field{"stride_w", "promised"});
    E(&Lowered::dilation_h, Field{"dilation_h", "promised"});
    E(&Lowered::dilation_w, Field{"dilation_w", "promised"});
    E(&Lowered::pad_h, Field{"pad_h", "promised"});
    E(&Lowered::pad_w, Field{"pad_w", "promised"});
    E(&Lowered::a, Field{"a", "the way of the operand with rows"});
    E(&Lowered::b, Field{"b", "the way of the operand with columns"});
    E(&Lowered::input, Field{"input", "the image"});
    E(&Lowered::weight, Field{"weight", "the filter"});
    E(&Lowered::output, Field{"output", "the convolved image"});
  }
};

/// Returns the number of auxiliary operands of all tensors.
constexpr int auxiliaryCount(const Lowered &L) {
  return L.input.auxiliary_count + L.weight.auxiliary_count +
         L.output.auxiliary_count;
}

/// Lists the kernels in the blob of \p L.
constexpr List<KernelStep, MaxSteps> stepsOf(const Lowered &L) {
  switch (L.split) {
  case 1:
    return {KernelStep::Zero, KernelStep::Main};
  case 2:
  case 3:
    return {KernelStep::Main, KernelStep::Reduce};
  default:
    return {KernelStep::Main};
  }
}

/// Returns "", "_zero" or "_reduce", which follows the name of the main kernel.
constexpr std::string_view suffixOf(KernelStep Step) {
  constexpr std::string_view Suffixes[MaxSteps] = {"_zero", "", "_reduce"};
  return Suffixes[static_cast<int>(Step)];
}

/// Returns the bytes of static LDS of a work-group of \p L, without those of a
/// launch (LaunchStep::Lds).
long long ldsBytes(const Lowered &L);

/// True if FP8 and BF8 of the processor ("gfx942", with or without features)
/// have the FNUZ form.
constexpr bool hasFnuz(std::string_view Processor) {
  return Processor.starts_with("gfx94") || Processor.starts_with("gfx9-4-");
}

/// Lowers values without open parts. Errors: NotImplemented, the kind has no
/// kernel, or none for these types and this processor; InvalidArgument, sizes
/// of a tile that do not divide each other.
Result<Lowered> lower(const Signature &Sig, const Algorithm &Algo,
                      std::string_view Processor);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_LOWER_H
