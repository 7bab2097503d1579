//===- kpack/ConvBuilder/Algorithm.h - how it is computed -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One description for all kernels: tiles, instructions, vectors, the pipeline.
// Parts that a kind does not use have to be absent; what is absent and used is
// chosen by resolve(), which never changes what is given. A number that is zero
// is not given.
//
// m, n and k are those of the matrix product. Its rows m are the positions of
// the result, its columns n the channels of the result, and k is what is
// summed; for BACKWARD_WEIGHT, rows are output channels, columns filter and
// input channels. A is the operand with rows, B the one with columns, C the
// result.
//
// Fields are of three classes (Fields.h): most make another kernel; a hint is
// checked and shown, and makes none.
//
// Sibling: Signature.h, what is computed.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_ALGORITHM_H
#define KPACK_CONVBUILDER_ALGORITHM_H

#include "kpack/ConvBuilder/Aggregates.h"
#include "kpack/ConvBuilder/Enums.h"

namespace kpack::conv {

/// Sizes in the three directions of a matrix product.
struct MNK {
  int m = 0;
  int n = 0;
  int k = 0;
  friend constexpr bool operator==(const MNK &, const MNK &) = default;
};

/// How a work-group's tile is shared among its waves. How often a wave repeats
/// its instruction follows: tile / (waves * instr).
struct WaveTile {
  MNK waves{};
  MNK instr{};
  friend constexpr bool operator==(const WaveTile &,
                                   const WaveTile &) = default;
};

/// How threads are arranged to load a block of A or B.
struct LoadCluster {
  int k0 = 0;
  int mn = 0;
  int k1 = 0;
  int kb = 0;
  friend constexpr bool operator==(const LoadCluster &,
                                   const LoadCluster &) = default;
};

/// What one thread loads of A or B, by vectors that have two parts of k (DL).
struct ThreadSlice {
  List<int, 5> lengths{};
  List<int, 5> cluster{};
  List<int, 5> source_vector{};
  List<int, 5> vector_order{};
  List<int, 5> target_vector{};
  friend constexpr bool operator==(const ThreadSlice &,
                                   const ThreadSlice &) = default;
};

/// The way of A or B from memory to the matrix instruction.
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

/// How threads are arranged to store a block of C.
struct StoreCluster {
  int mb = 0;
  int mw = 0;
  int nb = 0;
  int nw = 0;
  friend constexpr bool operator==(const StoreCluster &,
                                   const StoreCluster &) = default;
};

/// Repeats of a wave that go through LDS at once.
struct Shuffle {
  int m = 0;
  int n = 0;
  friend constexpr bool operator==(const Shuffle &, const Shuffle &) = default;
};

/// The way of C from registers to memory.
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

/// Tiles shared among a fixed number of work-groups.
struct StreamK {
  StreamKReductionStrategy reduction = StreamKReductionStrategy::LINEAR;
  bool persistent = false;
  friend constexpr bool operator==(const StreamK &, const StreamK &) = default;
};

/// How the work is divided beyond tiles.
struct Split {
  int k_batch = 0;
  bool two_stage = false;
  int groups_merge = 0;
  bool split_image = false;
  bool index64 = false;
  Optional<StreamK> stream_k{};
  friend constexpr bool operator==(const Split &, const Split &) = default;
};

/// Vectors of the kernels that bring tensors into a layout with channels last.
struct Transpose {
  int source_vector = 0;
  int target_vector = 0;
  friend constexpr bool operator==(const Transpose &,
                                   const Transpose &) = default;
};

/// What one thread computes where no matrix instruction does (VALU, DOT).
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

/// What is known of the filter before the problem is, in two dimensions.
struct FilterFacts {
  HW size{};
  HW stride{};
  HW dilation{};
  HW pad{};
  friend constexpr bool operator==(const FilterFacts &,
                                   const FilterFacts &) = default;
};

/// Of DEPTHWISE: a work-group's piece of the image, and a thread's.
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

/// In which directions the last tile may reach beyond the matrix. o is the
/// second product's direction of CK's fused kernels, which none of ours has.
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
  /// Absent: in all directions where the problem needs it.
  Optional<Padding> padding{};

  friend constexpr bool operator==(const Algorithm &,
                                   const Algorithm &) = default;
};

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_ALGORITHM_H
