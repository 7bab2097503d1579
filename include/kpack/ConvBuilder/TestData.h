//===- kpack/ConvBuilder/TestData.h - tensors to compare with ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers of a seed in the tensors of a call, and what of a kernel's result
// differs from the host reference's. Small integers, which every type has: with
// exactNumbers() nothing is rounded before the result is stored, and each right
// kernel gives the same bits, in whatever order it adds. Random numbers: each
// element may be off by a bound that is computed from the sum's length and
// size.
//
// `conv-builder check` and the unit tests are made of it. A result's memory is
// Canary before the call; what is between its elements must be so afterwards.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_TESTDATA_H
#define KPACK_CONVBUILDER_TESTDATA_H

#include "kpack/ConvBuilder/CallTensors.h"
#include "kpack/ConvBuilder/Reference.h"

#include <array>

namespace kpack::conv {

enum class TestNumbers : unsigned char {
  Integers, ///< from -2 to 2, of U8 from 0 to 4
  Naturals, ///< from 0 to 4
  Random,   ///< sizes from 1/8 to 1, any sign; all integers of an integer type
};

/// Memory for each of \p Tensors, which are those of callTensors(). The same
/// \p Seed gives the same bytes on every machine.
std::vector<TensorBytes> testData(const Signature &Sig,
                                  std::span<const CallTensor> Tensors,
                                  Fp8Form Form, unsigned Seed,
                                  TestNumbers Which);

/// Numbers that keep an operation's results integers.
OpParams exactNumbers(ElementwiseOperation Op);
/// Whether its results are exact with those.
bool isExact(ElementwiseOperation Op);

/// How far off an element may be. Nothing: not at all, but -0 is 0.
struct Tolerance {
  RoundingErrors Errors;
  double Ulps = 0; ///< of FP32, after the operation
};

/// Of sums of TestNumbers::Random: each of the K + 8 additions rounds, by
/// 2^-24, of matrix instructions, which cut products and sums to a grid, by
/// four times that, and an operation does by 4 ulp.
Tolerance boundOf(const Signature &Sig, const Problem &Sizes, bool IsMatrix);

/// An element that is not as it should be.
struct Mismatch {
  /// As in TensorShape; -1: a place between elements.
  std::array<long long, 6> Place;
  long long Element; ///< in memory
  double Is;
  double Should;
  double Bound;
};

/// "n=0 k=3 h=2 w=1", in the words of the tensor's layouts; "between elements".
std::string placeText(const CallTensor &Of, int SpatialDim,
                      const Mismatch &Found);

struct Comparison {
  long long Elements = 0;
  long long Wrong = 0;
  std::vector<Mismatch> First; ///< of those that are wrong
  bool ok() const { return Wrong == 0; }
};

/// Compares the bits of \p Is with those of \p Should; numbers that are equal,
/// and NaN, have the same. At most \p Most are in First.
Comparison compareStored(const CallTensor &Of, Fp8Form Form,
                         const TensorBytes &Should, const TensorBytes &Is,
                         size_t Most);

/// Compares \p Is with numbers of resultOf(), each as the type has it.
Comparison compareNearly(const CallTensor &Of, Fp8Form Form,
                         const ReferenceResult &Should, const TensorBytes &Is,
                         double Ulps, size_t Most);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_TESTDATA_H
