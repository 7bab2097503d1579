//===- DevicePrelude.cpp - keywords for kernels without headers -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and meanings are HIP's and CUDA's. Attributes use the spelling that
// texts do not define: "#define device __device__" is common, and a macro is
// not expanded in itself. On AMD GPUs sizes come from the dispatch packet, as
// in HIP's header: it counts a grid in work items. Both languages enable
// properties (__declspec), which make "threadIdx.x" an inlined call. No line is
// continued with a backslash: a text with such a line is scanned for its
// inputs.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Programs/DevicePrelude.h"

using namespace kpack;
using namespace kpack::jit;

static constexpr char Keywords[] = R"(#line 1 "kpack prelude"
#define __global__ __attribute__((__global__))
#define __device__ __attribute__((__device__))
#define __host__ __attribute__((__host__))
#define __constant__ __attribute__((__constant__))
#define __shared__ __attribute__((__shared__))
#define __forceinline__ inline __attribute__((__always_inline__))
#define __noinline__ __attribute__((__noinline__))
)";

static constexpr char AmdPlaces[] = R"(
#define kpack_jit_1(n) __attribute__((amdgpu_flat_work_group_size(1, n)))
#define kpack_jit_2(n, m) kpack_jit_1(n) __attribute__((amdgpu_waves_per_eu(m)))
#define kpack_jit_pick(first, second, third, ...) third
#define kpack_jit_n(...) kpack_jit_pick(__VA_ARGS__, kpack_jit_2, kpack_jit_1, )
#define __launch_bounds__(...) kpack_jit_n(__VA_ARGS__)(__VA_ARGS__)
namespace kpack_jit_prelude {
// The dispatch packet: sizes of a workgroup (u16) and of the grid (u32).
__device__ inline unsigned packet16(int offset) {
  return *(const __attribute__((address_space(4))) unsigned short *)((
             const __attribute__((address_space(4))) char *)
             __builtin_amdgcn_dispatch_ptr() + offset);
}
__device__ inline unsigned packet32(int offset) {
  return *(const __attribute__((address_space(4))) unsigned *)((
             const __attribute__((address_space(4))) char *)
             __builtin_amdgcn_dispatch_ptr() + offset);
}
__device__ inline unsigned blocks(unsigned items, unsigned size) {
  return (items + size - 1) / size;
}
#define kpack_jit_thread(w) __builtin_amdgcn_workitem_id_##w()
#define kpack_jit_block(w) __builtin_amdgcn_workgroup_id_##w()
#define kpack_jit_size_x packet16(4)
#define kpack_jit_size_y packet16(6)
#define kpack_jit_size_z packet16(8)
#define kpack_jit_size(w) kpack_jit_size_##w
#define kpack_jit_grid_x blocks(packet32(12), packet16(4))
#define kpack_jit_grid_y blocks(packet32(16), packet16(6))
#define kpack_jit_grid_z blocks(packet32(20), packet16(8))
#define kpack_jit_grid(w) kpack_jit_grid_##w
}
__device__ inline void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
)";

/// Indices and sizes on NVIDIA GPUs. clang defines __syncthreads() itself.
static constexpr char NvidiaPlaces[] = R"(
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define kpack_jit_thread(w) __nvvm_read_ptx_sreg_tid_##w()
#define kpack_jit_block(w) __nvvm_read_ptx_sreg_ctaid_##w()
#define kpack_jit_size(w) __nvvm_read_ptx_sreg_ntid_##w()
#define kpack_jit_grid(w) __nvvm_read_ptx_sreg_nctaid_##w()
)";

static constexpr char Indices[] = R"(
#define kpack_jit_get(w, of) __device__ unsigned get_##w() const { return of; }
#define kpack_jit_has(w) __declspec(property(get = get_##w)) unsigned w;
#define kpack_jit_index(w, of) kpack_jit_has(w) kpack_jit_get(w, of(w))
namespace kpack_jit_prelude {
struct thread_index {
  kpack_jit_index(x, kpack_jit_thread) kpack_jit_index(y, kpack_jit_thread)
  kpack_jit_index(z, kpack_jit_thread)
};
struct block_index {
  kpack_jit_index(x, kpack_jit_block) kpack_jit_index(y, kpack_jit_block)
  kpack_jit_index(z, kpack_jit_block)
};
struct block_size {
  kpack_jit_index(x, kpack_jit_size) kpack_jit_index(y, kpack_jit_size)
  kpack_jit_index(z, kpack_jit_size)
};
struct grid_size {
  kpack_jit_index(x, kpack_jit_grid) kpack_jit_index(y, kpack_jit_grid)
  kpack_jit_index(z, kpack_jit_grid)
};
} // namespace kpack_jit_prelude
inline constexpr __device__ kpack_jit_prelude::thread_index threadIdx = {};
inline constexpr __device__ kpack_jit_prelude::block_index blockIdx = {};
inline constexpr __device__ kpack_jit_prelude::block_size blockDim = {};
inline constexpr __device__ kpack_jit_prelude::grid_size gridDim = {};
)";

static constexpr char Launches[] = R"(
struct dim3 {
  constexpr __host__ __device__ dim3(unsigned x = 1, unsigned y = 1,
                                     unsigned z = 1) : x(x), y(y), z(z) {}
  unsigned x, y, z;
};
using hipStream_t = struct ihipStream_t *;
enum hipError_t { hipSuccess = 0 };
extern "C" {
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block,
                                      decltype(sizeof(0)) shared = 0,
                                      hipStream_t stream = nullptr);
hipError_t hipLaunchKernel(const void *kernel, dim3 grid, dim3 block,
                           void **arguments, decltype(sizeof(0)) shared,
                           hipStream_t stream);
hipError_t hipGetLastError();
const char *hipGetErrorName(hipError_t);
hipError_t hipDeviceSynchronize();
hipError_t hipStreamSynchronize(hipStream_t);
}
)";

std::string jit::devicePrelude(PreludeFor Gpu, bool WithLaunches) {
  return std::string(Keywords) +
         (Gpu == PreludeFor::Amd ? AmdPlaces : NvidiaPlaces) + Indices +
         (WithLaunches ? Launches : "");
}
