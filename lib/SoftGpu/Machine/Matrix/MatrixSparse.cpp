//===- MatrixSparse.cpp - sparse matrix instructions ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V_SMFMAC (gfx942) and V_SWMMAC (gfx12): D = A * B + D, where two of each four
// elements of a row of A are stored and the others are zero. An index register
// has two bits for each stored element, its position in the four. cbsz and
// abid, or index_key, select one of several sets of indices in a register.
// Layouts are those of AMD's matrix instruction calculator; the dense relatives
// are in MatrixMfma.cpp and MatrixWmma.cpp.
//
//===----------------------------------------------------------------------===//
#include "MatrixArithmetic.h"
#include "MatrixLayout.h"
#include "MatrixModifiers.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

/// Group Four of a row: the lane with its stored pair and index, the number of
/// its first stored element in the lane, the lowest bit of its index.
struct SparseGroup {
  unsigned Lane;
  unsigned Element;
  unsigned IndexBit;
};

/// Multiplies the stored elements of \p A with the elements of \p B at their
/// indices. These differ from row to row, so rows are multiplied one by one.
/// \p ReadA(Row, Four, V), \p ReadB(Column, K) and \p Index(Row, Four) return
/// numbers and four bits; \p Multiply takes Matrices of one row.
template <class Number, class Sum, unsigned M, unsigned N, unsigned K,
          class AReader, class BReader, class IndexReader, class Product>
static void multiplySparse(Sum (&D)[M][N], AReader ReadA, BReader ReadB,
                           IndexReader Index, Product Multiply) {
  Number Dense[N][K];
  for (unsigned Column = 0; Column < N; ++Column)
    for (unsigned L = 0; L < K; ++L)
      Dense[Column][L] = ReadB(Column, L);
  for (unsigned Row = 0; Row < M; ++Row) {
    Matrices<Number, Sum, 1, N, K / 2> X;
    for (unsigned Four = 0; Four < K / 4; ++Four)
      for (unsigned V = 0; V < 2; ++V) {
        unsigned Pick = Index(Row, Four) >> 2 * V & 3;
        X.A[0][2 * Four + V] = ReadA(Row, Four, V);
        for (unsigned Column = 0; Column < N; ++Column)
          X.B[Column][2 * Four + V] = Dense[Column][4 * Four + Pick];
      }
    std::memcpy(X.C[0], D[Row], sizeof D[Row]);
    Multiply(X);
    std::memcpy(D[Row], X.C[0], sizeof D[Row]);
  }
}

//===----------------------------------------------------------------------===//
// gfx942
//===----------------------------------------------------------------------===//

template <class FA, class FB, class Result, unsigned M, unsigned K>
static void smfmac(Wave &W, const Instruction &I) {
  using S = Shape<M, M, K, 1>;
  constexpr unsigned Run = S::InLane; // elements of B in a lane
  constexpr unsigned IndexBits = Run;
  if (!hasRegisters(W, I, 0, S::OutLane) ||
      !hasRegisters(W, I, 1, Run * FA::Bits / 64) ||
      !hasRegisters(W, I, 2, Run * FA::Bits / 32) || !hasRegisters(W, I, 3, 1))
    return;
  // Four sets of 8 bits, or two of 16; any cbsz but 0 selects the first.
  if (I.Cbsz == 0 && I.Abid >= 32 / IndexBits) {
    refuseModifiers(W, I);
    return;
  }
  unsigned Set = I.Cbsz ? 0 : I.Abid * IndexBits;
  const Lanes32 *A = &W.Vectors[I.Operands[1].Index];
  const Lanes32 *B = &W.Vectors[I.Operands[2].Index];
  const Lanes32 &Indices = W.Vectors[I.Operands[3].Index];
  Lanes32 *Rows = &W.Vectors[I.Operands[0].Index];
  Result D[M][M];
  for (unsigned Row = 0; Row < M; ++Row)
    for (unsigned Column = 0; Column < M; ++Column)
      D[Row][Column] = std::bit_cast<Result>(
          uint32_t(element<32>(Rows, S::result32(Row, Column, 0))));

  auto Group = [](unsigned Row, unsigned Four) {
    Place P = S::source(Row, 4 * Four, 0);
    return SparseGroup{P.Lane, P.Index / 2, P.Index};
  };
  Family Isa = W.Isa->Isa;
  multiplySparse<typename FA::Number, Result, M, M, K>(
      D,
      [&](unsigned Row, unsigned Four, unsigned V) {
        SparseGroup G = Group(Row, Four);
        return FA::decode(element<FA::Bits>(A, {G.Lane, G.Element + V}));
      },
      [&](unsigned Column, unsigned L) {
        return FB::decode(element<FB::Bits>(B, S::source(Column, L, 0)));
      },
      [&](unsigned Row, unsigned Four) {
        SparseGroup G = Group(Row, Four);
        return Indices.V[G.Lane] >> (Set + G.IndexBit) & 15;
      },
      [&](auto &X) {
        if constexpr (std::is_same_v<Result, float>)
          multiplyMfma<FA, FB, 0>(Isa, X);
        else
          multiplyIntegers(X, /*Clamp=*/false);
      });

  for (unsigned Row = 0; Row < M; ++Row)
    for (unsigned Column = 0; Column < M; ++Column)
      setElement<32>(Rows, S::result32(Row, Column, 0),
                     std::bit_cast<uint32_t>(D[Row][Column]));
}

//===----------------------------------------------------------------------===//
// gfx12
//===----------------------------------------------------------------------===//

namespace {
struct SwmmacLayout {
  bool Wave64;
  unsigned K, Bits;

  /// Returns the number of consecutive elements of B in a lane.
  unsigned run() const { return Bits == 16 ? 8 : K / (Wave64 ? 4 : 2); }
  /// A's lanes hold longer runs than B's if a register would not be full.
  unsigned sparseRun() const {
    return Wave64 && Bits == 4 && K == 32 ? 16 : run();
  }
  Place dense(unsigned Column, unsigned L) const {
    return at(Column, L, run());
  }
  SparseGroup sparse(unsigned Row, unsigned Four) const {
    Place P = at(Row, 4 * Four, sparseRun());
    return {P.Lane, P.Index / 2, P.Index};
  }
  /// Returns the bits of one set of indices.
  unsigned setBits() const { return K / (lanesOfA() / 16); }
  unsigned lanesOfA() const {
    return Wave64 && !(Bits == 4 && K == 32) ? 64 : 32;
  }

private:
  Place at(unsigned I, unsigned L, unsigned Run) const {
    if (Bits == 16)
      return Wave64 ? Place{16 * (L / 8) + I, L % 8}
                    : Place{16 * (L / 8 % 2) + I, 8 * (L / 16) + L % 8};
    unsigned Half = K / 2;
    if (Run == Half)
      return {16 * (L / Half) + I, L % Half};
    return {32 * (L / Run % 2) + 16 * (L / Half) + I, L % Run};
  }
};
} // namespace

static bool hasSwmmacOperands(Wave &W, const Instruction &I,
                              const SwmmacLayout &L, unsigned ResultBits) {
  if (!hasRegisters(W, I, 0, dwords(256, ResultBits, W.Lanes)) ||
      !hasRegisters(W, I, 1, dwords(8 * L.K, L.Bits, W.Lanes)) ||
      !hasRegisters(W, I, 2, dwords(16 * L.K, L.Bits, W.Lanes)) ||
      !hasRegisters(W, I, 3, 1))
    return false;
  return (I.IndexKey + 1) * L.setBits() <= 32 || refuseModifiers(W, I);
}

template <class Number, class Sum, unsigned Bits, unsigned ResultBits,
          unsigned K, class ADecoder, class BDecoder, class Product>
static void swmmac(Wave &W, const Instruction &I, ADecoder DecodeA,
                   BDecoder DecodeB, Product Multiply) {
  SwmmacLayout L{W.Lanes == 64, K, Bits};
  WmmaLayout Results{true, W.Lanes == 64};
  if (!hasSwmmacOperands(W, I, L, ResultBits))
    return;
  const Lanes32 *A = &W.Vectors[I.Operands[1].Index];
  const Lanes32 *B = &W.Vectors[I.Operands[2].Index];
  const Lanes32 &Indices = W.Vectors[I.Operands[3].Index];
  unsigned Set = I.IndexKey * L.setBits();
  Lanes32 *Rows = &W.Vectors[I.Operands[0].Index];
  Sum D[16][16];
  for (unsigned Row = 0; Row < 16; ++Row)
    for (unsigned Column = 0; Column < 16; ++Column)
      D[Row][Column] =
          Sum(element<ResultBits>(Rows, Results.result(Row, Column)));

  multiplySparse<Number, Sum, 16, 16, K>(
      D,
      [&](unsigned Row, unsigned Four, unsigned V) {
        SparseGroup G = L.sparse(Row, Four);
        Place P{G.Lane, G.Element + V};
        return DecodeA(element<Bits>(A, P), P.Index);
      },
      [&](unsigned Column, unsigned N) {
        Place P = L.dense(Column, N);
        return DecodeB(element<Bits>(B, P), P.Index);
      },
      [&](unsigned Row, unsigned Four) {
        SparseGroup G = L.sparse(Row, Four);
        return Indices.V[G.Lane] >> (Set + G.IndexBit) & 15;
      },
      Multiply);

  for (unsigned Row = 0; Row < 16; ++Row)
    for (unsigned Column = 0; Column < 16; ++Column)
      setElement<ResultBits>(Rows, Results.result(Row, Column),
                             uint32_t(D[Row][Column]));
}

template <class FA, class FB, DotResult To, unsigned K>
static void swmmacFloat(Wave &W, const Instruction &I) {
  constexpr unsigned Bits = FA::Bits;
  if (((I.NegLo | I.NegHi) & 4) || !hasFloatModifiers<Bits>(W, I)) {
    refuseModifiers(W, I);
    return;
  }
  swmmac<float, uint32_t, Bits, To == DotResult::F32 ? 32 : 16, K>(
      W, I, floatDecoder<FA, 0>(I), floatDecoder<FB, 1>(I),
      [](auto &X) { multiplyWmma<FA, FB, To>(/*Gfx12=*/true, X); });
}

template <unsigned Bits, unsigned K>
static void swmmacInteger(Wave &W, const Instruction &I) {
  if (!hasIntegerModifiers(W, I))
    return;
  bool Clamp = I.has(ModClamp);
  swmmac<int32_t, int32_t, Bits, 32, K>(
      W, I, integerDecoder<Bits, 0>(I), integerDecoder<Bits, 1>(I),
      [&](auto &X) { multiplyIntegers(X, Clamp); });
}

template <class F, DotResult To = DotResult::F32>
constexpr Handler Halves = swmmacFloat<F, F, To, 32>;
template <class FA, class FB>
constexpr Handler Bytes = swmmacFloat<FA, FB, DotResult::F32, 32>;
template <class FA, class FB>
constexpr Handler SmallBytes = smfmac<FA, FB, float, 16, 64>;
template <class FA, class FB>
constexpr Handler LargeBytes = smfmac<FA, FB, float, 32, 32>;

using Fn8 = Fp8FnuzFormat;
using Bn8 = Bf8FnuzFormat;
static constexpr uint32_t HalfMods = ModNegLo | ModNegHi | ModIndexKey;
static constexpr uint32_t IntegerMods = ModNegLo | ModClamp | ModIndexKey;

static constexpr OpcodeInfo Table[] = {
    {"v_smfmac_f32_16x16x32_f16", smfmac<F16Format, F16Format, float, 16, 32>,
     ModMatrix},
    {"v_smfmac_f32_32x32x16_f16", smfmac<F16Format, F16Format, float, 32, 16>,
     ModMatrix},
    {"v_smfmac_f32_16x16x32_bf16",
     smfmac<Bf16Format, Bf16Format, float, 16, 32>, ModMatrix},
    {"v_smfmac_f32_32x32x16_bf16",
     smfmac<Bf16Format, Bf16Format, float, 32, 16>, ModMatrix},
    {"v_smfmac_i32_16x16x64_i8", smfmac<I8Format, I8Format, int32_t, 16, 64>,
     ModMatrix},
    {"v_smfmac_i32_32x32x32_i8", smfmac<I8Format, I8Format, int32_t, 32, 32>,
     ModMatrix},
    {"v_smfmac_f32_16x16x64_bf8_bf8", SmallBytes<Bn8, Bn8>, ModMatrix},
    {"v_smfmac_f32_16x16x64_bf8_fp8", SmallBytes<Bn8, Fn8>, ModMatrix},
    {"v_smfmac_f32_16x16x64_fp8_bf8", SmallBytes<Fn8, Bn8>, ModMatrix},
    {"v_smfmac_f32_16x16x64_fp8_fp8", SmallBytes<Fn8, Fn8>, ModMatrix},
    {"v_smfmac_f32_32x32x32_bf8_bf8", LargeBytes<Bn8, Bn8>, ModMatrix},
    {"v_smfmac_f32_32x32x32_bf8_fp8", LargeBytes<Bn8, Fn8>, ModMatrix},
    {"v_smfmac_f32_32x32x32_fp8_bf8", LargeBytes<Fn8, Bn8>, ModMatrix},
    {"v_smfmac_f32_32x32x32_fp8_fp8", LargeBytes<Fn8, Fn8>, ModMatrix},

    {"v_swmmac_f32_16x16x32_f16", Halves<F16Format>, HalfMods},
    {"v_swmmac_f32_16x16x32_bf16", Halves<Bf16Format>, HalfMods},
    {"v_swmmac_f16_16x16x32_f16", Halves<F16Format, DotResult::F16>, HalfMods},
    {"v_swmmac_bf16_16x16x32_bf16", Halves<Bf16Format, DotResult::Bf16>,
     HalfMods},
    {"v_swmmac_i32_16x16x32_iu8", swmmacInteger<8, 32>, IntegerMods},
    {"v_swmmac_i32_16x16x32_iu4", swmmacInteger<4, 32>, IntegerMods},
    {"v_swmmac_i32_16x16x64_iu4", swmmacInteger<4, 64>, IntegerMods},
    {"v_swmmac_f32_16x16x32_fp8_fp8", Bytes<Fp8Format, Fp8Format>, ModIndexKey},
    {"v_swmmac_f32_16x16x32_fp8_bf8", Bytes<Fp8Format, Bf8Format>, ModIndexKey},
    {"v_swmmac_f32_16x16x32_bf8_fp8", Bytes<Bf8Format, Fp8Format>, ModIndexKey},
    {"v_swmmac_f32_16x16x32_bf8_bf8", Bytes<Bf8Format, Bf8Format>, ModIndexKey},
};

llvm::ArrayRef<OpcodeInfo> sparseMatrixOpcodes() { return Table; }

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu
