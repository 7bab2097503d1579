// As much of <hip/hip_runtime.h> as the examples' kernels need to compile with
// a clang that Debian's ROCm 5.2 headers do not understand, for architectures
// that its clang does not know. Device compiles only: host functions are
// declared, so that the host code of the same file parses.
#pragma once
#include <cstddef>
#include <cstdint>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned X = 1, unsigned Y = 1,
                                     unsigned Z = 1)
      : x(X), y(Y), z(Z) {}
};

#define INDEX(NAME, X, Y, Z)                                                   \
  struct NAME##_t {                                                            \
    __declspec(property(get = getX)) unsigned x;                               \
    __declspec(property(get = getY)) unsigned y;                               \
    __declspec(property(get = getZ)) unsigned z;                               \
    __device__ unsigned getX() const { return X; }                             \
    __device__ unsigned getY() const { return Y; }                             \
    __device__ unsigned getZ() const { return Z; }                             \
  };                                                                           \
  static const __device__ NAME##_t NAME;
INDEX(threadIdx, __builtin_amdgcn_workitem_id_x(),
      __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z())
INDEX(blockIdx, __builtin_amdgcn_workgroup_id_x(),
      __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z())
INDEX(blockDim, __builtin_amdgcn_workgroup_size_x(),
      __builtin_amdgcn_workgroup_size_y(), __builtin_amdgcn_workgroup_size_z())
INDEX(gridDim,
      __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(),
      __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y(),
      __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z())
#undef INDEX
struct warpSize_t {
  __device__ operator int() const { return __builtin_amdgcn_wavefrontsize(); }
};
static const __device__ warpSize_t warpSize;

__device__ inline void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
__device__ inline unsigned atomicAdd(unsigned *To, unsigned Value) {
  return __hip_atomic_fetch_add(To, Value, __ATOMIC_RELAXED,
                                __HIP_MEMORY_SCOPE_AGENT);
}

typedef struct ihipStream_t *hipStream_t;
enum hipError_t { hipSuccess };
enum hipMemcpyKind { hipMemcpyHostToDevice = 1, hipMemcpyDeviceToHost = 2 };
struct hipDeviceProp_t {
  char gcnArchName[256];
  int warpSize;
};
template <typename T> hipError_t hipMalloc(T **Pointer, size_t Size);
hipError_t hipFree(void *Pointer);
hipError_t hipMemcpy(void *, const void *, size_t, hipMemcpyKind);
hipError_t hipMemcpyAsync(void *, const void *, size_t, hipMemcpyKind,
                          hipStream_t);
hipError_t hipMemset(void *, int, size_t);
hipError_t hipGetDeviceCount(int *Count);
hipError_t hipSetDevice(int Device);
hipError_t hipGetDeviceProperties(hipDeviceProp_t *, int Device);
hipError_t hipGetLastError();
const char *hipGetErrorString(hipError_t);
hipError_t hipStreamCreate(hipStream_t *);
hipError_t hipStreamDestroy(hipStream_t);
hipError_t hipStreamSynchronize(hipStream_t);
hipError_t hipMemcpyToSymbol(const void *, const void *, size_t);
hipError_t hipMemcpyFromSymbol(void *, const void *, size_t);
#define HIP_SYMBOL(X) (&(X))
extern "C" {
hipError_t hipLaunchKernel(const void *, dim3, dim3, void **, size_t,
                           hipStream_t);
hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0,
                                      hipStream_t = nullptr);
hipError_t __hipPopCallConfiguration(dim3 *, dim3 *, size_t *, hipStream_t *);
}
