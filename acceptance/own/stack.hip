//===- stack.hip - kernels as they are without optimization ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled with -O0: everything is on the stack, and the compiler does not
// know how deep that gets.
//
//===----------------------------------------------------------------------===//
#include <hip/hip_runtime.h>

#include "kernels.h"

__device__ __attribute__((noinline)) int descend(int Depth, const int *Above) {
  int Numbers[8];
  for (int I = 0; I < 8; ++I)
    Numbers[I] = Depth + Above[I];
  return Depth == 0 ? Numbers[7] : descend(Depth - 1, Numbers);
}

__global__ void stack(int *Data, int Depth) {
  int Numbers[8] = {};
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  Numbers[7] = Data[I];
  Data[I] = descend(Depth, Numbers);
}

namespace own {
const void *stackKernel() { return reinterpret_cast<const void *>(stack); }
} // namespace own
