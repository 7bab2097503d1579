//===- Depthwise.h - the launch of DEPTHWISE --------------------*- C++ -*-===//
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

/// The launch for a result of such extents. Errors: InvalidArgument, a problem
/// that has more channels, or is not as it is promised, or needs too much LDS.
Result<LaunchStep> depthwiseStep(const Signature &Sig, const Lowered &Kernel,
                                 const Problem &P, const long long *Extents);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_DEPTHWISE_H
