//===- kernels.hip - what the tests of HIP run on the GPU -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled with the headers of HIP, for each GPU; the tests are not, and get
// handles from here.
//
//===----------------------------------------------------------------------===//
#include <cassert>
#include <hip/hip_runtime.h>
// Its header uses what that one declares.
#include <hip/hip_cooperative_groups.h>

#include "kernels.h"

__global__ void add(int *Data, int Value, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Data[I] += Value;
}

__global__ void sum(const int *A, const int *B, int *C, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    C[I] = A[I] + B[I];
}

/// Runs until the host has written.
__global__ void wait(const int *Flag, int Value, int *Seen) {
  while (__atomic_load_n(Flag, __ATOMIC_ACQUIRE) != Value)
    ;
  *Seen = Value;
}

/// Each work-item writes its place in the grid.
__global__ void shape(unsigned *Shape) {
  unsigned X = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Y = blockIdx.y * blockDim.y + threadIdx.y;
  unsigned Z = blockIdx.z * blockDim.z + threadIdx.z;
  unsigned Width = gridDim.x * blockDim.x, Height = gridDim.y * blockDim.y;
  Shape[(Z * Height + Y) * Width + X] = Z * 10000 + Y * 100 + X;
}

__global__ void reverse(int *Data) {
  extern __shared__ int Numbers[];
  Numbers[threadIdx.x] = Data[threadIdx.x];
  __syncthreads();
  Data[threadIdx.x] = Numbers[blockDim.x - 1 - threadIdx.x];
}

__global__ void structure(own::Many Values, int *Out) {
  int Sum = Values.Byte + int(Values.Real);
  for (int Number : Values.Numbers)
    Sum += Number;
  *Out = Sum;
}

/// All workgroups wait for one another. The device library of HIP 5.2 does it by
/// global wave sync, which runtimes prepare no more for GPUs that are newer.
__device__ void gridSync(unsigned *Arrived, unsigned Count) {
#if !defined(__gfx90a__) && !defined(__gfx1030__)
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(Arrived, 1u);
    while (__atomic_load_n(Arrived, __ATOMIC_ACQUIRE) < Count)
      ;
  }
  __syncthreads();
#else
  cooperative_groups::this_grid().sync();
#endif
}

/// In each round every workgroup adds what all of them had added before. Behind
/// the sums are as many counters.
__global__ void gridSum(unsigned *Sums, int Rounds) {
  for (int Round = 0; Round < Rounds; ++Round) {
    unsigned Before = Round ? atomicAdd(&Sums[Round - 1], 0u) : 1;
    if (threadIdx.x == 0)
      atomicAdd(&Sums[Round], Before);
    gridSync(&Sums[Rounds + Round], gridDim.x);
  }
}

__device__ int Table[4] = {1, 2, 3, 4};
__constant__ int Factors[4] = {10, 20, 30, 40};
__global__ void table(int *Out) {
  Out[threadIdx.x] = Table[threadIdx.x] * Factors[threadIdx.x];
}

__global__ void print(int Number) {
  printf("lane %d: %d %.2f %s\n", int(threadIdx.x), Number + int(threadIdx.x),
         Number / 4.0, "text");
}

__global__ void insist(int Value) { assert(Value == 42); }

namespace own {
const void *addKernel() { return reinterpret_cast<const void *>(add); }
const void *sumKernel() { return reinterpret_cast<const void *>(sum); }
const void *waitKernel() { return reinterpret_cast<const void *>(wait); }
const void *shapeKernel() { return reinterpret_cast<const void *>(shape); }
const void *reverseKernel() { return reinterpret_cast<const void *>(reverse); }
const void *structureKernel() {
  return reinterpret_cast<const void *>(structure);
}
const void *gridSumKernel() { return reinterpret_cast<const void *>(gridSum); }
const void *tableKernel() { return reinterpret_cast<const void *>(table); }
const void *printKernel() { return reinterpret_cast<const void *>(print); }
const void *insistKernel() { return reinterpret_cast<const void *>(insist); }

hipError_t toTable(const int (&From)[4]) {
  return hipMemcpyToSymbol(HIP_SYMBOL(Table), From, sizeof(From));
}
hipError_t fromTable(int (&To)[4]) {
  return hipMemcpyFromSymbol(To, HIP_SYMBOL(Table), sizeof(To));
}
hipError_t addressOfTable(void **Address) {
  return hipGetSymbolAddress(Address, HIP_SYMBOL(Table));
}
} // namespace own
