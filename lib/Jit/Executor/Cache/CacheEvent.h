//===- Jit/Executor/Cache/CacheEvent.h - what happens to a key --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a cache tells whoever shows it to a person. Cache.h makes the events,
// Progress.h is the display that a program has when it sets none of its own.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CACHE_CACHEEVENT_H
#define KPACK_JIT_EXECUTOR_CACHE_CACHEEVENT_H

#include "Jit/Store/CompileLock.h"

#include <functional>
#include <string>

namespace kpack::jit {

/// What happened to a key, for progress displays. Callbacks are made from the
/// thread that called get(), StillCompiling from another one; they must not
/// call the cache.
struct CacheEvent {
  enum class Kind {
    Compiling,
    StillCompiling, ///< about once a second; see CacheOptions::WithTicks
    Waiting,        ///< for another process; about once a second
    WaitEnded,      ///< what was waited for is there
    Compiled,
    Failed,
    Quarantined,
    NotKept,
    Layer,   ///< a system directory is not used; once for each
    Fetched, ///< from the remote tier, which Detail names
    Remote,  ///< what a person should know of the remote tier
    Reason,  ///< why it is compiled; see CacheOptions::Explains
  };
  Kind What;
  std::string Name;   ///< of the kernel
  double Seconds = 0; ///< since the compile or the wait began
  LockOwner Owner;    ///< for Waiting
  std::string Detail; ///< for all but Compiling, Waiting and Compiled
  /// For Compiling and StillCompiling: this compile is the Number-th of Known
  /// that this cache has been asked for so far.
  unsigned Number = 0;
  unsigned Known = 0;
};
using CacheCallback = std::function<void(const CacheEvent &)>;

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_CACHEEVENT_H
