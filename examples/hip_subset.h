//===- hip_subset.h - the HIP declarations the examples use ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A subset of the HIP runtime's C ABI, declared by hand: Debian's ROCm 5.2
// headers need its own older clang, its runtime library does not. Programs with
// a ROCm of their compiler's age include <hip/hip_runtime.h> instead.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_EXAMPLES_HIP_SUBSET_H
#define KPACK_EXAMPLES_HIP_SUBSET_H

#include <cstddef>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))

typedef int hipError_t;
typedef struct ihipStream_t *hipStream_t;
enum hipMemcpyKind { hipMemcpyHostToDevice = 1, hipMemcpyDeviceToHost = 2 };

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned X = 1, unsigned Y = 1,
                                     unsigned Z = 1)
      : x(X), y(Y), z(Z) {}
};

extern "C" {
hipError_t hipGetDeviceCount(int *Count);
hipError_t hipMalloc(void **Pointer, size_t Size);
hipError_t hipMemcpy(void *To, const void *From, size_t Size,
                     hipMemcpyKind Kind);
hipError_t hipGetLastError();
const char *hipGetErrorString(hipError_t Error);
hipError_t hipLaunchKernel(const void *Function, dim3 Grid, dim3 Block,
                           void **Args, size_t SharedBytes, hipStream_t Stream);
hipError_t __hipPushCallConfiguration(dim3 Grid, dim3 Block,
                                      size_t SharedBytes = 0,
                                      hipStream_t Stream = nullptr);
hipError_t __hipPopCallConfiguration(dim3 *Grid, dim3 *Block,
                                     size_t *SharedBytes, hipStream_t *Stream);
}

#endif // KPACK_EXAMPLES_HIP_SUBSET_H
