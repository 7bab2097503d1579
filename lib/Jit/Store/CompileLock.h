//===- Jit/Store/CompileLock.h - one compile for all who wait ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lock on a key across processes: of many that miss at once, one compiles.
// The lock is flock() on a small file, so that the kernel gives it back when
// its owner is killed; the file says who the owner is, for those who wait.
// Where locks do not work (some network file systems), or one is held too long,
// everybody compiles: slower, never stuck.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_STORE_COMPILELOCK_H
#define KPACK_JIT_STORE_COMPILELOCK_H

#include "Jit/Store/StopCallback.h"
#include "Jit/Store/Store.h"

#include <functional>

namespace kpack::jit {

/// Who holds a lock, as the lock file says. For messages only.
struct LockOwner {
  long Pid = 0; ///< 0: unknown
  std::string Host;
  uint64_t Since = 0; ///< seconds since 1970
};

/// What the open file of a lock says.
LockOwner ownerOfLock(int File);

/// The lock, while this object lives. Not thread-safe.
class CompileLock {
public:
  enum class Outcome {
    Owner,    ///< locked: compile and publish
    Appeared, ///< \p IsThere became true while waiting
    Unlocked, ///< no lock to be had: compile without
    Stopped,  ///< the caller does not want it any more
  };

  /// Called about once a second while another process has the lock.
  using WaitCallback = std::function<void(const LockOwner &, double Seconds)>;

  CompileLock() = default;
  ~CompileLock();
  CompileLock(const CompileLock &) = delete;
  CompileLock &operator=(const CompileLock &) = delete;

  /// Waits at most \p MaxSeconds for the lock of \p Id in \p Where. \p IsThere
  /// is asked again and again while waiting, and once after the lock was got.
  Outcome acquire(const Store &Where, const Digest &Id, double MaxSeconds,
                  const std::function<bool()> &IsThere,
                  const WaitCallback &OnWait,
                  const StopCallback &Stop = nullptr);

  /// In the child of a fork: the lock stays its parent's, and is not held a
  /// moment longer than that.
  void abandon() { File = UniqueFd(); }

private:
  UniqueFd File;
  int Root = -1;
  std::string Name;
};

} // namespace kpack::jit

#endif // KPACK_JIT_STORE_COMPILELOCK_H
