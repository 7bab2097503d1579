//===- kpack/ConvBuilder/CostModel.h - what a kernel may take ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An estimate of how long a kernel needs for a problem, to put candidates
// (Candidates.h) into an order before anything is compiled. It is arithmetic on
// the numbers of algorithm, problem and processor: the same arguments have the
// same estimate, and no estimate is a measurement.
//
// Each term has a name, so that `conv-builder explain` can show why one
// algorithm stands before another.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_COSTMODEL_H
#define KPACK_CONVBUILDER_COSTMODEL_H

#include "kpack/ConvBuilder/Resources.h"

namespace kpack::conv {

/// Times are microseconds.
struct Estimate {
  double total = 0;
};

/// Of a kernel that lower() accepts; what it refuses has a total of zero.
/// \p Resolved and \p How have nothing absent. Allocates nothing where lower()
/// does not, and can be called from any thread.
Estimate estimate(const Signature &Resolved, const Algorithm &How,
                  const Problem &Sizes, const Processor &Gpu);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_COSTMODEL_H
