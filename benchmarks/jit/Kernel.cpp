//===- Kernel.cpp - the function that JitBench calls ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled twice: into JitBench, and by JitBench.
#include "Kernel.h"

float kernel(const Stream &S, const Arguments &A) {
  return static_cast<float>(S.Time + A.Sizes[0]);
}
