//===- TileFit.h - checks of a problem against tiles ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IMPLICIT_GEMM is compiled before the problem is known. Before each launch,
// this checks the assumptions of its vectors, tiles and offsets.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_TILEFIT_H
#define KPACK_LIB_CONVBUILDER_TILEFIT_H

#include "kpack/ConvBuilder/Args.h"
#include "kpack/ConvBuilder/Lower.h"
#include "kpack/ConvBuilder/TensorShape.h"

namespace kpack::conv {

/// Checks the shapes of input, weight and output. Errors: InvalidArgument for a
/// vector that is not whole or not aligned, a tile that goes beyond the matrix
/// in a kernel without padding, or a tensor of 2 GiB in a kernel with 32-bit
/// offsets.
Status fitsTiles(const Lowered &Kernel, const Problem &Sizes,
                 const TensorShape (&Shapes)[3], const Args &With);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TILEFIT_H
