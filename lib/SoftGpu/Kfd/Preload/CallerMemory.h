//===- Preload/CallerMemory.h - memory of requests --------------*- C++ -*-===//
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

/// Copies \p Size bytes from the caller's address \p From. Returns 0 or
/// -EFAULT.
int copyIn(void *To, uint64_t From, size_t Size);
/// Copies \p Size bytes to the caller's address \p To. Returns 0 or -EFAULT.
int copyOut(uint64_t To, const void *From, size_t Size);

inline uint64_t addressOf(const void *Pointer) {
  return reinterpret_cast<uint64_t>(Pointer);
}

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_KFD_PRELOAD_CALLERMEMORY_H
