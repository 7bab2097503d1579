// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reading a kernel library's dispatchers and blobs takes of HIP: names of
// types and functions, enough to parse and to mangle. Nothing can be linked.
#ifndef CKJIT_STUB_HIP_RUNTIME_H
#define CKJIT_STUB_HIP_RUNTIME_H

#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#ifndef __noinline__
#define __noinline__ __attribute__((noinline))
#endif
#define HIP_KERNEL_NAME(...) __VA_ARGS__

typedef enum hipError_t { hipSuccess = 0, hipErrorInvalidValue = 1 } hipError_t;
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef int hipDevice_t;
enum hipMemcpyKind {
  hipMemcpyHostToHost,
  hipMemcpyHostToDevice,
  hipMemcpyDeviceToHost,
  hipMemcpyDeviceToDevice,
  hipMemcpyDefault
};
struct hipDeviceProp_t {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock;
  int warpSize, multiProcessorCount, clockRate;
  char gcnArchName[256];
};
struct dim3 {
  unsigned x, y, z;
  constexpr __host__ __device__ dim3(unsigned X = 1, unsigned Y = 1,
                                     unsigned Z = 1)
      : x(X), y(Y), z(Z) {}
};
struct uint2 {
  unsigned x, y;
};
struct uint4 {
  unsigned x, y, z, w;
};
struct float2 {
  float x, y;
};
struct float4 {
  float x, y, z, w;
};
struct stub_index {
  unsigned x, y, z;
};
extern const __device__ stub_index threadIdx, blockIdx, blockDim, gridDim;
constexpr int warpSize = 64;

extern "C" {
const char *hipGetErrorString(hipError_t);
const char *hipGetErrorName(hipError_t);
hipError_t hipGetLastError();
hipError_t hipPeekAtLastError();
hipError_t hipGetDevice(int *);
hipError_t hipSetDevice(int);
hipError_t hipGetDeviceProperties(hipDeviceProp_t *, int);
hipError_t hipDeviceSynchronize();
hipError_t hipMemcpy(void *, const void *, size_t, hipMemcpyKind);
hipError_t hipMemcpyAsync(void *, const void *, size_t, hipMemcpyKind,
                          hipStream_t = nullptr);
hipError_t hipMemset(void *, int, size_t);
hipError_t hipMemsetAsync(void *, int, size_t, hipStream_t = nullptr);
hipError_t hipMalloc(void **, size_t);
hipError_t hipFree(void *);
hipError_t hipStreamSynchronize(hipStream_t);
hipError_t hipStreamCreate(hipStream_t *);
hipError_t hipStreamDestroy(hipStream_t);
hipError_t hipEventCreate(hipEvent_t *);
hipError_t hipEventDestroy(hipEvent_t);
hipError_t hipEventRecord(hipEvent_t, hipStream_t = nullptr);
hipError_t hipEventSynchronize(hipEvent_t);
hipError_t hipEventElapsedTime(float *, hipEvent_t, hipEvent_t);
hipError_t hipLaunchKernel(const void *, dim3, dim3, void **, size_t,
                           hipStream_t);
hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0,
                                      hipStream_t = nullptr);
hipError_t __hipPopCallConfiguration(dim3 *, dim3 *, size_t *, hipStream_t *);
}
template <typename T> hipError_t hipMalloc(T **P, size_t Size) {
  return hipMalloc(reinterpret_cast<void **>(P), Size);
}

// Of the device library, as far as parsed code names them.
__device__ void __syncthreads();
__device__ int __shfl(int, int, int = 64);
__device__ int __shfl_up(int, unsigned, int = 64);
__device__ int __shfl_down(int, unsigned, int = 64);
__device__ int __shfl_xor(int, int, int = 64);
__device__ float atomicAdd(float *, float);
__device__ double atomicAdd(double *, double);
__device__ int atomicAdd(int *, int);
__device__ unsigned atomicAdd(unsigned *, unsigned);
__device__ float atomicMax(float *, float);
__device__ double atomicMax(double *, double);
__device__ int atomicMax(int *, int);
__device__ unsigned atomicMax(unsigned *, unsigned);
namespace std {
using ::expf;
using ::logf;
using ::powf;
} // namespace std
__device__ uint2 make_uint2(unsigned, unsigned);
__device__ unsigned __lane_id();
__device__ unsigned atomicCAS(unsigned *, unsigned, unsigned);
__device__ int __clz(int);
__device__ float exp2f(float);
__device__ unsigned __umulhi(unsigned, unsigned);
__device__ float __expf(float);
__device__ float __logf(float);
__device__ float __frcp_rn(float);
__device__ float __frsqrt_rn(float);
extern "C" __device__ float __ocml_exp_f32(float);
extern "C" __device__ float __ocml_exp2_f32(float);
extern "C" __device__ float __ocml_log2_f32(float);

#endif // CKJIT_STUB_HIP_RUNTIME_H
