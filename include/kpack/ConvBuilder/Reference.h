//===- kpack/ConvBuilder/Reference.h - what is right ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution on the CPU, in double, by loops that anybody can check: what
// kernels are compared with. It shares no code with them, neither that of
// addresses nor that of types or operations.
//
//   Status Done = reference(Sig, Problem, Args);
//
// Tensors are in the process's memory. A result is rounded once, from double,
// where a kernel has rounded each sum: with small integers both are the same,
// with other numbers resultOf() says how large the difference may be.
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
  Ocp,  ///< gfx950, gfx12, and wherever it is done by software
  Fnuz, ///< gfx942
};

/// By how much kernels round where the reference does not.
struct RoundingErrors {
  /// Of a sum, in parts of the sum of |a b|.
  double OfSum = 0;
  /// Of an operation, in parts of the numbers that it is done with.
  double OfOperation = 0;
};

/// A result before it is stored.
struct ReferenceResult {
  /// For group, n or k, channel, and D, H, W, the last one fastest.
  std::vector<double> Values;
  /// Of each, the sum of |a b| before the operation.
  std::vector<double> Magnitudes;
  /// Of each, how far these errors carry it: the operation is done with the
  /// ends of what the sum can be. Sums of I32 have no error.
  std::vector<double> Spreads;
};

/// What \p With computes; the result's memory is neither read nor written, and
/// may be null. \p Sig is what resolveSignature() has made. Errors:
/// InvalidArgument, a size or a stride is missing or makes no sense.
Result<ReferenceResult> resultOf(const Signature &Sig, const Problem &Sizes,
                                 const Args &With, Fp8Form Form = Fp8Form::Ocp,
                                 const RoundingErrors &Errors = {});

/// The same, stored.
Status reference(const Signature &Sig, const Problem &Sizes, const Args &With,
                 Fp8Form Form = Fp8Form::Ocp);

/// The number that element \p At of \p Data is, and the way back: to the
/// nearest, of two the even one. What is too large is infinite in FP16 and
/// BF16, the largest number in FP8, BF8 and integers.
double elementAt(DataType Type, Fp8Form Form, const void *Data, long long At);
void setElement(DataType Type, Fp8Form Form, void *Data, long long At,
                double Value);

/// The distance of a type's numbers around \p Value; 1 of integers.
double ulpOf(DataType Type, double Value);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_REFERENCE_H
