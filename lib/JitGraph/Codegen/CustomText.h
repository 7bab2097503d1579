//===- CustomText.h - source of user kernels and their calls ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A user's kernel is a function in a separately compiled text:
//
//   makes __global__ functions callable     customUnit()
//   #line 1
//   the unchanged text
//   #line 1 "kernel 'scale'"
//   a kernel like all others of a plan,     writeCustomKernel()
//   which calls the function
//
// So it gets buffers and sizes like any kernel, its arguments have any order,
// and the compiler finds mistakes in them: it shows the line of the function
// that they do not fit.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_CODEGEN_CUSTOMTEXT_H
#define KPACK_LIB_JITGRAPH_CODEGEN_CUSTOMTEXT_H

#include "KernelText.h"

namespace kpack::jit {

/// Returns the unit up to the end of the user's text.
GraphUnit customUnit(const OpCustom &C, const LowerOptions &Options);

/// Returns the call that has \p Node as a result. Its buffers are the results,
/// then the operands.
KernelText writeCustomKernel(const OpGraph &Graph, const OpNode &Node,
                             const LowerOptions &Options);

/// Returns "scale" for "ns::scale<4>"; may be empty.
std::string wordOfEntry(const std::string &Entry);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_CODEGEN_CUSTOMTEXT_H
