//===- ParallelFor.h - parallel loop over a call's kernels ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For kernels that one call needs together: they are compiled in parallel, so
// that the call waits for the slowest and not for their sum. The machine's
// slots limit compiles, not this function. BackgroundResolver.h is for calls
// that do not wait.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_RUNTIME_PARALLELFOR_H
#define KPACK_LIB_CKJIT_RUNTIME_PARALLELFOR_H

#include "Support/QuietThread.h"

#include <cstddef>
#include <vector>

namespace kpack::ckjit {

/// Calls \p Work, which must not throw, with 0 to \p Count - 1, each in a
/// separate thread; the first call, and those without a thread, run in this
/// one. Returns after all have ended.
template <typename Function>
void parallelFor(size_t Count, const Function &Work) {
  std::vector<std::thread> Threads(Count); // before any starts: it may throw
  for (size_t I = 1; I < Count; ++I)
    Threads[I] = startQuietThread([&Work, I] { Work(I); });
  for (size_t I = 0; I != Count; ++I)
    if (!Threads[I].joinable())
      Work(I);
  for (std::thread &Thread : Threads)
    if (Thread.joinable())
      Thread.join();
}

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_RUNTIME_PARALLELFOR_H
