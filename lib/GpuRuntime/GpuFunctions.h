//===- GpuFunctions.h - HIP and CUDA functions by name ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All functions of HIP's runtime and CUDA's driver that kpack calls. Neither
// library is linked, and no header of theirs is used: GpuFunctions.def declares
// the functions. A user names the ones that it requires; others may be missing.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_GPURUNTIME_GPUFUNCTIONS_H
#define KPACK_GPURUNTIME_GPUFUNCTIONS_H

#include <cstddef>
#include <functional>
#include <type_traits>

namespace kpack {

enum class GpuKind { Hip, Cuda };

/// Users that require a function; bits.
enum GpuUsers : unsigned {
  ForNobody = 0,
  ForModules = 1, ///< loading and launching kernels
  ForMemory = 2,  ///< allocating and copying memory
  ForGraphs = 4,  ///< executing graphs
  ForAll = 7,
};

/// The functions; null if the runtime lacks one.
struct GpuFunctions {
  GpuKind Kind = GpuKind::Hip;
#define GPU_FUNCTION(MEMBER, TYPE, HIP, CUDA, USERS)                           \
  std::add_pointer_t<TYPE> MEMBER = nullptr;
#include "GpuRuntime/GpuFunctions.def"
#undef GPU_FUNCTION

  /// \p Find returns the address of a function by its name, or null.
  static GpuFunctions load(GpuKind Kind,
                           const std::function<void *(const char *)> &Find);

  /// Returns the name of the first missing function that one of \p Users, bits
  /// of GpuUsers, requires; null if there is none.
  const char *firstMissing(unsigned Users) const;
};

} // namespace kpack

#endif // KPACK_GPURUNTIME_GPUFUNCTIONS_H
