//===- CacheDisplay.h - cache events for callback or stderr -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creates the events (Jit/Executor/Cache/CacheEvent.h) of a request and passes
// them to the program's callback, or to lines on stderr (Progress.h). Auxiliary
// entries only cause warnings and wait events.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CACHE_CACHEDISPLAY_H
#define KPACK_JIT_EXECUTOR_CACHE_CACHEDISPLAY_H

#include "Jit/Executor/Cache/Cache.h"
#include "Support/ForkGuard.h"

#include <atomic>
#include <mutex>
#include <set>

namespace kpack::jit {

/// Thread-safe.
class CacheDisplay {
public:
  explicit CacheDisplay(const CacheOptions &Options);

  void tell(CacheEvent::Kind Kind, const CacheRequest &Request,
            double Seconds = 0, std::string Detail = {}, LockOwner Owner = {});

  /// \p Request will be compiled unless another process has it after all.
  void expect(const CacheRequest &Request) { Known += !Request.Auxiliary; }

  /// Runs \p Compile and reports progress; sets \p Seconds to the time it took.
  Result<Product> run(const CacheRequest &Request,
                      const std::function<Result<Product>()> &Compile,
                      double &Seconds);

private:
  bool isFirst(const std::string &WhyNotKept);

  CacheCallback OnEvent;
  bool WithTicks;
  std::atomic<unsigned> Begun{0}, Known{0}; ///< compiles
  std::mutex Lock;
  ForkGuard Guard{Lock};
  std::set<std::string> Told; ///< reasons why an entry was not stored
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_CACHEDISPLAY_H
