//===- FormatConversion.cpp - numbers in formatted buffers ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FormatConversion.h. Normalised and scaled numbers have at most 16 bits,
// so an f32 quotient of two such numbers is rounded once, and an f64 holds the
// product of an f32 with one of them exactly. Floats of 10 and 11 bits have the
// exponent of an f16 and no sign.
//
//===----------------------------------------------------------------------===//
#define KPACK_SOFTGPU_VARIANT generic
#include "FormatConversion.h"

#include "SoftGpu/Machine/Lanes/SmallFloats.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kpack::softgpu {

using generic::halfOfSingle;
using generic::roundTo;
using generic::singleOfHalf;

static constexpr unsigned NearestEven = 0;

/// Return the largest number of \p Bits bits.
static uint32_t largestUnsigned(unsigned Bits) { return ~0u >> (32 - Bits); }
static int32_t largestSigned(unsigned Bits) {
  return int32_t(largestUnsigned(Bits) >> 1);
}

static int32_t signExtend(uint32_t Raw, unsigned Bits) {
  return int32_t(Raw << (32 - Bits)) >> (32 - Bits);
}

//===- Loads --------------------------------------------------------------===//

static uint32_t unpackFloat(uint32_t Raw, unsigned Bits) {
  if (Bits == 32)
    return Raw;
  // The fields of an f16 begin at bit 14: without its sign it has 15 bits.
  uint32_t Half = Bits == 16 ? Raw : Raw << (15 - Bits);
  return singleOfHalf(Half, /*Flush=*/false, /*Quiet=*/false);
}

uint32_t unpackNumber(uint32_t Raw, unsigned Bits, NumberFormat Format) {
  int32_t Signed = signExtend(Raw, Bits);
  float Value = 0;
  switch (Format) {
  case NumberFormat::Uint:
    return Raw;
  case NumberFormat::Sint:
    return uint32_t(Signed);
  case NumberFormat::Float:
    return unpackFloat(Raw, Bits);
  case NumberFormat::Unorm:
    Value = float(Raw) / float(largestUnsigned(Bits));
    break;
  case NumberFormat::Snorm:
    // The lowest number and the one after it are both -1.
    Value = std::max(-1.0f, float(Signed) / float(largestSigned(Bits)));
    break;
  case NumberFormat::Uscaled:
    Value = float(Raw);
    break;
  case NumberFormat::Sscaled:
    Value = float(Signed);
    break;
  }
  return std::bit_cast<uint32_t>(Value);
}

//===- Stores -------------------------------------------------------------===//

/// Clamps \p Value to [Low, High]; NaN is zero.
static double clampNumber(uint32_t Value, double Low, double High) {
  double Single = double(std::bit_cast<float>(Value));
  return std::isnan(Single) ? 0 : std::min(std::max(Single, Low), High);
}

/// Packs a float without a sign; negative numbers become zero.
template <unsigned MantissaBits> static uint32_t packUnsigned(uint32_t Value) {
  constexpr uint32_t Infinity = 0x1f << MantissaBits;
  if ((Value & 0x7fffffff) > 0x7f800000)
    return Infinity | 1u << (MantissaBits - 1);
  if (Value >> 31)
    return 0;
  if (Value == 0x7f800000)
    return Infinity;
  return std::min(roundTo<MantissaBits, 15>(Value, NearestEven), Infinity);
}

static uint32_t packFloat(uint32_t Value, unsigned Bits) {
  switch (Bits) {
  case 10:
    return packUnsigned<5>(Value);
  case 11:
    return packUnsigned<6>(Value);
  case 16:
    return halfOfSingle(Value, NearestEven, /*Flush=*/false);
  default:
    return Value;
  }
}

uint32_t packNumber(uint32_t Value, unsigned Bits, NumberFormat Format) {
  double Most = largestUnsigned(Bits), MostSigned = largestSigned(Bits);
  double Result = 0;
  switch (Format) {
  case NumberFormat::Uint:
    return std::min(Value, largestUnsigned(Bits));
  case NumberFormat::Sint:
    Result =
        std::min(std::max(double(int32_t(Value)), -MostSigned - 1), MostSigned);
    break;
  case NumberFormat::Float:
    return packFloat(Value, Bits);
  case NumberFormat::Unorm:
    Result = std::nearbyint(clampNumber(Value, 0, 1) * Most);
    break;
  case NumberFormat::Snorm:
    Result = std::nearbyint(clampNumber(Value, -1, 1) * MostSigned);
    break;
  case NumberFormat::Uscaled:
    Result = clampNumber(Value, 0, Most);
    break;
  case NumberFormat::Sscaled:
    Result = clampNumber(Value, -MostSigned - 1, MostSigned);
    break;
  }
  return uint32_t(int64_t(Result)) & largestUnsigned(Bits);
}

//===- D16 ----------------------------------------------------------------===//

static bool isInteger(NumberFormat Format) {
  return Format == NumberFormat::Uint || Format == NumberFormat::Sint;
}

uint16_t unpackHalf(uint32_t Raw, unsigned Bits, NumberFormat Format) {
  if (Format == NumberFormat::Float && Bits == 16)
    return uint16_t(Raw);
  uint32_t Value = unpackNumber(Raw, Bits, Format);
  return uint16_t(isInteger(Format)
                      ? Value
                      : halfOfSingle(Value, NearestEven, /*Flush=*/false));
}

uint32_t packHalf(uint16_t Value, unsigned Bits, NumberFormat Format) {
  if (Format == NumberFormat::Float && Bits == 16)
    return Value;
  if (Format == NumberFormat::Uint)
    return packNumber(Value, Bits, Format);
  if (Format == NumberFormat::Sint)
    return packNumber(uint32_t(int32_t(int16_t(Value))), Bits, Format);
  return packNumber(singleOfHalf(Value, /*Flush=*/false, /*Quiet=*/false), Bits,
                    Format);
}

} // namespace kpack::softgpu
