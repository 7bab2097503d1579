//===- Jit/Store/StopCallback.h - the end of a wait -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A caller may lose interest in a compile, for example because of Ctrl-C. The
// thread that waits asks a callback of the caller about 20 times a second, and
// never while it holds a lock that others need. A call that was stopped fails
// with Errc::Cancelled. Other callers of the same compile go on.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_STORE_STOPCALLBACK_H
#define KPACK_JIT_STORE_STOPCALLBACK_H

#include "kpack/Support/Status.h"

#include <chrono>
#include <functional>
#include <string>

namespace kpack::jit {

/// Returns whether to stop; null: never.
using StopCallback = std::function<bool()>;

constexpr std::chrono::milliseconds StopInterval{50};

inline bool isStopped(const StopCallback &Stop) { return Stop && Stop(); }

/// The error of a compile that its caller has stopped. \p Name is the kernel's.
inline Status stoppedStatus(const std::string &Name) {
  return Status(StatusCode::IoError,
                Name + ": its compile was cancelled by the caller",
                Errc::Cancelled);
}

} // namespace kpack::jit

#endif // KPACK_JIT_STORE_STOPCALLBACK_H
