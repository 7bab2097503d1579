//===- MatrixWmma.cpp - wave matrix multiply-accumulate of gfx11, gfx12 ---===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V_WMMA: D = A * B + C of 16 rows and columns; exec is not consulted. gfx11
// has A and B in every 16 lanes and 16-bit results in one half of a register
// (op_sel says which, of C and D; the other half is kept); gfx12 has neither.
//
// neg_lo and neg_hi negate the even and the odd elements of 16-bit A and B; of
// C, neg_lo negates and neg_hi takes the absolute value first; of integer A and
// B, neg_lo makes them signed. Layouts: MatrixLayout.h; rounding:
// MatrixArithmetic.h; sparse A: MatrixSparse.cpp.
//
//===----------------------------------------------------------------------===//
#include "MatrixArithmetic.h"
#include "MatrixLayout.h"
#include "MatrixModifiers.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

/// Registers of \p Count elements spread over the wave.
static unsigned dwords(unsigned Count, unsigned Bits, unsigned Lanes) {
  return std::max(Count * Bits / 32 / Lanes, 1u);
}

template <class X>
static bool readAddend(Wave &W, const Instruction &I, const WmmaLayout &L,
                       unsigned Bits, DotResult To, X &Values) {
  unsigned Shift = Bits == 32 ? 0 : 16 * (I.OpSel >> 2 & 1);
  bool Packed = L.Gfx12 && Bits == 16;
  const Operand &O = I.Operands[3];
  if (!hasAddend(W, I, 3, dwords(256, Packed ? 16 : 32, W.Lanes)))
    return false;
  for (unsigned Row = 0; Row < 16; ++Row)
    for (unsigned Column = 0; Column < 16; ++Column) {
      Place P = L.result(Row, Column);
      uint32_t C;
      if (O.What == Operand::Kind::Constant)
        C = constantAddend(W, O, To);
      else if (Packed)
        C = uint32_t(element<16>(&W.Vectors[O.Index], P));
      else
        C = W.Vectors[O.Index + P.Index].V[P.Lane] >> Shift;
      Values.C[Row][Column] = C & uint32_t((uint64_t(1) << Bits) - 1);
    }
  return true;
}

template <class X>
static void writeResult(Wave &W, const Instruction &I, const WmmaLayout &L,
                        unsigned Bits, const X &Values) {
  bool Whole = Bits == 32;
  bool High = L.Gfx12 ? false : I.OpSel >> 2 & 1;
  Lanes32 *Rows = &W.Vectors[I.Operands[0].Index];
  for (unsigned Row = 0; Row < 16; ++Row)
    for (unsigned Column = 0; Column < 16; ++Column) {
      Place P = L.result(Row, Column);
      uint32_t Value = uint32_t(Values.C[Row][Column]);
      if (Whole)
        Rows[P.Index].V[P.Lane] = Value;
      else if (L.Gfx12)
        setHalf(Rows[P.Index / 2].V[P.Lane], P.Index % 2, Value);
      else
        setHalf(Rows[P.Index].V[P.Lane], High, Value);
    }
}

/// Whether operands 0 to 2 are as this wave has them.
static bool hasMatrices(Wave &W, const Instruction &I, const WmmaLayout &L,
                        unsigned K, unsigned Bits, unsigned ResultBits) {
  unsigned Source = L.Gfx12 ? dwords(16 * K, Bits, W.Lanes) : K * Bits / 32;
  unsigned Result = L.Gfx12 ? ResultBits : 32;
  return hasRegisters(W, I, 0, dwords(256, Result, W.Lanes)) &&
         hasRegisters(W, I, 1, Source) && hasRegisters(W, I, 2, Source);
}

template <class FA, class FB, DotResult To, unsigned K>
static void wmmaFloat(Wave &W, const Instruction &I) {
  constexpr unsigned Bits = FA::Bits;
  constexpr unsigned ResultBits = To == DotResult::F32 ? 32 : 16;
  WmmaLayout L{W.Isa->isGfx12Plus(), W.Lanes == 64};
  Matrices<float, uint32_t, 16, 16, K> X;
  if (!hasFloatModifiers<Bits>(W, I) ||
      !hasMatrices(W, I, L, K, Bits, ResultBits) ||
      !readAddend(W, I, L, ResultBits, To, X))
    return;
  const Lanes32 *A = &W.Vectors[I.Operands[1].Index];
  const Lanes32 *B = &W.Vectors[I.Operands[2].Index];
  for (unsigned Index = 0; Index < 16; ++Index)
    for (unsigned N = 0; N < K; ++N) {
      Place P = L.source(Index, N, K, Bits);
      X.A[Index][N] =
          FA::decode(element<Bits>(A, P) ^ signOf<Bits>(I, 0, P.Index));
      X.B[Index][N] =
          FB::decode(element<Bits>(B, P) ^ signOf<Bits>(I, 1, P.Index));
    }
  modifyAddend(I, ResultBits, X.C);
  multiplyWmma<FA, FB, To>(L.Gfx12, X);
  writeResult(W, I, L, ResultBits, X);
}

template <unsigned Bits, unsigned K>
static void wmmaInteger(Wave &W, const Instruction &I) {
  WmmaLayout L{W.Isa->isGfx12Plus(), W.Lanes == 64};
  Matrices<int32_t, int32_t, 16, 16, K> X;
  if (!hasIntegerModifiers(W, I) || !hasMatrices(W, I, L, K, Bits, 32) ||
      !readAddend(W, I, L, 32, DotResult::F32, X))
    return;
  const Lanes32 *A = &W.Vectors[I.Operands[1].Index];
  const Lanes32 *B = &W.Vectors[I.Operands[2].Index];
  for (unsigned Index = 0; Index < 16; ++Index)
    for (unsigned N = 0; N < K; ++N) {
      Place P = L.source(Index, N, K, Bits);
      X.A[Index][N] = extend<Bits>(element<Bits>(A, P), I.NegLo & 1);
      X.B[Index][N] = extend<Bits>(element<Bits>(B, P), I.NegLo & 2);
    }
  multiplyIntegers(X, I.has(ModClamp));
  writeResult(W, I, L, 32, X);
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
