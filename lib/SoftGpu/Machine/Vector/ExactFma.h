//===- ExactFma.h - scaled multiply-add with one rounding -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// (A * B + C) * 2^Scale in integers. V_DIV_FMAS scales before it rounds: if
// scaled after an fma, a quotient that becomes denormal would be rounded twice,
// and one that overflows only without the scale would be lost.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_VECTOR_EXACTFMA_H
#define KPACK_LIB_SOFTGPU_MACHINE_VECTOR_EXACTFMA_H

#include "SoftGpu/Machine/Lanes/FloatLanes.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

/// Magnitude * 2^Exponent; the lowest bit is sticky after a shift.
struct ExactNumber {
  unsigned __int128 Magnitude = 0;
  int Exponent = 0;
  bool Negative = false;

  unsigned topBit() const {
    uint64_t High = uint64_t(Magnitude >> 64), Low = uint64_t(Magnitude);
    return High ? 127 - unsigned(__builtin_clzll(High))
                : 63 - unsigned(__builtin_clzll(Low | 1));
  }
  void shiftRight(int Count) {
    if (Count <= 0)
      return;
    bool Lost =
        Count > 127 ? Magnitude != 0 : (Magnitude << (128 - Count)) != 0;
    Magnitude = (Count > 127 ? 0 : Magnitude >> Count) | unsigned(Lost);
    Exponent += Count;
  }
  /// Moves the highest bit to bit 124, which leaves room for a carry, and for
  /// all bits of a product next to an addend of nearly the same size.
  void normalise() {
    int Count = 124 - int(topBit());
    Magnitude <<= Count;
    Exponent -= Count;
  }
};

/// Returns a finite number of the format.
template <class F> inline ExactNumber exactNumber(typename F::Bits B) {
  auto Field = (B & F::Infinity) >> F::MantissaBits;
  ExactNumber R;
  R.Magnitude = (B & (F::MinNormal - 1)) | (Field ? F::MinNormal : 0);
  R.Exponent = int(Field ? Field : 1) - F::Bias - int(F::MantissaBits);
  R.Negative = (B & F::Sign) != 0;
  return R;
}

/// Adds. \p X and \p Y are not zero. An exact zero is negative only if rounding
/// down.
inline ExactNumber exactSum(ExactNumber X, ExactNumber Y, unsigned Rounding) {
  X.normalise();
  Y.normalise();
  if (X.Exponent < Y.Exponent)
    X.shiftRight(Y.Exponent - X.Exponent);
  else
    Y.shiftRight(X.Exponent - Y.Exponent);
  if (X.Negative == Y.Negative) {
    X.Magnitude += Y.Magnitude;
    return X;
  }
  if (X.Magnitude < Y.Magnitude)
    std::swap(X, Y);
  X.Magnitude -= Y.Magnitude;
  if (X.Magnitude == 0)
    X.Negative = Rounding == 2;
  return X;
}

/// Returns the result of an overflow: infinity, or the largest number if
/// \p Rounding is away from that infinity.
template <class F>
inline typename F::Bits overflowBits(bool Negative, unsigned Rounding) {
  bool ToInfinity = Rounding == 0 || Rounding == (Negative ? 2u : 1u);
  return (Negative ? F::Sign : 0) + F::Infinity - !ToInfinity;
}

template <class F>
inline typename F::Bits roundExact(const ExactNumber &X, unsigned Rounding,
                                   bool Flush) {
  using Bits = typename F::Bits;
  Bits Sign = X.Negative ? F::Sign : 0;
  if (X.Magnitude == 0)
    return Sign;
  // The weight of the result's last bit, at least that of denormals.
  constexpr int Lowest = 1 - F::Bias - int(F::MantissaBits);
  int Last =
      std::max(X.Exponent + int(X.topBit()) - int(F::MantissaBits), Lowest);
  if (Last - Lowest >= 2 * F::Bias)
    return overflowBits<F>(X.Negative, Rounding);
  // Two more bits below it: the half, and a sticky bit.
  ExactNumber R = X;
  int Count = Last - 2 - X.Exponent;
  if (Count < 0)
    R.Magnitude <<= -Count;
  else
    R.shiftRight(Count);
  unsigned Rest = unsigned(R.Magnitude & 3);
  Bits Kept = Bits(R.Magnitude >> 2);
  bool Up[] = {Rest > 2 || (Rest == 2 && (Kept & 1)), Rest && !X.Negative,
               Rest && X.Negative, false};
  Kept += Up[Rounding & 3];
  // The mantissa's highest bit adds one to the exponent's field.
  Kept += Bits(Last - Lowest) << F::MantissaBits;
  if (Kept >= F::Infinity)
    return overflowBits<F>(X.Negative, Rounding);
  return Sign | (Flush && Kept < F::MinNormal ? 0 : Kept);
}

/// Takes any bit patterns; NaNs as in FloatLanes.h.
template <class F>
inline typename F::Bits scaledFma(typename F::Bits A, typename F::Bits B,
                                  typename F::Bits C, int Scale,
                                  unsigned Rounding, bool Flush) {
  using Bits = typename F::Bits;
  Bits Am = A & ~F::Sign, Bm = B & ~F::Sign, Cm = C & ~F::Sign;
  Bits ProductSign = (A ^ B) & F::Sign;
  if (Am > F::Infinity)
    return A | F::QuietBit;
  if (Bm > F::Infinity)
    return B | F::QuietBit;
  if ((Am == 0 && Bm == F::Infinity) || (Bm == 0 && Am == F::Infinity))
    return F::DefaultNan;
  if (Cm > F::Infinity)
    return C | F::QuietBit;
  if (Am == F::Infinity || Bm == F::Infinity)
    return Cm == F::Infinity && ProductSign != (C & F::Sign)
               ? F::DefaultNan
               : F::Infinity | ProductSign;
  if (Cm == F::Infinity)
    return C;
  ExactNumber Product = exactNumber<F>(A);
  ExactNumber Factor = exactNumber<F>(B);
  ExactNumber Sum = exactNumber<F>(C);
  Product.Magnitude *= Factor.Magnitude;
  Product.Exponent += Factor.Exponent;
  Product.Negative = ProductSign != 0;
  if (Product.Magnitude && Sum.Magnitude)
    Sum = exactSum(Product, Sum, Rounding);
  else if (Product.Magnitude)
    Sum = Product;
  else if (!Sum.Magnitude && Sum.Negative != Product.Negative)
    Sum.Negative = Rounding == 2;
  Sum.Exponent += Scale;
  return roundExact<F>(Sum, Rounding, Flush);
}

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_VECTOR_EXACTFMA_H
