//===- ReferenceOperations.h - operations of the reference ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 35 operations in double, with the functions of the C++ library.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_REFERENCEOPERATIONS_H
#define KPACK_LIB_CONVBUILDER_REFERENCEOPERATIONS_H

#include "kpack/ConvBuilder/Args.h"

namespace kpack::conv {

/// Applies an operation that takes only the value.
double applyUnary(ElementwiseOperation Op, const OpNumbers &With, double X);

/// Applies any operation. \p D are its auxiliary operands; \p Stored is the
/// integer type whose range limits the results of quantised operations.
double applyOperation(const Operation &Op, const OpParams &With,
                      DataType Stored, const double *D, double X);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_REFERENCEOPERATIONS_H
