//===- MatrixWmma.cpp - WMMA of gfx11 and gfx12 ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V_WMMA: D = A * B + C of 16 rows and columns, regardless of exec. gfx11
// repeats A and B in every 16 lanes and has 16-bit elements of C and D in the
// half of a register that op_sel selects (the other half is kept); gfx12 does
// neither.
//
// neg_lo and neg_hi negate the even and the odd elements of 16-bit A and B. For
// C, neg_lo negates and neg_hi takes the absolute value first. For integer A
// and B, neg_lo makes them signed. Layouts: MatrixLayout.h; rounding:
// MatrixArithmetic.h; sparse A: MatrixSparse.cpp.
//
//===----------------------------------------------------------------------===//
#include "MatrixArithmetic.h"
#include "MatrixLayout.h"
#include "MatrixModifiers.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

/// Returns the place of an element of C and D. On gfx11, op_sel selects the
/// half of a register for 16-bit ones.
static Place resultPlace(const Instruction &I, const WmmaLayout &L,
                         unsigned Bits, unsigned Row, unsigned Column) {
  Place P = L.result(Row, Column);
  if (Bits == 16 && !L.Gfx12)
    P.Index = 2 * P.Index + (I.OpSel >> 2 & 1);
  return P;
}

template <unsigned Bits, class X>
static void readAddend(Wave &W, const Instruction &I, const WmmaLayout &L,
                       DotResult Type, X &Values) {
  const Operand &O = I.Operands[3];
  bool IsConstant = O.What == Operand::Kind::Constant;
  uint32_t Constant = IsConstant ? constantAddend(W, O, Type) : 0;
  if (Bits == 16)
    Constant &= 0xffff;
  for (unsigned Row = 0; Row < 16; ++Row)
    for (unsigned Column = 0; Column < 16; ++Column)
      Values.C[Row][Column] =
          IsConstant
              ? Constant
              : uint32_t(element<Bits>(&W.Vectors[O.Index],
                                       resultPlace(I, L, Bits, Row, Column)));
}

/// Checks the sizes of the operands for this wave.
static bool hasMatrices(Wave &W, const Instruction &I, const WmmaLayout &L,
                        unsigned K, unsigned Bits, unsigned ResultBits) {
  unsigned Source = L.Gfx12 ? dwords(16 * K, Bits, W.Lanes) : K * Bits / 32;
  unsigned Result = dwords(256, L.Gfx12 ? ResultBits : 32, W.Lanes);
  return hasRegisters(W, I, 0, Result) && hasRegisters(W, I, 1, Source) &&
         hasRegisters(W, I, 2, Source) && hasAddend(W, I, 3, Result);
}

template <class Number, class Sum, unsigned Bits, unsigned ResultBits,
          unsigned K, class ADecoder, class BDecoder, class Product>
static void wmma(Wave &W, const Instruction &I, DotResult Type,
                 ADecoder DecodeA, BDecoder DecodeB, Product Multiply) {
  WmmaLayout L{W.Isa->isGfx12Plus(), W.Lanes == 64};
  if (!hasMatrices(W, I, L, K, Bits, ResultBits))
    return;
  Matrices<Number, Sum, 16, 16, K> X;
  readAddend<ResultBits>(W, I, L, Type, X);
  const Lanes32 *A = &W.Vectors[I.Operands[1].Index];
  const Lanes32 *B = &W.Vectors[I.Operands[2].Index];
  for (unsigned Index = 0; Index < 16; ++Index)
    for (unsigned N = 0; N < K; ++N) {
      Place P = L.source(Index, N, K, Bits);
      X.A[Index][N] = DecodeA(element<Bits>(A, P), P.Index);
      X.B[Index][N] = DecodeB(element<Bits>(B, P), P.Index);
    }
  Multiply(L.Gfx12, X);
  Lanes32 *D = &W.Vectors[I.Operands[0].Index];
  for (unsigned Row = 0; Row < 16; ++Row)
    for (unsigned Column = 0; Column < 16; ++Column)
      setElement<ResultBits>(D, resultPlace(I, L, ResultBits, Row, Column),
                             uint32_t(X.C[Row][Column]));
}

template <class FA, class FB, DotResult To, unsigned K>
static void wmmaFloat(Wave &W, const Instruction &I) {
  constexpr unsigned ResultBits = To == DotResult::F32 ? 32 : 16;
  if (hasFloatModifiers<FA::Bits>(W, I))
    wmma<float, uint32_t, FA::Bits, ResultBits, K>(
        W, I, To, floatDecoder<FA, 0>(I), floatDecoder<FB, 1>(I),
        [&](bool Gfx12, auto &X) {
          modifyAddend(I, ResultBits, X.C);
          multiplyWmma<FA, FB, To>(Gfx12, X);
        });
}

template <unsigned Bits, unsigned K>
static void wmmaInteger(Wave &W, const Instruction &I) {
  if (hasIntegerModifiers(W, I))
    wmma<int32_t, int32_t, Bits, 32, K>(
        W, I, DotResult::F32, integerDecoder<Bits, 0>(I),
        integerDecoder<Bits, 1>(I),
        [&](bool, auto &X) { multiplyIntegers(X, I.has(ModClamp)); });
}

template <DotResult To = DotResult::F32>
constexpr Handler WmmaF16 = wmmaFloat<F16Format, F16Format, To, 16>;
template <DotResult To = DotResult::F32>
constexpr Handler WmmaBf16 = wmmaFloat<Bf16Format, Bf16Format, To, 16>;
template <class FA, class FB>
constexpr Handler WmmaBytes = wmmaFloat<FA, FB, DotResult::F32, 16>;

static constexpr uint32_t FloatMods = ModNegLo | ModNegHi;
static constexpr uint32_t IntegerMods = ModNegLo | ModClamp;

static constexpr OpcodeInfo Table[] = {
    {"v_wmma_f32_16x16x16_f16", WmmaF16<>, FloatMods},
    {"v_wmma_f32_16x16x16_bf16", WmmaBf16<>, FloatMods},
    {"v_wmma_f16_16x16x16_f16", WmmaF16<DotResult::F16>, FloatMods | ModOpSel},
    {"v_wmma_bf16_16x16x16_bf16", WmmaBf16<DotResult::Bf16>,
     FloatMods | ModOpSel},
    {"v_wmma_i32_16x16x16_iu8", wmmaInteger<8, 16>, IntegerMods},
    {"v_wmma_i32_16x16x16_iu4", wmmaInteger<4, 16>, IntegerMods},
    {"v_wmma_i32_16x16x32_iu4", wmmaInteger<4, 32>, IntegerMods},
    {"v_wmma_f32_16x16x16_fp8_fp8", WmmaBytes<Fp8Format, Fp8Format>, FloatMods},
    {"v_wmma_f32_16x16x16_fp8_bf8", WmmaBytes<Fp8Format, Bf8Format>, FloatMods},
    {"v_wmma_f32_16x16x16_bf8_fp8", WmmaBytes<Bf8Format, Fp8Format>, FloatMods},
    {"v_wmma_f32_16x16x16_bf8_bf8", WmmaBytes<Bf8Format, Bf8Format>, FloatMods},
};

llvm::ArrayRef<OpcodeInfo> wmmaOpcodes() { return Table; }

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu
