//===- kpack/ConvBuilder/TensorShape.h - extents and strides ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a tensor's elements are: six extents and six strides, in the order in
// which kernels take them.
//
//   input   groups, batch, c, D, H, W
//   weight  groups, k,     c, Z, Y, X
//   output  groups, batch, k, D, H, W
//
// Spatial dimensions that a signature has not are of size 1 and come first. An
// auxiliary operand has the extents of its tensor, and stride 0 along those
// that its layout does not have.
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

  /// From the first element to one past the last one: what memory must have.
  long long span() const;
};

/// Which of the six a layout's letter is; a bias's channel is the one that the
/// tensor has.
unsigned placeOf(char Letter, Role Of);

/// Of the tensor \p Of of a signature that resolveSignature() has made. Errors:
/// InvalidArgument, a size is none or too large, or strides are missing.
Result<TensorShape> shapeOf(const Signature &Sig, const Problem &Sizes,
                            Role Of);

/// Of auxiliary operand \p I of that tensor.
Result<TensorShape> auxiliaryShapeOf(const Signature &Sig, const Problem &Sizes,
                                     Role Of, unsigned I);

/// Auxiliary operands of all tensors that come before those of \p Of: input,
/// weight, output. By this number Problem::auxiliary_strides has them.
unsigned auxiliaryBefore(const Signature &Sig, Role Of);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_TENSORSHAPE_H
