//===- Jit/Executor/Cache/CacheEvent.h - event types of a cache -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The events that a cache reports to a display. Cache.h creates them;
// Progress.h is the display of programs without a callback.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CACHE_CACHEEVENT_H
#define KPACK_JIT_EXECUTOR_CACHE_CACHEEVENT_H

#include "Jit/Store/CompileLock.h"

#include <functional>
#include <string>

namespace kpack::jit {

/// An event of a key, for progress displays. The thread that called get() makes
/// the callbacks, a separate one those of StillCompiling; callbacks must not
/// call the cache.
struct CacheEvent {
  enum class Kind {
    Compiling,
    StillCompiling, ///< about once a second; see CacheOptions::WithTicks
    Waiting,        ///< for another process; about once a second
    WaitEnded,      ///< the awaited entry is there
    Compiled,
    Failed,
    Quarantined,
    NotKept,
    Layer,   ///< a system directory is not used; once for each directory
    Fetched, ///< from the remote tier named by Detail
    Remote,  ///< a message about the remote tier for the user
    Reason,  ///< the reason of a compile; see CacheOptions::Explains
  };
  Kind What;
  std::string Name;   ///< of the kernel
  double Seconds = 0; ///< since the compile or the wait began
  LockOwner Owner;    ///< for Waiting
  std::string Detail; ///< for all but Compiling, Waiting and Compiled
  /// For Compiling and StillCompiling: this is the Number-th of the Known
  /// compiles that the cache has been asked for so far.
  unsigned Number = 0;
  unsigned Known = 0;
};
using CacheCallback = std::function<void(const CacheEvent &)>;

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_CACHEEVENT_H
