//===- AvailableMemory.h - how much memory can be had now -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the machine has left, or a control group that this process is in, where
// that is less: of groups within groups the narrowest counts, in both versions
// of the interface. Decides how many compiles run at once (CompileSlot.h).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_AVAILABLEMEMORY_H
#define KPACK_LIB_JIT_HELPER_AVAILABLEMEMORY_H

#include <cstdint>
#include <string>

namespace kpack::jit {

/// Bytes; pages of files that nobody has used lately count as available. All
/// ones where nothing is known. \p Root stands in front of /proc and of where
/// control groups are mounted.
uint64_t availableMemory(const std::string &Root = "");

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_AVAILABLEMEMORY_H
