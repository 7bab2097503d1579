//===- Limits.h - messages about limits of the process ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each allocation of an emulated GPU takes one or two mappings, of which a
// process may have vm.max_map_count, and a large one has a separate file in
// memory. So a program with tens of thousands of allocations gets "out of
// memory" errors while there is plenty.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_PRELOAD_LIMITS_H
#define KPACK_LIB_SOFTGPU_KFD_PRELOAD_LIMITS_H

namespace kpack::softgpu {

/// Call this after an allocation has failed with \p Error. If the process has
/// reached a limit, prints it and how to raise it to stderr, once.
/// Allocates nothing and keeps errno.
void explainLimit(int Error);

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_PRELOAD_LIMITS_H
