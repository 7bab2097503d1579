//===- Depthwise.h - launch of a DEPTHWISE kernel ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#ifndef KPACK_LIB_CONVBUILDER_DEPTHWISE_H
#define KPACK_LIB_CONVBUILDER_DEPTHWISE_H

#include "kpack/ConvBuilder/Kernel.h"

namespace kpack::conv {

/// Returns the launch for a result of the given extents. Errors:
/// InvalidArgument for a problem that has several channels in a group, differs
/// from a promise of the kernel, needs too much LDS or has 2^31 tiles in an
/// image.
Result<LaunchStep> depthwiseStep(const Signature &Sig, const Lowered &Kernel,
                                 const Problem &P, const long long *Extents);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_DEPTHWISE_H
