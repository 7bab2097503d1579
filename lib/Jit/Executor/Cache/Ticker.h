//===- Executor/Cache/Ticker.h - a callback every second --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls a function about once a second from a separate thread, which ends with
// this object and blocks the program's signals. If no thread can be started,
// there are no calls.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CACHE_TICKER_H
#define KPACK_JIT_EXECUTOR_CACHE_TICKER_H

#include "Support/QuietThread.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace kpack::jit {

class Ticker {
public:
  explicit Ticker(std::function<void()> OnTick)
      : OnTick(std::move(OnTick)), Thread(startQuietThread([this] { run(); })) {
  }
  ~Ticker() {
    {
      std::lock_guard<std::mutex> Held(Lock);
      Stop = true;
    }
    Changed.notify_all();
    if (Thread.joinable())
      Thread.join();
  }
  Ticker(const Ticker &) = delete;
  Ticker &operator=(const Ticker &) = delete;

private:
  void run() {
    std::unique_lock<std::mutex> Held(Lock);
    while (!Changed.wait_for(Held, std::chrono::seconds(1),
                             [this] { return Stop; })) {
      Held.unlock();
      OnTick();
      Held.lock();
    }
  }

  std::function<void()> OnTick;
  std::mutex Lock;
  std::condition_variable Changed;
  bool Stop = false;
  std::thread Thread; ///< last: uses all of the above
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_TICKER_H
