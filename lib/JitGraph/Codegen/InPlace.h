//===- InPlace.h - kernels that write over what they read -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of element-wise operations reads an element before it writes the one
// at the same place, and reads it nowhere else. So its result may have the
// bytes of an operand that nobody reads later:
//
//   node          0   1   2
//   x             w---r           sum over rows, of all elements: not in place
//   y                 w---r       exp, read by its own place only
//   z                     w       y's bytes
//
// This has to be known before a kernel is written: its pointers are the same
// then, and the compiler is told that all others are not.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_CODEGEN_INPLACE_H
#define KPACK_LIB_JITGRAPH_CODEGEN_INPLACE_H

#include "Fusion.h"

namespace kpack::jit {

/// For each node the one whose bytes it takes, or OpGraph::None. Both are in
/// the pool, which \p IsPooled says of stored nodes, and of one element type.
std::vector<uint32_t> findInPlace(const OpGraph &Graph, const Fusion &Chosen,
                                  const std::vector<bool> &IsPooled);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_CODEGEN_INPLACE_H
