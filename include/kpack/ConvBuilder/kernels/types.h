//===- kernels/types.h - types of elements ----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The headers of this directory are the source of convolution kernels. They
// include only each other: Emit.cpp passes them to the compiler from memory,
// for a GPU or for the CPU, and tests include them directly.
//
// Compile-time parameters are one value, whose members are constants in a
// kernel, and variables in tests: "switch (int(c.kind))" is decided by the
// compiler's front end there, and at run time here, from the same source. A
// constant that is passed to a function is a Number<Value>, so that the
// parameter keeps it; in arithmetic it is an integer.
//
// This header converts elements to numbers for arithmetic, and back. Rounding
// is to nearest, ties to even. Overflow gives infinity in FP16 and BF16, and
// the largest number in FP8, BF8 and integers; NaN becomes zero in integers.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_TYPES_H
#define KPACK_CONV_KERNELS_TYPES_H

#include "kpack/ConvBuilder/kernels/shared.h"

// On a GPU a kernel is one function. On the CPU the compiler decides: in tests,
// where no parameter is constant, one function would have millions of lines;
// and with sanitizer checks nothing may be inlined.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||     \
    __has_feature(memory_sanitizer) ||                                         \
    __has_feature(undefined_behavior_sanitizer)
#define KPACK_CONV_SANITIZED
#endif
#endif
#if defined(__HIP__)
#define KPACK_CONV_FUNCTION                                                    \
  __attribute__((device)) inline __attribute__((always_inline))
#elif defined(KPACK_CONV_SANITIZED) || defined(__SANITIZE_ADDRESS__)
#define KPACK_CONV_FUNCTION inline __attribute__((noinline))
#else
#define KPACK_CONV_FUNCTION inline
#endif
// For a lambda.
#if defined(__HIP__)
#define KPACK_CONV_INLINE __attribute__((always_inline))
#else
#define KPACK_CONV_INLINE
#endif
// A condition on compile-time parameters: a GPU's compiler does not instantiate
// the other branch. In tests both branches exist.
#if defined(__AMDGCN__)
#define KPACK_CONV_IF if constexpr
#else
#define KPACK_CONV_IF if
#endif
// For a function of compile-time parameters, which a GPU's compiler evaluates
// at once instead of inlining it.
#if defined(__AMDGCN__) && __clang_major__ >= 17
#define KPACK_CONV_KNOWN consteval
#else
#define KPACK_CONV_KNOWN KPACK_CONV_FUNCTION constexpr
#endif

namespace kpack::conv::device {

template <class To, class From> KPACK_CONV_FUNCTION To bitsOf(From Value) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, Value);
}

/// A format of at most 16 bits: sign, exponent, mantissa. Fnuz formats have
/// neither infinity nor -0; the code of -0 is their only NaN. Largest is the
/// code of the largest number.
template <int MantissaBits, int ExponentBits, int BiasIs, unsigned LargestIs,
          bool HasInfinityIs, bool FnuzIs>
struct SmallFloat {
  static constexpr int Mantissa = MantissaBits, Exponent = ExponentBits;
  static constexpr int Bias = BiasIs;
  static constexpr unsigned Sign = 1u << (MantissaBits + ExponentBits);
  static constexpr unsigned Largest = LargestIs;
  static constexpr bool HasInfinity = HasInfinityIs, Fnuz = FnuzIs;
  /// OCP's FP8 has no infinity; its NaN is the code after its largest number.
  static constexpr unsigned Nan = FnuzIs ? Sign : (Sign - 1);
};
using Half = SmallFloat<10, 5, 15, 0x7bff, true, false>;
using Bfloat = SmallFloat<7, 8, 127, 0x7f7f, true, false>;
using Fp8 = SmallFloat<3, 4, 7, 0x7e, false, false>;
using Bf8 = SmallFloat<2, 5, 15, 0x7b, true, false>;
using Fp8Fnuz = SmallFloat<3, 4, 8, 0x7f, false, true>;
using Bf8Fnuz = SmallFloat<2, 5, 16, 0x7f, false, true>;

template <class F> KPACK_CONV_FUNCTION float decode(unsigned Bits) {
  if constexpr (F::Exponent == 8) // the upper half of a float
    return bitsOf<float>(Bits << 16);
  constexpr int Subnormal = 128 - F::Bias - F::Mantissa;
  unsigned Magnitude = Bits & (F::Sign - 1);
  unsigned Sign = (Bits & F::Sign) << (31 - F::Mantissa - F::Exponent);
  if (F::Fnuz          ? Bits == F::Nan
      : F::HasInfinity ? Magnitude > F::Largest + 1
                       : Magnitude > F::Largest)
    return __builtin_nanf("");
  if (F::HasInfinity && Magnitude > F::Largest)
    return bitsOf<float>(Sign | 0x7f800000u);
  // A subnormal number is its mantissa times a power of two.
  constexpr float Least =
      __builtin_bit_cast(float, unsigned(Subnormal > 0 ? Subnormal : 0) << 23);
  float Value = Magnitude < 1u << F::Mantissa
                    ? float(int(Magnitude)) * Least
                    : bitsOf<float>((Magnitude << (23 - F::Mantissa)) +
                                    (unsigned(127 - F::Bias) << 23));
  return bitsOf<float>(bitsOf<unsigned>(Value) | Sign);
}

/// Rounds to the nearest integer, ties to even.
KPACK_CONV_FUNCTION double roundToWhole(double Value) {
#ifdef __clang__
  return __builtin_elementwise_rint(Value);
#else
  return __builtin_rint(Value);
#endif
}

/// Returns 2^\p Exponent, a normal number.
KPACK_CONV_FUNCTION double powerOfTwo(int Exponent) {
  return bitsOf<double>(static_cast<unsigned long long>(Exponent + 1023) << 52);
}

/// Encodes \p Value. \p Saturates: overflow gives the largest number, not
/// infinity.
template <class F>
KPACK_CONV_FUNCTION unsigned encode(double Value, bool Saturates) {
  if (Value != Value)
    return F::Nan;
  auto Bits = bitsOf<unsigned long long>(Value);
  unsigned Sign = Bits >> 63 ? F::Sign : 0;
  int Exponent = int(Bits >> 52 & 0x7ff) - 1023;
  constexpr int Smallest = 1 - F::Bias;
  unsigned Code = F::Largest + 1;
  // Numbers with the exponent of the largest number, or a smaller one, may fit.
  if (Exponent <= F::Bias + 1) {
    int Normal = Exponent < Smallest ? Smallest : Exponent;
    double Size = bitsOf<double>(Bits & ~(1ull << 63));
    double Units = roundToWhole(Size * powerOfTwo(F::Mantissa - Normal));
    Code = (unsigned(Normal - Smallest) << F::Mantissa) + unsigned(Units);
  }
  if (Code > F::Largest)
    Code = Saturates || !F::HasInfinity ? F::Largest : F::Largest + 1;
  return F::Fnuz && Code == 0 ? 0 : Code | Sign;
}

/// Returns the nearest integer in [\p Low, \p High].
template <class Real>
KPACK_CONV_FUNCTION int saturated(Real Value, double Low, double High) {
  double Whole = roundToWhole(static_cast<double>(Value));
  if (Whole != Whole)
    return 0;
  return int(Whole < Low ? Low : Whole > High ? High : Whole);
}

/// Returns the bytes of an element.
KPACK_CONV_FUNCTION constexpr int sizeOf(int Type) {
  switch (Type) {
  case type::FP64:
    return 8;
  case type::FP32:
  case type::I32:
    return 4;
  case type::FP16:
  case type::BF16:
    return 2;
  default:
    return 1;
  }
}

/// True if elements are integers.
KPACK_CONV_FUNCTION constexpr bool isInteger(int Type) {
  return Type == type::I8 || Type == type::U8 || Type == type::I32;
}

/// Loads element \p At of an integer type.
template <class Type>
KPACK_CONV_FUNCTION int loadInteger(Type Is, const void *Source,
                                    long long Index) {
  switch (int(Is)) {
  case type::U8:
    return static_cast<const unsigned char *>(Source)[Index];
  case type::I8:
    return static_cast<const signed char *>(Source)[Index];
  default:
    return static_cast<const int *>(Source)[Index];
  }
}

/// Loads element \p At as a number. \p Fnuz: the form of FP8 and BF8.
template <class Real, class Type, class Form>
KPACK_CONV_FUNCTION Real loadReal(Type Is, Form Fnuz, const void *Source,
                                  long long Index) {
  KPACK_CONV_IF (int(Is) == type::FP32)
    return static_cast<Real>(static_cast<const float *>(Source)[Index]);
  KPACK_CONV_IF (int(Is) == type::FP64)
    return static_cast<Real>(static_cast<const double *>(Source)[Index]);
  KPACK_CONV_IF (int(Is) == type::FP16)
#ifdef __AMDGCN__
    return static_cast<Real>(static_cast<const _Float16 *>(Source)[Index]);
#else
    return decode<Half>(static_cast<const unsigned short *>(Source)[Index]);
#endif
  KPACK_CONV_IF (int(Is) == type::BF16)
    return decode<Bfloat>(static_cast<const unsigned short *>(Source)[Index]);
  KPACK_CONV_IF (int(Is) == type::FP8 && int(Fnuz))
    return decode<Fp8Fnuz>(static_cast<const unsigned char *>(Source)[Index]);
  KPACK_CONV_IF (int(Is) == type::FP8 && !int(Fnuz))
    return decode<Fp8>(static_cast<const unsigned char *>(Source)[Index]);
  KPACK_CONV_IF (int(Is) == type::BF8 && int(Fnuz))
    return decode<Bf8Fnuz>(static_cast<const unsigned char *>(Source)[Index]);
  KPACK_CONV_IF (int(Is) == type::BF8 && !int(Fnuz))
    return decode<Bf8>(static_cast<const unsigned char *>(Source)[Index]);
  return static_cast<Real>(loadInteger(Is, Source, Index));
}

/// Rounds \p Value to the type.
template <class Real, class Type, class Form>
KPACK_CONV_FUNCTION Real roundedTo(Type Is, Form Fnuz, Real Value) {
  KPACK_CONV_IF (int(Is) == type::FP32)
    return static_cast<Real>(static_cast<float>(Value));
  KPACK_CONV_IF (int(Is) == type::FP16)
#ifdef __AMDGCN__
    return static_cast<Real>(static_cast<_Float16>(Value));
#else
    return decode<Half>(encode<Half>(Value, false));
#endif
  KPACK_CONV_IF (int(Is) == type::BF16)
    return decode<Bfloat>(encode<Bfloat>(Value, false));
  KPACK_CONV_IF (int(Is) == type::FP8 && int(Fnuz))
    return decode<Fp8Fnuz>(encode<Fp8Fnuz>(Value, true));
  KPACK_CONV_IF (int(Is) == type::FP8 && !int(Fnuz))
    return decode<Fp8>(encode<Fp8>(Value, true));
  KPACK_CONV_IF (int(Is) == type::BF8 && int(Fnuz))
    return decode<Bf8Fnuz>(encode<Bf8Fnuz>(Value, true));
  KPACK_CONV_IF (int(Is) == type::BF8 && !int(Fnuz))
    return decode<Bf8>(encode<Bf8>(Value, true));
  KPACK_CONV_IF (int(Is) == type::I8)
    return static_cast<Real>(saturated(Value, -128, 127));
  KPACK_CONV_IF (int(Is) == type::U8)
    return static_cast<Real>(saturated(Value, 0, 255));
  KPACK_CONV_IF (int(Is) == type::I32)
    return static_cast<Real>(saturated(Value, -2147483648.0, 2147483647.0));
  return Value;
}

/// Stores \p Value as element \p At.
template <class Real, class Type, class Form>
KPACK_CONV_FUNCTION void storeReal(Type Is, Form Fnuz, void *Destination,
                                   long long Index, Real Value) {
  auto Byte = [&](unsigned Code) {
    static_cast<unsigned char *>(Destination)[Index] =
        static_cast<unsigned char>(Code);
  };
  auto Short = [&](unsigned Code) {
    static_cast<unsigned short *>(Destination)[Index] =
        static_cast<unsigned short>(Code);
  };
  KPACK_CONV_IF (int(Is) == type::FP32)
    static_cast<float *>(Destination)[Index] = static_cast<float>(Value);
  KPACK_CONV_IF (int(Is) == type::FP64)
    static_cast<double *>(Destination)[Index] = static_cast<double>(Value);
  KPACK_CONV_IF (int(Is) == type::FP16)
#ifdef __AMDGCN__
    Short(bitsOf<unsigned short>(static_cast<_Float16>(Value)));
#else
    Short(encode<Half>(Value, false));
#endif
  KPACK_CONV_IF (int(Is) == type::BF16)
    Short(encode<Bfloat>(Value, false));
  KPACK_CONV_IF (int(Is) == type::FP8 && int(Fnuz))
    Byte(encode<Fp8Fnuz>(Value, true));
  KPACK_CONV_IF (int(Is) == type::FP8 && !int(Fnuz))
    Byte(encode<Fp8>(Value, true));
  KPACK_CONV_IF (int(Is) == type::BF8 && int(Fnuz))
    Byte(encode<Bf8Fnuz>(Value, true));
  KPACK_CONV_IF (int(Is) == type::BF8 && !int(Fnuz))
    Byte(encode<Bf8>(Value, true));
  KPACK_CONV_IF (int(Is) == type::I8)
    Byte(unsigned(saturated(Value, -128, 127)));
  KPACK_CONV_IF (int(Is) == type::U8)
    Byte(unsigned(saturated(Value, 0, 255)));
  KPACK_CONV_IF (int(Is) == type::I32)
    static_cast<int *>(Destination)[Index] =
        saturated(Value, -2147483648.0, 2147483647.0);
}

/// Stores an integer without intermediate rounding.
template <class Type, class Form>
KPACK_CONV_FUNCTION void storeInteger(Type Is, Form Fnuz, void *Destination,
                                      long long Index, int Value) {
  KPACK_CONV_IF (int(Is) == type::I32)
    static_cast<int *>(Destination)[Index] = Value;
  else
    storeReal(Is, Fnuz, Destination, Index, static_cast<double>(Value));
}

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_TYPES_H
