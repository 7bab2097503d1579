//===- CompileLock.h - a compile lock across processes ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lock on a key across processes: of several processes that miss at once, one
// compiles. It is an flock() on a small file, which the kernel releases if the
// owner is killed; the file names the owner for the processes that wait.
// Without working locks (some network file systems), or after a wait that is
// too long, each process compiles: slower, never stuck.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_STORE_COMPILELOCK_H
#define KPACK_JIT_STORE_COMPILELOCK_H

#include "Jit/Store/StopCallback.h"
#include "Jit/Store/Store.h"

#include <functional>

namespace kpack::jit {

/// The owner of a lock as the lock file records it. For messages only.
struct LockOwner {
  long Pid = 0; ///< 0: unknown
  std::string Host;
  uint64_t Since = 0; ///< seconds since 1970
};

/// Parses the open lock file; returns a default LockOwner if it cannot.
LockOwner ownerOfLock(int File);

/// Holds the lock during its lifetime. Not thread-safe.
class CompileLock {
public:
  enum class Outcome {
    Owner,    ///< locked: compile and publish
    Appeared, ///< \p IsThere became true while waiting
    Unlocked, ///< no lock available: compile without
    Stopped,  ///< \p Stop returned true
  };

  /// Called about once a second while another process has the lock.
  using WaitCallback = std::function<void(const LockOwner &, double Seconds)>;

  CompileLock() = default;
  ~CompileLock();
  CompileLock(const CompileLock &) = delete;
  CompileLock &operator=(const CompileLock &) = delete;

  /// Waits at most \p MaxSeconds for the lock of \p Id in \p Where. Calls
  /// \p IsThere repeatedly during the wait, and once after taking the lock.
  Outcome acquire(const Store &Where, const Digest &Id, double MaxSeconds,
                  const std::function<bool()> &IsThere,
                  const WaitCallback &OnWait,
                  const StopCallback &Stop = nullptr);

  /// Closes the lock in the child of a fork. The lock stays the parent's, and
  /// the child does not prolong it.
  void abandon() { File = UniqueFd(); }

private:
  UniqueFd File;
  int Root = -1;
  std::string Name;
};

} // namespace kpack::jit

#endif // KPACK_JIT_STORE_COMPILELOCK_H
