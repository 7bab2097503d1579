//===- VectorConvert.cpp - conversions between formats --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Floats to integers truncate and saturate; NaN is 0. A float result is rounded
// by its format's field of MODE. Clamping a conversion to an integer only
// enables an exception and is accepted without effect.
//
// Measured, not in the manuals (AMD's rocjitsu): v_cvt_pk_u8_f32 rounds by
// MODE; normalised integers are rounded to nearest even once; NaNs in
// v_cvt_floor_i32_f32 and v_cvt_nearest_i32_f32 of gfx12 saturate by sign.
// v_cvt_pkaccum_u8_f32 is not here: its rounding is not published.
//
//===----------------------------------------------------------------------===//
#include "HalfLanes.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {
namespace {

using IntVec = Simd<int32_t>;
using FloatV = FloatVec<F32>;
using BitsV = BitsVec<F32>;

//===----------------------------------------------------------------------===//
// To integers
//===----------------------------------------------------------------------===//

IntVec toI32(FloatV A) {
  IntVec High = A >= 0x1p31f, Low = A < -0x1p31f;
  IntVec Usable = ~(High | Low) & (A == A);
  FloatV Safe = asFloat<F32>(asBits<F32>(A) & BitsV(Usable));
  IntVec R = __builtin_convertvector(Safe, IntVec);
  return select<IntVec>(High, IntVec{} + INT32_MAX,
                        select<IntVec>(Low, IntVec{} + INT32_MIN, R));
}

IntVec toU32(FloatV A) {
  IntVec Over = A >= 0x1p32f, Upper = A >= 0x1p31f, Positive = A > 0;
  FloatV Offset = asFloat<F32>(asBits<F32>(FloatV{} + 0x1p31f) & BitsV(Upper));
  FloatV Safe = asFloat<F32>(asBits<F32>(A - Offset) & BitsV(Positive & ~Over));
  BitsV R = BitsV(__builtin_convertvector(Safe, IntVec)) + (BitsV(Upper) << 31);
  return select<IntVec>(Over, IntVec{} - 1, IntVec(R));
}

/// Rounds halves up. A - floor(A) is exact wherever it decides.
FloatV nearestUp(FloatV A) {
  FloatV Floor = __builtin_elementwise_floor(A);
  BitsV Up = BitsV(A - Floor >= 0.5f);
  return Floor + asFloat<F32>(Up & asBits<F32>(FloatV{} + 1.0f));
}
FloatV roundDown(FloatV A) { return __builtin_elementwise_floor(A); }
FloatV unchanged(FloatV A) { return A; }

template <auto Convert, auto Round>
void integerOfSingle(Wave &W, const Instruction &I) {
  Lanes32 Scratch, Result;
  const Lanes32 &Source = flushedSource<F32>(W, I, 1, Scratch);
  bool NanBySign = Round != static_cast<FloatV (*)(FloatV)>(unchanged) &&
                   W.Isa->isGfx12Plus();
  for (unsigned L = 0; L < W.Lanes; L += SimdLanes<F32>) {
    BitsV B = loadBits<F32>(Source.V + L);
    BitsV R = BitsV(Convert(Round(asFloat<F32>(B))));
    if (NanBySign)
      R = select<BitsV>(isNanBits<F32>(B), 0x7fffffff + (B >> 31), R);
    storeBits<F32>(Result.V + L, R);
  }
  store32(W, I, Result);
}

/// Clamps \p X to [Low, High] and truncates it; NaN is 0. The f64 holds all
/// values of the smaller formats.
template <class Int> uint32_t saturated(double X, double Low, double High) {
  X = X >= High ? High : X;
  X = X <= Low ? Low : X;
  X = X == X ? X : 0;
  return uint32_t(Int(X));
}
uint32_t i32OfDouble(double X) {
  return saturated<int32_t>(X, -0x1p31, 0x1p31 - 1);
}
uint32_t u32OfDouble(double X) { return saturated<uint32_t>(X, 0, 0x1p32 - 1); }
uint32_t i16OfDouble(double X) {
  return saturated<int32_t>(X, -32768, 32767) & 0xffff;
}
uint32_t u16OfDouble(double X) { return saturated<uint32_t>(X, 0, 65535); }
/// Normalised: [-1, 1] and [0, 1]; the product is exact in f64.
uint32_t snormOfDouble(double X) {
  double R = __builtin_roundeven(X * 32767);
  return saturated<int32_t>(R, -32767, 32767) & 0xffff;
}
uint32_t unormOfDouble(double X) {
  return saturated<uint32_t>(__builtin_roundeven(X * 65535), 0, 65535);
}

double widenSingle(uint32_t Single) {
  return double(__builtin_bit_cast(float, Single));
}

template <auto Convert> void integerOfDouble(Wave &W, const Instruction &I) {
  Lanes64 Scratch;
  Lanes32 Result;
  const Lanes64 &Source = flushedSource<F64>(W, I, 1, Scratch);
  for (unsigned L = 0; L < W.Lanes; ++L)
    Result.V[L] = Convert(__builtin_bit_cast(double, Source.V[L]));
  store32(W, I, Result);
}

/// Converts f16 to a 16-bit integer.
template <auto Convert> void integerOfHalf(Wave &W, const Instruction &I) {
  Lanes32 Scratch, Result;
  const Lanes32 &Source = halfSource(W, I, 1, Scratch);
  for (unsigned L = 0; L < W.Lanes; ++L)
    Result.V[L] = Convert(widenSingle(Source.V[L]));
  writeResult16(W, I, Result);
}

/// Converts two f32 or f16 to two 16-bit integers, the first in the low half.
template <auto Convert, bool Half>
void packedIntegers(Wave &W, const Instruction &I) {
  Lanes32 Scratch[2], Result;
  const Lanes32 *Source[2];
  for (unsigned N = 0; N < 2; ++N)
    Source[N] = Half ? &halfSource(W, I, N + 1, Scratch[N])
                     : &flushedSource<F32>(W, I, N + 1, Scratch[N]);
  for (unsigned L = 0; L < W.Lanes; ++L)
    Result.V[L] = Convert(widenSingle(Source[0]->V[L])) |
                  Convert(widenSingle(Source[1]->V[L])) << 16;
  store32(W, I, Result);
}

/// v_cvt_pk_u8_f32: replaces the byte of source 2 that source 1 numbers.
void packedByte(Wave &W, const Instruction &I) {
  Lanes32 Scratch[3], Result;
  const Lanes32 &Source = flushedSource<F32>(W, I, 1, Scratch[0]);
  const Lanes32 &ByteIndex = source32(W, I, 2, Scratch[1]);
  const Lanes32 &Old = source32(W, I, 3, Scratch[2]);
  {
    RoundingScope Scope(W.Mode.Round32);
    for (unsigned L = 0; L < W.Lanes; ++L)
      Result.V[L] =
          saturated<uint32_t>(__builtin_rint(widenSingle(Source.V[L])), 0, 255);
  }
  for (unsigned L = 0; L < W.Lanes; ++L) {
    unsigned Shift = 8 * (ByteIndex.V[L] & 3);
    Result.V[L] = (Old.V[L] & ~(0xffu << Shift)) | Result.V[L] << Shift;
  }
  store32(W, I, Result);
}

//===----------------------------------------------------------------------===//
// From integers
//===----------------------------------------------------------------------===//

/// Convert through f64, which is exact: some host conversions give -0 when
/// rounding down.
float singleOfU32(uint32_t V) { return float(double(V)); }
double doubleOfI32(uint32_t V) { return double(int32_t(V)); }
double doubleOfU32(uint32_t V) { return double(V); }
template <unsigned Byte> float singleOfByte(uint32_t V) {
  return float(int32_t(V >> 8 * Byte & 0xff));
}
/// Converts a signed 4-bit number of sixteenths.
float singleOfI4(uint32_t V) {
  return float(int32_t(((V & 15) ^ 8)) - 8) * 0.0625f;
}

template <class F, auto Convert> void floatOf32(Wave &W, const Instruction &I) {
  Lanes32 Scratch;
  typename F::Lanes Result;
  const Lanes32 &Source = source32(W, I, 1, Scratch);
  {
    RoundingScope Scope(F::rounding(W.Mode));
    for (unsigned L = 0; L < W.Lanes; ++L)
      Result.V[L] = __builtin_bit_cast(typename F::Bits, Convert(Source.V[L]));
  }
  finishResult<F>(W, I, Result, /*Flush=*/false);
  writeResult(W, I, Result);
}

/// v_cvt_f32_i32, with SIMD.
void singlesOfI32(Wave &W, const Instruction &I) {
  Lanes32 Scratch, Result;
  const Lanes32 &Source = source32(W, I, 1, Scratch);
  {
    RoundingScope Scope(W.Mode.Round32);
    for (unsigned L = 0; L < W.Lanes; L += SimdLanes<F32>) {
      IntVec V = IntVec(loadBits<F32>(Source.V + L));
      storeBits<F32>(Result.V + L,
                     asBits<F32>(__builtin_convertvector(V, FloatV)));
    }
  }
  finishResult<F32>(W, I, Result, /*Flush=*/false);
  writeResult(W, I, Result);
}

template <bool Signed> void halfOf16(Wave &W, const Instruction &I) {
  Lanes32 Scratch, Result;
  const Lanes32 &Source = source16(W, I, 1, Scratch);
  unsigned Rounding = W.Mode.Round1664;
  for (unsigned L = 0; L < W.Lanes; ++L) {
    uint32_t V = Source.V[L] & 0xffff;
    float Exact = Signed ? float(int16_t(V)) : float(int32_t(V));
    Result.V[L] =
        halfOfSingle(__builtin_bit_cast(uint32_t, Exact), Rounding, false);
  }
  finishHalves(W, I, Result);
  writeResult16(W, I, Result);
}

constexpr auto Widened = [](auto X) { return uint32_t(int32_t(X)); };

uint32_t i16OfI32(uint32_t V) {
  int32_t X = int32_t(V);
  return uint32_t(X < -32768 ? -32768 : X > 32767 ? 32767 : X) & 0xffff;
}
uint32_t u16OfU32(uint32_t V) { return V > 0xffff ? 0xffff : V; }

template <auto Narrow> uint32_t packed(uint32_t A, uint32_t B) {
  return Narrow(A) | Narrow(B) << 16;
}

//===----------------------------------------------------------------------===//
// Floats to floats
//===----------------------------------------------------------------------===//

void doubleOfSingle(Wave &W, const Instruction &I) {
  Lanes32 Scratch;
  Lanes64 Result;
  const Lanes32 &Source = flushedSource<F32>(W, I, 1, Scratch);
  uint64_t Quiet = quietsNans(W) ? F64::QuietBit : 0;
  for (unsigned L = 0; L < W.Lanes; ++L) {
    uint64_t B = Source.V[L];
    uint64_t Nan = (B & F32::Sign) << 32 | F64::Infinity |
                   (B & (F32::MinNormal - 1)) << 29 | Quiet;
    bool IsNan = (B & ~uint64_t(F32::Sign)) > F32::Infinity;
    uint64_t R = __builtin_bit_cast(uint64_t, widenSingle(Source.V[L]));
    Result.V[L] = IsNan ? Nan : R;
  }
  finishResult<F64>(W, I, Result, /*Flush=*/false);
  writeResult(W, I, Result);
}

void singleOfDouble(Wave &W, const Instruction &I) {
  Lanes64 Scratch;
  Lanes32 Result;
  const Lanes64 &Source = flushedSource<F64>(W, I, 1, Scratch);
  {
    RoundingScope Scope(W.Mode.Round32, flushesResults<F32>(W));
    for (unsigned L = 0; L < W.Lanes; ++L)
      Result.V[L] = __builtin_bit_cast(
          uint32_t, float(__builtin_bit_cast(double, Source.V[L])));
  }
  finishResult<F32>(W, I, Result, flushesResults<F32>(W));
  writeResult(W, I, Result);
}

void halfOfSingleOp(Wave &W, const Instruction &I) {
  Lanes32 Scratch, Result;
  const Lanes32 &Source = flushedSource<F32>(W, I, 1, Scratch);
  narrowToHalves(W, Source, Result, W.Mode.Round1664, flushesResults<F16>(W),
                 /*Quiet=*/true);
  finishHalves(W, I, Result);
  writeResult16(W, I, Result);
}

void singleOfHalfOp(Wave &W, const Instruction &I) {
  Lanes32 Result;
  halfSource(W, I, 1, Result, quietsNans(W));
  finishResult<F32>(W, I, Result, /*Flush=*/false);
  writeResult(W, I, Result);
}

/// v_cvt_pkrtz_f16_f32: two halves, rounded to zero regardless of MODE.
void packedHalves(Wave &W, const Instruction &I) {
  Lanes32 Scratch[2], Result;
  const Lanes32 &A = flushedSource<F32>(W, I, 1, Scratch[0]);
  const Lanes32 &B = flushedSource<F32>(W, I, 2, Scratch[1]);
  Lanes32 High;
  bool Flush = flushesResults<F16>(W);
  narrowToHalves(W, A, Result, /*Rounding=*/3, Flush, /*Quiet=*/true);
  narrowToHalves(W, B, High, /*Rounding=*/3, Flush, /*Quiet=*/true);
  for (unsigned L = 0; L < W.Lanes; ++L)
    Result.V[L] |= High.V[L] << 16;
  store32(W, I, Result);
}

//===----------------------------------------------------------------------===//
// 8-bit floats
//===----------------------------------------------------------------------===//

template <class Format> void singleOfSmallOp(Wave &W, const Instruction &I) {
  Lanes32 Scratch, Result;
  const Lanes32 &Source = source32(W, I, 1, Scratch);
  unsigned Shift = 8 * (I.ByteSel & 3);
  for (unsigned L = 0; L < W.Lanes; ++L)
    Result.V[L] = singleOfSmall<Format>(Source.V[L] >> Shift & 0xff);
  finishResult<F32>(W, I, Result, /*Flush=*/false);
  writeResult(W, I, Result);
}

/// Converts two bytes to two f32.
template <class Format> void singlesOfSmall(Wave &W, const Instruction &I) {
  Lanes32 Scratch;
  Lanes64 Result;
  const Lanes32 &Source = source32(W, I, 1, Scratch);
  unsigned Shift = I.OpSel & 1 ? 16 : 0;
  for (unsigned L = 0; L < W.Lanes; ++L) {
    uint32_t Pair = Source.V[L] >> Shift;
    Result.V[L] = singleOfSmall<Format>(Pair & 0xff) |
                  uint64_t(singleOfSmall<Format>(Pair >> 8 & 0xff)) << 32;
  }
  store64(W, I, Result);
}

/// Writes the bits of \p Mask of destinations and keeps the rest.
void storeField(Wave &W, const Instruction &I, Lanes32 &Value, uint32_t Mask) {
  Lanes32 Scratch;
  const Lanes32 &Old = sourceBits32(W, I, 0, Scratch);
  for (unsigned L = 0; L < W.Lanes; ++L)
    Value.V[L] = (Old.V[L] & ~Mask) | (Value.V[L] & Mask);
  store32(W, I, Value);
}

/// Converts two f32 to two bytes in the half that op_sel selects.
template <class Format> void smallPair(Wave &W, const Instruction &I) {
  Lanes32 Scratch[2], Result;
  const Lanes32 &A = flushedSource<F32>(W, I, 1, Scratch[0]);
  const Lanes32 &B = flushedSource<F32>(W, I, 2, Scratch[1]);
  unsigned Shift = I.OpSel & 4 ? 16 : 0;
  for (unsigned L = 0; L < W.Lanes; ++L)
    Result.V[L] =
        (smallOfSingle<Format>(A.V[L]) | smallOfSingle<Format>(B.V[L]) << 8)
        << Shift;
  storeField(W, I, Result, 0xffffu << Shift);
}

/// Converts an f32 to the byte that op_sel or byte_sel selects, rounded by
/// random bits.
template <class Format> void stochastic(Wave &W, const Instruction &I) {
  Lanes32 Scratch[2], Result;
  const Lanes32 &Source = flushedSource<F32>(W, I, 1, Scratch[0]);
  const Lanes32 &Random = source32(W, I, 2, Scratch[1]);
  unsigned Byte = I.has(ModByteSel) ? I.ByteSel & 3 : I.OpSel >> 2 & 3;
  unsigned Shift = 8 * Byte;
  for (unsigned L = 0; L < W.Lanes; ++L)
    Result.V[L] = stochasticOfSingle<Format>(Source.V[L], Random.V[L]) << Shift;
  storeField(W, I, Result, 0xffu << Shift);
}

/// Selects OCP formats on gfx12, FNUZ before.
template <Handler Ocp, Handler Older>
void byTarget(Wave &W, const Instruction &I) {
  (W.Isa->isGfx12Plus() ? Ocp : Older)(W, I);
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

constexpr uint32_t IntegerSource =
    ModDpp | ModSdwa | ModSext | ModClamp | ModOmod;
constexpr uint32_t IntegerResult =
    ModDpp | ModSdwa | ModClamp | ModNeg | ModAbs;
constexpr uint32_t Half =
    ModDpp | ModSdwa | ModOpSel | ModClamp | ModNeg | ModAbs;
constexpr uint32_t HalfInteger =
    ModDpp | ModSdwa | ModSext | ModOpSel | ModClamp;
constexpr uint32_t Packed = ModDpp | ModSdwa | ModNeg | ModAbs;
constexpr uint32_t PackedHalf = ModDpp | ModOpSel | ModNeg | ModAbs;
constexpr uint32_t FromSmall = ModDpp | ModSdwa | ModByteSel;
constexpr uint32_t PairFromSmall = ModDpp | ModSdwa | ModOpSel;
constexpr uint32_t ToSmall = ModDpp | ModOpSel | ModByteSel | ModNeg | ModAbs;

constexpr Handler NearestI32 = integerOfSingle<toI32, nearestUp>;
constexpr Handler FloorI32 = integerOfSingle<toI32, roundDown>;
constexpr Handler SnormPair = packedIntegers<snormOfDouble, false>;
constexpr Handler UnormPair = packedIntegers<unormOfDouble, false>;
constexpr Handler SnormPairOfHalf = packedIntegers<snormOfDouble, true>;
constexpr Handler UnormPairOfHalf = packedIntegers<unormOfDouble, true>;

const OpcodeInfo Table[] = {
    {"v_cvt_i32_f32", integerOfSingle<toI32, unchanged>, IntegerResult},
    {"v_cvt_u32_f32", integerOfSingle<toU32, unchanged>, IntegerResult},
    {"v_cvt_flr_i32_f32 v_cvt_floor_i32_f32", FloorI32, IntegerResult},
    {"v_cvt_rpi_i32_f32 v_cvt_nearest_i32_f32", NearestI32, IntegerResult},
    {"v_cvt_i32_f64", integerOfDouble<i32OfDouble>, IntegerResult},
    {"v_cvt_u32_f64", integerOfDouble<u32OfDouble>, IntegerResult},
    {"v_cvt_i16_f16", integerOfHalf<i16OfDouble>, Half},
    {"v_cvt_u16_f16", integerOfHalf<u16OfDouble>, Half},
    {"v_cvt_norm_i16_f16", integerOfHalf<snormOfDouble>, Half},
    {"v_cvt_norm_u16_f16", integerOfHalf<unormOfDouble>, Half},

    {"v_cvt_pk_i16_f32", packedIntegers<i16OfDouble, false>, Packed},
    {"v_cvt_pk_u16_f32", packedIntegers<u16OfDouble, false>, Packed},
    {"v_cvt_pknorm_i16_f32 v_cvt_pk_norm_i16_f32", SnormPair, Packed},
    {"v_cvt_pknorm_u16_f32 v_cvt_pk_norm_u16_f32", UnormPair, Packed},
    {"v_cvt_pknorm_i16_f16 v_cvt_pk_norm_i16_f16", SnormPairOfHalf, PackedHalf},
    {"v_cvt_pknorm_u16_f16 v_cvt_pk_norm_u16_f16", UnormPairOfHalf, PackedHalf},
    {"v_cvt_pk_u8_f32", packedByte, Packed},

    {"v_cvt_f32_i32", singlesOfI32, IntegerSource},
    {"v_cvt_f32_u32", floatOf32<F32, singleOfU32>, IntegerSource},
    {"v_cvt_f64_i32", floatOf32<F64, doubleOfI32>, IntegerSource},
    {"v_cvt_f64_u32", floatOf32<F64, doubleOfU32>, IntegerSource},
    {"v_cvt_f32_ubyte0", floatOf32<F32, singleOfByte<0>>, IntegerSource},
    {"v_cvt_f32_ubyte1", floatOf32<F32, singleOfByte<1>>, IntegerSource},
    {"v_cvt_f32_ubyte2", floatOf32<F32, singleOfByte<2>>, IntegerSource},
    {"v_cvt_f32_ubyte3", floatOf32<F32, singleOfByte<3>>, IntegerSource},
    {"v_cvt_off_f32_i4", floatOf32<F32, singleOfI4>, IntegerSource},
    {"v_cvt_f16_i16", halfOf16<true>, HalfInteger},
    {"v_cvt_f16_u16", halfOf16<false>, HalfInteger},
    {"v_cvt_i32_i16", unary<Widened, U32, I16>, HalfInteger & ~ModClamp},
    {"v_cvt_u32_u16", unary<Widened, U32, U16>, HalfInteger & ~ModClamp},
    {"v_cvt_pk_i16_i32", BinaryOf<packed<i16OfI32>, U32>, ModDpp},
    {"v_cvt_pk_u16_u32", BinaryOf<packed<u16OfU32>, U32>, ModDpp},

    {"v_cvt_f64_f32", doubleOfSingle, FloatModifiers},
    {"v_cvt_f32_f64", singleOfDouble, FloatModifiers},
    {"v_cvt_f16_f32", halfOfSingleOp, Half},
    {"v_cvt_f32_f16", singleOfHalfOp, Half | ModOmod},
    {"v_cvt_pkrtz_f16_f32 v_cvt_pk_rtz_f16_f32", packedHalves, Packed},

    {"v_cvt_f32_fp8",
     byTarget<singleOfSmallOp<Fp8>, singleOfSmallOp<Fnuz<Fp8>>>, FromSmall},
    {"v_cvt_f32_bf8",
     byTarget<singleOfSmallOp<Bf8>, singleOfSmallOp<Fnuz<Bf8>>>, FromSmall},
    {"v_cvt_pk_f32_fp8",
     byTarget<singlesOfSmall<Fp8>, singlesOfSmall<Fnuz<Fp8>>>, PairFromSmall},
    {"v_cvt_pk_f32_bf8",
     byTarget<singlesOfSmall<Bf8>, singlesOfSmall<Fnuz<Bf8>>>, PairFromSmall},
    {"v_cvt_pk_fp8_f32", byTarget<smallPair<Fp8>, smallPair<Fnuz<Fp8>>>,
     ToSmall},
    {"v_cvt_pk_bf8_f32", byTarget<smallPair<Bf8>, smallPair<Fnuz<Bf8>>>,
     ToSmall},
    {"v_cvt_sr_fp8_f32", byTarget<stochastic<Fp8>, stochastic<Fnuz<Fp8>>>,
     ToSmall},
    {"v_cvt_sr_bf8_f32", byTarget<stochastic<Bf8>, stochastic<Fnuz<Bf8>>>,
     ToSmall},
};

} // namespace

llvm::ArrayRef<OpcodeInfo> vectorConvertOpcodes() { return Table; }

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu
