//===- Tiles.h - the integers of IMPLICIT_GEMM ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#ifndef KPACK_LIB_CONVBUILDER_TILES_H
#define KPACK_LIB_CONVBUILDER_TILES_H

#include "kpack/ConvBuilder/Lower.h"

namespace kpack::conv {

/// Adds tile, instruction and what follows from them to \p L, which has its
/// tensors already. Errors: those of lower().
Status lowerTiles(Lowered &L, const Algorithm &How, std::string_view Processor);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TILES_H
