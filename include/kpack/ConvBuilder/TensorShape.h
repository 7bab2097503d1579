//===- TensorShape.h - extents and strides of a tensor ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Extents and strides of a tensor's elements: six of each, in the order in
// which kernels take them.
//
//   input   groups, batch, c, D, H, W
//   weight  groups, k,     c, Z, Y, X
//   output  groups, batch, k, D, H, W
//
// Missing spatial dimensions come first and have size 1. An auxiliary operand
// has the extents of its tensor, and stride 0 in dimensions that its layout
// lacks.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_TENSORSHAPE_H
#define KPACK_CONVBUILDER_TENSORSHAPE_H

#include "kpack/ConvBuilder/Layouts.h"
#include "kpack/ConvBuilder/Problem.h"
#include "kpack/ConvBuilder/Product.h"
#include "kpack/Support/Status.h"

namespace kpack::conv {

struct TensorShape {
  long long Extents[6] = {1, 1, 1, 1, 1, 1};
  long long Strides[6] = {};

  /// Elements from the first one to the end of the last one: the size of its
  /// memory.
  long long span() const;
};

/// Returns the index among the six of a layout's letter; a bias's channel is
/// that of the tensor.
unsigned placeOf(char Letter, Role TensorRole);

/// Returns the shape of the tensor \p TensorRole; \p Sig comes from
/// resolveSignature(). Errors: InvalidArgument, an invalid or too large size,
/// or missing strides.
Result<TensorShape> shapeOf(const Signature &Sig, const Problem &Sizes,
                            Role TensorRole);

/// Returns the shape of auxiliary operand \p I of that tensor.
Result<TensorShape> auxiliaryShapeOf(const Signature &Sig, const Problem &Sizes,
                                     Role TensorRole, unsigned I);

/// Counts the auxiliary operands of all tensors before \p TensorRole, in the
/// order input, weight, output. This is its index in
/// Problem::auxiliary_strides.
unsigned auxiliaryBefore(const Signature &Sig, Role TensorRole);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_TENSORSHAPE_H
