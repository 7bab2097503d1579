//===- ReferenceElements.cpp - element conversions of the reference -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements by the definition of their types: ldexp() computes the number of a
// small float's code, and bisection finds the code of a number, since codes
// have the order of their numbers. Slow, and easy to verify.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Reference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

using namespace kpack;
using namespace kpack::conv;

namespace {

/// A format whose first bit is the sign.
struct SmallFormat {
  int Mantissa;
  int Bias;
  unsigned Bits;
  unsigned Largest; ///< code of the largest number
  bool HasInfinity;
  bool HasNegativeZero; ///< else the code is NaN
};

constexpr SmallFormat Fp16Format = {10, 15, 16, 0x7bff, true, true};
constexpr SmallFormat Bf16Format = {7, 127, 16, 0x7f7f, true, true};

SmallFormat getFormat(DataType Type, Fp8Form Form) {
  bool IsFnuz = Form == Fp8Form::Fnuz;
  switch (Type) {
  case DataType::FP16:
    return Fp16Format;
  case DataType::BF16:
    return Bf16Format;
  case DataType::FP8:
    return IsFnuz ? SmallFormat{3, 8, 8, 0x7f, false, false}
                  : SmallFormat{3, 7, 8, 0x7e, false, true};
  default:
    return IsFnuz ? SmallFormat{2, 16, 8, 0x7f, false, false}
                  : SmallFormat{2, 15, 8, 0x7b, true, true};
  }
}

/// Returns the number of a code without its sign bit, also past the largest
/// one.
double computeMagnitude(const SmallFormat &F, unsigned Code) {
  unsigned Exponent = Code >> F.Mantissa;
  unsigned Fraction = Code & ((1u << F.Mantissa) - 1);
  if (Exponent == 0)
    return std::ldexp(Fraction, 1 - F.Bias - F.Mantissa);
  return std::ldexp(Fraction + (1u << F.Mantissa),
                    static_cast<int>(Exponent) - F.Bias - F.Mantissa);
}

double valueOfCode(const SmallFormat &F, unsigned Code) {
  unsigned SignBit = 1u << (F.Bits - 1);
  unsigned Magnitude = Code & (SignBit - 1);
  double Sign = Code & SignBit ? -1 : 1;
  if (!F.HasNegativeZero && Code == SignBit)
    return std::numeric_limits<double>::quiet_NaN();
  if (Magnitude <= F.Largest)
    return Sign * computeMagnitude(F, Magnitude);
  if (F.HasInfinity && Magnitude == F.Largest + 1)
    return Sign * std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

unsigned getCode(const SmallFormat &F, DataType Type, double Value) {
  unsigned SignBit = 1u << (F.Bits - 1);
  if (std::isnan(Value))
    return F.HasNegativeZero ? SignBit - 1 : SignBit;
  double Size = std::fabs(Value);
  unsigned Sign = std::signbit(Value) ? SignBit : 0;
  // Find the largest code whose number is not above Size.
  unsigned Low = 0, High = F.Largest + 1;
  while (High - Low > 1) {
    unsigned Middle = (Low + High) / 2;
    (computeMagnitude(F, Middle) <= Size ? Low : High) = Middle;
  }
  double Below = Size - computeMagnitude(F, Low);
  double Above = computeMagnitude(F, Low + 1) - Size;
  unsigned Code =
      Above < Below || (Above == Below && (Low & 1)) ? Low + 1 : Low;
  bool Saturates = Type == DataType::FP8 || Type == DataType::BF8;
  if (Code > F.Largest && Saturates)
    Code = F.Largest;
  return Code == 0 && !F.HasNegativeZero ? 0 : Code | Sign;
}

double wholeNumber(double Value, double Low, double High) {
  if (std::isnan(Value))
    return 0;
  return std::fmin(std::fmax(std::nearbyint(Value), Low), High);
}

template <typename T> T read(const void *Data, long long Index) {
  T Value;
  std::memcpy(&Value, static_cast<const char *>(Data) + Index * sizeof(T),
              sizeof(T));
  return Value;
}

template <typename T> void write(void *Data, long long Index, T Value) {
  std::memcpy(static_cast<char *>(Data) + Index * sizeof(T), &Value, sizeof(T));
}

} // namespace

double conv::elementAt(DataType Type, Fp8Form Form, const void *Data,
                       long long Index) {
  switch (Type) {
  case DataType::FP32:
    return static_cast<double>(read<float>(Data, Index));
  case DataType::FP64:
    return read<double>(Data, Index);
  case DataType::FP16:
  case DataType::BF16:
    return valueOfCode(getFormat(Type, Form), read<uint16_t>(Data, Index));
  case DataType::FP8:
  case DataType::BF8:
    return valueOfCode(getFormat(Type, Form), read<uint8_t>(Data, Index));
  case DataType::I8:
    return read<int8_t>(Data, Index);
  case DataType::U8:
    return read<uint8_t>(Data, Index);
  case DataType::I32:
    return read<int32_t>(Data, Index);
  default:
    return std::numeric_limits<double>::quiet_NaN();
  }
}

void conv::setElement(DataType Type, Fp8Form Form, void *Data, long long Index,
                      double Value) {
  switch (Type) {
  case DataType::FP32:
    return write(Data, Index, static_cast<float>(Value));
  case DataType::FP64:
    return write(Data, Index, Value);
  case DataType::FP16:
  case DataType::BF16:
    return write(
        Data, Index,
        static_cast<uint16_t>(getCode(getFormat(Type, Form), Type, Value)));
  case DataType::FP8:
  case DataType::BF8:
    return write(
        Data, Index,
        static_cast<uint8_t>(getCode(getFormat(Type, Form), Type, Value)));
  case DataType::I8:
    return write(Data, Index,
                 static_cast<int8_t>(wholeNumber(Value, -128, 127)));
  case DataType::U8:
    return write(Data, Index, static_cast<uint8_t>(wholeNumber(Value, 0, 255)));
  case DataType::I32:
    return write(
        Data, Index,
        static_cast<int32_t>(wholeNumber(Value, INT32_MIN, INT32_MAX)));
  default:
    return;
  }
}

double conv::ulpOf(DataType Type, double Value) {
  int Bits, Least;
  switch (Type) {
  case DataType::FP16:
    Bits = 10, Least = -24;
    break;
  case DataType::BF16:
    Bits = 7, Least = -133;
    break;
  case DataType::FP8:
    Bits = 3, Least = -10;
    break;
  case DataType::BF8:
    Bits = 2, Least = -17;
    break;
  case DataType::FP64:
    Bits = 52, Least = -1074;
    break;
  case DataType::FP32:
    Bits = 23, Least = -149;
    break;
  default:
    return 1;
  }
  return std::max(
      std::ldexp(1, Least),
      std::ldexp(1, std::ilogb(std::max(std::fabs(Value), 1e-300)) - Bits));
}
