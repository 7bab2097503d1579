//===- CostModel.cpp - estimated run time of a kernel ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates the run time of a kernel, so that candidates can be ordered without
// compiling them. docs/reference/conv-cost-model.md lists the terms.
//
// A GPU is a number of units, each of which runs up to "occupancy" work-groups
// at once. The model computes the work of one work-group by the phases of the
// kernels (kernels/), then the number of work-groups at once, then the time of
// all rounds:
//
//   round = max(turns * max(flop, cache, issue), latency)
//   total = max(sum of rounds, memory) + reduction + launch
//
// "turns" is the number of work-groups on the busiest unit in that round: they
// share its throughput, but wait for memory at the same time. All rounds but
// the last one are full. "reduction" writes and reads the partial sums of the
// pieces of k; a second kernel that adds them doubles "launch". With
// split.stream_k, the work-groups that share tiles are in the last round, where
// each counts with the longest share of the steps; "reduction" writes and reads
// the workspace of these tiles, and "launch" is doubled as well.
//
// An example: FP16, a filter of 3 x 3 with padding, 64 to 128 channels, 40
// images of 56 x 56, on gfx942, with a tile of 128 x 128 by 64 of k, 2 x 2
// waves, and the instruction 32 x 32 x 8. The GPU has 304 units at 2100 MHz; in
// a clock, a unit executes 2048 operations, issues 64 lanes and loads 64 bytes.
//
//   product     rows 40 * 56 * 56 = 125440, columns 128, k 9 * 64 = 576
//   work        125440 / 128 = 980 work-groups, 576 / 64 = 9 steps each
//   LDS         2 * 128 rows of 64 + 8 elements of 2 bytes = 36864 bytes, so
//               64 KiB allow one work-group on a unit: occupancy 1
//   flop        2 * 128 * 128 * 64 * 9 / (2048 * 2100)           =  4.4 us
//   cache       (256 * 64 * 9 * 2 + 128 * 128 * 2) / (64 * 2100) =  2.4 us
//   issue       25830 instructions of 64 lanes / (64 * 2100)     = 12.3 us
//   latency     (9 / 2 + 2) loads * 700 clocks / 2100            =  2.2 us
//   rounds      980 / 304: 3 full ones and one with 68 of 304, 12.3 us each
//   memory      48.3 MB of tensors / 5325 GB/s                   =  9.1 us
//   total       max(4 * 12.3, 9.1) + 0 + 5                       = 54.2 us
//
// In "latency", 9 / 2 is due to the pipeline V3, which loads the next tile
// during the product. In the last round 236 units are empty, which "tail"
// reports as 0.19 of all places. So a smaller tile may be faster, although it
// loads each element more often. The model compares such cases; `conv-builder
// explain` prints the terms.
//
// Invariant: equal inputs give equal estimates. Every term grows with the work
// of a work-group, and products outside of the matrix count as work, so padding
// costs as much as on a GPU. An estimate takes a fixed number of operations,
// without loops over the problem.
//
// The factors of instruction counts are fitted to the counts of the emulated
// GPU; CostModelCompiledTest.cpp compares them.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/CostModel.h"

#include <algorithm>
#include <cmath>

using namespace kpack;
using namespace kpack::conv;

namespace {

static_assert(
    [] {
      for (std::string_view Name : ProcessorNames)
        if (!findMachine(Name))
          return false;
      return true;
    }(),
    "Machines.h has each processor");

// Assumptions that no data sheet gives. They are the same for all processors,
// so that they weigh terms against each other and favour no GPU.

/// Bytes that a lane of a compute unit loads from its cache in a clock.
constexpr double CacheBytesPerLane = 1;
/// Clocks until a load from memory completes.
constexpr double LoadLatency = 700;
/// Microseconds until a launch begins.
constexpr double LaunchTime = 5;

/// The work of one work-group.
struct GroupWork {
  double Operations = 0;
  double Requests = 0;     ///< bytes
  double Instructions = 0; ///< of all its waves
  double Steps = 0;        ///< loads that wait for each other
};

/// The inputs of all terms.
struct Question {
  const Signature &Sig;
  const Algorithm &How;
  const Lowered &Kernel;
  const Problem &Sizes;
  const Processor &Gpu;
  const Machine &Speed;
  const ProblemFacts &Facts;
  ProductSize Size; ///< of all groups of a tile
  long long Pieces;
  StreamTiles Tiles; ///< of split.stream_k

  DataType operandType() const {
    return tensorOf(Sig, roleOfA(Sig.direction)).config.data_type;
  }
  bool isWeight() const {
    return Sig.direction == ConvDirection::BACKWARD_WEIGHT;
  }
  /// The length of the sum for each tap of the filter or position of the
  /// output.
  double inner() const {
    switch (Sig.direction) {
    case ConvDirection::FORWARD:
      return Sizes.c;
    case ConvDirection::BACKWARD_DATA:
      return Sizes.k;
    case ConvDirection::BACKWARD_WEIGHT:
      break;
    }
    return Sizes.batch;
  }
  int waveSize() const { return How.isa == Isa::MFMA ? 64 : Gpu.WaveSize; }
  double wavesOfGroup() const {
    return static_cast<double>(ceilDiv(Kernel.block_size, waveSize()));
  }
  int resultBytes() const {
    return bytesOf(tensorOf(Sig, roleOfResult(Sig.direction)).config.data_type);
  }
};

/// IMPLICIT_GEMM: begin, load and multiply for each tile of k, spill and store.
GroupWork gemmWork(const Question &Q, double Steps) {
  const Lowered &L = Q.Kernel;
  // Vectors of a thread: of the operand with positions, and of the other one.
  double Lines = Q.isWeight() ? L.b.loads : L.a.loads;
  double Others = Q.isWeight() ? L.a.loads : L.b.loads;
  double Products = 0, Results = 0;
  if (usesMatrix(Q.How.isa)) {
    const MNK &I = Q.How.wave->instr;
    double M = double(L.tile_m) / (L.wave_m * I.m);
    double N = double(L.tile_n) / (L.wave_n * I.n);
    Products = double(L.tile_k) / I.k * (M * N + 0.7 * (M + N));
    Results = M * N * I.m * I.n / Q.waveSize();
  } else {
    double M = double(L.tile_m) / L.threads_m;
    double N = double(L.tile_n) / L.threads_n;
    Products = double(L.tile_k) * (0.6 * M * N + 1.2 * (M + N));
    Results = M * N;
  }
  // A position goes through the filter; BACKWARD_DATA also divides it.
  double PerLine = 54;
  if (Q.Sig.direction == ConvDirection::FORWARD)
    PerLine = 66;
  if (Q.Sig.direction == ConvDirection::BACKWARD_DATA)
    PerLine = 174;
  GroupWork W;
  W.Operations = 2.0 * L.tile_m * L.tile_n * L.tile_k * Steps;
  W.Requests = (double(L.tile_m) + L.tile_n) * L.tile_k * Steps *
                   bytesOf(Q.operandType()) +
               double(L.tile_m) * L.tile_n * Q.resultBytes();
  W.Instructions =
      Q.wavesOfGroup() *
      (400 + 100 * Lines + 20 * Others +
       Steps * (40 + PerLine * Lines + 12 * Others + Products) + 30 * Results);
  // A tile that is loaded ahead halves the waits.
  W.Steps = Steps / (1 + L.prefetch) + 2;
  return W;
}

/// DEPTHWISE: a work-group has a tile of positions, or the filter of a group.
GroupWork depthwiseWork(const Question &Q) {
  const Lowered &L = Q.Kernel;
  double Depth = static_cast<double>(Q.Size.Depth);
  double Results = Q.isWeight() ? static_cast<double>(Q.Size.Columns)
                                : double(L.tile_m) * L.tile_n * L.images;
  double PerThread = Results * Depth / L.block_size;
  GroupWork W;
  W.Operations = 2 * Results * Depth;
  W.Requests = (Q.isWeight() ? 2 * Depth : Results) * bytesOf(Q.operandType()) +
               Results * Q.resultBytes();
  W.Instructions =
      Q.wavesOfGroup() * (430 + 36 * Results / L.block_size + 5.3 * PerThread);
  W.Steps = Q.isWeight() ? PerThread + 2 : 3;
  return W;
}

/// DIRECT and REFERENCE: a thread has one result, and reads both operands of
/// each product. Neighbouring lanes share the operand that does not vary along
/// their dimension.
GroupWork elementWork(const Question &Q) {
  double Depth = static_cast<double>(Q.Size.Depth);
  double Block = Q.Kernel.block_size;
  double Columns = std::min<double>(Block, static_cast<double>(Q.Size.Columns));
  if (!Q.Kernel.channels_last)
    Columns = 1;
  double Rows = std::ceil(Block / Columns);
  GroupWork W;
  W.Operations = 2 * Block * Depth;
  W.Requests = (Rows + Columns) * Depth * bytesOf(Q.operandType()) +
               Block * Q.resultBytes();
  double Taps = Depth / Q.inner();
  W.Instructions = Q.wavesOfGroup() * (430 + 36 * Taps + 5.3 * Depth);
  // REFERENCE computes each address from all coordinates.
  if (Q.How.kind == Kind::REFERENCE)
    W.Instructions *= 10;
  W.Steps = Depth + 2;
  return W;
}

GroupWork computeWork(const Question &Q) {
  if (Q.How.kind == Kind::IMPLICIT_GEMM)
    return gemmWork(Q, static_cast<double>(ceilDiv(
                           ceilDiv(Q.Size.Depth, Q.Pieces), Q.Kernel.tile_k)));
  return Q.How.kind == Kind::DEPTHWISE ? depthwiseWork(Q) : elementWork(Q);
}

/// The work of the sharer with the longest part of the line.
GroupWork shareWork(const Question &Q) {
  return gemmWork(
      Q, static_cast<double>(ceilDiv(Q.Tiles.line(), Q.Tiles.Sharers)));
}

/// Tiles that are not shared: one for each work-group, or those that the
/// work-groups of stream_k loop over.
double computeOwnTiles(const Estimate &E, const Question &Q) {
  return static_cast<double>(isStreamK(Q.How) ? Q.Tiles.Whole : E.work_groups);
}

/// Sets the counts of all work-groups together.
void setCounts(Estimate &E, const Question &Q, const GroupWork &W,
               const GroupWork &Last) {
  double Sharers = static_cast<double>(Q.Tiles.Sharers);
  double Own = computeOwnTiles(E, Q);
  // Not all sharers have as much as the largest one.
  double Shared = static_cast<double>(Q.Tiles.Shared);
  E.operations = W.Operations * (Own + Shared);
  E.requests = W.Requests * Own + Last.Requests * Sharers;
  E.instructions = W.Instructions * Own + Last.Instructions * Sharers;
}

/// Sets the number of work-groups that a unit runs at once.
void setOccupancy(Estimate &E, const Question &Q) {
  E.waves = ceilDiv(Q.Kernel.block_size, Q.waveSize());
  E.lds = Q.How.kind == Kind::DEPTHWISE
              ? depthwiseLdsOf(Q.Sig, *Q.How.depthwise, Q.Kernel.block_size,
                               Q.Sizes)
              : ldsBytes(Q.Kernel);
  E.registers = Q.How.kind == Kind::IMPLICIT_GEMM
                    ? registersOf(Q.Sig, Q.How, Q.Gpu.WaveSize).total()
                    : Registers::Others;
  Occupancy Fit = occupancyOf(E.waves, E.registers, E.lds, Q.Gpu, Q.Speed);
  E.occupancy = Fit.Groups;
  E.limit = Fit.Limit;
}

/// Returns the fraction of products in whole steps that lies outside \p
/// Product. Each of \p Pieces of the sum has whole steps.
double computeWaste(const ProductSize &Product, long long Pieces, double StepM,
                    double StepN, double StepK) {
  auto Whole = [](long long Length, double Step) {
    double Exact = static_cast<double>(Length);
    return Exact / (std::ceil(Exact / Step) * Step);
  };
  double Piece = static_cast<double>(ceilDiv(Product.Depth, Pieces));
  double AllOfK =
      std::ceil(Piece / StepK) * StepK * static_cast<double>(Pieces);
  return 1 - Whole(Product.Rows, StepM) * Whole(Product.Columns, StepN) *
                 (static_cast<double>(Product.Depth) / AllOfK);
}

/// Sets the fractions of useless products: in whole tiles, and in whole
/// instructions.
void setWaste(Estimate &E, const Question &Q) {
  const Lowered &L = Q.Kernel;
  if (Q.How.kind != Kind::IMPLICIT_GEMM) {
    double Results =
        static_cast<double>(times(Q.Size.Rows, Q.Size.Columns, Q.Sizes.groups));
    double Groups = static_cast<double>(E.work_groups);
    if (Q.How.kind == Kind::DEPTHWISE) {
      if (!Q.isWeight())
        E.tile_waste = 1 - Results / (Groups * L.tile_m * L.tile_n * L.images);
      return;
    }
    E.tile_waste = 1 - Results / (Groups * L.block_size);
    // No wave has results of two work-groups.
    double Waves = std::ceil(Results / Groups / Q.waveSize());
    E.wave_waste =
        std::min(E.tile_waste, 1 - Results / (Groups * Waves * Q.waveSize()));
    return;
  }
  MNK Step{L.thread_m, L.thread_n, 1};
  if (usesMatrix(Q.How.isa))
    Step = Q.How.wave->instr;
  // A tile multiplies each of its groups with all of them.
  double Merge = L.groups_merge;
  double Own =
      Q.Sizes.groups / std::ceil(Q.Sizes.groups / Merge) / Merge / Merge;
  auto Waste = [&](double M, double N, double K) {
    return 1 - Own * (1 - computeWaste(Q.Size, Q.Pieces, M, N, K));
  };
  E.tile_waste = Waste(L.tile_m, L.tile_n, L.tile_k);
  E.wave_waste = Waste(Step.m, Step.n, Step.k);
}

/// Returns the operations of a unit in a clock.
double operationRate(const Question &Q) {
  if (usesMatrix(Q.How.isa))
    if (int Rate = Q.Speed.matrixRate(productTypeOfA(Q.Sig)))
      return Rate;
  int Products = Q.How.isa == Isa::DOT && Q.How.thread
                     ? atLeastOne(Q.How.thread->k_per_thread)
                     : 1;
  return 2.0 * Q.Speed.Lanes * Products;
}

/// Returns the microseconds of rounds in which a unit has \p Turns work-groups
/// each, and adds them to the terms.
double timeOfRounds(Estimate &E, const Question &Q, const GroupWork &W,
                    double Rounds, double Turns) {
  double Clocks = Q.Speed.MegaHertz; // per microsecond
  double Flop = W.Operations / operationRate(Q) / Clocks;
  double Cache = W.Requests / (Q.Speed.Lanes * CacheBytesPerLane) / Clocks;
  // A vector instruction takes a clock for each part of its wave that a unit
  // can issue at once.
  double Issue = W.Instructions * Q.waveSize() / Q.Speed.Lanes / Clocks;
  double Latency = W.Steps * LoadLatency / Clocks;
  E.flop_time += Rounds * Turns * Flop;
  E.cache_time += Rounds * Turns * Cache;
  E.issue_time += Rounds * Turns * Issue;
  E.latency_time += Rounds * Latency;
  return Rounds * std::max(Turns * std::max({Flop, Cache, Issue}), Latency);
}

/// Sets the times of the rounds, of which all but the last one are full. \p
/// Last is the work of each work-group in the last round, which contains all
/// sharers.
void setTimes(Estimate &E, const Question &Q, const GroupWork &W,
              const GroupWork &Last) {
  double Units = Q.Speed.Units;
  double Sharers = static_cast<double>(Q.Tiles.Sharers);
  double Own = computeOwnTiles(E, Q);
  double Resident = static_cast<double>(E.occupancy);
  double Full = std::floor(Own / (Units * Resident));
  double Turns = std::ceil((Own + Sharers - Full * Units * Resident) / Units);
  E.rounds = static_cast<long long>(Full + (Turns > 0));
  E.tail = 1 - (Own + Sharers) / (Units * (Full * Resident + Turns));
  double Rounds = timeOfRounds(E, Q, W, Full, Resident) +
                  timeOfRounds(E, Q, Last, Turns > 0, Turns);
  E.memory_time = E.bytes / (Q.Speed.GigaBytes * 1e3);
  E.total = std::max(Rounds, E.memory_time);
}

/// Sets the times to write the sums of pieces, and to read them or the elements
/// that they are added to.
void setReduction(Estimate &E, const Question &Q) {
  E.launch_time = LaunchTime;
  if (Q.Pieces > 1) {
    double Sums = static_cast<double>(Q.Facts.Results) *
                  bytesOf(Q.Sig.accumulation_data_type) *
                  static_cast<double>(Q.Pieces);
    E.reduction_time = 2 * Sums / (Q.Speed.GigaBytes * 1e3);
    if (Q.How.split->two_stage)
      E.launch_time *= 2;
  }
  if (Q.Tiles.Shared) {
    double Sums = static_cast<double>(
        workspaceOf(Q.Tiles, *Q.How.tile, Q.Sig.accumulation_data_type));
    E.reduction_time = 2 * Sums / (Q.Speed.GigaBytes * 1e3);
    E.launch_time *= 2;
  }
  E.total += E.reduction_time + E.launch_time;
}

} // namespace

Estimate conv::estimate(const Signature &Resolved, const Algorithm &Algo,
                        const Lowered &Kernel, const Problem &Sizes,
                        const ProblemFacts &Facts, const Processor &Gpu,
                        const Machine &Speed) {
  Question Q{Resolved,
             Algo,
             Kernel,
             Sizes,
             Gpu,
             Speed,
             Facts,
             productOfTile(Resolved, Algo, Facts.Product),
             piecesOf(Algo, Sizes.k_batch),
             {}};
  Estimate E;
  if (isStreamK(Algo)) {
    Q.Tiles =
        streamTilesOf(Facts.Product, Sizes.groups, *Algo.tile, Kernel.resident);
    E.work_groups =
        workGroupsOf(Q.Tiles, Kernel.persistent != 0, Kernel.resident);
  } else {
    E.work_groups = workGroupsOf(Resolved, Algo, Sizes, Facts.Product, &Gpu);
  }
  setOccupancy(E, Q);
  setWaste(E, Q);
  GroupWork W = computeWork(Q), Last = W;
  if (Q.Tiles.Shared)
    Last = shareWork(Q);
  setCounts(E, Q, W, Last);
  const Tensor *Tensors[] = {&Resolved.input, &Resolved.weight,
                             &Resolved.output};
  for (unsigned I = 0; I < 3; ++I)
    E.bytes += static_cast<double>(Facts.Elements[I]) *
               bytesOf(Tensors[I]->config.data_type);
  setTimes(E, Q, W, Last);
  setReduction(E, Q);
  return E;
}

Estimate conv::estimate(const Signature &Resolved, const Algorithm &Algo,
                        const Problem &Sizes, const Processor &Gpu) {
  const Machine *Speed = findMachine(Gpu.Name);
  Result<Lowered> Kernel = lower(Resolved, Algo, Gpu.Name);
  return Speed && Kernel ? estimate(Resolved, Algo, *Kernel, Sizes,
                                    ProblemFacts(Resolved, Sizes), Gpu, *Speed)
                         : Estimate();
}

std::string_view conv::nameOf(OccupancyLimit Limit) {
  switch (Limit) {
  case OccupancyLimit::Lds:
    return "LDS";
  case OccupancyLimit::Registers:
    return "registers";
  case OccupancyLimit::Waves:
    break;
  }
  return "waves";
}

std::vector<Term> conv::termsOf(const Estimate &E) {
  auto Count = [](long long Value) { return static_cast<double>(Value); };
  return {
      {"work_groups", Count(E.work_groups), "work-groups", "of the launch"},
      {"waves", Count(E.waves), "waves", "of a work-group"},
      {"lds", Count(E.lds), "bytes", "LDS of a work-group"},
      {"registers", Count(E.registers), "registers", "of a lane, by a model"},
      {"occupancy", Count(E.occupancy), "work-groups",
       "that a unit runs at once"},
      {"rounds", Count(E.rounds), "rounds", "until all work-groups have run"},
      {"tile_waste", E.tile_waste, "share",
       "of products that are beyond the matrix"},
      {"wave_waste", E.wave_waste, "share",
       "of products that whole instructions have more than the matrix"},
      {"tail", E.tail, "share", "of places that stay empty in all rounds"},
      {"operations", E.operations, "operations",
       "with those that are wasted; a product and its sum are two"},
      {"requests", E.requests, "bytes", "that work-groups load and store"},
      {"bytes", E.bytes, "bytes", "of all tensors, once"},
      {"instructions", E.instructions, "instructions", "of all waves"},
      {"flop_time", E.flop_time, "us", "of the operations"},
      {"cache_time", E.cache_time, "us", "of the requests"},
      {"issue_time", E.issue_time, "us", "of the instructions"},
      {"latency_time", E.latency_time, "us",
       "of loads that wait for each other"},
      {"memory_time", E.memory_time, "us", "of the bytes"},
      {"reduction_time", E.reduction_time, "us",
       "of adding the pieces of the sum"},
      {"launch_time", E.launch_time, "us", "until launches begin"},
      {"total", E.total, "us", "the estimate"},
  };
}
