//===- Requirements/OfTiles.h - checks of tile sizes ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks that tiles, waves and threads divide each other, and that LDS and
// registers suffice.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_REQUIREMENTS_OFTILES_H
#define KPACK_CONVBUILDER_REQUIREMENTS_OFTILES_H

#include "kpack/ConvBuilder/Multiply.h"
#include "kpack/ConvBuilder/Requirements/Context.h"

namespace kpack::conv::checks {

/// A required divisor of a tile's side.
struct Divisor {
  long long Value;
  Literal Names; ///< of the fields whose product it is
};

constexpr void divides(const Context &C, Literal Path, int Value,
                       const Divisor &By) {
  if (Value < 1 || By.Value < 1 || Value % By.Value == 0)
    return;
  FindingOut F = C.find(Path, By.Value);
  F << Value << " is no multiple of " << By.Value << ", which is " << By.Names;
  F.remedy();
  if (Value > By.Value)
    F << Value / By.Value * By.Value << " or ";
  F << (Value / By.Value + 1) * By.Value << " is";
}

/// A5: tiles are multiples of a step.
constexpr void divisibility(Context &C) {
  const Algorithm &Algo = *C.Algo;
  if (C.is(Kind::DEPTHWISE) && Algo.depthwise) {
    const Depthwise &D = *Algo.depthwise;
    divides(C, "algorithm.depthwise.tile.h", D.tile.h,
            {D.subtile.h, "subtile.h"});
    divides(C, "algorithm.depthwise.tile.w", D.tile.w,
            {D.subtile.w, "subtile.w"});
    divides(C, "algorithm.depthwise.subtile.w", D.subtile.w,
            {D.out_vector, "out_vector"});
  }
  if (!C.isGemm() || !Algo.tile)
    return;
  const MNK &Tile = *Algo.tile;
  if (usesMatrix(Algo.isa) && Algo.wave) {
    const MNK &W = Algo.wave->waves, &I = Algo.wave->instr;
    Divisor Rows{times(W.m, I.m), "wave.waves.m times wave.instr.m"};
    Divisor Columns{times(W.n, I.n), "wave.waves.n times wave.instr.n"};
    divides(C, "algorithm.tile.m", Tile.m, Rows);
    divides(C, "algorithm.tile.n", Tile.n, Columns);
    divides(C, "algorithm.tile.k", Tile.k,
            {times(W.k, I.k), "wave.waves.k times wave.instr.k"});
    if (Algo.c && Rows.Value && Columns.Value) {
      if (Algo.c->shuffle.m && Tile.m % Rows.Value == 0)
        divides(C, "algorithm.tile.m", Tile.m,
                {times(Rows.Value, Algo.c->shuffle.m),
                 "c.shuffle.m times wave.waves.m times wave.instr.m"});
      if (Algo.c->shuffle.n && Tile.n % Columns.Value == 0)
        divides(C, "algorithm.tile.n", Tile.n,
                {times(Columns.Value, Algo.c->shuffle.n),
                 "c.shuffle.n times wave.waves.n times wave.instr.n"});
    }
  } else if (Algo.thread && !C.is(Isa::AUTO)) {
    const ThreadTile &Thread = *Algo.thread;
    if (Thread.m1_xs.size() == 2)
      divides(C, "algorithm.tile.m", Tile.m,
              {times(Thread.m1, Thread.m1_xs[0], Thread.m1_xs[1]),
               "thread.m1 times both of thread.m1_xs"});
    if (Thread.n1_xs.size() == 2)
      divides(C, "algorithm.tile.n", Tile.n,
              {times(Thread.n1, Thread.n1_xs[0], Thread.n1_xs[1]),
               "thread.n1 times both of thread.n1_xs"});
    divides(C, "algorithm.tile.k", Tile.k,
            {Thread.k_per_thread, "thread.k_per_thread"});
    if (C.is(Isa::DOT))
      for (const Instruction &I : Instructions)
        if (isUsable(I, Isa::DOT, C.Sig, C.Gpu)) {
          divides(C, "algorithm.thread.k_per_thread", Thread.k_per_thread,
                  {I.Depth, "what one dot product sums"});
          break;
        }
  }
}

/// A6: the size of the work-group.
constexpr void blockSize(Context &C) {
  const Algorithm &Algo = *C.Algo;
  constexpr int Most = 1024;
  int Wave = C.waveSize();
  if (Algo.block_size > Most)
    (C.find("algorithm.block_size", Most)
     << Algo.block_size << " threads are too many for a work-group")
            .remedy()
        << "at most " << Most;
  long long Threads = threadsOf(Algo, Wave);
  bool IsMatrix = usesMatrix(Algo.isa);
  Literal Names = IsMatrix ? "wave.waves" : "thread.m1_xs and thread.n1_xs";
  if (Threads > Most && Algo.block_size <= Most) {
    FindingOut F = C.find(
        IsMatrix ? "algorithm.wave.waves" : "algorithm.thread.m1_xs", Most);
    F << Names << " make " << Threads << " threads";
    F.remedy() << "a work-group has at most " << Most;
  } else if (Algo.block_size > 0 && Threads > 0 && Threads != Algo.block_size) {
    FindingOut F = C.find("algorithm.block_size", Threads);
    F << Algo.block_size << " threads, and " << Names << " make " << Threads;
    F.remedy() << "block_size=" << Threads << ", or leave it out";
  } else if (Wave && Algo.block_size % Wave) {
    FindingOut F = C.find("algorithm.block_size", Wave);
    F << Algo.block_size << " is no multiple of the " << Wave
      << " threads of a wave";
    F.remedy() << ceilDiv(Algo.block_size, Wave) * Wave << " is";
  }
}

/// A7: LDS suffices.
constexpr void ldsSize(Context &C) {
  const Algorithm &Algo = *C.Algo;
  if (!C.isGemm() || !C.Gpu)
    return;
  LdsBytes Bytes = ldsOf(C.Sig, Algo);
  if (Bytes.total() <= C.Gpu->LdsBytes)
    return;
  bool IsResult = Bytes.Result > Bytes.Operands;
  FindingOut F = C.find(IsResult ? "algorithm.c.shuffle" : "algorithm.tile",
                        C.Gpu->LdsBytes);
  F << "needs " << Bytes.total() << " bytes of LDS (";
  const MNK &Tile = *Algo.tile;
  int Buffers = buffersOf(*Algo.pipeline);
  if (IsResult) {
    F << "the result of " << Algo.c->shuffle.m << 'x' << Algo.c->shuffle.n
      << " repeats in " << C.Sig.accumulation_data_type << ')';
  } else {
    F << Tile.m << 'x' << Tile.k + Algo.a->lds_pad << " + " << Tile.n << 'x'
      << Tile.k + Algo.b->lds_pad << ", k with lds_pad, of "
      << C.a().config.compute_type;
    F << (Buffers == 2 ? ", twice)" : ")");
  }
  F << ", " << C.Gpu->Name << " has " << C.Gpu->LdsBytes;
  if (IsResult)
    F.remedy() << "a smaller shuffle passes through LDS in more steps";
  else if (Buffers == 2)
    F.remedy() << (Algo.pipeline->version == PipelineVersion::V4
                       ? "pipeline.version=V3 without double_lds halves it"
                       : "pipeline.double_lds=0 halves it");
  else
    F.remedy() << "half of tile.k needs half of it";
}

constexpr void tooManyRegisters(const Context &C, const Registers &Need,
                                long long Limit, Literal Why, Literal Remedy) {
  const MNK &Tile = *C.Algo->tile;
  FindingOut F = C.find("algorithm.tile", Limit);
  F << Tile.m << 'x' << Tile.n << " sums of " << C.Sig.accumulation_data_type
    << " are " << Need.Accumulators << " registers of a lane, with "
    << Registers::FewestOthers << " others "
    << Need.Accumulators + Registers::FewestOthers << ", and " << Why << Limit;
  F.remedy() << "a smaller tile" << Remedy;
}

/// A8: registers suffice.
constexpr void registers(Context &C) {
  if (C.is(Kind::DEPTHWISE) && C.Algo->depthwise) {
    const HW &Sums = C.Algo->depthwise->subtile;
    if (Sums.h <= 16 && Sums.w <= 16 && times(Sums.h, Sums.w) <= 64)
      return;
    FindingOut F = C.find("algorithm.depthwise.subtile", 64);
    F << Sums.h << 'x' << Sums.w << " sums are too many for a thread";
    F.remedy() << "at most 64, and 16 in a row or a column";
    return;
  }
  if (!C.isGemm() || !C.Gpu || !C.Algo->tile || C.is(Isa::AUTO))
    return;
  Registers Need = registersOf(C.Sig, *C.Algo, C.Gpu->WaveSize);
  int Limit = mostRegisters(*C.Gpu, C.Algo->isa);
  if (Need.Accumulators + Registers::FewestOthers > Limit)
    tooManyRegisters(C, Need, Limit, "a wave has ",
                     usesMatrix(C.Algo->isa) ? ", or more wave.waves"
                                             : ", or more thread.m1_xs");
}

/// A23: registers suffice for a work-group, whose waves must be resident
/// together.
constexpr void occupancy(Context &C) {
  const Algorithm &Algo = *C.Algo;
  if (!C.isGemm() || !C.Gpu || !Algo.tile || C.is(Isa::AUTO))
    return;
  long long Threads = threadsOf(Algo, C.Gpu->WaveSize);
  if (Threads < 1 || Threads > 1024)
    return;
  long long OnSimd =
      ceilDiv(ceilDiv(Threads, C.Gpu->WaveSize), Processor::Simds);
  long long Limit = C.Gpu->SimdVgprs / OnSimd;
  Registers Need = registersOf(C.Sig, Algo, C.Gpu->WaveSize);
  long long Here = Need.Accumulators + Registers::FewestOthers;
  // Accumulators of gfx908 have a separate file of the same size.
  if (C.Gpu->Agprs && !C.Gpu->IsOneFile && C.is(Isa::MFMA))
    Here = Need.Accumulators;
  if (Here > Limit && Need.Accumulators + Registers::FewestOthers <=
                          mostRegisters(*C.Gpu, Algo.isa))
    tooManyRegisters(C, Need, Limit,
                     OnSimd == 1 ? "a SIMD has "
                                 : "each wave of wave.waves on a SIMD has ",
                     "");
}

/// A19: LDS or registers suffice for prefetched tiles.
constexpr void stages(Context &C) {
  if (!C.Algo->pipeline)
    return;
  const Pipeline &P = *C.Algo->pipeline;
  int Most = buffersOf(P) + (P.version == PipelineVersion::V1 ? 1 : 2);
  if (P.stages > Most) {
    FindingOut F = C.find("algorithm.pipeline.stages", Most);
    F << P.stages << " tiles ahead, and version " << P.version << " holds "
      << Most << ": " << buffersOf(P) << " in LDS, " << Most - buffersOf(P)
      << " in registers";
    F.remedy() << "stages=" << Most;
  }
}

/// A22: wave_groups divides the waves.
constexpr void waveGroups(Context &C) {
  const Algorithm &Algo = *C.Algo;
  if (!Algo.pipeline || Algo.pipeline->wave_groups <= 1 || !Algo.wave)
    return;
  const MNK &W = Algo.wave->waves;
  long long Waves = times(W.m, W.n, W.k);
  if (!Waves || Waves % Algo.pipeline->wave_groups == 0)
    return;
  FindingOut F = C.find("algorithm.pipeline.wave_groups", Waves);
  F << Algo.pipeline->wave_groups << " groups do not divide the " << Waves
    << " of wave.waves";
  F.remedy() << "1" << (Waves % 2 ? " does" : " or 2 do");
}

} // namespace kpack::conv::checks

#endif // KPACK_CONVBUILDER_REQUIREMENTS_OFTILES_H
