//===- InPlace.h - kernels that overwrite an operand ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of element-wise operations reads an element before it writes the one
// at the same place, and reads it nowhere else. So its result may take the
// bytes of an operand without later readers:
//
//   node          0   1   2
//   x             w---r           1, a sum over rows, reads other elements, too
//   y                 w---r       2, exp, reads only the element at its place
//   z                     w       may take y's bytes
//
// This must be known before a kernel is written: it has one pointer for both,
// and the compiler may assume that all others do not alias.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_CODEGEN_INPLACE_H
#define KPACK_LIB_JITGRAPH_CODEGEN_INPLACE_H

#include "Fusion.h"

namespace kpack::jit {

/// Returns for each node the one whose bytes it takes, or OpGraph::None. Both
/// are in the pool (\p IsPooled, for stored nodes) and have the same element
/// type.
std::vector<uint32_t> findInPlace(const OpGraph &Graph, const Fusion &Chosen,
                                  const std::vector<bool> &IsPooled);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_CODEGEN_INPLACE_H
