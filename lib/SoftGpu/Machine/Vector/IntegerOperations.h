//===- IntegerOperations.h - operations of all integer sizes ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lambdas for the templates of VectorTemplates.h that both VectorInteger.cpp
// and VectorInteger16.cpp use. Sums and products are exact if clampable() calls
// them, with int64_t, and wrap around in a kind's number type.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_VECTOR_INTEGEROPERATIONS_H
#define KPACK_LIB_SOFTGPU_MACHINE_VECTOR_INTEGEROPERATIONS_H

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

constexpr auto Add = [](auto A, auto B) { return A + B; };
constexpr auto Sub = [](auto A, auto B) { return A - B; };
constexpr auto SubReversed = [](auto A, auto B) { return B - A; };
constexpr auto Mul = [](auto A, auto B) { return A * B; };
constexpr auto Mad = [](auto A, auto B, auto C) { return A * B + C; };

constexpr auto Min = [](auto A, auto B) { return A < B ? A : B; };
constexpr auto Max = [](auto A, auto B) { return A > B ? A : B; };
constexpr auto Min3 = [](auto A, auto B, auto C) { return Min(Min(A, B), C); };
constexpr auto Max3 = [](auto A, auto B, auto C) { return Max(Max(A, B), C); };
constexpr auto Median = [](auto A, auto B, auto C) {
  return Max(Min(A, B), Min(Max(A, B), C));
};

constexpr auto Move = [](auto A) { return A; };
constexpr auto Not = [](auto A) { return ~A; };
constexpr auto And = [](auto A, auto B) { return A & B; };
constexpr auto Or = [](auto A, auto B) { return A | B; };
constexpr auto Xor = [](auto A, auto B) { return A ^ B; };

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_VECTOR_INTEGEROPERATIONS_H
