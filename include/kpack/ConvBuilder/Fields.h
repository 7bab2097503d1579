//===- ConvBuilder/Fields.h - field lists of descriptor structs -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Name, meaning, unit and bounds of every member of the structs in a Signature
// or an Algorithm, in the order in which they are printed. Printing, parsing,
// hashing, comparing, JSON, the reference manual and the fuzzers walk over
// these lists and know no struct:
//
//   forEachField<Tensor>([&](auto Member, const Field &F) {
//     use(F.Name, Value.*Member);
//   });
//
// lib/ConvBuilder/Fields.cpp compares each list with the number of members of
// its struct, so that a member without an entry is a compile-time error.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_FIELDS_H
#define KPACK_CONVBUILDER_FIELDS_H

#include "kpack/ConvBuilder/Algorithm.h"
#include "kpack/ConvBuilder/Literal.h"
#include "kpack/ConvBuilder/Signature.h"

namespace kpack::conv {

/// The version of these lists, with which full texts and hashes begin.
inline constexpr int SchemaVersion = 1;

/// The unit of a number.
enum class Unit : unsigned char {
  None,
  Dimensions,
  Elements,
  Threads,
  Waves,
  Tiles,
  Groups,
  Positions, ///< of the result
};

/// The effect of a field.
enum class FieldClass : unsigned char {
  Meaning, ///< the computed values
  Kernel,  ///< the code, never the result
  Hint,    ///< neither; checked and printed
};

/// Describes a member. Min and Max bound a number, or each number of a list.
struct Field {
  Literal Name = "";
  Literal Text = "";
  FieldClass Class = FieldClass::Kernel;
  Unit In = Unit::None;
  int Min = 0;
  int Max = 1 << 20;
};

/// Specialised for each struct: each(F) calls F(pointer to member, Field).
template <typename Struct> struct FieldList;

template <> struct FieldList<TensorConfig> {
  template <typename Each> static constexpr void each(Each &&E) {
    E(&TensorConfig::layout,
      Field{"layout", "order of the dimensions in memory",
            FieldClass::Meaning});
    E(&TensorConfig::data_type,
      Field{"data_type",
            "type of the elements; UNDEFINED_DATA_TYPE: the signature's",
            FieldClass::Meaning});
    E(&TensorConfig::compute_type,
      Field{"compute_type",
            "type that elements are converted to before they are multiplied; "
            "UNDEFINED_DATA_TYPE: data_type",
            FieldClass::Meaning});
  }
};

template <> struct FieldList<AuxiliaryOperand> {
  template <typename Each> static constexpr void each(Each &&E) {
    E(&AuxiliaryOperand::layout,
      Field{"layout", "a layout of a bias, or one that the tensor can have",
            FieldClass::Meaning});
    E(&AuxiliaryOperand::data_type,
      Field{"data_type",
            "type of the elements; UNDEFINED_DATA_TYPE: the tensor's",
            FieldClass::Meaning});
    E(&AuxiliaryOperand::compute_type,
      Field{"compute_type",
            "type that elements are converted to; UNDEFINED_DATA_TYPE: FP32",
            FieldClass::Meaning});
    E(&AuxiliaryOperand::elementwise_operation,
      Field{"elementwise_operation",
            "operation on each element when it is loaded",
            FieldClass::Meaning});
  }
};

template <> struct FieldList<Operation> {
  template <typename Each> static constexpr void each(Each &&E) {
    E(&Operation::elementwise_operation,
      Field{"elementwise_operation", "operation on each element",
            FieldClass::Meaning});
    E(&Operation::auxiliary_operand_configs,
      Field{"auxiliary_operand_configs", "the auxiliary operands d0, d1, ...",
            FieldClass::Meaning});
    E(&Operation::activation,
      Field{"activation", "the operation act() in the formulas",
            FieldClass::Meaning});
    E(&Operation::chain,
      Field{"chain", "links of UNARY_COMBINED_OP, the first to run first",
            FieldClass::Meaning});
  }
};

template <> struct FieldList<Tensor> {
  template <typename Each> static constexpr void each(Each &&E) {
    E(&Tensor::config,
      Field{"config", "layout and types", FieldClass::Meaning});
    E(&Tensor::operation,
      Field{"operation",
            "operation on each element when it is loaded, or stored if the "
            "tensor is the result; absent: the signature's",
            FieldClass::Meaning});
  }
};

template <> struct FieldList<Signature> {
  template <typename Each> static constexpr void each(Each &&E) {
    E(&Signature::spatial_dim,
      Field{"spatial_dim", "dimensions of the image", FieldClass::Meaning,
            Unit::Dimensions, 0, 3});
    E(&Signature::direction,
      Field{"direction", "which tensor is the result", FieldClass::Meaning});
    E(&Signature::data_type,
      Field{"data_type", "type of tensors without a type",
            FieldClass::Meaning});
    E(&Signature::accumulation_data_type,
      Field{"accumulation_data_type",
            "type of sums; UNDEFINED_DATA_TYPE: I32 for integers, else FP32",
            FieldClass::Meaning});
    E(&Signature::elementwise_operation,
      Field{"elementwise_operation",
            "operation on tensors without an operation", FieldClass::Meaning});
    E(&Signature::input, Field{"input", "the image", FieldClass::Meaning});
    E(&Signature::weight, Field{"weight", "the filter", FieldClass::Meaning});
    E(&Signature::output,
      Field{"output", "the convolved image", FieldClass::Meaning});
  }
};

template <> struct FieldList<MNK> {
  template <typename Each> static constexpr void each(Each &&E) {
    constexpr FieldClass Kernel = FieldClass::Kernel;
    E(&MNK::m, Field{"m", "along the rows", Kernel, Unit::Elements});
    E(&MNK::n, Field{"n", "along the columns", Kernel, Unit::Elements});
    E(&MNK::k, Field{"k", "along the sum", Kernel, Unit::Elements});
  }
};

template <> struct FieldList<WaveTile> {
  template <typename Each> static constexpr void each(Each &&E) {
    E(&WaveTile::waves,
      Field{"waves", "waves of a work-group in each direction",
            FieldClass::Kernel, Unit::Waves});
    E(&WaveTile::instr, Field{"instr", "the tile of one matrix instruction",
                              FieldClass::Kernel, Unit::Elements});
  }
};

template <> struct FieldList<LoadCluster> {
  template <typename Each> static constexpr void each(Each &&E) {
    constexpr FieldClass Hint = FieldClass::Hint;
    E(&LoadCluster::k0, Field{"k0", "along packs of k", Hint, Unit::Threads});
    E(&LoadCluster::mn,
      Field{"mn", "along rows of A, columns of B", Hint, Unit::Threads});
    E(&LoadCluster::k1, Field{"k1", "within a pack of k", Hint, Unit::Threads});
    E(&LoadCluster::kb,
      Field{"kb", "along the split of k", Hint, Unit::Threads});
  }
};

template <> struct FieldList<ThreadSlice> {
  template <typename Each> static constexpr void each(Each &&E) {
    constexpr FieldClass Hint = FieldClass::Hint;
    E(&ThreadSlice::lengths,
      Field{"lengths", "extents of the block that a thread loads", Hint,
            Unit::Elements});
    E(&ThreadSlice::cluster,
      Field{"cluster", "threads that load a block", Hint, Unit::Threads});
    E(&ThreadSlice::source_vector,
      Field{"source_vector", "size of a load", Hint, Unit::Elements});
    E(&ThreadSlice::vector_order,
      Field{"vector_order", "order of the dimensions of source_vector", Hint,
            Unit::None, 0, 5});
    E(&ThreadSlice::target_vector,
      Field{"target_vector", "size of a store to LDS", Hint, Unit::Elements});
  }
};

template <> struct FieldList<Operand> {
  template <typename Each> static constexpr void each(Each &&E) {
    constexpr FieldClass Kernel = FieldClass::Kernel, Hint = FieldClass::Hint;
    E(&Operand::k_pack,
      Field{"k_pack", "neighbours along k in LDS, the most for one access",
            Kernel, Unit::Elements});
    E(&Operand::load_vector, Field{"load_vector", "size of a load from memory",
                                   Kernel, Unit::Elements});
    E(&Operand::lds_vector,
      Field{"lds_vector", "size of an access to LDS", Kernel, Unit::Elements});
    E(&Operand::vector_dim,
      Field{"vector_dim", "dimension of the vectors", Hint, Unit::None, 0, 5});
    E(&Operand::lds_pad,
      Field{"lds_pad", "padding after each row in LDS, against bank conflicts",
            Kernel, Unit::Elements});
    E(&Operand::direct_to_lds, Field{"direct_to_lds",
                                     "loads go to LDS without registers; no "
                                     "kernel of this library does so",
                                     Hint});
    E(&Operand::cluster,
      Field{"cluster", "threads that load a block", Hint, Unit::Threads});
    E(&Operand::cluster_order,
      Field{"cluster_order", "order of the dimensions of cluster", Hint,
            Unit::None, 0, 5});
    E(&Operand::access_order,
      Field{"access_order", "order in which a thread loads", Hint, Unit::None,
            0, 5});
    E(&Operand::slice, Field{"slice", "the block that a thread loads", Hint});
  }
};

template <> struct FieldList<StoreCluster> {
  template <typename Each> static constexpr void each(Each &&E) {
    constexpr FieldClass Hint = FieldClass::Hint;
    E(&StoreCluster::mb,
      Field{"mb", "along blocks of rows", Hint, Unit::Threads});
    E(&StoreCluster::mw, Field{"mw", "along rows", Hint, Unit::Threads});
    E(&StoreCluster::nb,
      Field{"nb", "along blocks of columns", Hint, Unit::Threads});
    E(&StoreCluster::nw, Field{"nw", "along columns", Hint, Unit::Threads});
  }
};

template <> struct FieldList<Shuffle> {
  template <typename Each> static constexpr void each(Each &&E) {
    constexpr FieldClass Kernel = FieldClass::Kernel;
    E(&Shuffle::m, Field{"m", "repeats along the rows", Kernel, Unit::Tiles});
    E(&Shuffle::n,
      Field{"n", "repeats along the columns", Kernel, Unit::Tiles});
  }
};

template <> struct FieldList<ResultPath> {
  template <typename Each> static constexpr void each(Each &&E) {
    constexpr FieldClass Kernel = FieldClass::Kernel, Hint = FieldClass::Hint;
    E(&ResultPath::store_vector,
      Field{"store_vector", "size of a store to memory", Kernel,
            Unit::Elements});
    E(&ResultPath::shuffle,
      Field{"shuffle", "repeats of a wave that pass through LDS at once",
            Kernel, Unit::Tiles});
    E(&ResultPath::cluster,
      Field{"cluster", "threads that store a block", Hint, Unit::Threads});
    E(&ResultPath::through_lds,
      Field{"through_lds",
            "results are reordered in LDS before they are stored", Kernel});
    E(&ResultPath::vector_dim,
      Field{"vector_dim", "dimension of the vectors", Hint, Unit::None, 0, 5});
    E(&ResultPath::access_order,
      Field{"access_order", "order in which a thread stores", Hint, Unit::None,
            0, 5});
  }
};

template <> struct FieldList<Pipeline> {
  template <typename Each> static constexpr void each(Each &&E) {
    constexpr FieldClass Kernel = FieldClass::Kernel, Hint = FieldClass::Hint;
    E(&Pipeline::version, Field{"version", "schedule of loads", Kernel});
    E(&Pipeline::scheduler,
      Field{"scheduler", "interleaving in the inner loop", Hint});
    E(&Pipeline::stages,
      Field{"stages", "tiles loaded ahead", Hint, Unit::Tiles, 0, 16});
    E(&Pipeline::double_lds, Field{"double_lds", "two buffers in LDS", Kernel});
    E(&Pipeline::wave_groups,
      Field{"wave_groups", "groups of waves that divide the work of a tile",
            Hint, Unit::Groups, 0, 16});
  }
};

template <> struct FieldList<StreamK> {
  template <typename Each> static constexpr void each(Each &&E) {
    constexpr FieldClass Kernel = FieldClass::Kernel;
    E(&StreamK::reduction,
      Field{"reduction", "addition of the parts of a tile", Kernel});
    E(&StreamK::persistent,
      Field{"persistent", "only as many work-groups as the GPU runs at once",
            Kernel});
  }
};

template <> struct FieldList<Split> {
  template <typename Each> static constexpr void each(Each &&E) {
    constexpr FieldClass Kernel = FieldClass::Kernel;
    E(&Split::k_batch,
      Field{"k_batch", "pieces of the sum; 0: the number in the problem",
            Kernel, Unit::None, 0, 4096});
    E(&Split::two_stage,
      Field{"two_stage", "a second kernel adds the pieces", Kernel});
    E(&Split::groups_merge,
      Field{"groups_merge", "groups of the convolution in one tile", Kernel,
            Unit::Groups, 0, 64});
    E(&Split::split_image, Field{"split_image",
                                 "tensors above 2 GiB have 32-bit offsets from "
                                 "the first image of a tile",
                                 Kernel});
    E(&Split::index64, Field{"index64", "64-bit offsets into tensors", Kernel});
    E(&Split::stream_k,
      Field{"stream_k", "a fixed number of work-groups shares the tiles",
            Kernel});
  }
};

template <> struct FieldList<Transpose> {
  template <typename Each> static constexpr void each(Each &&E) {
    constexpr FieldClass Hint = FieldClass::Hint;
    E(&Transpose::source_vector,
      Field{"source_vector", "size of a load", Hint, Unit::Elements});
    E(&Transpose::target_vector,
      Field{"target_vector", "size of a store", Hint, Unit::Elements});
  }
};

template <> struct FieldList<ThreadTile> {
  template <typename Each> static constexpr void each(Each &&E) {
    constexpr FieldClass Kernel = FieldClass::Kernel, Hint = FieldClass::Hint;
    E(&ThreadTile::m1, Field{"m1", "rows of a thread", Kernel, Unit::Elements});
    E(&ThreadTile::n1,
      Field{"n1", "columns of a thread", Kernel, Unit::Elements});
    E(&ThreadTile::k_per_thread,
      Field{"k_per_thread", "elements of k in one step", Kernel,
            Unit::Elements});
    E(&ThreadTile::k0, Field{"k0", "packs of k in a tile", Hint, Unit::Tiles});
    E(&ThreadTile::k1,
      Field{"k1", "elements of k in a pack", Hint, Unit::Elements});
    E(&ThreadTile::m1_xs, Field{"m1_xs", "threads along rows, outer and inner",
                                Kernel, Unit::Threads});
    E(&ThreadTile::n1_xs,
      Field{"n1_xs", "threads along columns, outer and inner", Kernel,
            Unit::Threads});
  }
};

template <> struct FieldList<HW> {
  template <typename Each> static constexpr void each(Each &&E) {
    constexpr FieldClass Kernel = FieldClass::Kernel;
    E(&HW::h, Field{"h", "height", Kernel, Unit::Positions});
    E(&HW::w, Field{"w", "width", Kernel, Unit::Positions});
  }
};

template <> struct FieldList<FilterFacts> {
  template <typename Each> static constexpr void each(Each &&E) {
    constexpr FieldClass Kernel = FieldClass::Kernel;
    E(&FilterFacts::size,
      Field{"size", "size of the filter", Kernel, Unit::Elements});
    E(&FilterFacts::stride,
      Field{"stride", "distance between positions of the result", Kernel,
            Unit::Elements});
    E(&FilterFacts::dilation,
      Field{"dilation", "distance between elements of the filter", Kernel,
            Unit::Elements});
    E(&FilterFacts::pad,
      Field{"pad", "zeros on each side of the image", Kernel, Unit::Elements});
  }
};

template <> struct FieldList<Depthwise> {
  template <typename Each> static constexpr void each(Each &&E) {
    constexpr FieldClass Kernel = FieldClass::Kernel;
    E(&Depthwise::tile, Field{"tile", "tile of a work-group in the image",
                              Kernel, Unit::Positions});
    E(&Depthwise::subtile, Field{"subtile", "part of the tile for a thread",
                                 Kernel, Unit::Positions});
    E(&Depthwise::nbatch,
      Field{"nbatch", "images of the batch for a work-group", Kernel});
    E(&Depthwise::in_vector,
      Field{"in_vector", "size of a load", Kernel, Unit::Elements});
    E(&Depthwise::out_vector,
      Field{"out_vector", "size of a store", Kernel, Unit::Elements});
    E(&Depthwise::filter,
      Field{"filter",
            "filter, stride, dilation and pad that the problem must have",
            Kernel});
  }
};

template <> struct FieldList<Padding> {
  template <typename Each> static constexpr void each(Each &&E) {
    constexpr FieldClass Kernel = FieldClass::Kernel;
    E(&Padding::m, Field{"m", "tiles extend beyond the last row", Kernel});
    E(&Padding::n, Field{"n", "tiles extend beyond the last column", Kernel});
    E(&Padding::k,
      Field{"k", "tiles extend beyond the end of the sum", Kernel});
    E(&Padding::o,
      Field{"o", "tiles extend beyond the last column of the second product",
            Kernel});
  }
};

template <> struct FieldList<Algorithm> {
  template <typename Each> static constexpr void each(Each &&E) {
    constexpr FieldClass Kernel = FieldClass::Kernel;
    E(&Algorithm::kind, Field{"kind", "which kernel", Kernel});
    E(&Algorithm::isa, Field{"isa", "which instructions multiply", Kernel});
    E(&Algorithm::block_size,
      Field{"block_size",
            "threads of a work-group; 0: derived from wave or thread", Kernel,
            Unit::Threads, 0, 1024});
    E(&Algorithm::tile,
      Field{"tile", "the tile of a work-group", Kernel, Unit::Elements});
    E(&Algorithm::wave, Field{"wave", "how waves share the tile", Kernel});
    E(&Algorithm::a,
      Field{"a", "transfer of A, the operand with the rows", Kernel});
    E(&Algorithm::b,
      Field{"b", "transfer of B, the operand with the columns", Kernel});
    E(&Algorithm::c, Field{"c", "transfer of the result", Kernel});
    E(&Algorithm::pipeline, Field{"pipeline", "the inner loop", Kernel});
    E(&Algorithm::split,
      Field{"split", "division of the work beyond tiles", Kernel});
    E(&Algorithm::transpose,
      Field{"transpose",
            "CK's kernels that convert tensors to channels last; kernels of "
            "this library need none",
            FieldClass::Hint});
    E(&Algorithm::thread,
      Field{"thread", "the tile of a thread (VALU, DOT)", Kernel});
    E(&Algorithm::depthwise,
      Field{"depthwise", "parameters of the kind DEPTHWISE", Kernel});
    E(&Algorithm::specialization,
      Field{"specialization", "known properties of the filter", Kernel});
    E(&Algorithm::padding,
      Field{"padding", "directions in which tiles may extend beyond the matrix",
            Kernel});
  }
};

/// A struct that has a list.
template <typename Type>
concept Fielded =
    requires { FieldList<Type>::each([](auto, const Field &) {}); };

/// Calls Each(pointer to member, Field) for every member of Struct, in order.
template <Fielded Struct, typename Function>
constexpr void forEachField(Function &&Each) {
  FieldList<Struct>::each(Each);
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_FIELDS_H
