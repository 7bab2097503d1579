//===- Preload/CallerMemory.h - what a request points to --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel answers a bad pointer with EFAULT. The emulated driver runs in the
// process that asks it, where a bad pointer would end the process: all that
// requests point to is read and written by these two.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_KFD_PRELOAD_CALLERMEMORY_H
#define KPACK_SOFTGPU_KFD_PRELOAD_CALLERMEMORY_H

#include <cstddef>
#include <cstdint>

namespace kpack::softgpu {

/// Copies \p Size bytes at the caller's address \p From. 0 or -EFAULT.
int copyIn(void *To, uint64_t From, size_t Size);
/// Copies \p Size bytes to the caller's address \p To. 0 or -EFAULT.
int copyOut(uint64_t To, const void *From, size_t Size);

inline uint64_t addressOf(const void *Pointer) {
  return reinterpret_cast<uint64_t>(Pointer);
}

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_KFD_PRELOAD_CALLERMEMORY_H
