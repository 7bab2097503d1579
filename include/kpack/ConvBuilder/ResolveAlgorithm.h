//===- ResolveAlgorithm.h - choice of an algorithm's open parts -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Completes an algorithm for a signature and a processor, and optionally for a
// problem:
//
//   Resolved R = resolve({.spatial_dim = 2, .data_type = DataType::FP16},
//                        {.isa = Isa::MFMA}, "gfx942");
//   R.ok(), R.Sig, R.Algo, R.Why.view()
//
// Absent parts are chosen in this order, each from the parts before:
//
//   kind        the kind of the given parts; DEPTHWISE for groups of one
//               channel; IMPLICIT_GEMM if an isa multiplies the types; else
//               DIRECT
//   isa         the first of MFMA, WMMA, DOT, VALU that can multiply the types
//               and has the given parts (wave or thread)
//   pipeline    V3 with matrix instructions, else V1
//   split       no pieces; the problem's number; one if stream_k shares tiles;
//               64-bit offsets if tensors are large
//   wave.instr  the largest of the isa that fits the given parts
//   wave.waves  2 x 2 x 1, or derived from block_size and tile
//   thread      4 x 4 sums for each of 16 x 16 threads, fewer for smaller tiles
//   tile        128 x 128 by 64 bytes of k, 64 x 64 without MFMA; smaller if
//               the problem, LDS or registers require it
//   a, b, c     vectors of 16 bytes if neighbours in memory allow it, shorter
//               if tile or problem require it; LDS rows padded by 16 bytes
//   depthwise   2 sums a thread; a tile no larger than the image, further
//               images for idle threads; smaller if LDS requires it
//   block_size  the threads of waves or thread; else 256
//   padding     in all directions; with a problem, only if it needs it
//
// Given parts are kept. If they cannot be completed, the report has the reason.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_RESOLVEALGORITHM_H
#define KPACK_CONVBUILDER_RESOLVEALGORITHM_H

#include "kpack/ConvBuilder/CompileTimeError.h"
#include "kpack/ConvBuilder/Requirements.h"

namespace kpack::conv {

/// A complete signature and algorithm, or the reason why there are none.
struct Resolved {
  Signature Sig;
  Algorithm Algo;
  Report Why;
  constexpr bool ok() const { return Why.ok(); }
};

namespace detail {

/// Returns the largest power of two that is at most \p Most and divides \p
/// Whole.
constexpr int largestVector(long long Most, long long Whole) {
  int Vector = 1;
  while (Vector * 2 <= Most && Whole % (Vector * 2) == 0)
    Vector *= 2;
  return Vector;
}

/// Sets a number that is not given.
constexpr void fill(int &Field, long long Value) {
  if (Field == 0)
    Field = static_cast<int>(Value);
}

/// Completes one algorithm. The order of its functions matters.
class Completion {
public:
  /// \p Facts are those of the problem \p KnownSizes.
  constexpr Completion(const Signature &Sig, Algorithm &Algo,
                       const Processor &Gpu, Known<Problem> KnownSizes,
                       const ProblemFacts &Facts)
      : Sig(Sig), Algo(Algo), Gpu(Gpu), Sizes(KnownSizes), Facts(Facts),
        Size(Facts.Product) {}

  /// Returns false if no instruction fits the request, so that nothing can be
  /// chosen.
  constexpr bool run() {
    chooseKind();
    chooseIsa();
    if (Algo.kind == Kind::IMPLICIT_GEMM && !completeGemm())
      return false;
    if (Algo.kind == Kind::DEPTHWISE)
      completeDepthwise();
    fill(Algo.block_size, threadsOf(Algo, Gpu.WaveSize));
    fill(Algo.block_size, 256);
    if (Algo.kind != Kind::IMPLICIT_GEMM && needsLongOffsets() && !Algo.split)
      Algo.split.make().index64 = true;
    return true;
  }

private:
  constexpr DataType typeOf(Role TensorRole) const {
    return tensorOf(Sig, TensorRole).config.data_type;
  }
  constexpr bool hasGemmParts() const {
    return Algo.tile || Algo.wave || Algo.a || Algo.b || Algo.c ||
           Algo.pipeline || Algo.transpose || Algo.thread || Algo.padding ||
           Algo.isa > Isa::VALU ||
           Algo.specialization != ConvSpecialization::DEFAULT ||
           (Algo.split && (Algo.split->k_batch > 1 || Algo.split->two_stage ||
                           Algo.split->groups_merge > 1 ||
                           Algo.split->stream_k || Algo.split->split_image));
  }

  constexpr void chooseKind() {
    if (Algo.kind != Kind::AUTO)
      return;
    bool IsFp8 = productTypeOfA(Sig) == DataType::FP8;
    bool IsFp64 = Sig.accumulation_data_type == DataType::FP64;
    bool IsPlain = !hasGemmParts() && !IsFp8 && !IsFp64;
    if (Algo.depthwise ||
        (IsPlain && Facts.AreSizes && Sizes->c == 1 && Sizes->k == 1))
      Algo.kind = Kind::DEPTHWISE;
    else if (hasGemmParts() || firstIsa() != Isa::AUTO)
      Algo.kind = Kind::IMPLICIT_GEMM;
    else
      Algo.kind = Kind::DIRECT;
  }

  /// Returns AUTO if none can.
  constexpr Isa firstIsa() const {
    for (Isa IsaKind : RealIsas)
      if (canUse(IsaKind))
        return IsaKind;
    return Isa::AUTO;
  }
  constexpr bool canUse(Isa IsaKind) const {
    return canBe(IsaKind, Algo) && canMultiply(IsaKind, Sig, &Gpu);
  }

  constexpr void chooseIsa() {
    if (Algo.isa == Isa::AUTO)
      Algo.isa = Algo.kind == Kind::IMPLICIT_GEMM ? firstIsa() : Isa::VALU;
  }

  constexpr bool needsLongOffsets() const {
    for (long long Bytes : Facts.Bytes)
      if (Bytes >= 1ll << 31)
        return true;
    return false;
  }

  constexpr bool completeGemm() {
    if (Algo.isa == Isa::AUTO || !canMultiply(Algo.isa, Sig, &Gpu))
      return false;
    bool IsMatrix = usesMatrix(Algo.isa);
    if (!Algo.pipeline)
      Algo.pipeline.make().version =
          IsMatrix ? PipelineVersion::V3 : PipelineVersion::V1;
    completeSplit();
    if (Facts.AreSizes)
      Size = productOfTile(Sig, Algo, Size);
    if (IsMatrix && !completeWaves())
      return false;
    if (!IsMatrix)
      completeThreads();
    completeTile();
    completeOperand(Algo.a, roleOfA(Sig.direction), Algo.tile->m);
    completeOperand(Algo.b, roleOfB(Sig.direction), Algo.tile->n);
    completeResult();
    if (!Algo.padding) {
      Padding &P = Algo.padding.make();
      P.m = !Facts.AreSizes || Size.Rows % atLeastOne(Algo.tile->m) != 0;
      P.n = !Facts.AreSizes || Size.Columns % atLeastOne(Algo.tile->n) != 0;
      P.k = !Facts.AreSizes || Size.Depth % atLeastOne(Algo.tile->k) != 0;
    }
    return true;
  }

  constexpr void completeSplit() {
    if (Algo.split) {
      fill(Algo.split->groups_merge, 1);
      if (Algo.split->stream_k)
        fill(Algo.split->k_batch, 1);
      return;
    }
    Split &S = Algo.split.make();
    S.k_batch = Facts.AreSizes ? atLeastOne(Sizes->k_batch) : 1;
    S.groups_merge = 1;
    S.index64 = needsLongOffsets();
    S.two_stage = S.k_batch > 1 &&
                  !canAddPieces(tensorOf(Sig, roleOfResult(Sig.direction)));
  }

  /// True if a side of a tile can have steps of this length.
  static constexpr bool fits(int Side, long long Step) {
    return Side == 0 || (Step > 0 && Side % Step == 0);
  }
  static constexpr bool isGiven(int Asked, int Value) {
    return Asked == 0 || Asked == Value;
  }

  constexpr bool completeWaves() {
    WaveTile &Wave = Algo.wave.make();
    MNK Tile = Algo.tile ? *Algo.tile : MNK{};
    // Prefer an instruction that does not divide the given tile to none, so
    // that A5 reports it.
    const Instruction *Best = bestInstruction(Wave, Tile);
    if (!Best)
      Best = bestInstruction(WaveTile{{}, Wave.instr}, MNK{});
    if (!Best)
      return false;
    Wave.instr = {Best->Rows, Best->Columns, Best->Depth};
    fill(Wave.waves.k, 1);
    completeWaveCounts(Wave.waves, Wave.instr, Tile);
    return true;
  }

  /// Returns the instruction with the most work at once; null if none fits.
  constexpr const Instruction *bestInstruction(const WaveTile &Wave,
                                               const MNK &Tile) const {
    const Instruction *Best = nullptr;
    int MostWork = 0;
    ProductTypes Types(Sig);
    for (const Instruction &I : Instructions) {
      if (I.Of != Algo.isa || !isUsable(I, Algo.isa, Types, &Gpu) ||
          !isGiven(Wave.instr.m, I.Rows) || !isGiven(Wave.instr.n, I.Columns) ||
          !isGiven(Wave.instr.k, I.Depth) ||
          !fits(Tile.m, times(I.Rows, atLeastOne(Wave.waves.m))) ||
          !fits(Tile.n, times(I.Columns, atLeastOne(Wave.waves.n))) ||
          !fits(Tile.k, times(I.Depth, atLeastOne(Wave.waves.k))))
        continue;
      // Work beyond the problem is useless.
      bool IsTooLarge =
          Facts.AreSizes && ((Size.Rows <= 16 && I.Rows > 16) ||
                             (Size.Columns <= 16 && I.Columns > 16));
      int Work = IsTooLarge ? 1 : I.Rows * I.Columns * I.Depth;
      if (Work <= MostWork)
        continue;
      MostWork = Work;
      Best = &I;
    }
    return Best;
  }

  /// Chooses waves as square as the given parts allow.
  constexpr void completeWaveCounts(MNK &Waves, const MNK &Instr,
                                    const MNK &Tile) const {
    auto Fits = [&](int OfRows, int OfColumns) {
      return isGiven(Waves.m, OfRows) && isGiven(Waves.n, OfColumns) &&
             fits(Tile.m, times(OfRows, Instr.m)) &&
             fits(Tile.n, times(OfColumns, Instr.n));
    };
    int WaveSize = Algo.isa == Isa::MFMA ? 64 : 32;
    int Total = Algo.block_size / (WaveSize * Waves.k);
    int Most = Total ? 16 : 2;
    int BestM = 0, BestN = 0;
    for (int OfRows = 1; OfRows <= Most; OfRows *= 2)
      for (int OfColumns = 1; OfColumns <= Most; OfColumns *= 2) {
        bool IsBetter = OfRows * OfColumns > BestM * BestN ||
                        (OfRows * OfColumns == BestM * BestN &&
                         OfRows + OfColumns < BestM + BestN);
        if (Fits(OfRows, OfColumns) && IsBetter &&
            (!Total || OfRows * OfColumns == Total) &&
            !isWasted(OfRows, Instr.m, Size.Rows) &&
            !isWasted(OfColumns, Instr.n, Size.Columns)) {
          BestM = OfRows;
          BestN = OfColumns;
        }
      }
    if (BestM == 0 && Total) {
      fill(Waves.m, Waves.n ? Total / Waves.n : Total);
      fill(Waves.m, 1);
      fill(Waves.n, Total / Waves.m);
    }
    fill(Waves.m, atLeastOne(BestM));
    fill(Waves.n, atLeastOne(BestN));
  }
  /// True if \p Waves waves in a row exceed the problem.
  constexpr bool isWasted(int Waves, int Instr, long long Length) const {
    return Facts.AreSizes && !Algo.block_size && Waves > 1 &&
           times(Waves / 2, Instr) >= Length;
  }

  constexpr void completeThreads() {
    ThreadTile &Thread = Algo.thread.make();
    MNK Tile = Algo.tile ? *Algo.tile : MNK{};
    if (Thread.k_per_thread == 0) {
      Thread.k_per_thread = 1;
      if (Algo.isa == Isa::DOT)
        for (const Instruction &I : Instructions)
          if (isUsable(I, Isa::DOT, Sig, &Gpu))
            Thread.k_per_thread = I.Depth;
    }
    // The largest pieces whose threads fill whole waves.
    for (int Sums : {4, 2, 1}) {
      ThreadTile Try = Thread;
      int Wanted = Algo.block_size ? Algo.block_size : 256;
      int Rows = Wanted >= 256 ? 16 : 8;
      completeSide(Try.m1, Try.m1_xs, Tile.m, Sums, Rows);
      int OfRows = Try.m1_xs.size() == 2
                       ? static_cast<int>(times(Try.m1_xs[0], Try.m1_xs[1]))
                       : 1;
      completeSide(Try.n1, Try.n1_xs, Tile.n, Sums,
                   Algo.block_size && OfRows > 0 ? Wanted / OfRows : 16);
      long long Threads =
          Try.m1_xs.size() == 2 && Try.n1_xs.size() == 2
              ? times(Try.m1_xs[0], Try.m1_xs[1], Try.n1_xs[0], Try.n1_xs[1])
              : 0;
      bool IsWhole = Threads > 0 && Threads % Gpu.WaveSize == 0 &&
                     (!Algo.block_size || Threads == Algo.block_size);
      if (!IsWhole && Sums > 1)
        continue;
      Thread = Try;
      return;
    }
  }
  static constexpr void completeSide(int &Sums, List<int, 2> &Threads, int Tile,
                                     int MostSums, int MostThreads) {
    int Count = Threads.size() == 2
                    ? static_cast<int>(times(Threads[0], Threads[1]))
                    : 0;
    if (Sums == 0)
      Sums =
          Tile ? largestVector(MostSums, Tile / atLeastOne(Count)) : MostSums;
    if (!Threads.empty())
      return;
    Count = Tile ? largestVector(MostThreads, Tile / atLeastOne(Sums))
                 : atLeastOne(MostThreads);
    int Inner = Count % 2 ? 1 : 2;
    Threads = {Count / Inner, Inner};
  }

  /// Returns \p Step doubled up to \p Goal, and no further than a side that
  /// covers \p Length.
  constexpr int sideOfTile(long long Step, int Goal, long long Length) const {
    if (Step < 1 || Step > 1 << 20)
      return Goal;
    long long Side = Step;
    while (Side * 2 <= Goal && (!Facts.AreSizes || Side < Length))
      Side *= 2;
    return static_cast<int>(Side);
  }

  constexpr void completeTile() {
    MNK &Tile = Algo.tile.make();
    MNK Given = Tile;
    MNK Step{1, 1, 1};
    if (usesMatrix(Algo.isa)) {
      const WaveTile &W = *Algo.wave;
      Shuffle S = Algo.c ? Algo.c->shuffle : Shuffle();
      Step = {static_cast<int>(times(W.waves.m, W.instr.m, atLeastOne(S.m))),
              static_cast<int>(times(W.waves.n, W.instr.n, atLeastOne(S.n))),
              static_cast<int>(times(W.waves.k, W.instr.k))};
    } else {
      const ThreadTile &Thread = *Algo.thread;
      if (Thread.m1_xs.size() == 2 && Thread.n1_xs.size() == 2)
        Step = {static_cast<int>(
                    times(Thread.m1, Thread.m1_xs[0], Thread.m1_xs[1])),
                static_cast<int>(
                    times(Thread.n1, Thread.n1_xs[0], Thread.n1_xs[1])),
                Thread.k_per_thread};
    }
    for (const Optional<Operand> *Way : {&Algo.a, &Algo.b})
      if (*Way && (*Way)->k_pack > Step.k && Step.k > 0 &&
          (*Way)->k_pack % Step.k == 0)
        Step.k = (*Way)->k_pack;
    int Bytes = bytesOf(productTypeOfA(Sig));
    int Goal = Algo.isa == Isa::MFMA ? 128 : 64;
    fill(Tile.m, sideOfTile(Step.m, Goal, Size.Rows));
    fill(Tile.n, sideOfTile(Step.n, Goal, Size.Columns));
    fill(Tile.k, sideOfTile(Step.k, 64 / Bytes, Size.Depth));
    shrink(Tile, Given, Step);
  }

  /// Halves sides that are not given until LDS and registers suffice.
  constexpr void shrink(MNK &Tile, const MNK &Given, const MNK &Step) {
    auto Half = [&](int &Side, int WasGiven, int Least) {
      if (WasGiven || Side < 2 || Side / 2 < Least ||
          (Side / 2) % atLeastOne(Least))
        return false;
      Side /= 2;
      return true;
    };
    while (needsTooMuchLds() || needsTooManyRegisters()) {
      bool IsSmaller = needsTooMuchLds() && Half(Tile.k, Given.k, Step.k);
      if (!IsSmaller && Tile.m >= Tile.n)
        IsSmaller = Half(Tile.m, Given.m, Step.m);
      IsSmaller = IsSmaller || Half(Tile.n, Given.n, Step.n) ||
                  Half(Tile.m, Given.m, Step.m);
      if (!IsSmaller)
        return;
    }
  }
  /// Assumes the pads that operands will have.
  constexpr bool needsTooMuchLds() const {
    int Pad = 16 / bytesOf(productTypeOfA(Sig));
    return ldsOf(Sig, Algo, Algo.a ? Algo.a->lds_pad : Pad,
                 Algo.b ? Algo.b->lds_pad : Pad)
               .total() > Gpu.LdsBytes;
  }
  /// Includes tiles for which a lane has too many sums, so that compilers spill
  /// the prefetched vectors: a wave alone with 128 x 128, for example.
  constexpr bool needsTooManyRegisters() const {
    constexpr long long MostSums = 128;
    long long Sums = registersOf(Sig, Algo, Gpu.WaveSize).Accumulators;
    return Sums > MostSums ||
           Sums + Registers::FewestOthers > mostRegisters(Gpu, Algo.isa);
  }

  /// Returns the maximal elements of one access along a tensor's neighbours.
  constexpr int memoryVector(Role TensorRole, int Rows) const {
    Side Along = sideOfNeighbours(Sig, TensorRole, Algo);
    if (Along == Side::None)
      return 1;
    long long Most = 16 / bytesOf(typeOf(TensorRole));
    int Vector =
        largestVector(Most, Along == Side::Depth ? Algo.tile->k : Rows);
    const LayoutFacts &Layout =
        factsOf(tensorOf(Sig, TensorRole).config.layout);
    char Last = Layout.Letters[Layout.Count - 1];
    if (Last == 'C' && Algo.specialization == ConvSpecialization::ODD_C)
      return 1;
    if (!Facts.AreSizes)
      return Vector;
    if (TensorRole == Role::Weight && Last == 'X')
      Last = TensorRole == Role::Output ? 'K' : 'C';
    return togetherByStrides(
        Sig, *Sizes, TensorRole,
        largestVector(Vector,
                      neighboursOf(Sig, Algo, *Sizes, TensorRole, Last)));
  }

  constexpr void completeOperand(Optional<Operand> &Part, Role TensorRole,
                                 int Rows) {
    bool WasThere = Part.has();
    Operand &Way = Part.make();
    int Bytes = bytesOf(tensorOf(Sig, TensorRole).config.compute_type);
    if (!WasThere)
      Way.lds_pad = 16 / Bytes;
    fill(Way.lds_vector,
         largestVector(largestVector(16 / Bytes, Algo.tile->k),
                       static_cast<long long>(Algo.tile->k) + Way.lds_pad));
    fill(Way.k_pack, Way.lds_vector);
    int Vector = memoryVector(TensorRole, Rows);
    if (Way.direct_to_lds && Vector * bytesOf(typeOf(TensorRole)) != 16)
      Vector = largestVector(4 / bytesOf(typeOf(TensorRole)), Vector);
    else if (Way.direct_to_lds && !Gpu.has(Feature::global_load_lds_dwordx4))
      Vector = largestVector(4 / bytesOf(typeOf(TensorRole)), Vector);
    fill(Way.load_vector, Vector);
  }

  constexpr void completeResult() {
    ResultPath &C = Algo.c.make();
    Role TensorRole = roleOfResult(Sig.direction);
    if (C.store_vector == 0) {
      // A given cluster must divide the columns that pass LDS at once.
      int Columns = Algo.tile->n;
      if (Algo.wave && checks::isGiven(C.cluster))
        Columns = static_cast<int>(
            times(Algo.wave->waves.n, Algo.wave->instr.n,
                  atLeastOne(C.shuffle.n)) /
            times(atLeastOne(C.cluster.nb), atLeastOne(C.cluster.nw)));
      C.store_vector = memoryVector(TensorRole, Columns);
    }
    if (usesMatrix(Algo.isa) && isThroughLds(C)) {
      fill(C.shuffle.m, 1);
      fill(C.shuffle.n, 1);
    }
  }

  constexpr void completeDepthwise() {
    Depthwise &D = Algo.depthwise.make();
    int Threads = Algo.block_size ? Algo.block_size : 256;
    int Rows = Sig.spatial_dim == 1 ? 1 : largestVector(16, Threads);
    fill(D.out_vector, 1);
    fill(D.in_vector, 1);
    if (D.subtile.h == 0)
      D.subtile.h = 1;
    if (D.subtile.w == 0)
      D.subtile.w = D.tile.w % 2 == 0 && D.out_vector <= 2 ? 2 : D.out_vector;
    HW Given = D.tile;
    int Images = D.nbatch;
    fill(D.tile.h, times(Rows, D.subtile.h));
    fill(D.tile.w, times(ceilDiv(Threads, Rows), D.subtile.w));
    fill(D.nbatch, 1);
    if (Facts.AreSizes)
      fitDepthwise(D, Given, Images, Threads);
  }

  /// Limits a tile to the image, gives other images to idle threads, and fits
  /// all into LDS.
  constexpr void fitDepthwise(Depthwise &D, const HW &Given, int Images,
                              int Threads) const {
    unsigned Dims = Sizes->image.size();
    auto Size = [&](unsigned Back) {
      return Sig.direction == ConvDirection::BACKWARD_DATA
                 ? static_cast<long long>(Sizes->image[Dims - Back])
                 : outputSize(*Sizes, Dims - Back);
    };
    auto Half = [](int &Side, int WasGiven, int Least) {
      if (WasGiven || Side % 2 || Side / 2 % atLeastOne(Least))
        return false;
      Side /= 2;
      return true;
    };
    while (D.tile.w / 2 >= Size(1) && Half(D.tile.w, Given.w, D.subtile.w)) {
    }
    while (Dims > 1 && D.tile.h / 2 >= Size(2) &&
           Half(D.tile.h, Given.h, D.subtile.h)) {
    }
    long long Pieces = times(D.tile.h / atLeastOne(D.subtile.h),
                             D.tile.w / atLeastOne(D.subtile.w));
    while (!Images && D.nbatch * 2 <= Sizes->batch &&
           times(D.nbatch * 2, Pieces) <= Threads)
      D.nbatch *= 2;
    while (depthwiseLdsOf(Sig, D, Threads, *Sizes) > ldsOfLaunch(Gpu)) {
      if (!Half(D.nbatch, Images, 1) && !Half(D.tile.h, Given.h, D.subtile.h) &&
          !Half(D.tile.w, Given.w, D.subtile.w))
        return;
    }
  }

  const Signature &Sig;
  Algorithm &Algo;
  const Processor &Gpu;
  Known<Problem> Sizes; ///< only used if Facts.AreSizes
  const ProblemFacts &Facts;
  ProductSize Size; ///< of a tile's groups, once their number is known
};

/// True if the requirements of a signature hold. Strides (S4) belong to the
/// problem.
constexpr bool isSignature(const Report &Why) {
  for (unsigned I = 0; I < Why.size(); ++I)
    if (Why[I].Id != "S4")
      return false;
  return true;
}

/// Completes \p Algo in place: values are large, and compilers keep copies. \p
/// Sig is \p Given, resolved.
[[gnu::noinline]] constexpr void
resolveInPlace(const Signature &Given, const Signature &Sig, Algorithm &Algo,
               Report &Why, const Target &For, Known<Problem> Sizes,
               const Conditions &Want) {
  checks::Context C{Given, Sig,  &Algo, For, findProcessor(For),
                    Sizes, Want, Why,   true};
  check<RequirementGroup::Signature>(C);
  // An invalid signature allows no choices.
  bool IsComplete = C.Gpu && isSignature(Why) &&
                    Completion(Sig, Algo, *C.Gpu, Sizes, C.Facts).run();
  // Do not report parts that could not be chosen.
  if (!IsComplete)
    C.Want.Parts = Absent::IsOpen;
  check<RequirementGroup::Algorithm>(C);
  if (Sizes)
    check<RequirementGroup::Problem>(C);
  ReportEnd End(Why);
}

constexpr Resolved resolve(const Signature &Given, const Algorithm &Partial,
                           const Target &For, Known<Problem> Sizes,
                           const Conditions &Want) {
  Resolved R{resolveSignature(Given), Partial, {}};
  resolveInPlace(Given, R.Sig, R.Algo, R.Why, For, Sizes, Want);
  return R;
}

} // namespace detail

/// Completes \p Partial. Without a processor it chooses nothing, and the report
/// covers the given parts.
constexpr Resolved resolve(const Signature &Sig, const Algorithm &Partial,
                           const Target &For, const Conditions &Want = {}) {
  return detail::resolve(Sig, Partial, For, {}, Want);
}
constexpr Resolved resolve(const Signature &Sig, const Algorithm &Partial,
                           const Target &For, const Problem &Sizes,
                           const Conditions &Want = {}) {
  return detail::resolve(Sig, Partial, For, Sizes, Want);
}

namespace detail {

/// A processor's name as a template argument. Excludes features, after a colon,
/// since they do not change the kernel.
struct TargetName {
  char Chars[32] = {};
  constexpr TargetName() = default;
  template <std::size_t Size> constexpr TargetName(const char (&Name)[Size]) {
    static_assert(Size <= sizeof(Chars), "no processor has such a name");
    for (std::size_t I = 0; I < Size && Name[I] != ':'; ++I)
      Chars[I] = Name[I];
  }
  constexpr explicit TargetName(std::string_view Name) {
    for (std::size_t I = 0; I < Name.size() && I + 1 < sizeof(Chars); ++I)
      Chars[I] = Name[I];
  }
  constexpr std::string_view view() const {
    return static_cast<const char *>(Chars);
  }
};

} // namespace detail

/// True if the algorithm, completed by resolve(), is valid for a signature. For
/// concepts of users, without a reason; uses of an Instance report the reason.
template <Signature Sig, Algorithm Algo, detail::TargetName For = {}>
inline constexpr bool valid = resolve(Sig, Algo, For.Chars).ok();

/// The completed algorithm.
template <Signature Sig, Algorithm Algo, detail::TargetName For>
inline constexpr Algorithm ResolvedAlgorithm =
    resolve(Sig, Algo, For.Chars).Algo;

namespace detail {
template <Signature Sig, Algorithm Algo, TargetName For>
inline constexpr Report ReportOf = resolve(Sig, Algo, For.Chars).Why;
} // namespace detail

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_RESOLVEALGORITHM_H
