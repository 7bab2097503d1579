//===- hip_mini.h - the few HIP declarations that tests need --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enough of HIP for clang to compile kernels and launches with no ROCm
// installed (-nogpulib -nogpuinc). The runtime behind it is FakeHip.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef HIP_MINI_H
#define HIP_MINI_H

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

typedef __SIZE_TYPE__ size_t;
typedef int hipError_t;
typedef struct ihipStream_t *hipStream_t;

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned X = 1, unsigned Y = 1,
                                     unsigned Z = 1)
      : x(X), y(Y), z(Z) {}
};

extern "C" hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0,
                                                 hipStream_t = nullptr);
extern "C" hipError_t __hipPopCallConfiguration(dim3 *, dim3 *, size_t *,
                                                hipStream_t *);
extern "C" hipError_t hipLaunchKernel(const void *, dim3, dim3, void **,
                                      size_t, hipStream_t);

#endif // HIP_MINI_H
