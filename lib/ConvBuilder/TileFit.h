//===- TileFit.h - whether a problem is as tiles assume ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IMPLICIT_GEMM is compiled before the problem is known. What its vectors,
// tiles and offsets assume of one is asked here, before each launch.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_TILEFIT_H
#define KPACK_LIB_CONVBUILDER_TILEFIT_H

#include "kpack/ConvBuilder/Args.h"
#include "kpack/ConvBuilder/Lower.h"
#include "kpack/ConvBuilder/TensorShape.h"

namespace kpack::conv {

/// Shapes: of input, weight and output. Errors: InvalidArgument, a vector is
/// not whole or not aligned; a tile goes beyond the matrix where the kernel has
/// no padding; a tensor has 2 GiB and the kernel 32-bit offsets.
Status fitsTiles(const Lowered &Kernel, const Problem &Sizes,
                 const TensorShape (&Shapes)[3], const Args &With);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TILEFIT_H
