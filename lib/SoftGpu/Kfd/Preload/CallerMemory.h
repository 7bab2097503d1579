//===- CallerMemory.h - safe access to a caller's memory --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel answers a bad pointer with EFAULT. The emulated driver runs in the
// calling process, where a bad pointer would end the process. So all memory
// that requests point to is read and written by these two functions.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_KFD_PRELOAD_CALLERMEMORY_H
#define KPACK_SOFTGPU_KFD_PRELOAD_CALLERMEMORY_H

#include <cstddef>
#include <cstdint>

namespace kpack::softgpu {

/// Copies \p Size bytes from the caller's address \p Source. Returns 0 or
/// -EFAULT.
int copyIn(void *Target, uint64_t Source, size_t Size);
/// Copies \p Size bytes to the caller's address \p Target. Returns 0 or
/// -EFAULT.
int copyOut(uint64_t Target, const void *Source, size_t Size);

inline uint64_t addressOf(const void *Pointer) {
  return reinterpret_cast<uint64_t>(Pointer);
}

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_KFD_PRELOAD_CALLERMEMORY_H
