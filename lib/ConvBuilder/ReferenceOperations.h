//===- ReferenceOperations.h - operations, for the reference ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 35 operations with the functions of the C++ library, in double.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_REFERENCEOPERATIONS_H
#define KPACK_LIB_CONVBUILDER_REFERENCEOPERATIONS_H

#include "kpack/ConvBuilder/Args.h"

namespace kpack::conv {

/// An operation of the value alone.
double applyUnary(ElementwiseOperation Op, const OpNumbers &With, double X);

/// Any operation; \p D are its auxiliary operands, \p Stored is the type whose
/// integers the quantised ones give.
double applyOperation(const Operation &Op, const OpParams &With,
                      DataType Stored, const double *D, double X);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_REFERENCEOPERATIONS_H
