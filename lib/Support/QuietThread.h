//===- QuietThread.h - threads that block signals ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads of a library must not take signals that the program waits for in its
// own threads, so all are blocked except SIGBUS: a thread that reads a
// truncated file gets SIGBUS even if it is blocked, and then no handler runs.
// Does not throw if the system has no more threads.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_QUIETTHREAD_H
#define KPACK_SUPPORT_QUIETTHREAD_H

#include "Support/SignalMask.h"

#include <system_error>
#include <thread>
#include <utility>

namespace kpack {

/// Returns a thread that is not joinable if none can be started.
template <typename Function> std::thread startQuietThread(Function &&Run) {
  sigset_t All;
  ::sigfillset(&All);
  ::sigdelset(&All, SIGBUS);
  SignalMask Quiet(All); // inherited
  try {
    return std::thread(std::forward<Function>(Run));
  } catch (const std::system_error &) {
    return std::thread();
  }
}

} // namespace kpack

#endif // KPACK_SUPPORT_QUIETTHREAD_H
