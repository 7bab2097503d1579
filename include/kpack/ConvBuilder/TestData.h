//===- TestData.h - test tensors and their comparison -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills the tensors of a call with numbers of a seed, and compares a kernel's
// result with the host reference. Small integers exist in every type: with
// exactNumbers() nothing is rounded before the result is stored, and every
// correct kernel computes the same bits, in whatever order it adds. With random
// numbers each element may differ by a bound, which is computed from the sum's
// length and magnitude.
//
// `conv-builder check` and the unit tests use it. The result's memory is filled
// with Canary before the call; bytes between its elements must not change.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_TESTDATA_H
#define KPACK_CONVBUILDER_TESTDATA_H

#include "kpack/ConvBuilder/CallTensors.h"
#include "kpack/ConvBuilder/Reference.h"

#include <array>

namespace kpack::conv {

enum class TestNumbers : unsigned char {
  Integers, ///< from -2 to 2; for U8 from 0 to 4
  Naturals, ///< from 0 to 4
  Random, ///< magnitudes from 1/8 to 1 with any sign; the full range of integer
          ///< types
};

/// Returns memory for each of \p Tensors, which come from callTensors(). The
/// bytes depend only on \p Seed, on every machine.
std::vector<TensorBytes> testData(const Signature &Sig,
                                  std::span<const CallTensor> Tensors,
                                  Fp8Form Form, unsigned Seed,
                                  TestNumbers Which);

/// Returns parameters that keep the operation's results integers.
OpParams exactNumbers(ElementwiseOperation Op);
/// True if its results are exact with those.
bool isExact(ElementwiseOperation Op);

/// The tolerance of an element. By default none, except that -0 equals 0.
struct Tolerance {
  RoundingErrors Errors;
  double Ulps = 0; ///< of FP32, of the operation
};

/// Returns the bound for sums of TestNumbers::Random. Each of the K + 8
/// additions rounds by 2^-24; by four times that in matrix instructions, which
/// truncate products and sums to a grid; an operation errs by 4 ulp.
Tolerance boundOf(const Signature &Sig, const Problem &Sizes, bool IsMatrix);

/// A wrong element.
struct Mismatch {
  /// As in TensorShape; -1 for a place between elements.
  std::array<long long, 6> Place;
  long long Element; ///< index in memory
  double Is;
  double Should;
  double Bound;
};

/// Returns "n=0 k=3 h=2 w=1", by the letters of the tensor's layouts, or
/// "between elements".
std::string placeText(const CallTensor &Tensor, int SpatialDim,
                      const Mismatch &Found);

struct Comparison {
  long long Elements = 0;
  long long Wrong = 0;
  std::vector<Mismatch> First; ///< the first wrong ones
  bool ok() const { return Wrong == 0; }
};

/// Compares the bits of \p Is with \p Should; equal numbers, and NaNs, count as
/// equal. First holds at most \p Most elements.
Comparison compareStored(const CallTensor &Tensor, Fp8Form Form,
                         const TensorBytes &Should, const TensorBytes &Is,
                         size_t Most);

/// Compares \p Is with numbers of resultOf(), rounded to the type.
Comparison compareNearly(const CallTensor &Tensor, Fp8Form Form,
                         const ReferenceResult &Should, const TensorBytes &Is,
                         double Ulps, size_t Most);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_TESTDATA_H
