//===- SmallFloats.h - bits of f16, fp8 and bf8 -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions from f32 to smaller formats and back, in integers: loops over
// lanes become SIMD, and no mode of the host matters.
//
// fp8 and bf8 are OCP's E4M3 and E5M2 on gfx12, their FNUZ variants (one NaN,
// 0x80; no infinity, no -0; bias greater by 1) on gfx942. NaNs and stochastic
// rounding of gfx12 are as AMD's rocjitsu measured them; gfx942 is assumed to
// round alike.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_LANES_SMALLFLOATS_H
#define KPACK_LIB_SOFTGPU_MACHINE_LANES_SMALLFLOATS_H

#include "FloatLanes.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

/// A finite f32 as mantissa and exponent: Mantissa * 2^(Exponent - 23).
struct SplitSingle {
  uint32_t Mantissa;
  int Exponent;
  explicit SplitSingle(uint32_t Bits) {
    uint32_t Field = Bits >> 23 & 0xff;
    Mantissa = (Bits & 0x7fffff) | (Field ? 0x800000 : 0);
    Exponent = int(Field ? Field : 1) - 127;
  }
};

/// Returns \p Value without its \p Drop low bits (0 to 31), rounded as in
/// FloatMode: 0 nearest even, 1 up, 2 down, 3 to zero.
inline uint32_t roundAway(uint32_t Value, unsigned Drop, unsigned Rounding,
                          bool Negative) {
  uint32_t Kept = Value >> Drop;
  uint32_t Rest = Value & ((1u << Drop) - 1);
  uint32_t Half = (1u << Drop) >> 1;
  bool Nearest = (Rest > Half) | ((Rest == Half) & (Kept & 1));
  bool Away = (Rounding == 1 && !Negative) || (Rounding == 2 && Negative);
  return Kept + ((Rest != 0) & (Rounding == 0 ? Nearest : Away));
}

/// Returns a finite f32's magnitude in a format of MantissaBits and Bias:
/// exponent and mantissa fields as one number, which exceeds the format's
/// largest on overflow. \p Flush: a result that is tiny after rounding becomes
/// zero.
template <unsigned MantissaBits, int Bias>
inline uint32_t roundTo(uint32_t Bits, unsigned Rounding, bool Flush = false) {
  constexpr unsigned Drop = 23 - MantissaBits;
  constexpr int Smallest = 1 - Bias;
  SplitSingle S(Bits);
  bool Negative = Bits >> 31;
  int Below = Smallest - S.Exponent;
  unsigned Extra = Below < 0 ? 0 : Below > 30 - int(Drop) ? 30 - Drop : Below;
  uint32_t Kept = roundAway(S.Mantissa, Drop + Extra, Rounding, Negative);
  // A normal number's kept bits include the leading one, which adds to the
  // field.
  uint32_t Field = Below > 0 ? 0 : uint32_t(-Below) << MantissaBits;
  uint32_t Normal = roundAway(S.Mantissa, Drop, Rounding, Negative);
  bool Tiny = Below > 1 || (Below == 1 && Normal < (2u << MantissaBits));
  return Flush && Tiny ? 0 : Field + Kept;
}

inline uint32_t halfOfSingle(uint32_t Bits, unsigned Rounding, bool Flush) {
  uint32_t Sign = Bits >> 16 & 0x8000;
  uint32_t Magnitude = Bits & 0x7fffffff;
  uint32_t Finite = roundTo<10, 15>(Bits, Rounding, Flush);
  bool ToInfinity = Rounding == 0 || Rounding == (Sign ? 2u : 1u);
  uint32_t Overflow = ToInfinity ? 0x7c00 : 0x7bff;
  uint32_t R = Finite >= 0x7c00 ? Overflow : Finite;
  R = Magnitude == 0x7f800000 ? 0x7c00 : R;
  R = Magnitude > 0x7f800000 ? 0x7e00 | (Magnitude >> 13 & 0x3ff) : R;
  return Sign | R;
}

/// Converts f16 to f32. \p Flush: denormals become zeros; \p Quiet: NaNs become
/// quiet.
inline uint32_t singleOfHalf(uint32_t Half, bool Flush, bool Quiet) {
  uint32_t Sign = (Half & 0x8000) << 16;
  uint32_t Magnitude = Half & 0x7fff;
  // 2^24 times a denormal is an integer below 2^10. Move its leading one to bit
  // 10.
  uint32_t Mantissa = Magnitude, Exponent = 113;
  for (unsigned Step = 8; Step; Step /= 2) {
    bool Low = Mantissa < (0x800u >> Step);
    Mantissa = Low ? Mantissa << Step : Mantissa;
    Exponent -= Low ? Step : 0;
  }
  uint32_t Denormal =
      Flush || !Magnitude ? 0 : (Exponent << 23) | (Mantissa & 0x3ff) << 13;
  uint32_t R = (Magnitude << 13) + (112u << 23);
  R = Magnitude < 0x400 ? Denormal : R;
  uint32_t Special = 0x7f800000 | (Magnitude & 0x3ff) << 13;
  uint32_t QuietBit = Quiet && Magnitude > 0x7c00 ? 0x00400000 : 0;
  return Sign | (Magnitude >= 0x7c00 ? Special | QuietBit : R);
}

/// The 8-bit formats.
struct Fp8 {
  static constexpr unsigned MantissaBits = 3;
  static constexpr int Bias = 7;
  static constexpr uint32_t Largest = 0x7e, Overflow = 0x7f, Nan = 0xff;
  static constexpr uint32_t FirstNan = 0x7f, Infinity = 0x100; ///< none
  static constexpr bool Unsigned0 = false;
};
struct Bf8 {
  static constexpr unsigned MantissaBits = 2;
  static constexpr int Bias = 15;
  static constexpr uint32_t Largest = 0x7b, Overflow = 0x7c, Nan = 0xfe;
  static constexpr uint32_t FirstNan = 0x7d, Infinity = 0x7c;
  static constexpr bool Unsigned0 = false;
};
/// FNUZ: 0x80 is the NaN and the result of infinities and overflow.
template <class Ocp> struct Fnuz {
  static constexpr unsigned MantissaBits = Ocp::MantissaBits;
  static constexpr int Bias = Ocp::Bias + 1;
  static constexpr uint32_t Largest = 0x7f, Overflow = 0x80, Nan = 0x80;
  static constexpr uint32_t FirstNan = 0x100, Infinity = 0x100; ///< none
  static constexpr bool Unsigned0 = true;
};

template <class F>
inline uint32_t finishSmall(uint32_t Bits, uint32_t Rounded) {
  uint32_t Magnitude = Bits & 0x7fffffff;
  bool TooLarge = Rounded > F::Largest || Magnitude == 0x7f800000;
  uint32_t R = TooLarge ? F::Overflow : Rounded;
  uint32_t Sign = F::Unsigned0 && R == 0 ? 0 : Bits >> 24 & 0x80;
  R |= Sign;
  return Magnitude > 0x7f800000 ? F::Nan : R;
}

/// Converts with nearest even, regardless of MODE.
template <class F> inline uint32_t smallOfSingle(uint32_t Bits) {
  return finishSmall<F>(Bits, roundTo<F::MantissaBits, F::Bias>(Bits, 0));
}

/// Adds the highest bits of \p Random to the bits below the result's last one,
/// then truncates. For a result below the normal range, first drops the source
/// bits that the smallest normal number would not have.
template <class F>
inline uint32_t stochasticOfSingle(uint32_t Bits, uint32_t Random) {
  constexpr unsigned Drop = 23 - F::MantissaBits;
  SplitSingle S(Bits);
  int Below = 1 - F::Bias - S.Exponent;
  unsigned Extra = Below < 0 ? 0 : Below > 31 ? 31 : Below;
  uint32_t Kept = ((S.Mantissa >> Extra) + (Random >> (32 - Drop))) >> Drop;
  uint32_t Field = Below > 0 ? 0 : uint32_t(-Below) << F::MantissaBits;
  return finishSmall<F>(Bits, Field + Kept);
}

template <class F> inline uint32_t singleOfSmall(uint32_t Byte) {
  uint32_t Magnitude = Byte & 0x7f, Sign = (Byte & 0x80) << 24;
  constexpr uint32_t LeadingOne = 1u << F::MantissaBits;
  uint32_t Field = Magnitude >> F::MantissaBits;
  uint32_t Mantissa = (Magnitude & (LeadingOne - 1)) | (Field ? LeadingOne : 0);
  uint32_t Exponent = (Field ? Field : 1) + 127 - F::Bias;
  for (unsigned Step = 0; Step < F::MantissaBits; ++Step) {
    bool Low = Mantissa < LeadingOne;
    Mantissa <<= unsigned(Low);
    Exponent -= unsigned(Low);
  }
  uint32_t R = Exponent << 23 | (Mantissa & (LeadingOne - 1))
                                    << (23 - F::MantissaBits);
  R = Magnitude == 0 ? 0 : R;
  R = Magnitude == F::Infinity ? 0x7f800000 : R;
  bool Nan = Magnitude >= F::FirstNan || (F::Unsigned0 && Byte == 0x80);
  return Nan ? F32::DefaultNan : Sign | R;
}

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_LANES_SMALLFLOATS_H
