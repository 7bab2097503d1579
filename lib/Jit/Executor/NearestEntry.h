//===- NearestEntry.h - why there is none in the cache ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the message of a miss where nothing may be compiled: the fields in which
// the key that was asked for differs from the nearest one of that name. The
// same question with more words is 'ck-jit cache explain'.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_EXECUTOR_NEARESTENTRY_H
#define KPACK_LIB_JIT_EXECUTOR_NEARESTENTRY_H

#include "kpack/Jit/Executor/Cache.h"

#include <chrono>

namespace kpack::jit {

/// "flag -O1 -> -O2, include a.h added"; empty: nothing of that name was found
/// until \p Deadline, at which looking ends.
std::string
differenceFromNearest(const std::vector<std::unique_ptr<Store>> &Layers,
                      const CacheRequest &Request,
                      std::chrono::steady_clock::time_point Deadline);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_EXECUTOR_NEARESTENTRY_H
