//===- FloatFormats.h - bit fields of floating-point numbers ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fields of an IEEE-like number follow from its width and its mantissa's
// size. FloatLanes.h derives the formats of registers, AtomicFloats.h those of
// memory.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_LANES_FLOATFORMATS_H
#define KPACK_LIB_SOFTGPU_MACHINE_LANES_FLOATFORMATS_H

#include <type_traits>

namespace kpack::softgpu {

/// A format of \p Width bits, in the low ones of a T.
template <typename T, unsigned Width, unsigned Mantissa> struct FloatFormat {
  using Bits = T;
  using Int = std::make_signed_t<T>;
  static constexpr unsigned MantissaBits = Mantissa;
  static constexpr int Bias = (1 << (Width - Mantissa - 2)) - 1;
  static constexpr Bits Sign = Bits(1) << (Width - 1);
  static constexpr Bits MinNormal = Bits(1) << Mantissa;
  static constexpr Bits Infinity = Sign - MinNormal;
  static constexpr Bits QuietBit = MinNormal >> 1;
  static constexpr Bits One = Bits(Bias) << Mantissa;
  static constexpr Bits DefaultNan = Sign | Infinity | QuietBit;

  static constexpr bool isNan(Bits B) {
    return Bits(B & (Sign - 1)) > Infinity;
  }
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_LANES_FLOATFORMATS_H
