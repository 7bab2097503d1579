//===- MatrixTestSupport.h - number formats for matrix tests ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers to bits of small formats, in plain double arithmetic, and access to
// elements that are packed into registers. Both are on purpose other code than
// the interpreter's.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_SOFTGPU_MACHINE_MATRIXTESTSUPPORT_H
#define KPACK_UNITTESTS_SOFTGPU_MACHINE_MATRIXTESTSUPPORT_H

#include "WaveFixture.h"
#include <cmath>
#include <random>

namespace kpack::softgpu {

enum class Format { F16, Bf16, F32, F64, Fp8Fnuz, Bf8Fnuz, Fp8, Bf8, I8, I4 };

inline unsigned bitsOf(Format F) {
  switch (F) {
  case Format::F64:
    return 64;
  case Format::F32:
    return 32;
  case Format::F16:
  case Format::Bf16:
    return 16;
  case Format::I4:
    return 4;
  default:
    return 8;
  }
}

/// A normal number or zero that the format has.
inline uint64_t encode(Format F, double Value) {
  auto Pack = [&](int Mantissa, int Exponent, int Bias) -> uint64_t {
    if (Value == 0)
      return 0;
    int E;
    double Half = std::frexp(std::fabs(Value), &E); // [0.5, 1)
    uint64_t M =
        uint64_t(std::ldexp(Half, Mantissa + 1)) & ((1u << Mantissa) - 1);
    uint64_t Sign = Value < 0;
    return Sign << (Mantissa + Exponent) | uint64_t(E - 1 + Bias) << Mantissa |
           M;
  };
  switch (F) {
  case Format::F64:
    return std::bit_cast<uint64_t>(Value);
  case Format::F32:
    return std::bit_cast<uint32_t>(float(Value));
  case Format::F16:
    return Pack(10, 5, 15);
  case Format::Bf16:
    return Pack(7, 8, 127);
  case Format::Fp8Fnuz:
    return Pack(3, 4, 8);
  case Format::Bf8Fnuz:
    return Pack(2, 5, 16);
  case Format::Fp8:
    return Pack(3, 4, 7);
  case Format::Bf8:
    return Pack(2, 5, 15);
  case Format::I8:
    return uint8_t(int(Value));
  case Format::I4:
    return uint8_t(int(Value)) & 15;
  }
  return 0;
}

class MatrixFixture : public WaveFixture {
protected:
  /// Element \p Index of \p Lane in registers \p First and up.
  void put(unsigned First, unsigned Lane, unsigned Index, unsigned Bits,
           uint64_t Value) {
    if (Bits == 64) {
      setV64(First + 2 * Index, Value, Lane);
      return;
    }
    unsigned At = Index * Bits;
    uint32_t Mask = uint32_t(((uint64_t(1) << Bits) - 1) << At % 32);
    uint32_t &R = v(First + At / 32, Lane);
    R = (R & ~Mask) | (uint32_t(Value) << At % 32 & Mask);
  }
  uint64_t get(unsigned First, unsigned Lane, unsigned Index, unsigned Bits) {
    if (Bits == 64)
      return v64(First + 2 * Index, Lane);
    unsigned At = Index * Bits;
    return v(First + At / 32, Lane) >> At % 32 & ((uint64_t(1) << Bits) - 1);
  }
  /// A small integer, positive or negative.
  int small(int Limit = 4) {
    return std::uniform_int_distribution<int>(-Limit, Limit)(Random);
  }

  std::mt19937 Random{12345};
};

} // namespace kpack::softgpu

#endif // KPACK_UNITTESTS_SOFTGPU_MACHINE_MATRIXTESTSUPPORT_H
