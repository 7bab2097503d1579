//===- ParallelFor.h - work of one call in several threads ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For kernels that one call needs together: they are compiled at once, so that
// the call waits for the slowest of them and not for their sum. What limits
// compiles is the machine's slots, not this. BackgroundResolver.h is for calls
// that do not wait.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_RUNTIME_PARALLELFOR_H
#define KPACK_LIB_CKJIT_RUNTIME_PARALLELFOR_H

#include "Support/QuietThread.h"

#include <cstddef>
#include <vector>

namespace kpack::ckjit {

/// Calls \p Work, which throws nothing, with 0 to \p Count - 1, each in a
/// thread of its own; the first, and those for which there is no thread, in
/// this one. All have ended when it returns.
template <typename Function>
void parallelFor(size_t Count, const Function &Work) {
  std::vector<std::thread> Threads(Count); // before any runs: it may throw
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
