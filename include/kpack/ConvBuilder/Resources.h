//===- Resources.h - estimated LDS and registers of kernels -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LDS, registers, threads, work-groups and workspace before compiling. LDS is
// exact: kernels declare the size that is computed here. Registers are a model,
// which the compiler may exceed: requirements refuse only impossible counts
// (Accumulators), and the final number comes from the code object.
//
// Fields may hold any numbers, so products saturate at Huge.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_RESOURCES_H
#define KPACK_CONVBUILDER_RESOURCES_H

#include "kpack/ConvBuilder/Machines.h"
#include "kpack/ConvBuilder/Multiply.h"
#include "kpack/ConvBuilder/Problem.h"

namespace kpack::conv {

/// The maximum of all numbers here.
inline constexpr long long Huge = 1ll << 60;

/// Returns the product, at most Huge; 0 if a factor is not positive.
template <typename... Others>
constexpr long long times(long long First, Others... Rest) {
  // A loop, because compilers keep every call of a constant expression.
  long long Factors[] = {Rest...};
  for (long long Factor : Factors)
    if (First <= 0 || Factor <= 0)
      First = 0;
    else if (__builtin_mul_overflow(First, Factor, &First) || First > Huge)
      First = Huge;
  return First;
}

constexpr long long ceilDiv(long long Dividend, long long By) {
  return By < 1 ? 0 : (Dividend + By - 1) / By;
}
constexpr int atLeastOne(int Value) { return Value < 1 ? 1 : Value; }

/// True if results go through LDS: otherwise no lane has vectors of them.
constexpr bool isThroughLds(const ResultPath &C) {
  return C.through_lds || C.store_vector > 1;
}

/// Returns the threads of a work-group from its waves or threads; 0: unknown.
constexpr long long threadsOf(const Algorithm &Algo, int WaveSize) {
  if (Algo.kind != Kind::IMPLICIT_GEMM)
    return 0;
  if (usesMatrix(Algo.isa))
    return !Algo.wave.Has
               ? 0
               : times(Algo.wave.Value.waves.m, Algo.wave.Value.waves.n,
                       Algo.wave.Value.waves.k, WaveSize);
  const ThreadTile &Thread = Algo.thread.Value;
  if (!Algo.thread.Has || Thread.m1_xs.Count != 2 || Thread.n1_xs.Count != 2)
    return 0;
  return times(Thread.m1_xs[0], Thread.m1_xs[1], Thread.n1_xs[0],
               Thread.n1_xs[1]);
}

/// Returns the LDS buffers for each of A and B.
constexpr int buffersOf(const Pipeline &P) {
  return P.version == PipelineVersion::V4 || P.double_lds ? 2 : 1;
}

/// Bytes of LDS of a work-group. The result reuses the place of the operands.
struct LdsBytes {
  long long Operands = 0;
  long long Result = 0;
  constexpr long long total() const {
    return Operands > Result ? Operands : Result;
  }
};

/// For IMPLICIT_GEMM with a tile and a pipeline. \p PadA and \p PadB replace
/// the pads of a and b. \p Sig is resolved.
constexpr LdsBytes ldsOf(const Signature &Sig, const Algorithm &Algo, int PadA,
                         int PadB) {
  LdsBytes Bytes;
  const MNK &Tile = Algo.tile.Value;
  int Buffers = buffersOf(Algo.pipeline.Value);
  long long Columns = Tile.k;
  Bytes.Operands =
      times(Tile.m, Columns + PadA, bytesOf(productTypeOfA(Sig)), Buffers) +
      times(Tile.n, Columns + PadB, bytesOf(productTypeOfB(Sig)), Buffers);
  if (!Algo.c.Has || !isThroughLds(Algo.c.Value))
    return Bytes;
  int SumBytes = bytesOf(Sig.accumulation_data_type);
  const List<int, 2> &Rows = Algo.thread.Value.m1_xs;
  const WaveTile &Wave = Algo.wave.Value;
  const Shuffle &Repeats = Algo.c.Value.shuffle;
  // One row of each thread at a time.
  if (Algo.thread.Has && Rows.Count == 2)
    Bytes.Result = times(Rows.Items[0], Rows.Items[1], Tile.n, SumBytes);
  else if (Algo.wave.Has)
    Bytes.Result =
        times(Wave.waves.m, Wave.instr.m, atLeastOne(Repeats.m), Wave.waves.n,
              Wave.instr.n, atLeastOne(Repeats.n), SumBytes);
  return Bytes;
}
/// Returns zero if parts are absent.
constexpr LdsBytes ldsOf(const Signature &Sig, const Algorithm &Algo) {
  if (!Algo.tile.Has || !Algo.a.Has || !Algo.b.Has || !Algo.pipeline.Has)
    return {};
  return ldsOf(Sig, Algo, Algo.a.Value.lds_pad, Algo.b.Value.lds_pad);
}

/// Registers of a lane.
struct Registers {
  long long Accumulators = 0; ///< live in the whole loop: a lower bound
  long long Operands = 0;     ///< of one step
  /// Addresses, predicates and loop state: measured, not derived.
  static constexpr int Others = 42;
  /// The minimum of these in any kernel.
  static constexpr int FewestOthers = 32;

  constexpr long long total() const { return Accumulators + Operands + Others; }
};

/// For IMPLICIT_GEMM. \p Sig is resolved.
constexpr Registers registersOf(const Signature &Sig, const Algorithm &Algo,
                                int WaveSize) {
  Registers R;
  int SumBytes = bytesOf(Sig.accumulation_data_type);
  int Bytes = bytesOf(productTypeOfA(Sig));
  const MNK &Tile = Algo.tile.Value;
  if (usesMatrix(Algo.isa)) {
    if (!Algo.tile.Has || !Algo.wave.Has)
      return R;
    const MNK &Waves = Algo.wave.Value.waves, &Instr = Algo.wave.Value.instr;
    long long Lanes = times(Waves.m, Waves.n, WaveSize);
    R.Accumulators = ceilDiv(times(Tile.m, Tile.n, SumBytes), Lanes * 4);
    // Each lane has its part of an instruction's operands, for all repeats.
    long long Rows = ceilDiv(Tile.m, atLeastOne(Waves.m)) +
                     ceilDiv(Tile.n, atLeastOne(Waves.n));
    R.Operands = ceilDiv(times(Rows, Instr.k, Bytes), 4ll * WaveSize);
    // In gfx11's WMMA two lanes hold the same operands.
    if (Algo.isa == Isa::WMMA)
      R.Operands *= 2;
    return R;
  }
  if (!Algo.tile.Has || !Algo.thread.Has)
    return R;
  const ThreadTile &Thread = Algo.thread.Value;
  long long Threads = threadsOf(Algo, WaveSize);
  if (Threads)
    R.Accumulators = ceilDiv(times(Tile.m, Tile.n, SumBytes), Threads * 4);
  R.Operands = ceilDiv(times(static_cast<long long>(Thread.m1) + Thread.n1,
                             atLeastOne(Thread.k_per_thread), Bytes),
                       4);
  return R;
}

/// Returns the maximal registers of a wave of \p Gpu.
constexpr int mostRegisters(const Processor &Gpu, Isa IsaKind) {
  return IsaKind == Isa::MFMA || Gpu.IsOneFile ? Gpu.Vgprs + Gpu.Agprs
                                               : Gpu.Vgprs;
}

/// Returns the registers of a lane for the next tile, if the pipeline loads it
/// while it multiplies the current one.
constexpr long long fetchedRegistersOf(const Signature &Sig,
                                       const Algorithm &Algo, int WaveSize) {
  long long Threads = threadsOf(Algo, WaveSize);
  if (!Algo.tile || !Algo.pipeline || Threads == 0 ||
      Algo.pipeline->version == PipelineVersion::V1)
    return 0;
  auto Bytes = [&](Role TensorRole, int Lines) {
    return times(Lines, Algo.tile->k,
                 bytesOf(tensorOf(Sig, TensorRole).config.compute_type));
  };
  return ceilDiv(Bytes(roleOfA(Sig.direction), Algo.tile->m) +
                     Bytes(roleOfB(Sig.direction), Algo.tile->n),
                 Threads * 4);
}

/// True if compilers are going to spill. A8 does not cover this: it refuses
/// only impossible counts.
constexpr bool isGoingToSpill(const Signature &Sig, const Algorithm &Algo,
                              const Processor &Gpu) {
  Registers R = registersOf(Sig, Algo, Gpu.WaveSize);
  return R.Accumulators + R.Operands + Registers::FewestOthers +
             fetchedRegistersOf(Sig, Algo, Gpu.WaveSize) >
         mostRegisters(Gpu, Algo.isa);
}

/// The resource that limits the work-groups of a unit.
enum class OccupancyLimit : unsigned char { Lds, Registers, Waves };

/// The work-groups that a unit (Machines.h) runs at once.
struct Occupancy {
  long long Groups = 1;
  OccupancyLimit Limit = OccupancyLimit::Waves;
};

/// Computes it from waves, registers of a lane, and bytes of LDS of a
/// work-group.
constexpr Occupancy occupancyOf(long long Waves, long long Registers,
                                long long Lds, const Processor &Gpu,
                                const Machine &Speed) {
  Occupancy Found;
  auto Limit = [&](long long Most, OccupancyLimit By) {
    if (Most >= Found.Groups)
      return;
    Found = {Most < 1 ? 1 : Most, By};
  };
  Found.Groups = Huge;
  Limit(Gpu.SimdWaves * Processor::Simds / Waves, OccupancyLimit::Waves);
  Limit(Gpu.SimdVgprs / Registers * Processor::Simds / Waves,
        OccupancyLimit::Registers);
  if (Lds > 0)
    Limit(Speed.LdsBytes / Lds, OccupancyLimit::Lds);
  return Found;
}

/// The number of work-groups that share tiles for split.stream_k on the CPU,
/// which runs one work-group after another.
inline constexpr int ResidentOnCpu = 4;
/// The maximum; shared tiles are fewer.
inline constexpr int MostResident = 1 << 15;
/// On average; with more, adding the parts would dominate.
inline constexpr int MostPartsOfTile = 64;

/// Returns the work-groups of IMPLICIT_GEMM that all units of \p Gpu run at
/// once, by the model of estimates (CostModel.h). Null: the CPU.
constexpr int residentOf(const Signature &Sig, const Algorithm &Algo,
                         const Processor *Gpu) {
  const Machine *Speed = Gpu ? findMachine(Gpu->Name) : nullptr;
  if (!Speed)
    return ResidentOnCpu;
  int WaveSize = Algo.isa == Isa::MFMA ? 64 : Gpu->WaveSize;
  long long Lds =
      ldsOf(Sig, Algo, Algo.a.Value.lds_pad, Algo.b.Value.lds_pad).total();
  Occupancy OfUnit = occupancyOf(ceilDiv(atLeastOne(Algo.block_size), WaveSize),
                                 registersOf(Sig, Algo, Gpu->WaveSize).total(),
                                 Lds, *Gpu, *Speed);
  long long All = times(OfUnit.Groups, Speed->Units);
  return All < MostResident ? static_cast<int>(All) : MostResident;
}

//===----------------------------------------------------------------------===//
// With a problem
//===----------------------------------------------------------------------===//

/// The size of a group's product, for sizes that satisfy P1 and P2.
struct ProductSize {
  long long Rows = 0;
  long long Columns = 0;
  long long Depth = 0;
};

constexpr ProductSize productOf(const Signature &Sig, const Problem &P) {
  long long Image = P.batch, Result = P.batch, Filter = 1;
  for (unsigned I = 0; I < P.image.size(); ++I) {
    Image = times(Image, P.image[I]);
    Result = times(Result, outputSize(P, I));
    Filter = times(Filter, P.filter[I]);
  }
  switch (Sig.direction) {
  case ConvDirection::FORWARD:
    return {Result, P.k, times(P.c, Filter)};
  case ConvDirection::BACKWARD_DATA:
    return {Image, P.c, times(P.k, Filter)};
  case ConvDirection::BACKWARD_WEIGHT:
    return {P.k, times(P.c, Filter), Result};
  }
  return {};
}

/// Returns the groups of the convolution in one tile of IMPLICIT_GEMM.
constexpr int groupsOfTile(const Algorithm &Algo) {
  return atLeastOne(Algo.split ? Algo.split->groups_merge : 1);
}

/// Returns the product of all groups of a tile; \p Product is that of one
/// group. Groups are side by side in columns. To keep them apart, each has its
/// own part of the sum or, in backward weight, of the rows.
constexpr ProductSize productOfTile(const Signature &Sig, const Algorithm &Algo,
                                    const ProductSize &Product) {
  int Groups = groupsOfTile(Algo);
  if (Groups == 1)
    return Product;
  bool IsWeight = Sig.direction == ConvDirection::BACKWARD_WEIGHT;
  return {times(Product.Rows, IsWeight ? Groups : 1),
          times(Product.Columns, Groups),
          times(Product.Depth, IsWeight ? 1 : Groups)};
}

/// Returns the elements of a tensor, without gaps of strides.
constexpr long long elementsOf(const Problem &P, Role TensorRole) {
  long long Count = P.groups;
  for (unsigned I = 0; I < P.image.size(); ++I)
    Count = times(Count, TensorRole == Role::Input    ? P.image[I]
                         : TensorRole == Role::Weight ? P.filter[I]
                                                      : outputSize(P, I));
  if (TensorRole != Role::Weight)
    Count = times(Count, P.batch);
  if (TensorRole != Role::Output)
    Count = times(Count, P.c);
  return TensorRole == Role::Input ? Count : times(Count, P.k);
}

/// Returns the size of the dimension of a layout's letter.
constexpr long long sizeOfLetter(const Problem &P, Role TensorRole,
                                 char Letter) {
  unsigned Dims = P.image.size();
  unsigned Back = Letter == 'W' || Letter == 'X'   ? 1
                  : Letter == 'H' || Letter == 'Y' ? 2
                  : Letter == 'D' || Letter == 'Z' ? 3
                                                   : 0;
  switch (Letter) {
  case 'G':
    return P.groups;
  case 'N':
    return P.batch;
  case 'C':
    return P.c;
  case 'K':
    return P.k;
  default:
    if (Back == 0 || Back > Dims)
      return 1;
    return TensorRole == Role::Input    ? P.image[Dims - Back]
           : TensorRole == Role::Weight ? P.filter[Dims - Back]
                                        : outputSize(P, Dims - Back);
  }
}

/// Returns the elements from the first to the last one of a tensor, with gaps.
constexpr long long extentOf(const Signature &Sig, const Problem &P,
                             Role TensorRole) {
  const Strides &Given = TensorRole == Role::Input    ? P.input_strides
                         : TensorRole == Role::Weight ? P.weight_strides
                                                      : P.output_strides;
  const LayoutFacts &Facts = factsOf(tensorOf(Sig, TensorRole).config.layout);
  if (!Facts.Strided || Given.size() != Facts.Count)
    return elementsOf(P, TensorRole);
  long long Extent = 1;
  for (unsigned I = 0; I < Facts.Count && Extent < Huge; ++I)
    Extent +=
        times(sizeOfLetter(P, TensorRole, Facts.Letters[I]) - 1, Given[I]);
  return Extent;
}

/// True if lists have an entry for each dimension, or none where that is
/// allowed, and all numbers are valid sizes.
constexpr bool areSizes(const Signature &Sig, const Problem &P) {
  auto Dims = static_cast<unsigned>(Sig.spatial_dim);
  auto Fits = [&](unsigned Count, bool MayBeEmpty) {
    return Count == Dims || (MayBeEmpty && Count == 0);
  };
  if (Dims < 1 || Dims > 3 || !Fits(P.image.size(), false) ||
      !Fits(P.filter.size(), false) || !Fits(P.stride.size(), true) ||
      !Fits(P.dilation.size(), true) || !Fits(P.pad.size(), true) ||
      P.groups < 1 || P.batch < 1 || P.c < 1 || P.k < 1)
    return false;
  for (unsigned I = 0; I < Dims; ++I)
    if (P.image[I] < 1 || P.filter[I] < 1 || strideOf(P, I) < 1 ||
        dilationOf(P, I) < 1 || padOf(P, I).before < 0 ||
        padOf(P, I).after < 0 || outputSize(P, I) < 1)
      return false;
  return true;
}

/// Facts of a problem that all algorithms share.
struct ProblemFacts {
  bool AreSizes = false; ///< if false, all other members are zero
  ProductSize Product;
  /// Of input, weight and output, without gaps of strides.
  long long Elements[3] = {};
  /// Likewise, with gaps.
  long long Bytes[3] = {};
  long long Results = 0; ///< elements of the result

  constexpr ProblemFacts() = default;
  constexpr ProblemFacts(const Signature &Sig, const Problem &P)
      : AreSizes(areSizes(Sig, P)) {
    if (!AreSizes)
      return;
    Product = productOf(Sig, P);
    constexpr Role Tensors[] = {Role::Input, Role::Weight, Role::Output};
    for (unsigned I = 0; I < 3; ++I) {
      Elements[I] = elementsOf(P, Tensors[I]);
      Bytes[I] = times(extentOf(Sig, P, Tensors[I]),
                       bytesOf(tensorOf(Sig, Tensors[I]).config.data_type));
      if (Tensors[I] == roleOfResult(Sig.direction))
        Results = Elements[I];
    }
  }
};

/// Returns the images that \p Side consecutive rows of a product, or parts of
/// its sum, touch; each image has \p Positions.
constexpr long long imagesOfTile(long long Side, long long Positions,
                                 long long Batch) {
  if (Positions < 1)
    return Batch;
  long long Images = (Side + Positions - 2) / Positions + 1;
  return Images < Batch ? Images : Batch;
}
constexpr long long imagesOfTile(const Signature &Sig, const Algorithm &Algo,
                                 const Problem &P) {
  long long Positions = 1;
  for (unsigned D = 0; D < P.image.size(); ++D)
    Positions = times(Positions, Sig.direction == ConvDirection::BACKWARD_DATA
                                     ? P.image[D]
                                     : outputSize(P, D));
  MNK Tile = Algo.tile ? *Algo.tile : MNK{1, 1, 1};
  bool IsWeight = Sig.direction == ConvDirection::BACKWARD_WEIGHT;
  return imagesOfTile(atLeastOne(IsWeight ? Tile.k : Tile.m), Positions,
                      P.batch);
}

/// Returns the bytes from the first element of \p Images images, of the groups
/// of a tile, to the end of the last one.
constexpr long long bytesOfImages(const Signature &Sig, Problem P,
                                  Role TensorRole, long long Images,
                                  int GroupsOfTile) {
  const Tensor &Given = tensorOf(Sig, TensorRole);
  const LayoutFacts &Facts = factsOf(Given.config.layout);
  P.batch = static_cast<int>(Images);
  // If groups are not the slowest dimension, each image contains all of them.
  if (Facts.Strided || Facts.Letters[0] == 'G')
    P.groups = P.groups < GroupsOfTile ? P.groups : GroupsOfTile;
  return times(extentOf(Sig, P, TensorRole), bytesOf(Given.config.data_type));
}

/// The greatest one. <numeric> would slow down every user of this header.
constexpr int commonDivisor(int A, int B) {
  while (B != 0) {
    int Rest = A % B;
    A = B;
    B = Rest;
  }
  return A;
}

/// Returns the length of the last letter's dimension: in a group, or in all
/// groups of a tile if groups are next to channels in memory and in the
/// product. In filters they are not next to them in the product.
constexpr long long neighboursOf(const Signature &Sig, const Algorithm &Algo,
                                 const Problem &P, Role TensorRole, char Last) {
  long long Count = sizeOfLetter(P, TensorRole, Last);
  int Merge = groupsOfTile(Algo);
  const LayoutFacts &Facts = factsOf(tensorOf(Sig, TensorRole).config.layout);
  if (Merge == 1 || TensorRole == Role::Weight || Facts.Strided ||
      Facts.Count < 2 || Facts.Letters[Facts.Count - 2] != 'G')
    return Count;
  return times(Count, commonDivisor(P.groups, Merge));
}

/// Returns how many of \p Vector elements, a power of two, stay adjacent under
/// the strides of a layout's last letter; \p Vector if the problem has no
/// strides.
constexpr int togetherByStrides(const Signature &Sig, const Problem &P,
                                Role TensorRole, int Vector) {
  const LayoutFacts &Facts = factsOf(tensorOf(Sig, TensorRole).config.layout);
  const Strides &Given = TensorRole == Role::Input    ? P.input_strides
                         : TensorRole == Role::Weight ? P.weight_strides
                                                      : P.output_strides;
  if (!Facts.Strided || Given.size() != Facts.Count)
    return Vector;
  for (unsigned I = 0; I < Facts.Count; ++I) {
    bool IsLast = I + 1 == Facts.Count;
    if (sizeOfLetter(P, TensorRole, Facts.Letters[I]) == 1)
      continue;
    if (IsLast && Given[I] != 1)
      return 1;
    while (!IsLast && Vector > 1 && Given[I] % Vector != 0)
      Vector /= 2;
  }
  return Vector;
}

/// True if work-groups share tiles.
constexpr bool isStreamK(const Algorithm &Algo) {
  return Algo.kind == Kind::IMPLICIT_GEMM && Algo.split.Has &&
         Algo.split.Value.stream_k.Has;
}

/// The division of a product's tiles (kernels/stream.h).
struct StreamTiles {
  long long Whole = 0;  ///< tiles of one work-group each
  long long Shared = 0; ///< the others; fewer than the GPU runs at once
  long long Steps = 0;  ///< tiles of k in each tile
  long long Sharers = 0;

  /// Tiles of k in all shared tiles.
  constexpr long long line() const { return times(Shared, Steps); }
  /// Partial tiles in the workspace: one for each sharer, and one more for each
  /// boundary of tiles within a sharer.
  constexpr long long parts() const {
    return Shared ? Sharers + Shared - 1 : 0;
  }
};

/// \p Resident is the number of work-groups that the GPU runs at once. Sums of
/// a single tile of k are not shared.
constexpr StreamTiles streamTilesOf(const ProductSize &Size, long long Groups,
                                    const MNK &Tile, int Resident) {
  StreamTiles Found;
  long long All =
      times(ceilDiv(Size.Rows, Tile.m), ceilDiv(Size.Columns, Tile.n), Groups);
  Found.Steps = ceilDiv(Size.Depth, Tile.k);
  Found.Sharers = atLeastOne(Resident);
  Found.Shared = Found.Steps > 1 ? All % Found.Sharers : 0;
  Found.Whole = All - Found.Shared;
  for (long long Most : {Found.line(), times(Found.Shared, MostPartsOfTile)})
    Found.Sharers = Most < Found.Sharers ? Most : Found.Sharers;
  return Found;
}

/// The maximum of tiles plus sharers: they are work-groups of a launch in one
/// direction, whose threads are a 32-bit number.
constexpr long long mostOfStream(int BlockSize) {
  return ((1ll << 32) - 1) / (BlockSize < 2 ? 2 : BlockSize);
}

/// Returns the work-groups of the launch.
constexpr long long workGroupsOf(const StreamTiles &Tiles, bool IsPersistent,
                                 int Resident) {
  if (!IsPersistent)
    return Tiles.Whole + Tiles.Sharers;
  long long Own = Tiles.Whole < Resident ? Tiles.Whole : Resident;
  return Own < Tiles.Sharers ? Tiles.Sharers : Own;
}

/// Returns the bytes of workspace for shared tiles.
constexpr long long workspaceOf(const StreamTiles &Tiles, const MNK &Tile,
                                DataType OfSums) {
  return times(Tiles.parts(), Tile.m, Tile.n, bytesOf(OfSums));
}

/// Returns the pieces of the sum if a problem requests \p Asked; 1: undivided.
constexpr int piecesOf(const Algorithm &Algo, int Asked) {
  if (isStreamK(Algo))
    return 1;
  int Pieces = Algo.split ? Algo.split->k_batch : 1;
  return atLeastOne(Pieces == 0 ? Asked : Pieces);
}

/// True if pieces of a sum can be added in the result's memory: the operation
/// distributes over the pieces, atomic instructions add the type, and pieces
/// are not rounded separately.
constexpr bool canAddPieces(const Tensor &Result) {
  ElementwiseOperation Op = Result.operation->elementwise_operation;
  return Result.config.data_type == DataType::FP32
             ? isLinear(Op)
             : Result.config.data_type == DataType::I32 &&
                   (Op == ElementwiseOperation::PASS_THROUGH ||
                    Op == ElementwiseOperation::UNARY_CONVERT);
}

/// Returns the bytes of Args::workspace. \p Gpu gives the number of sharers;
/// null: the CPU.
constexpr long long workspaceOf(const Signature &Sig, const Algorithm &Algo,
                                const Problem &P, const ProblemFacts &Facts,
                                const Processor *Gpu) {
  if (isStreamK(Algo) && Algo.tile)
    return workspaceOf(streamTilesOf(Facts.Product, P.groups, *Algo.tile,
                                     residentOf(Sig, Algo, Gpu)),
                       *Algo.tile, Sig.accumulation_data_type);
  if (!Algo.split || !Algo.split->two_stage)
    return 0;
  return times(piecesOf(Algo, P.k_batch), Facts.Results,
               bytesOf(Sig.accumulation_data_type));
}
constexpr long long workspaceOf(const Signature &Sig, const Algorithm &Algo,
                                const Problem &P, const Processor *Gpu) {
  return workspaceOf(Sig, Algo, P, ProblemFacts(Sig, P), Gpu);
}

/// The maximal dynamic LDS of a launch, in bytes: runtimes allow no more,
/// whatever the processor has.
inline constexpr int MostLdsOfLaunch = 65536;

constexpr int ldsOfLaunch(const Processor &Gpu) {
  return Gpu.LdsBytes < MostLdsOfLaunch ? Gpu.LdsBytes : MostLdsOfLaunch;
}

/// Returns the bytes of LDS of a work-group of DEPTHWISE: the filter and the
/// input of a tile; or the inputs from both images, or a sum of each thread.
/// All have the type of sums, and rows are aligned to vectors.
constexpr long long depthwiseLdsOf(const Signature &Sig, const Depthwise &D,
                                   int BlockSize, const Problem &P) {
  unsigned Dims = P.image.size();
  bool IsData = Sig.direction == ConvDirection::BACKWARD_DATA;
  bool IsWeight = Sig.direction == ConvDirection::BACKWARD_WEIGHT;
  long long Vector = atLeastOne(D.in_vector);
  auto InRow = [&](long long Width) {
    return (Width + 2 * Vector - 2) / Vector * Vector;
  };
  long long Filter = 1, Halo = atLeastOne(D.nbatch), Tile = Halo;
  // A missing dimension has size 1.
  for (unsigned Back = 1; Back <= 3; ++Back) {
    bool IsThere = Back <= Dims;
    unsigned I = Dims - Back;
    long long Length = Back == 1   ? atLeastOne(D.tile.w)
                       : Back == 2 ? atLeastOne(D.tile.h)
                                   : 1;
    long long Stride = IsThere ? strideOf(P, I) : 1;
    long long Taps = IsThere ? P.filter[I] : 1;
    long long Beyond = IsThere ? times(Taps - 1, dilationOf(P, I)) : 0;
    long long Reach = IsData ? (Length - 1 + Beyond) / Stride + 1
                             : times(Length - 1, Stride) + Beyond + 1;
    Filter = times(Filter, Taps);
    Halo = times(Halo, Back == 1 ? InRow(Reach) : Reach);
    Tile = times(Tile, Back == 1 ? InRow(Length) : Length);
  }
  long long Sums = IsWeight ? Halo + Tile : Filter + Halo;
  if (IsWeight && Sums < BlockSize)
    Sums = BlockSize;
  return times(Sums, bytesOf(Sig.accumulation_data_type));
}

/// Returns the work-groups of a launch. \p Tiles is the product of a group. \p
/// Gpu gives the number of sharers; null: the CPU.
constexpr long long workGroupsOf(const Signature &Sig, const Algorithm &Algo,
                                 const Problem &P, const ProductSize &Tiles,
                                 const Processor *Gpu) {
  if (isStreamK(Algo) && Algo.tile) {
    int Resident = residentOf(Sig, Algo, Gpu);
    return workGroupsOf(streamTilesOf(Tiles, P.groups, *Algo.tile, Resident),
                        Algo.split->stream_k->persistent, Resident);
  }
  if (Algo.kind == Kind::IMPLICIT_GEMM && Algo.tile) {
    ProductSize Size = productOfTile(Sig, Algo, Tiles);
    return times(
        ceilDiv(Size.Rows, Algo.tile->m), ceilDiv(Size.Columns, Algo.tile->n),
        ceilDiv(P.groups, groupsOfTile(Algo)), piecesOf(Algo, P.k_batch));
  }
  if (Algo.kind == Kind::DEPTHWISE && Algo.depthwise) {
    const Depthwise &D = *Algo.depthwise;
    if (Sig.direction == ConvDirection::BACKWARD_WEIGHT)
      return P.groups;
    unsigned Dims = P.image.size();
    long long Count = times(P.groups, ceilDiv(P.batch, atLeastOne(D.nbatch)));
    for (unsigned I = 0; I < Dims; ++I) {
      long long Length = Sig.direction == ConvDirection::FORWARD
                             ? outputSize(P, I)
                             : P.image[I];
      Count = times(Count, ceilDiv(Length, I + 1 == Dims   ? D.tile.w
                                           : I + 2 == Dims ? D.tile.h
                                                           : 1));
    }
    return Count;
  }
  long long Block = atLeastOne(Algo.block_size);
  if (Algo.kind != Kind::DIRECT)
    return ceilDiv(times(Tiles.Rows, Tiles.Columns, P.groups), Block);
  // A work-group does not mix groups, nor images n, or k for the weight.
  bool IsWeight = Sig.direction == ConvDirection::BACKWARD_WEIGHT;
  long long Outer = atLeastOne(IsWeight ? P.k : P.batch);
  return times(ceilDiv(times(Tiles.Rows / Outer, Tiles.Columns), Block), Outer,
               P.groups);
}
constexpr long long workGroupsOf(const Signature &Sig, const Algorithm &Algo,
                                 const Problem &P, const Processor *Gpu) {
  return workGroupsOf(Sig, Algo, P, productOf(Sig, P), Gpu);
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_RESOURCES_H
