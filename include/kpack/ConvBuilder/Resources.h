//===- kpack/ConvBuilder/Resources.h - what a kernel will need --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LDS, registers, threads, work-groups and workspace, before anything is
// compiled. LDS is exact: kernels declare what is computed here. Registers are
// a model, which the compiler may exceed: requirements refuse only what cannot
// be (Accumulators), and the number that counts is read from the code object.
//
// Numbers are what the fields say, however large: products stop at Huge.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_RESOURCES_H
#define KPACK_CONVBUILDER_RESOURCES_H

#include "kpack/ConvBuilder/Machines.h"
#include "kpack/ConvBuilder/Multiply.h"
#include "kpack/ConvBuilder/Problem.h"

namespace kpack::conv {

/// As much as any number here can be.
inline constexpr long long Huge = 1ll << 60;

/// The product of numbers that are not negative; Huge where it is more.
template <typename... Others>
constexpr long long times(long long First, Others... Rest) {
  // A loop: compilers keep each call of a constant expression.
  long long Factors[] = {Rest...};
  for (long long Factor : Factors)
    if (First <= 0 || Factor <= 0)
      First = 0;
    else if (__builtin_mul_overflow(First, Factor, &First) || First > Huge)
      First = Huge;
  return First;
}

constexpr long long ceilDiv(long long Number, long long By) {
  return By < 1 ? 0 : (Number + By - 1) / By;
}
constexpr int atLeastOne(int Number) { return Number < 1 ? 1 : Number; }

/// Whether results pass through LDS: vectors of them are in no lane otherwise.
constexpr bool isThroughLds(const ResultPath &C) {
  return C.through_lds || C.store_vector > 1;
}

/// Threads of a work-group by what its waves or threads are; 0: not known.
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

/// Buffers in LDS for each of A and B.
constexpr int buffersOf(const Pipeline &P) {
  return P.version == PipelineVersion::V4 || P.double_lds ? 2 : 1;
}

/// Bytes of LDS of a work-group. The result comes when the operands are not
/// needed any more, in the same place.
struct LdsBytes {
  long long Operands = 0;
  long long Result = 0;
  constexpr long long total() const {
    return Operands > Result ? Operands : Result;
  }
};

/// Of IMPLICIT_GEMM with a tile and a pipeline. The pads are those of a and b.
/// \p Sig is resolved.
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
  // A row of each thread at once.
  if (Algo.thread.Has && Rows.Count == 2)
    Bytes.Result = times(Rows.Items[0], Rows.Items[1], Tile.n, SumBytes);
  else if (Algo.wave.Has)
    Bytes.Result =
        times(Wave.waves.m, Wave.instr.m, atLeastOne(Repeats.m), Wave.waves.n,
              Wave.instr.n, atLeastOne(Repeats.n), SumBytes);
  return Bytes;
}
/// Zero, where parts are absent.
constexpr LdsBytes ldsOf(const Signature &Sig, const Algorithm &Algo) {
  if (!Algo.tile.Has || !Algo.a.Has || !Algo.b.Has || !Algo.pipeline.Has)
    return {};
  return ldsOf(Sig, Algo, Algo.a.Value.lds_pad, Algo.b.Value.lds_pad);
}

/// Registers of a lane.
struct Registers {
  long long Accumulators = 0; ///< live through the whole loop: never less
  long long Operands = 0;     ///< of one step
  /// Addresses, predicates, what the loop needs: measured, not known.
  static constexpr int Others = 42;
  /// So many others no kernel can do without.
  static constexpr int FewestOthers = 32;

  constexpr long long total() const { return Accumulators + Operands + Others; }
};

/// Of IMPLICIT_GEMM. \p Sig is resolved.
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
    // Lanes of gfx11's WMMA have the same operands twice.
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

/// Registers that a wave of \p Gpu can have.
constexpr int mostRegisters(const Processor &Gpu, Isa Of) {
  return Of == Isa::MFMA || Gpu.IsOneFile ? Gpu.Vgprs + Gpu.Agprs : Gpu.Vgprs;
}

/// Registers of a lane with vectors of the next tile, where it is loaded while
/// one is multiplied.
constexpr long long fetchedRegistersOf(const Signature &Sig,
                                       const Algorithm &Algo, int WaveSize) {
  long long Threads = threadsOf(Algo, WaveSize);
  if (!Algo.tile || !Algo.pipeline || Threads == 0 ||
      Algo.pipeline->version == PipelineVersion::V1)
    return 0;
  auto Bytes = [&](Role Of, int Lines) {
    return times(Lines, Algo.tile->k,
                 bytesOf(tensorOf(Sig, Of).config.compute_type));
  };
  return ceilDiv(Bytes(roleOfA(Sig.direction), Algo.tile->m) +
                     Bytes(roleOfB(Sig.direction), Algo.tile->n),
                 Threads * 4);
}

/// Whether compilers are going to move registers to memory, which A8 does not
/// know: that one refuses only what cannot be.
constexpr bool isGoingToSpill(const Signature &Sig, const Algorithm &Algo,
                              const Processor &Gpu) {
  Registers R = registersOf(Sig, Algo, Gpu.WaveSize);
  return R.Accumulators + R.Operands + Registers::FewestOthers +
             fetchedRegistersOf(Sig, Algo, Gpu.WaveSize) >
         mostRegisters(Gpu, Algo.isa);
}

/// What allows no more work-groups at once on a unit.
enum class OccupancyLimit : unsigned char { Lds, Registers, Waves };

/// Work-groups that a unit (Machines.h) runs at once.
struct Occupancy {
  long long Groups = 1;
  OccupancyLimit Limit = OccupancyLimit::Waves;
};

/// Of work-groups of so many waves, registers of a lane, and bytes of LDS.
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

/// What split.stream_k shares tiles among on the CPU, which runs one work-group
/// after another.
inline constexpr int ResidentOnCpu = 4;
/// Shared tiles are fewer, and the second number of work-groups.
inline constexpr int MostResident = 1 << 15;
/// On average: more would make adding them what takes long.
inline constexpr int MostPartsOfTile = 64;

/// Work-groups of IMPLICIT_GEMM that all units of \p Gpu run at once, by the
/// same model as estimates (CostModel.h). Null: the CPU.
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

/// How large the product of a group is, with sizes that P1 and P2 accept.
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

/// Groups of the convolution in one tile of IMPLICIT_GEMM.
constexpr int groupsOfTile(const Algorithm &Algo) {
  return atLeastOne(Algo.split ? Algo.split->groups_merge : 1);
}

/// The product of all groups of a tile, where \p Of is that of one: columns are
/// theirs. So that none meets another one, each has a part of the sum, or, in
/// backward weight, of the rows.
constexpr ProductSize productOfTile(const Signature &Sig, const Algorithm &Algo,
                                    const ProductSize &Of) {
  int Groups = groupsOfTile(Algo);
  if (Groups == 1)
    return Of;
  bool IsWeight = Sig.direction == ConvDirection::BACKWARD_WEIGHT;
  return {times(Of.Rows, IsWeight ? Groups : 1), times(Of.Columns, Groups),
          times(Of.Depth, IsWeight ? 1 : Groups)};
}

/// Elements of a tensor, without gaps that strides leave.
constexpr long long elementsOf(const Problem &P, Role Of) {
  long long Count = P.groups;
  for (unsigned I = 0; I < P.image.size(); ++I)
    Count = times(Count, Of == Role::Input    ? P.image[I]
                         : Of == Role::Weight ? P.filter[I]
                                              : outputSize(P, I));
  if (Of != Role::Weight)
    Count = times(Count, P.batch);
  if (Of != Role::Output)
    Count = times(Count, P.c);
  return Of == Role::Input ? Count : times(Count, P.k);
}

/// Size of the dimension that a letter of a layout means.
constexpr long long sizeOfLetter(const Problem &P, Role Of, char Letter) {
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
    return Of == Role::Input    ? P.image[Dims - Back]
           : Of == Role::Weight ? P.filter[Dims - Back]
                                : outputSize(P, Dims - Back);
  }
}

/// Elements from the first to the last one of a tensor, with gaps.
constexpr long long extentOf(const Signature &Sig, const Problem &P, Role Of) {
  const Strides &Given = Of == Role::Input    ? P.input_strides
                         : Of == Role::Weight ? P.weight_strides
                                              : P.output_strides;
  const LayoutFacts &Facts = factsOf(tensorOf(Sig, Of).config.layout);
  if (!Facts.Strided || Given.size() != Facts.Count)
    return elementsOf(P, Of);
  long long Extent = 1;
  for (unsigned I = 0; I < Facts.Count && Extent < Huge; ++I)
    Extent += times(sizeOfLetter(P, Of, Facts.Letters[I]) - 1, Given[I]);
  return Extent;
}

/// Whether lists have an entry for each dimension, or none where that is
/// allowed, and all numbers are sizes.
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

/// What is asked of a problem for each algorithm, and does not depend on it.
struct ProblemFacts {
  bool AreSizes = false; ///< else all others are zero
  ProductSize Product;
  /// Of input, weight and output, without gaps that strides leave.
  long long Elements[3] = {};
  /// The same, with gaps.
  long long Bytes[3] = {};
  long long Results = 0; ///< elements of the one that is computed

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

/// Images of which rows of a product, or parts of its sum, are one tile: \p
/// Side of them one after another, and each image has \p Positions.
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

/// Bytes from the first element of so many images, of the groups that a tile
/// has, to one past the last one.
constexpr long long bytesOfImages(const Signature &Sig, Problem P, Role Of,
                                  long long Images, int GroupsOfTile) {
  const Tensor &Given = tensorOf(Sig, Of);
  const LayoutFacts &Facts = factsOf(Given.config.layout);
  P.batch = static_cast<int>(Images);
  // Images have all groups in them where these are not the slowest.
  if (Facts.Strided || Facts.Letters[0] == 'G')
    P.groups = P.groups < GroupsOfTile ? P.groups : GroupsOfTile;
  return times(extentOf(Sig, P, Of), bytesOf(Given.config.data_type));
}

/// The greatest one. A header for it would cost all who include this one.
constexpr int commonDivisor(int A, int B) {
  while (B != 0) {
    int Rest = A % B;
    A = B;
    B = Rest;
  }
  return A;
}

/// Neighbours in memory along the last letter of a layout: how many it has, in
/// a group, or in all groups of each tile, where they are beside channels in
/// memory and in the product. In filters they are not in the product.
constexpr long long neighboursOf(const Signature &Sig, const Algorithm &Algo,
                                 const Problem &P, Role Of, char Last) {
  long long Count = sizeOfLetter(P, Of, Last);
  int Merge = groupsOfTile(Algo);
  const LayoutFacts &Facts = factsOf(tensorOf(Sig, Of).config.layout);
  if (Merge == 1 || Of == Role::Weight || Facts.Strided || Facts.Count < 2 ||
      Facts.Letters[Facts.Count - 2] != 'G')
    return Count;
  return times(Count, commonDivisor(P.groups, Merge));
}

/// How many of \p Vector elements, a power of two, strides leave together along
/// the last letter of a layout; all of them where the problem gives no strides.
constexpr int togetherByStrides(const Signature &Sig, const Problem &P, Role Of,
                                int Vector) {
  const LayoutFacts &Facts = factsOf(tensorOf(Sig, Of).config.layout);
  const Strides &Given = Of == Role::Input    ? P.input_strides
                         : Of == Role::Weight ? P.weight_strides
                                              : P.output_strides;
  if (!Facts.Strided || Given.size() != Facts.Count)
    return Vector;
  for (unsigned I = 0; I < Facts.Count; ++I) {
    bool IsLast = I + 1 == Facts.Count;
    if (sizeOfLetter(P, Of, Facts.Letters[I]) == 1)
      continue;
    if (IsLast && Given[I] != 1)
      return 1;
    while (!IsLast && Vector > 1 && Given[I] % Vector != 0)
      Vector /= 2;
  }
  return Vector;
}

/// Whether tiles are shared, by a lowered kernel's kind.
constexpr bool isStreamK(const Algorithm &Algo) {
  return Algo.kind == Kind::IMPLICIT_GEMM && Algo.split.Has &&
         Algo.split.Value.stream_k.Has;
}

/// How the tiles of a product are shared (kernels/stream.h).
struct StreamTiles {
  long long Whole = 0;  ///< tiles of one work-group
  long long Shared = 0; ///< all others: less than the GPU runs at once
  long long Steps = 0;  ///< tiles of k in each
  long long Sharers = 0;

  /// Tiles of k of those that are shared.
  constexpr long long line() const { return times(Shared, Steps); }
  /// Of one tile, in the workspace: a sharer has one more where a tile ends and
  /// another one begins.
  constexpr long long parts() const {
    return Shared ? Sharers + Shared - 1 : 0;
  }
};

/// \p Resident is what the GPU runs at once. Sums of one tile of k are not
/// shared.
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

/// Tiles and sharers together: work-groups of a launch in one direction, whose
/// threads are counted with 32 bits.
constexpr long long mostOfStream(int BlockSize) {
  return ((1ll << 32) - 1) / (BlockSize < 2 ? 2 : BlockSize);
}

/// Work-groups of the launch.
constexpr long long workGroupsOf(const StreamTiles &Of, bool IsPersistent,
                                 int Resident) {
  if (!IsPersistent)
    return Of.Whole + Of.Sharers;
  long long Own = Of.Whole < Resident ? Of.Whole : Resident;
  return Own < Of.Sharers ? Of.Sharers : Own;
}

/// Bytes in the workspace for tiles that are shared.
constexpr long long workspaceOf(const StreamTiles &Of, const MNK &Tile,
                                DataType OfSums) {
  return times(Of.parts(), Tile.m, Tile.n, bytesOf(OfSums));
}

/// Pieces of the sum, where a problem asks for \p Asked; 1: it is not divided.
constexpr int piecesOf(const Algorithm &Algo, int Asked) {
  if (isStreamK(Algo))
    return 1;
  int Pieces = Algo.split ? Algo.split->k_batch : 1;
  return atLeastOne(Pieces == 0 ? Asked : Pieces);
}

/// Whether pieces of a sum can be added where the result is: after an operation
/// that makes no difference, in a type that atomic instructions add, and where
/// no piece is rounded by itself.
constexpr bool canAddPieces(const Tensor &Result) {
  ElementwiseOperation Op = Result.operation->elementwise_operation;
  return Result.config.data_type == DataType::FP32
             ? isLinear(Op)
             : Result.config.data_type == DataType::I32 &&
                   (Op == ElementwiseOperation::PASS_THROUGH ||
                    Op == ElementwiseOperation::UNARY_CONVERT);
}

/// Bytes that the caller has to lend: Args::workspace. \p Gpu says how many
/// share tiles; null: the CPU.
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

/// Bytes of LDS that a launch can ask for, beside those that a kernel declares:
/// runtimes give no more, whatever the processor has.
inline constexpr int MostLdsOfLaunch = 65536;

constexpr int ldsOfLaunch(const Processor &Gpu) {
  return Gpu.LdsBytes < MostLdsOfLaunch ? Gpu.LdsBytes : MostLdsOfLaunch;
}

/// Bytes of LDS of a work-group of DEPTHWISE: the filter, and what a tile reads
/// of the image; or what it reads of both images, or a sum of each thread. All
/// are in the type of sums, and rows begin and end where vectors do.
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
  // A dimension that a problem has not is of size 1.
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

/// Work-groups of a launch. \p Of: the product of a group. \p Gpu says how many
/// share tiles; null: the CPU.
constexpr long long workGroupsOf(const Signature &Sig, const Algorithm &Algo,
                                 const Problem &P, const ProductSize &Of,
                                 const Processor *Gpu) {
  if (isStreamK(Algo) && Algo.tile) {
    int Resident = residentOf(Sig, Algo, Gpu);
    return workGroupsOf(streamTilesOf(Of, P.groups, *Algo.tile, Resident),
                        Algo.split->stream_k->persistent, Resident);
  }
  if (Algo.kind == Kind::IMPLICIT_GEMM && Algo.tile) {
    ProductSize Size = productOfTile(Sig, Algo, Of);
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
    return ceilDiv(times(Of.Rows, Of.Columns, P.groups), Block);
  // One has no results of two groups, nor of two n, or k of the weight.
  bool IsWeight = Sig.direction == ConvDirection::BACKWARD_WEIGHT;
  long long Outer = atLeastOne(IsWeight ? P.k : P.batch);
  return times(ceilDiv(times(Of.Rows / Outer, Of.Columns), Block), Outer,
               P.groups);
}
constexpr long long workGroupsOf(const Signature &Sig, const Algorithm &Algo,
                                 const Problem &P, const Processor *Gpu) {
  return workGroupsOf(Sig, Algo, P, productOf(Sig, P), Gpu);
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_RESOURCES_H
