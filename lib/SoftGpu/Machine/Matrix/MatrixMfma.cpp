//===- MatrixMfma.cpp - MFMA of gfx90a and gfx942 -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V_MFMA: D = A * B + C over the registers of a whole wave64, regardless of
// exec. Sources and results are VGPRs or AccVGPRs, C may be an inline constant.
// cbsz: and abid: replicate a block of A, blgp: permutes lanes of B (for f64 of
// gfx942, neg: negates A, B and C instead). Layouts: MatrixLayout.h; rounding:
// MatrixArithmetic.h; sparse A: MatrixSparse.cpp; gfx11 and gfx12:
// MatrixWmma.cpp.
//
//===----------------------------------------------------------------------===//
#include "MatrixArithmetic.h"
#include "MatrixLayout.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

template <class S>
static bool hasValidBroadcast(Wave &W, const Instruction &I) {
  if ((1u << I.Cbsz) <= S::Blocks && I.Abid < 1u << I.Cbsz)
    return true;
  W.fault(Fault::Kind::UnknownInstruction, I,
          "cbsz and abid name no block of A");
  return false;
}

/// Multiplies one block after the other. \p FA, \p FB are the formats of A and
/// B; \p Product multiplies Matrices.
template <class FA, class FB, class Result, class S, auto Product>
static void mfma(Wave &W, const Instruction &I) {
  constexpr unsigned Wide = sizeof(Result) / 4;
  using ResultBits = std::conditional_t<Wide == 2, uint64_t, uint32_t>;
  constexpr unsigned SourceDwords = S::InLane * FA::Bits / 32;
  constexpr unsigned ResultDwords = S::OutLane * Wide;
  if (!hasRegisters(W, I, 0, ResultDwords) ||
      !hasRegisters(W, I, 1, SourceDwords) ||
      !hasRegisters(W, I, 2, SourceDwords) ||
      !hasAddend(W, I, 3, ResultDwords) || !hasValidBroadcast<S>(W, I))
    return;
  constexpr auto ResultPlace = Wide == 2 ? S::result64 : S::result32;
  const Lanes32 *RowsA = &W.Vectors[I.Operands[1].Index];
  const Lanes32 *RowsB = &W.Vectors[I.Operands[2].Index];
  const Operand &Addend = I.Operands[3];
  bool ConstantC = Addend.What == Operand::Kind::Constant;
  uint64_t Constant = !ConstantC  ? 0
                      : Wide == 2 ? scalarBits64(W, Addend, true)
                                  : scalarBits32(W, Addend);
  const Lanes32 *RowsC = ConstantC ? nullptr : &W.Vectors[Addend.Index];
  bool Negates = std::is_same_v<FA, F64Format>;
  unsigned Blgp = Negates ? 0 : I.Blgp;
  unsigned Replicas = 1u << I.Cbsz;

  // Write results at the end: they may be in the registers of sources.
  using Block = Matrices<typename FA::Number, Result, S::M, S::N, S::K>;
  Block X[S::Blocks];
  for (unsigned B = 0; B < S::Blocks; ++B) {
    unsigned BlockA = (B & ~(Replicas - 1)) | I.Abid;
    for (unsigned L = 0; L < S::K; ++L) {
      for (unsigned Row = 0; Row < S::M; ++Row)
        X[B].A[Row][L] =
            FA::decode(element<FA::Bits>(RowsA, S::source(Row, L, BlockA)));
      for (unsigned Column = 0; Column < S::N; ++Column) {
        Place P = S::source(Column, L, B);
        P.Lane = permutedLane(P.Lane, Blgp);
        X[B].B[Column][L] = FB::decode(element<FB::Bits>(RowsB, P));
      }
    }
    for (unsigned Row = 0; Row < S::M; ++Row)
      for (unsigned Column = 0; Column < S::N; ++Column) {
        uint64_t C =
            ConstantC ? Constant
                      : element<32 * Wide>(RowsC, ResultPlace(Row, Column, B));
        X[B].C[Row][Column] = std::bit_cast<Result>(ResultBits(C));
      }
    Product(W, I, X[B]);
  }

  Lanes32 *RowsD = &W.Vectors[I.Operands[0].Index];
  for (unsigned B = 0; B < S::Blocks; ++B)
    for (unsigned Row = 0; Row < S::M; ++Row)
      for (unsigned Column = 0; Column < S::N; ++Column)
        setElement<32 * Wide>(RowsD, ResultPlace(Row, Column, B),
                              std::bit_cast<ResultBits>(X[B].C[Row][Column]));
}

/// \p OldGroup is the number of products that gfx90a adds together, or 0 if it
/// adds none.
template <class FA, class FB, unsigned OldGroup> struct FloatProduct {
  template <class X>
  void operator()(const Wave &W, const Instruction &, X &Values) const {
    multiplyMfma<FA, FB, OldGroup>(W.Isa->Isa, Values);
  }
};
struct DoubleProduct {
  template <unsigned M, unsigned N, unsigned K>
  void operator()(const Wave &, const Instruction &I,
                  Matrices<double, double, M, N, K> &X) const {
    auto NegateIf = [](bool Minus, auto &Matrix) {
      for (auto &Row : Matrix)
        for (double &V : Row)
          V = Minus ? -V : V;
    };
    NegateIf(I.NegLo & 1, X.A);
    NegateIf(I.NegLo & 2, X.B);
    NegateIf(I.NegLo & 4, X.C);
    double Before[M][N];
    std::memcpy(Before, X.C, sizeof Before);
    multiplyChain(X);
    fixMatrixNans(X, Before);
  }
};
struct IntegerProduct {
  template <class X>
  void operator()(const Wave &, const Instruction &, X &Values) const {
    multiplyIntegers(Values, /*Clamp=*/false);
  }
};

/// Rows, columns, depth and blocks.
template <unsigned... Size>
constexpr Handler MfmaF32 = mfma<F32Format, F32Format, float, Shape<Size...>,
                                 FloatProduct<F32Format, F32Format, 0>{}>;
template <unsigned... Size>
constexpr Handler MfmaXf32 = mfma<Xf32Format, Xf32Format, float, Shape<Size...>,
                                  FloatProduct<Xf32Format, Xf32Format, 0>{}>;
template <unsigned... Size>
constexpr Handler MfmaF16 = mfma<F16Format, F16Format, float, Shape<Size...>,
                                 FloatProduct<F16Format, F16Format, 4>{}>;
template <unsigned... Size>
constexpr Handler MfmaBf16 = mfma<Bf16Format, Bf16Format, float, Shape<Size...>,
                                  FloatProduct<Bf16Format, Bf16Format, 4>{}>;
/// Two elements per lane (gfx908, gfx90a).
template <unsigned... Size>
constexpr Handler MfmaOldBf16 =
    mfma<Bf16Format, Bf16Format, float, Shape<Size...>,
         FloatProduct<Bf16Format, Bf16Format, 2>{}>;
template <class FA, class FB, unsigned... Size>
constexpr Handler MfmaBytes =
    mfma<FA, FB, float, Shape<Size...>, FloatProduct<FA, FB, 0>{}>;
template <unsigned... Size>
constexpr Handler MfmaF64 =
    mfma<F64Format, F64Format, double, Shape<Size...>, DoubleProduct{}>;
template <unsigned... Size>
constexpr Handler MfmaI8 =
    mfma<I8Format, I8Format, int32_t, Shape<Size...>, IntegerProduct{}>;

using Fp8 = Fp8FnuzFormat;
using Bf8 = Bf8FnuzFormat;

// The names of gfx90a, then those of gfx942 for the same.
static constexpr OpcodeInfo Table[] = {
    {"v_mfma_f32_32x32x1f32 v_mfma_f32_32x32x1_2b_f32", MfmaF32<32, 32, 1, 2>,
     ModMatrix},
    {"v_mfma_f32_16x16x1f32 v_mfma_f32_16x16x1_4b_f32", MfmaF32<16, 16, 1, 4>,
     ModMatrix},
    {"v_mfma_f32_4x4x1f32 v_mfma_f32_4x4x1_16b_f32", MfmaF32<4, 4, 1, 16>,
     ModMatrix},
    {"v_mfma_f32_32x32x2f32 v_mfma_f32_32x32x2_f32", MfmaF32<32, 32, 2, 1>,
     ModMatrix},
    {"v_mfma_f32_16x16x4f32 v_mfma_f32_16x16x4_f32", MfmaF32<16, 16, 4, 1>,
     ModMatrix},

    {"v_mfma_f32_16x16x8_xf32", MfmaXf32<16, 16, 8, 1>, 0},
    {"v_mfma_f32_32x32x4_xf32", MfmaXf32<32, 32, 4, 1>, 0},

    {"v_mfma_f32_32x32x4f16 v_mfma_f32_32x32x4_2b_f16", MfmaF16<32, 32, 4, 2>,
     ModMatrix},
    {"v_mfma_f32_16x16x4f16 v_mfma_f32_16x16x4_4b_f16", MfmaF16<16, 16, 4, 4>,
     ModMatrix},
    {"v_mfma_f32_4x4x4f16 v_mfma_f32_4x4x4_16b_f16", MfmaF16<4, 4, 4, 16>,
     ModMatrix},
    {"v_mfma_f32_32x32x8f16", MfmaF16<32, 32, 8, 1>, ModMatrix},
    {"v_mfma_f32_32x32x8_f16", MfmaF16<32, 32, 8, 1>, 0},
    {"v_mfma_f32_16x16x16f16", MfmaF16<16, 16, 16, 1>, ModMatrix},
    {"v_mfma_f32_16x16x16_f16", MfmaF16<16, 16, 16, 1>, 0},

    {"v_mfma_f32_32x32x4bf16_1k v_mfma_f32_32x32x4_2b_bf16",
     MfmaBf16<32, 32, 4, 2>, ModMatrix},
    {"v_mfma_f32_16x16x4bf16_1k v_mfma_f32_16x16x4_4b_bf16",
     MfmaBf16<16, 16, 4, 4>, ModMatrix},
    {"v_mfma_f32_4x4x4bf16_1k v_mfma_f32_4x4x4_16b_bf16", MfmaBf16<4, 4, 4, 16>,
     ModMatrix},
    {"v_mfma_f32_32x32x8bf16_1k", MfmaBf16<32, 32, 8, 1>, ModMatrix},
    {"v_mfma_f32_32x32x8_bf16", MfmaBf16<32, 32, 8, 1>, 0},
    {"v_mfma_f32_16x16x16bf16_1k", MfmaBf16<16, 16, 16, 1>, ModMatrix},
    {"v_mfma_f32_16x16x16_bf16", MfmaBf16<16, 16, 16, 1>, 0},

    {"v_mfma_f32_32x32x2bf16", MfmaOldBf16<32, 32, 2, 2>, ModMatrix},
    {"v_mfma_f32_16x16x2bf16", MfmaOldBf16<16, 16, 2, 4>, ModMatrix},
    {"v_mfma_f32_4x4x2bf16", MfmaOldBf16<4, 4, 2, 16>, ModMatrix},
    {"v_mfma_f32_32x32x4bf16", MfmaOldBf16<32, 32, 4, 1>, ModMatrix},
    {"v_mfma_f32_16x16x8bf16", MfmaOldBf16<16, 16, 8, 1>, ModMatrix},

    {"v_mfma_f32_16x16x32_bf8_bf8", MfmaBytes<Bf8, Bf8, 16, 16, 32, 1>, 0},
    {"v_mfma_f32_16x16x32_bf8_fp8", MfmaBytes<Bf8, Fp8, 16, 16, 32, 1>, 0},
    {"v_mfma_f32_16x16x32_fp8_bf8", MfmaBytes<Fp8, Bf8, 16, 16, 32, 1>, 0},
    {"v_mfma_f32_16x16x32_fp8_fp8", MfmaBytes<Fp8, Fp8, 16, 16, 32, 1>, 0},
    {"v_mfma_f32_32x32x16_bf8_bf8", MfmaBytes<Bf8, Bf8, 32, 32, 16, 1>, 0},
    {"v_mfma_f32_32x32x16_bf8_fp8", MfmaBytes<Bf8, Fp8, 32, 32, 16, 1>, 0},
    {"v_mfma_f32_32x32x16_fp8_bf8", MfmaBytes<Fp8, Bf8, 32, 32, 16, 1>, 0},
    {"v_mfma_f32_32x32x16_fp8_fp8", MfmaBytes<Fp8, Fp8, 32, 32, 16, 1>, 0},

    {"v_mfma_f64_16x16x4f64", MfmaF64<16, 16, 4, 1>, 0},
    {"v_mfma_f64_16x16x4_f64", MfmaF64<16, 16, 4, 1>, ModNegLo},
    {"v_mfma_f64_4x4x4f64", MfmaF64<4, 4, 4, 4>, 0},
    {"v_mfma_f64_4x4x4_4b_f64", MfmaF64<4, 4, 4, 4>, ModNegLo},

    {"v_mfma_i32_32x32x4i8 v_mfma_i32_32x32x4_2b_i8", MfmaI8<32, 32, 4, 2>,
     ModMatrix},
    {"v_mfma_i32_16x16x4i8 v_mfma_i32_16x16x4_4b_i8", MfmaI8<16, 16, 4, 4>,
     ModMatrix},
    {"v_mfma_i32_4x4x4i8 v_mfma_i32_4x4x4_16b_i8", MfmaI8<4, 4, 4, 16>,
     ModMatrix},
    {"v_mfma_i32_32x32x8i8", MfmaI8<32, 32, 8, 1>, ModMatrix},
    {"v_mfma_i32_16x16x16i8", MfmaI8<16, 16, 16, 1>, ModMatrix},
    {"v_mfma_i32_32x32x16_i8", MfmaI8<32, 32, 16, 1>, 0},
    {"v_mfma_i32_16x16x32_i8", MfmaI8<16, 16, 32, 1>, 0},
};

llvm::ArrayRef<OpcodeInfo> mfmaOpcodes() { return Table; }

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu
