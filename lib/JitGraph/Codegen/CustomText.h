//===- CustomText.h - texts of users and their calls ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of the user's own is a function in a text that is compiled by
// itself:
//
//   what makes __global__ functions callable     customUnit()
//   #line 1
//   the text as it is
//   #line 1 "kernel 'scale'"
//   a kernel like all others of a plan, which    writeCustomKernel()
//   calls the function
//
// So buffers and sizes come to it as to any kernel, its arguments have any
// order, and a mistake in them is one that the compiler finds: it shows the
// line of the function that it does not fit.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_CODEGEN_CUSTOMTEXT_H
#define KPACK_LIB_JITGRAPH_CODEGEN_CUSTOMTEXT_H

#include "KernelText.h"

namespace kpack::jit {

/// Up to the end of the user's text.
GraphUnit customUnit(const OpCustom &C, const LowerOptions &How);

/// The call that \p Node is a result of. Its buffers are the results, then the
/// operands.
KernelText writeCustomKernel(const OpGraph &Graph, const OpNode &Node,
                             const LowerOptions &How);

/// "scale" of "ns::scale<4>"; may be empty.
std::string wordOfEntry(const std::string &Entry);

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_CODEGEN_CUSTOMTEXT_H
