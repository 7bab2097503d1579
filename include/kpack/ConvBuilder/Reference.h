//===- ConvBuilder/Reference.h - CPU reference of convolutions --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes a convolution on the CPU, in double and with simple loops, to
// compare kernels with. Shares no code with kernels, neither for addresses nor
// for types or operations.
//
//   Status Done = reference(Sig, Problem, Args);
//
// Tensors are in host memory. A result is rounded once from double, while a
// kernel rounds each sum. With small integers both results are equal; with
// other numbers resultOf() bounds the difference.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_REFERENCE_H
#define KPACK_CONVBUILDER_REFERENCE_H

#include "kpack/ConvBuilder/Args.h"
#include "kpack/ConvBuilder/Problem.h"
#include "kpack/Support/Status.h"

#include <vector>

namespace kpack::conv {

/// The two forms of FP8 and BF8.
enum class Fp8Form : unsigned char {
  Ocp,  ///< gfx950, gfx12, and software implementations
  Fnuz, ///< gfx942
};

/// Relative errors of kernels' roundings.
struct RoundingErrors {
  /// Of a sum, relative to the sum of |a b|.
  double OfSum = 0;
  /// Of an operation, relative to its operands.
  double OfOperation = 0;
};

/// Results before they are stored.
struct ReferenceResult {
  /// Indexed by group, n or k, channel, and D, H, W; the last index is fastest.
  std::vector<double> Values;
  /// The sum of |a b| of each result, before the operation.
  std::vector<double> Magnitudes;
  /// The error bound of each result: the operation applied to both ends of the
  /// sum's interval. Sums of I32 are exact.
  std::vector<double> Spreads;
};

/// Computes the result. Does not access the result's memory, which may be null.
/// \p Sig comes from resolveSignature(). Errors: InvalidArgument, a missing or
/// invalid size or stride.
Result<ReferenceResult> resultOf(const Signature &Sig, const Problem &Sizes,
                                 const Args &With, Fp8Form Form = Fp8Form::Ocp,
                                 const RoundingErrors &Errors = {});

/// Computes and stores the result.
Status reference(const Signature &Sig, const Problem &Sizes, const Args &With,
                 Fp8Form Form = Fp8Form::Ocp);

/// Read and write element \p Index of \p Data. Writing rounds to nearest, ties
/// to even. Overflow gives infinity in FP16 and BF16, and the largest number in
/// FP8, BF8 and integers.
double elementAt(DataType Type, Fp8Form Form, const void *Data,
                 long long Index);
void setElement(DataType Type, Fp8Form Form, void *Data, long long Index,
                double Value);

/// Returns the distance of neighbouring numbers around \p Value; 1 for
/// integers.
double ulpOf(DataType Type, double Value);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_REFERENCE_H
