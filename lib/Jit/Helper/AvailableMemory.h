//===- AvailableMemory.h - memory available to compiles ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes the memory that the machine has left, or the control group of this
// process if that is less. Of nested groups the smallest value counts, in both
// versions of cgroups. CompileSlot.h limits concurrent compiles by it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_AVAILABLEMEMORY_H
#define KPACK_LIB_JIT_HELPER_AVAILABLEMEMORY_H

#include <cstdint>
#include <string>

namespace kpack::jit {

/// Returns bytes; the inactive page cache counts as available. All ones if
/// nothing is known. \p Root is a prefix for /proc and the mount points of
/// control groups.
uint64_t availableMemory(const std::string &Root = "");

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_AVAILABLEMEMORY_H
