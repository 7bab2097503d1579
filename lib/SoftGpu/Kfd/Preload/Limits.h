//===- Limits.h - limits of the process that allocations meet ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each allocation of an emulated GPU is a file in memory and takes one or two
// mappings, of which a process may have vm.max_map_count: a program that makes
// tens of thousands of small ones is told "out of memory" where there is
// plenty.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_PRELOAD_LIMITS_H
#define KPACK_LIB_SOFTGPU_KFD_PRELOAD_LIMITS_H

namespace kpack::softgpu {

/// An allocation has failed with \p Error. Says on stderr, once, which limit
/// the process has met and how to raise it; nothing where it has met none.
/// Allocates nothing and keeps errno.
void explainLimit(int Error);

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_PRELOAD_LIMITS_H
