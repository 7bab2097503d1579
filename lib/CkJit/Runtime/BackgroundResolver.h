//===- BackgroundResolver.h - kernels loaded in the background --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For callers with a fallback kernel: a slot is resolved in the background, and
// pending until then. The process's Resolver does the work.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_RUNTIME_BACKGROUNDRESOLVER_H
#define KPACK_LIB_CKJIT_RUNTIME_BACKGROUNDRESOLVER_H

#include "Resolver.h"

#include "Jit/Executor/Background.h"

namespace kpack::ckjit {

/// Thread-safe.
class BackgroundResolver {
public:
  /// \p R must outlive this object.
  explicit BackgroundResolver(Resolver &R);

  /// Like Resolver::resolve(), but returns null with CK_JIT_PENDING during the
  /// work. A failure is returned until a later try has ended.
  void *resolve(ck_jit_slot &Slot, const ck_jit_failure *&Why);

private:
  struct Answer {
    void *Address = nullptr;
    const ck_jit_failure *Why = nullptr;
  };
  const ck_jit_failure *getFailure(const ck_jit_slot &Slot);

  Resolver &R;
  std::mutex Lock; ///< guards Failures
  /// The last failure of a slot, or our pending state. Nodes must not move.
  std::map<const ck_jit_slot *, const ck_jit_failure *> Failures;
  std::map<const ck_jit_slot *, ck_jit_failure> Pending;
  ForkGuard Guard;
  jit::Async<Answer> Work; ///< last: its threads use all of the above
};

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_RUNTIME_BACKGROUNDRESOLVER_H
