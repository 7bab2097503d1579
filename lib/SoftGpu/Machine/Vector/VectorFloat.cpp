//===- VectorFloat.cpp - arithmetic of f32 and f64 ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums, products, fused and unfused multiply-adds, selections, rounding to
// integers, exponents and cube maps. FloatOperations.h has the operations that
// other formats share; FloatLanes.h has modifiers, modes and NaN results,
// FloatMinMax.h minima; reciprocals, roots and division are in
// VectorDivide.cpp.
//
// v_mullit_f32 is the RDNA manuals' formula; they also mention rules for
// overflow, which are assumed to be those of any product.
//
//===----------------------------------------------------------------------===//
#include "FloatMinMax.h"
#include "FloatOperations.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {
namespace {

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

/// Rounds twice; the product is flushed, too, by the scope of an always
/// flushing operation.
struct Mad : FloatOp {
  static constexpr bool Product = true;
  static constexpr bool AlwaysFlush = true;
  template <class F>
  static FloatVec<F> run(FloatVec<F> A, FloatVec<F> B, FloatVec<F> C) {
    return A * B + C;
  }
};

/// Returns all ones if a factor is a zero: the product is +0 for any other
/// factor.
template <class F> inline BitsVec<F> zeroProduct(FloatVec<F> A, FloatVec<F> B) {
  return BitsVec<F>((asBits<F>(A) & ~F::Sign) == 0) |
         BitsVec<F>((asBits<F>(B) & ~F::Sign) == 0);
}

struct MulLegacy : FloatOp {
  template <class F> static FloatVec<F> run(FloatVec<F> A, FloatVec<F> B) {
    return asFloat<F>(asBits<F>(A * B) & ~zeroProduct<F>(A, B));
  }
};

/// The product by the rule above, or the least number if B or C exclude a
/// light: RDNA manuals, V_MULLIT_F32.
struct MulLit : FloatOp {
  static constexpr bool OwnNans = true;
  template <class F>
  static FloatVec<F> run(FloatVec<F> A, FloatVec<F> B, FloatVec<F> C) {
    using V = BitsVec<F>;
    V Least = V{} + (F::Sign | (F::Infinity - 1));
    V None = ~V(C > 0) | isNanBits<F>(asBits<F>(B)) | V(asBits<F>(B) == Least) |
             V(asBits<F>(B) == (F::Sign | F::Infinity));
    V Product = asBits<F>(MulLegacy::run<F>(A, B));
    return asFloat<F>(select<V>(None, Least, Product));
  }
};

/// Adds C and a product by the rule above. A zero product is 0 * 1, so that
/// only C can make it a NaN.
template <class Base> struct LegacyProduct : FloatOp {
  static constexpr bool OwnNans = true;
  static constexpr bool AlwaysFlush = true;
  template <class F>
  static FloatVec<F> run(FloatVec<F> X, FloatVec<F> Y, FloatVec<F> Z) {
    using V = BitsVec<F>;
    V Zero = zeroProduct<F>(X, Y);
    V A = asBits<F>(X) & ~Zero;
    V B = select<V>(Zero, V{} + F::One, asBits<F>(Y));
    V C = asBits<F>(Z);
    V R = asBits<F>(Base::template run<F>(asFloat<F>(A), asFloat<F>(B), Z));
    V Nan = select<V>(isNanBits<F>(C), C | F::QuietBit, V{} + F::DefaultNan);
    Nan = select<V>(isNanBits<F>(B), B | F::QuietBit, Nan);
    Nan = select<V>(isNanBits<F>(A), A | F::QuietBit, Nan);
    return asFloat<F>(select<V>(isNanBits<F>(R), Nan, R));
  }
};

//===----------------------------------------------------------------------===//
// Rounding to integers
//===----------------------------------------------------------------------===//

/// Below 1 even if A - floor(A) rounds to it; +0 for integers in all rounding
/// modes. Infinities are an invalid operation.
struct Fract : FloatOp {
  template <class F> static FloatVec<F> run(FloatVec<F> A) {
    using V = BitsVec<F>;
    V R = asBits<F>(A - __builtin_elementwise_floor(A));
    V Largest = V{} + (F::One - 1);
    V Limited = select<V>(V(R == F::One), Largest, R);
    return asFloat<F>(Limited & ~V(R == F::Sign));
  }
};

//===----------------------------------------------------------------------===//
// Exponents
//===----------------------------------------------------------------------===//

/// v_frexp_exp_i32_*: the exponent of a mantissa in [0.5, 1).
template <class F> void frexpExp(Wave &W, const Instruction &I) {
  typename F::Lanes Scratch;
  Lanes32 Result;
  const auto &Source = flushedSource<F>(W, I, 1, Scratch);
  for (unsigned L = 0; L < W.Lanes; L += SimdLanes<F>) {
    BitsVec<F> B = loadBits<F>(Source.V + L);
    BitsVec<F> E = normalise<F>(B).Exponent - (F::Bias - 1);
    BitsVec<F> R = E & ~hasNoExponent<F>(B);
    for (unsigned N = 0; N < SimdLanes<F>; ++N)
      Result.V[L + N] = uint32_t(R[N]);
  }
  store32(W, I, Result);
}

inline float scaled(float V, int Exponent) {
  // Exact in f64 for all relevant exponents; then one rounding.
  Exponent = Exponent < -400 ? -400 : Exponent > 400 ? 400 : Exponent;
  uint64_t Power = uint64_t(1023 + Exponent) << 52;
  return float(double(V) * __builtin_bit_cast(double, Power));
}
inline double scaled(double V, int Exponent) {
  return __builtin_ldexp(V, Exponent);
}

/// The fast path of v_ldexp_f64, like pairArithmetic(): a power of two that is
/// a normal number scales with one rounding, like ldexp.
inline bool scalePairs(Wave &W, const Instruction &I) {
  const Operand &Factor = I.Operands[1];
  if (!isPlainPair(W, I) ||
      (Factor.What == Operand::Kind::Vgpr && Factor.Dwords != 2))
    return false;
  Lanes32 Exponents, High, Low = {};
  const Lanes32 &Exponent = source32(W, I, 2, Exponents);
  uint32_t Greatest = 0;
  forLanes(W, [&](unsigned L) {
    uint32_t Field = Exponent.V[L] + F64::Bias;
    High.V[L] = Field << (F64::MantissaBits - 32);
    Greatest = std::max(Greatest, Field - 1);
  });
  return Greatest < 2 * F64::Bias &&
         storePairs<Mul>(W, I, PairSource(W, Factor), PairSource(Low, High));
}

/// v_ldexp_*: source 0 is a float with modifiers, source 1 an integer.
template <class F> void ldexpOp(Wave &W, const Instruction &I) {
  if constexpr (std::is_same_v<F, F64>)
    if (scalePairs(W, I))
      return;
  typename F::Lanes Scratch, Result;
  Lanes32 Exponents;
  const auto &Source = flushedSource<F>(W, I, 1, Scratch);
  const Lanes32 &Exponent = source32(W, I, 2, Exponents);
  bool Flush = flushesResults<F>(W);
  {
    RoundingScope Scope(F::rounding(W.Mode), Flush);
    for (unsigned L = 0; L < W.Lanes; ++L)
      Result.V[L] = __builtin_bit_cast(
          typename F::Bits,
          scaled(__builtin_bit_cast(typename F::Float, Source.V[L]),
                 int32_t(Exponent.V[L])));
  }
  const typename F::Lanes *Sources[] = {&Source};
  fixNans<F, 1>(Sources, Result, W.Lanes, quietsNans(W));
  finishResult<F>(W, I, Result, Flush);
  writeResult(W, I, Result);
}

//===----------------------------------------------------------------------===//
// Cube maps
//===----------------------------------------------------------------------===//

/// The major axis, and the sign of each coordinate.
template <class F> struct CubeFace {
  BitsVec<F> X, Y, Z; ///< bits
  BitsVec<F> MajorZ, MajorY;
  CubeFace(FloatVec<F> A, FloatVec<F> B, FloatVec<F> C)
      : X(asBits<F>(A)), Y(asBits<F>(B)), Z(asBits<F>(C)) {
    FloatVec<F> Ax = asFloat<F>(X & ~F::Sign), Ay = asFloat<F>(Y & ~F::Sign),
                Az = asFloat<F>(Z & ~F::Sign);
    MajorZ = BitsVec<F>(Az >= Ax) & BitsVec<F>(Az >= Ay);
    MajorY = BitsVec<F>(Ay >= Ax);
  }
  static BitsVec<F> negative(BitsVec<F> B) {
    return BitsVec<F>(asFloat<F>(B) < asFloat<F>(BitsVec<F>{}));
  }
  BitsVec<F> pick(BitsVec<F> OfZ, BitsVec<F> OfY, BitsVec<F> OfX) const {
    using V = BitsVec<F>;
    return select<V>(MajorZ, OfZ, select<V>(MajorY, OfY, OfX));
  }
};

struct CubeId : SelectingOp {
  template <class F>
  static FloatVec<F> run(FloatVec<F> A, FloatVec<F> B, FloatVec<F> C) {
    using V = BitsVec<F>;
    using Float = typename F::Float;
    CubeFace<F> Face(A, B, C);
    auto FaceIndex = [](V Bits, Float Positive) {
      FloatVec<F> P = FloatVec<F>{} + Positive,
                  N = FloatVec<F>{} + (Positive + 1);
      return select<V>(CubeFace<F>::negative(Bits), asBits<F>(N), asBits<F>(P));
    };
    return asFloat<F>(Face.pick(FaceIndex(Face.Z, 4), FaceIndex(Face.Y, 2),
                                FaceIndex(Face.X, 0)));
  }
};
struct CubeSc : SelectingOp {
  template <class F>
  static FloatVec<F> run(FloatVec<F> A, FloatVec<F> B, FloatVec<F> C) {
    using V = BitsVec<F>;
    CubeFace<F> Face(A, B, C);
    V FlipZ = Face.negative(Face.Z) & F::Sign;
    V FlipX = ~Face.negative(Face.X) & F::Sign;
    return asFloat<F>(Face.pick(Face.X ^ FlipZ, Face.X, Face.Z ^ FlipX));
  }
};
struct CubeTc : SelectingOp {
  template <class F>
  static FloatVec<F> run(FloatVec<F> A, FloatVec<F> B, FloatVec<F> C) {
    using V = BitsVec<F>;
    CubeFace<F> Face(A, B, C);
    V MinusY = Face.Y ^ F::Sign;
    V FlipY = Face.negative(Face.Y) & F::Sign;
    return asFloat<F>(Face.pick(MinusY, Face.Z ^ FlipY, MinusY));
  }
};
struct CubeMa : FloatOp {
  template <class F>
  static FloatVec<F> run(FloatVec<F> A, FloatVec<F> B, FloatVec<F> C) {
    CubeFace<F> Face(A, B, C);
    return asFloat<F>(Face.pick(Face.Z, Face.Y, Face.X)) * typename F::Float(2);
  }
};

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

template <class Op> constexpr Handler Unary32 = arithmetic<F32, Op, 1>;
template <class Op> constexpr Handler Unary64 = arithmetic<F64, Op, 1>;
template <class Op> constexpr Handler Binary32 = arithmetic<F32, Op, 2>;
template <class Op> constexpr Handler Binary64 = arithmetic<F64, Op, 2>;
template <class Op> constexpr Handler Ternary32 = arithmetic<F32, Op, 3>;
template <class Op> constexpr Handler Ternary64 = arithmetic<F64, Op, 3>;
template <class Op>
constexpr Handler Accumulate32 = arithmetic<F32, Op, 3, true>;
template <class Op>
constexpr Handler Accumulate64 = arithmetic<F64, Op, 3, true>;

template <class F, template <NanRule> class Op, unsigned Sources>
constexpr Handler Choose =
    byNanRule<[]<NanRule Rule>() { return arithmetic<F, Op<Rule>, Sources>; }>;
using FmaLegacy = LegacyProduct<Fma>;
using MadLegacy = LegacyProduct<Mad>;

constexpr NanRule Number = NanRule::Number;
constexpr NanRule Propagate = NanRule::Propagate;

/// For operations with a constant in their text: no encoding has modifiers.
constexpr uint32_t NoModifiers = 0;

const OpcodeInfo Table[] = {
    {"v_add_f32", Binary32<Add>, FloatModifiers},
    {"v_sub_f32", Binary32<Sub>, FloatModifiers},
    {"v_subrev_f32", Binary32<SubRev>, FloatModifiers},
    {"v_mul_f32", Binary32<Mul>, FloatModifiers},
    {"v_mul_legacy_f32 v_mul_dx9_zero_f32", Binary32<MulLegacy>,
     FloatModifiers},
    {"v_mullit_f32", Ternary32<MulLit>, FloatModifiers},
    {"v_add_f64", Binary64<Add>, FloatModifiers},
    {"v_mul_f64", Binary64<Mul>, FloatModifiers},

    {"v_fma_f32", Ternary32<Fma>, FloatModifiers},
    {"v_fma_f64", Ternary64<Fma>, FloatModifiers},
    {"v_fmac_f32", Accumulate32<Fma>, FloatModifiers},
    {"v_fmac_f64", Accumulate64<Fma>, FloatModifiers},
    {"v_fmaak_f32 v_fmamk_f32", Ternary32<Fma>, NoModifiers},
    {"v_fma_legacy_f32 v_fma_dx9_zero_f32", Ternary32<FmaLegacy>,
     FloatModifiers},
    {"v_fmac_legacy_f32 v_fmac_dx9_zero_f32", Accumulate32<FmaLegacy>,
     FloatModifiers},
    {"v_mad_f32", Ternary32<Mad>, FloatModifiers},
    {"v_mac_f32", Accumulate32<Mad>, FloatModifiers},
    {"v_madak_f32 v_madmk_f32", Ternary32<Mad>, NoModifiers},
    {"v_mad_legacy_f32", Ternary32<MadLegacy>, FloatModifiers},

    {"v_min_f32", Choose<F32, Min, 2>, FloatModifiers},
    {"v_max_f32", Choose<F32, Max, 2>, FloatModifiers},
    {"v_min_f64", Choose<F64, Min, 2>, FloatModifiers},
    {"v_max_f64", Choose<F64, Max, 2>, FloatModifiers},
    {"v_min3_f32", Choose<F32, Min3, 3>, FloatModifiers},
    {"v_max3_f32", Choose<F32, Max3, 3>, FloatModifiers},
    {"v_med3_f32", Choose<F32, Med3, 3>, FloatModifiers},
    {"v_minmax_f32", Choose<F32, MinThenMax, 3>, FloatModifiers},
    {"v_maxmin_f32", Choose<F32, MaxThenMin, 3>, FloatModifiers},
    {"v_min_num_f32", Binary32<Min<Number>>, FloatModifiers},
    {"v_max_num_f32", Binary32<Max<Number>>, FloatModifiers},
    {"v_min_num_f64", Binary64<Min<Number>>, FloatModifiers},
    {"v_max_num_f64", Binary64<Max<Number>>, FloatModifiers},
    {"v_min3_num_f32", Ternary32<Min3<Number>>, FloatModifiers},
    {"v_max3_num_f32", Ternary32<Max3<Number>>, FloatModifiers},
    {"v_med3_num_f32", Ternary32<Med3<Number>>, FloatModifiers},
    {"v_minmax_num_f32", Ternary32<MinThenMax<Number>>, FloatModifiers},
    {"v_maxmin_num_f32", Ternary32<MaxThenMin<Number>>, FloatModifiers},
    {"v_minimum_f32", Binary32<Min<Propagate>>, FloatModifiers},
    {"v_maximum_f32", Binary32<Max<Propagate>>, FloatModifiers},
    {"v_minimum_f64", Binary64<Min<Propagate>>, FloatModifiers},
    {"v_maximum_f64", Binary64<Max<Propagate>>, FloatModifiers},
    {"v_minimum3_f32", Ternary32<Min3<Propagate>>, FloatModifiers},
    {"v_maximum3_f32", Ternary32<Max3<Propagate>>, FloatModifiers},
    {"v_minimummaximum_f32", Ternary32<MinThenMax<Propagate>>, FloatModifiers},
    {"v_maximumminimum_f32", Ternary32<MaxThenMin<Propagate>>, FloatModifiers},

    {"v_trunc_f32", Unary32<Trunc>, FloatModifiers},
    {"v_ceil_f32", Unary32<Ceil>, FloatModifiers},
    {"v_floor_f32", Unary32<Floor>, FloatModifiers},
    {"v_rndne_f32", Unary32<Rndne>, FloatModifiers},
    {"v_fract_f32", Unary32<Fract>, FloatModifiers},
    {"v_trunc_f64", Unary64<Trunc>, FloatModifiers},
    {"v_ceil_f64", Unary64<Ceil>, FloatModifiers},
    {"v_floor_f64", Unary64<Floor>, FloatModifiers},
    {"v_rndne_f64", Unary64<Rndne>, FloatModifiers},
    {"v_fract_f64", Unary64<Fract>, FloatModifiers},

    {"v_ldexp_f32", ldexpOp<F32>, FloatModifiers},
    {"v_ldexp_f64", ldexpOp<F64>, FloatModifiers},
    {"v_frexp_mant_f32", Unary32<FrexpMant>, FloatModifiers},
    {"v_frexp_mant_f64", Unary64<FrexpMant>, FloatModifiers},
    {"v_frexp_exp_i32_f32", frexpExp<F32>, ModDpp | ModSdwa | ModNeg | ModAbs},
    {"v_frexp_exp_i32_f64", frexpExp<F64>, ModDpp | ModSdwa | ModNeg | ModAbs},

    {"v_cubeid_f32", Ternary32<CubeId>, FloatModifiers},
    {"v_cubesc_f32", Ternary32<CubeSc>, FloatModifiers},
    {"v_cubetc_f32", Ternary32<CubeTc>, FloatModifiers},
    {"v_cubema_f32", Ternary32<CubeMa>, FloatModifiers},
};

} // namespace

llvm::ArrayRef<OpcodeInfo> vectorFloatOpcodes() { return Table; }

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu
