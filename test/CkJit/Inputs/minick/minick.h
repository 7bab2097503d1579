//===- minick.h - core of the mini attention library ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small stand-in for a kernel library whose variants are generated: data
// types, architecture tags, streams and launches. generate.py writes the
// dispatchers and the blobs, fmha_fwd.h and fmha_bwd.h declare what they share,
// fmha_kernels.h has the device code. Plain C++ compiles everything but
// launches; HIP needs no ROCm (-nogpulib -nogpuinc), or MINICK_HIP_HEADERS for
// the vendor's own headers.
//
//===----------------------------------------------------------------------===//
#ifndef MINICK_MINICK_H
#define MINICK_MINICK_H

#include <cstddef>
#include <string>
#include <type_traits>

#if defined(__HIP__) && defined(MINICK_HIP_HEADERS)
#include <hip/hip_runtime.h>
#elif defined(__HIP__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
typedef int hipError_t;
typedef struct ihipStream_t *hipStream_t;
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned X = 1, unsigned Y = 1,
                                     unsigned Z = 1)
      : x(X), y(Y), z(Z) {}
};
extern "C" hipError_t hipGetLastError();
extern "C" hipError_t hipLaunchKernel(const void *, dim3, dim3, void **, size_t,
                                      hipStream_t);
extern "C" hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0,
                                                 hipStream_t = nullptr);
extern "C" hipError_t __hipPopCallConfiguration(dim3 *, dim3 *, size_t *,
                                                hipStream_t *);
#else
#define __host__
#define __device__
typedef struct ihipStream_t *hipStream_t;
#endif

namespace minick {

using index_t = int;

// Architectures: a tag in the 2026 style, part of a name in both.
struct gfx90a_t {};
struct gfx942_t {};

struct stream_config {
  hipStream_t stream_id_ = nullptr;
  int log_level_ = 0;
};

/// Name of the device that is to run kernels; a program sets it before the
/// first call when it is another.
inline std::string &device_name() {
  static std::string Name = "gfx90a";
  return Name;
}
inline const std::string &get_device_name() { return device_name(); }

/// Runs one launch after another on \p s; each is called with the stream.
template <typename... Callables>
float launch_kernel(const stream_config &s, Callables... callables) {
  (callables(s), ...);
#ifdef __HIP__
  return hipGetLastError() == 0 ? 0.0f : -1.0f;
#else
  return -1.0f;
#endif
}

// Upper half of an IEEE single.
struct bf16_t {
  unsigned short Bits;
};

template <typename T> __host__ __device__ inline float to_float(T Value) {
  return static_cast<float>(Value);
}
template <>
__host__ __device__ inline float to_float<bf16_t>(bf16_t Value) {
  return __builtin_bit_cast(float, unsigned(Value.Bits) << 16);
}

/// Rounds to nearest, ties to even.
template <typename T> __host__ __device__ inline T from_float(float Value) {
  return static_cast<T>(Value);
}
template <>
__host__ __device__ inline bf16_t from_float<bf16_t>(float Value) {
  unsigned Bits = __builtin_bit_cast(unsigned, Value);
  return bf16_t{
      static_cast<unsigned short>((Bits + 0x7fff + (Bits >> 16 & 1)) >> 16)};
}

} // namespace minick

#ifdef __HIP__
/// The one kernel entry: Kernel::run does the work of a workgroup.
template <typename Kernel, typename Args>
__global__ void __attribute__((amdgpu_flat_work_group_size(1, 64)))
minick_kentry(Args A) {
  Kernel::run(A);
}
#endif

namespace minick {

/// A launch of \p Kernel for launch_kernel.
template <typename Kernel, typename Args> auto make_kernel(const Args &A) {
  return [A](const stream_config &s) {
#ifdef __HIP__
    minick_kentry<Kernel, Args>
        <<<Kernel::grid(A), dim3(64), 0, s.stream_id_>>>(A);
#else
    (void)s;
#endif
  };
}

} // namespace minick

// Choices that all APIs share.
enum class mask_enum { no_mask, mask_top_left, window_generic };
enum class bias_enum { no_bias, elementwise_bias, alibi };

struct FmhaFp32 {
  using type = float;
};
struct FmhaFp16 {
  using type = _Float16;
};
struct FmhaBf16 {
  using type = minick::bf16_t;
};

#endif // MINICK_MINICK_H
