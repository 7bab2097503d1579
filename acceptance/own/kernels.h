//===- kernels.h - handles of the kernels that are tested -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests, which are compiled as C++ without HIP's extensions, and for
// kernels.hip and stack.hip, where the kernels are.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ACCEPTANCE_KERNELS_H
#define KPACK_ACCEPTANCE_KERNELS_H

#include <hip/hip_runtime_api.h>

namespace own {

// Handles of kernels, for hipLaunchKernel(): see kernels.hip.
const void *addKernel();       // (int *Data, int Value, int N)
const void *sumKernel();       // (const int *A, const int *B, int *C, int N)
const void *waitKernel();      // (const int *Flag, int Value, int *Seen)
const void *shapeKernel();     // (unsigned *Shape)
const void *reverseKernel();   // (int *Data), and shared memory
const void *structureKernel(); // (Many, int *Out)
const void *gridSumKernel();   // (unsigned *Sums, int Rounds)
const void *tableKernel();     // (int *Out)
const void *printKernel();     // (int Number)
const void *insistKernel();    // (int Value)
const void *stackKernel();     // (int *Data, int Depth), without optimization

/// A structure that fills many argument registers.
struct Many {
  char Byte;
  double Real;
  int Numbers[20];
};

/// Of HIP's own variables on the device: kernels.hip has an array of four.
hipError_t toTable(const int (&From)[4]);
hipError_t fromTable(int (&To)[4]);
hipError_t addressOfTable(void **Address);

} // namespace own

#endif // KPACK_ACCEPTANCE_KERNELS_H
