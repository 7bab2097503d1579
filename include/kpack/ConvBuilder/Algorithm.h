//===- Algorithm.h - descriptor: tiles, instructions, pipeline --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One descriptor for all kernels: tiles, instructions, vectors, the pipeline.
// Parts that a kind does not use must be absent. resolve() chooses absent parts
// that the kind uses, and never changes a part that is present. Zero means that
// a number is not given.
//
// m, n and k are the dimensions of the matrix product: rows m are positions of
// the result, columns n are its channels, and k is the dimension of the sum.
// For BACKWARD_WEIGHT, rows are output channels, and columns are filter taps
// and input channels. A is the operand with rows, B the one with columns, C the
// result.
//
// Fields have three classes (Fields.h). Most change the kernel; a hint is
// checked and printed, but does not change the kernel.
//
// Sibling: Signature.h, the computed convolution.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_ALGORITHM_H
#define KPACK_CONVBUILDER_ALGORITHM_H

#include "kpack/ConvBuilder/Aggregates.h"
#include "kpack/ConvBuilder/Enums.h"

namespace kpack::conv {

/// Sizes in the three dimensions of a matrix product.
struct MNK {
  int m = 0;
  int n = 0;
  int k = 0;
  friend constexpr bool operator==(const MNK &, const MNK &) = default;
};

/// The division of a work-group's tile among its waves. A wave repeats its
/// instruction tile / (waves * instr) times.
struct WaveTile {
  MNK waves{};
  MNK instr{};
  friend constexpr bool operator==(const WaveTile &,
                                   const WaveTile &) = default;
};

/// The arrangement of threads that load a block of A or B.
struct LoadCluster {
  int k0 = 0;
  int mn = 0;
  int k1 = 0;
  int kb = 0;
  friend constexpr bool operator==(const LoadCluster &,
                                   const LoadCluster &) = default;
};

/// One thread's loads of A or B, with vectors that split k in two parts (DL).
struct ThreadSlice {
  List<int, 5> lengths{};
  List<int, 5> cluster{};
  List<int, 5> source_vector{};
  List<int, 5> vector_order{};
  List<int, 5> target_vector{};
  friend constexpr bool operator==(const ThreadSlice &,
                                   const ThreadSlice &) = default;
};

/// The path of A or B from memory to the matrix instruction.
struct Operand {
  int k_pack = 0;
  int load_vector = 0;
  int lds_vector = 0;
  int vector_dim = 0;
  int lds_pad = 0;
  bool direct_to_lds = false;
  LoadCluster cluster{};
  List<int, 5> cluster_order{};
  List<int, 5> access_order{};
  Optional<ThreadSlice> slice{};
  friend constexpr bool operator==(const Operand &, const Operand &) = default;
};

/// The arrangement of threads that store a block of C.
struct StoreCluster {
  int mb = 0;
  int mw = 0;
  int nb = 0;
  int nw = 0;
  friend constexpr bool operator==(const StoreCluster &,
                                   const StoreCluster &) = default;
};

/// The instruction repeats of a wave that go through LDS at once.
struct Shuffle {
  int m = 0;
  int n = 0;
  friend constexpr bool operator==(const Shuffle &, const Shuffle &) = default;
};

/// The path of C from registers to memory.
struct ResultPath {
  int store_vector = 0;
  Shuffle shuffle{};
  StoreCluster cluster{};
  bool through_lds = false;
  int vector_dim = 0;
  List<int, 6> access_order{};
  friend constexpr bool operator==(const ResultPath &,
                                   const ResultPath &) = default;
};

/// The inner loop.
struct Pipeline {
  PipelineVersion version = PipelineVersion::V1;
  PipelineScheduler scheduler = PipelineScheduler::DEFAULT;
  int stages = 0;
  bool double_lds = false;
  int wave_groups = 0;
  friend constexpr bool operator==(const Pipeline &,
                                   const Pipeline &) = default;
};

/// Stream-K: a fixed number of work-groups shares the tiles.
struct StreamK {
  StreamKReductionStrategy reduction = StreamKReductionStrategy::LINEAR;
  bool persistent = false;
  friend constexpr bool operator==(const StreamK &, const StreamK &) = default;
};

/// The division of the work beyond tiles.
struct Split {
  int k_batch = 0;
  bool two_stage = false;
  int groups_merge = 0;
  bool split_image = false;
  bool index64 = false;
  Optional<StreamK> stream_k{};
  friend constexpr bool operator==(const Split &, const Split &) = default;
};

/// Vectors of the kernels that transpose tensors to a channels-last layout.
struct Transpose {
  int source_vector = 0;
  int target_vector = 0;
  friend constexpr bool operator==(const Transpose &,
                                   const Transpose &) = default;
};

/// The results of one thread in kernels without matrix instructions (VALU,
/// DOT).
struct ThreadTile {
  int m1 = 0;
  int n1 = 0;
  int k_per_thread = 0;
  int k0 = 0;
  int k1 = 0;
  List<int, 2> m1_xs{};
  List<int, 2> n1_xs{};
  friend constexpr bool operator==(const ThreadTile &,
                                   const ThreadTile &) = default;
};

/// Height and width.
struct HW {
  int h = 0;
  int w = 0;
  friend constexpr bool operator==(const HW &, const HW &) = default;
};

/// Properties of a 2D filter that the kernel may rely on.
struct FilterFacts {
  HW size{};
  HW stride{};
  HW dilation{};
  HW pad{};
  friend constexpr bool operator==(const FilterFacts &,
                                   const FilterFacts &) = default;
};

/// DEPTHWISE: the image tile of a work-group and of a thread.
struct Depthwise {
  HW tile{};
  HW subtile{};
  int nbatch = 0;
  int in_vector = 0;
  int out_vector = 0;
  Optional<FilterFacts> filter{};
  friend constexpr bool operator==(const Depthwise &,
                                   const Depthwise &) = default;
};

/// The dimensions in which the last tile may exceed the matrix. o is a
/// dimension of the second product in CK's fused kernels, which kpack does not
/// have.
struct Padding {
  bool m = false;
  bool n = false;
  bool k = false;
  bool o = false;
  friend constexpr bool operator==(const Padding &, const Padding &) = default;
};

struct Algorithm {
  Kind kind = Kind::AUTO;
  Isa isa = Isa::AUTO;
  int block_size = 0;
  Optional<MNK> tile{};
  Optional<WaveTile> wave{};
  Optional<Operand> a{};
  Optional<Operand> b{};
  Optional<ResultPath> c{};
  Optional<Pipeline> pipeline{};
  Optional<Split> split{};
  Optional<Transpose> transpose{};
  Optional<ThreadTile> thread{};
  Optional<Depthwise> depthwise{};
  ConvSpecialization specialization = ConvSpecialization::DEFAULT;
  /// If absent, pads every dimension in which the problem needs it.
  Optional<Padding> padding{};

  friend constexpr bool operator==(const Algorithm &,
                                   const Algorithm &) = default;
};

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_ALGORITHM_H
