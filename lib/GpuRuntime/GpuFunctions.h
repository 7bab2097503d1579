//===- GpuRuntime/GpuFunctions.h - a runtime's functions --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All functions of HIP's runtime and of CUDA's driver that are called here.
// Neither is linked with, nor are its headers used: GpuFunctions.def declares
// them. A user names what it cannot do without; what else a library lacks does
// not matter to it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_GPURUNTIME_GPUFUNCTIONS_H
#define KPACK_GPURUNTIME_GPUFUNCTIONS_H

#include <cstddef>
#include <functional>
#include <type_traits>

namespace kpack {

enum class GpuKind { Hip, Cuda };

/// Who cannot do without a function; bits.
enum GpuUsers : unsigned {
  ForNobody = 0,
  ForModules = 1, ///< kernels are loaded and launched
  ForMemory = 2,  ///< memory is allocated and copied
  ForGraphs = 4,  ///< graphs are executed
  ForAll = 7,
};

/// Null: the runtime has no such function.
struct GpuFunctions {
  GpuKind Kind = GpuKind::Hip;
#define GPU_FUNCTION(MEMBER, TYPE, HIP, CUDA, USERS)                           \
  std::add_pointer_t<TYPE> MEMBER = nullptr;
#include "GpuRuntime/GpuFunctions.def"
#undef GPU_FUNCTION

  /// \p Find returns the address of a function by its name, or null.
  static GpuFunctions load(GpuKind Kind,
                           const std::function<void *(const char *)> &Find);

  /// The name of the first function that is null and that one of \p Users, bits
  /// of GpuUsers, cannot do without; null: there is none.
  const char *firstMissing(unsigned Users) const;
};

} // namespace kpack

#endif // KPACK_GPURUNTIME_GPUFUNCTIONS_H
