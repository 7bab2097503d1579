//===- QuietThread.h - a thread in somebody else's program ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads of a library must not take signals that the program waits for in its
// own: all are blocked, but for SIGBUS: a thread that reads what somebody has
// cut off since gets it whatever is blocked, and no handler would be asked. No
// exception where the system has no thread left.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_QUIETTHREAD_H
#define KPACK_SUPPORT_QUIETTHREAD_H

#include "Support/SignalMask.h"

#include <system_error>
#include <thread>
#include <utility>

namespace kpack {

/// Not joinable when there is none to be had.
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
