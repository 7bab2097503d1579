//===- MatrixFormats.h - number formats of matrix instructions --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formats of the elements of A and B. decode() converts the bits to the number
// for arithmetic: float holds all numbers of the formats up to 32 bits. There
// are two kinds of 8-bit floats: FNUZ (gfx942: no infinities, no -0, one NaN,
// bias one higher) and OCP (gfx12). MatrixArithmetic.h has the arithmetic.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_LANES_MATRIXFORMATS_H
#define KPACK_LIB_SOFTGPU_MACHINE_LANES_MATRIXFORMATS_H

#include <bit>
#include <cstdint>

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

/// Returns a float of ExponentBits and MantissaBits with a sign as f32 bits.
/// Exact, since f32 has more of both. Uses integers: the format's denormals are
/// normal f32 numbers, and no rounding mode matters.
template <unsigned ExponentBits, unsigned MantissaBits, int Bias>
constexpr uint32_t widenFinite(uint32_t Bits) {
  uint32_t Sign = Bits >> (ExponentBits + MantissaBits) << 31;
  uint32_t Exponent = Bits >> MantissaBits & ((1u << ExponentBits) - 1);
  uint32_t Mantissa = Bits & ((1u << MantissaBits) - 1);
  if (Exponent)
    return Sign | (Exponent + (127 - Bias)) << 23 |
           Mantissa << (23 - MantissaBits);
  if (!Mantissa)
    return Sign;
  unsigned Shift = unsigned(std::countl_zero(Mantissa)) - (31 - MantissaBits);
  Mantissa = Mantissa << Shift & ((1u << MantissaBits) - 1);
  return Sign | uint32_t(128 - Bias - int(Shift)) << 23 |
         Mantissa << (23 - MantissaBits);
}

constexpr uint32_t QuietNan = 0x7fc00000;

struct F64Format {
  static constexpr unsigned Bits = 64;
  using Number = double;
  static double decode(uint64_t B) { return std::bit_cast<double>(B); }
};
/// Base of formats of up to 32 bits. MatrixArithmetic.h aligns products by the
/// minimum exponent of normal numbers.
template <unsigned Width, int Exponent> struct SingleFormat {
  static constexpr unsigned Bits = Width;
  static constexpr int MinExponent = Exponent;
  using Number = float;
};
struct F32Format : SingleFormat<32, -126> {
  static float decode(uint64_t B) { return std::bit_cast<float>(uint32_t(B)); }
};
/// f32 with the upper 19 bits only.
struct Xf32Format : SingleFormat<32, -126> {
  static float decode(uint64_t B) { return F32Format::decode(B & 0xffffe000); }
};
struct F16Format : SingleFormat<16, -14> {
  static float decode(uint64_t B) {
    uint32_t H = uint32_t(B);
    if ((H & 0x7c00) == 0x7c00)
      return std::bit_cast<float>((H & 0x8000) << 16 | 0x7f800000 |
                                  (H & 0x3ff) << 13);
    return std::bit_cast<float>(widenFinite<5, 10, 15>(H));
  }
};
struct Bf16Format : SingleFormat<16, -126> {
  static float decode(uint64_t B) { return F32Format::decode(B << 16); }
};
template <unsigned ExponentBits, unsigned MantissaBits, int Bias>
struct FnuzFormat : SingleFormat<8, 1 - Bias> {
  static float decode(uint64_t B) {
    constexpr auto Widen = widenFinite<ExponentBits, MantissaBits, Bias>;
    return std::bit_cast<float>(B == 0x80 ? QuietNan : Widen(uint32_t(B)));
  }
};
using Fp8FnuzFormat = FnuzFormat<4, 3, 8>;
using Bf8FnuzFormat = FnuzFormat<5, 2, 16>;
/// OCP E4M3: the largest exponent holds numbers, and one NaN.
struct Fp8Format : SingleFormat<8, -6> {
  static float decode(uint64_t B) {
    return std::bit_cast<float>(
        (B & 0x7f) == 0x7f ? QuietNan : widenFinite<4, 3, 7>(uint32_t(B)));
  }
};
/// OCP E5M2: the upper half of f16.
struct Bf8Format : SingleFormat<8, -14> {
  static float decode(uint64_t B) { return F16Format::decode(B << 8); }
};
struct I8Format {
  static constexpr unsigned Bits = 8;
  using Number = int32_t;
  static int32_t decode(uint64_t B) { return int8_t(B); }
};

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_LANES_MATRIXFORMATS_H
