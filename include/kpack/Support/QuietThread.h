//===- QuietThread.h - a thread in somebody else's program ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads of a library must not take signals that the program waits for in its
// own: all are blocked. No exception where the system has no thread left.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_QUIETTHREAD_H
#define KPACK_SUPPORT_QUIETTHREAD_H

#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

namespace kpack {

/// Not joinable when there is none to be had.
template <typename Function> std::thread startQuietThread(Function &&Run) {
  sigset_t All, Before;
  ::sigfillset(&All);
  ::pthread_sigmask(SIG_SETMASK, &All, &Before);
  std::thread Thread;
  try {
    Thread = std::thread(std::forward<Function>(Run));
  } catch (const std::system_error &) {
  }
  ::pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  return Thread;
}

} // namespace kpack

#endif // KPACK_SUPPORT_QUIETTHREAD_H
