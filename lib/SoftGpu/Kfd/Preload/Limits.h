//===- Limits.h - limits of the process on allocations ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each allocation of an emulated GPU is a file in memory and takes one or two
// mappings, of which a process may have vm.max_map_count. So a program with
// tens of thousands of small allocations gets "out of memory" errors while
// there is plenty.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_PRELOAD_LIMITS_H
#define KPACK_LIB_SOFTGPU_KFD_PRELOAD_LIMITS_H

namespace kpack::softgpu {

/// Call this after an allocation has failed with \p Error. Prints to stderr,
/// once, the limit that the process has reached and how to raise it, if any.
/// Allocates nothing and keeps errno.
void explainLimit(int Error);

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_PRELOAD_LIMITS_H
