//===- CostModel.cpp - what a kernel may take -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CostModel.h.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/CostModel.h"

using namespace kpack;
using namespace kpack::conv;

Estimate conv::estimate(const Signature &Resolved, const Algorithm &How,
                        const Problem &Sizes, const Processor &Gpu) {
  ProductSize Size = productOf(Resolved, Sizes);
  double Rate = How.isa == Isa::MFMA || How.isa == Isa::WMMA ? 8 : 1;
  if (How.kind == Kind::REFERENCE)
    Rate = 0.1;
  Estimate E;
  E.total = 1e-6 *
            static_cast<double>(times(Size.M, Size.N, Size.K, Sizes.groups)) /
            (Rate * Gpu.WaveSize);
  return E;
}
