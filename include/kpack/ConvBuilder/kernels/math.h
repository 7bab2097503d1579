//===- kernels/math.h - mathematical functions ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// exp and related functions for activations. They replace a math library, so
// that all GPUs and the CPU compute the same numbers. All compute in double:
// with a relative error of about 2^-40, the result rounded to FP32 is correct
// except for ties, even where 1 + erf(x) or log(1 + u) cancels. They run once
// for each result, and are short.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_MATH_H
#define KPACK_CONV_KERNELS_MATH_H

#include "kpack/ConvBuilder/kernels/types.h"

namespace kpack::conv::device {

/// x = n ln 2 + r, and the series of e^r. 2^n is a product of two factors,
/// since one could not represent the smallest results.
KPACK_CONV_FUNCTION double exactExp(double X) {
  if (!(X < 710))
    return X != X ? X : __builtin_inf();
  if (X < -746)
    return 0;
  double Exponent = roundToWhole(X * 0x1.71547652b82fep+0);
  double R = __builtin_fma(Exponent, -0x1.62e42fefa39efp-1, X);
  R = __builtin_fma(Exponent, -0x1.abc9e3b39803fp-56, R);
  double P = 1.0 / 479001600;
  P = P * R + 1.0 / 39916800;
  P = P * R + 1.0 / 3628800;
  P = P * R + 1.0 / 362880;
  P = P * R + 1.0 / 40320;
  P = P * R + 1.0 / 5040;
  P = P * R + 1.0 / 720;
  P = P * R + 1.0 / 120;
  P = P * R + 1.0 / 24;
  P = P * R + 1.0 / 6;
  P = P * R + 0.5;
  P = P * R + 1;
  P = P * R + 1;
  int Whole = int(Exponent), Half = Whole / 2;
  return P * powerOfTwo(Half) * powerOfTwo(Whole - Half);
}

/// Returns e^x - 1.
KPACK_CONV_FUNCTION double exactExpm1(double X) {
  if (X > -1e-3 && X < 1e-3)
    return X * (1 + X * (0.5 + X * (1.0 / 6 + X / 24)));
  return exactExp(X) - 1;
}

/// x = 2^n m with m around 1, and the series of log m in (m - 1) / (m + 1).
KPACK_CONV_FUNCTION double exactLog(double X) {
  if (!(X > 0))
    return X == 0 ? -__builtin_inf() : __builtin_nan("");
  if (X == __builtin_inf())
    return X;
  bool IsTiny = X < 0x1p-1022;
  auto Bits = bitsOf<unsigned long long>(IsTiny ? X * 0x1p+54 : X);
  // M is in [sqrt(1/2), sqrt(2)).
  int Exponent =
      int(static_cast<long long>(Bits - 0x3fe6a09e667f3bcdull) >> 52);
  double M =
      bitsOf<double>(Bits - (static_cast<unsigned long long>(Exponent) << 52));
  double S = (M - 1) / (M + 1), Square = S * S;
  double P = 1.0 / 19;
  P = P * Square + 1.0 / 17;
  P = P * Square + 1.0 / 15;
  P = P * Square + 1.0 / 13;
  P = P * Square + 1.0 / 11;
  P = P * Square + 1.0 / 9;
  P = P * Square + 1.0 / 7;
  P = P * Square + 1.0 / 5;
  P = P * Square + 1.0 / 3;
  double Log = 2 * S + 2 * S * Square * P;
  return __builtin_fma(double(IsTiny ? Exponent - 54 : Exponent),
                       0x1.62e42fefa39efp-1, Log);
}

/// Returns log(1 + u) for u in [0, 1].
KPACK_CONV_FUNCTION double exactLog1p(double U) {
  return U < 1e-5 ? U * (1 - U * (0.5 - U / 3)) : exactLog(1 + U);
}

KPACK_CONV_FUNCTION double exactTanh(double X) {
  double Size = X < 0 ? -X : X;
  if (Size < 1e-3)
    return X * (1 - X * X * (1.0 / 3 - X * X * (2.0 / 15)));
  double Value = 1 - 2 / (exactExp(2 * Size) + 1);
  return X < 0 ? -Value : Value;
}

/// Returns 1 - erf(x). For t = 1 / (1 + x / 2), erfc(x) = t e^(-x^2 + p(t)),
/// with a polynomial p fitted to 5e-12.
KPACK_CONV_FUNCTION double exactErfc(double X) {
  double Size = X < 0 ? -X : X;
  if (Size > 28) // includes infinity
    return X < 0 ? 2 : 0;
  double Scale = 1 / (1 + Size / 2), U = 2 * Scale - 1;
  double P = -0x1.d98ff39b6152ap-22;
  P = P * U + 0x1.e0e1203708c4bp-19;
  P = P * U - 0x1.205c8b785ad21p-19;
  P = P * U - 0x1.75508d8ad26d6p-16;
  P = P * U + 0x1.0fc577d0d8a49p-15;
  P = P * U + 0x1.0e5fea9640862p-14;
  P = P * U - 0x1.6c927d76ad72ep-13;
  P = P * U - 0x1.7a1f771257cd4p-14;
  P = P * U + 0x1.60f5d5a33199bp-11;
  P = P * U - 0x1.35011d56ccbe9p-13;
  P = P * U - 0x1.337303715a8bcp-9;
  P = P * U + 0x1.cd24cf5b985b7p-10;
  P = P * U + 0x1.212cbb4096543p-7;
  P = P * U - 0x1.438242b846b13p-7;
  P = P * U - 0x1.802b38124142dp-5;
  P = P * U + 0x1.83d61c9fae507p-5;
  P = P * U + 0x1.5864b1516bbefp-1;
  P = P * U - 0x1.57f564e95ddbdp-1;
  double Value = Scale * exactExp(P - Size * Size);
  return X < 0 ? 2 - Value : Value;
}

/// Returns x^y; for a negative x only if y is an integer.
KPACK_CONV_FUNCTION double exactPow(double X, double Y) {
  if (Y == 0 || X == 1)
    return 1;
  double Size = X < 0 ? -X : X;
  double Value =
      Size == 0 ? (Y > 0 ? 0 : __builtin_inf()) : exactExp(Y * exactLog(Size));
  if (!(X < 0))
    return X != X ? X : Value;
  if (roundToWhole(Y) != Y)
    return __builtin_nan("");
  double HalfOfY = Y / 2;
  return roundToWhole(HalfOfY) == HalfOfY ? Value : -Value;
}

} // namespace kpack::conv::device

#endif // KPACK_CONV_KERNELS_MATH_H
