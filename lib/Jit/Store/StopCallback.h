//===- Jit/Store/StopCallback.h - cancellation of a wait --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A caller may cancel a compile, for example after Ctrl-C. The waiting thread
// calls the caller's callback about 20 times a second, and never while it holds
// a lock that others need. A cancelled call fails with Errc::Cancelled. Other
// callers of the same compile continue.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_STORE_STOPCALLBACK_H
#define KPACK_JIT_STORE_STOPCALLBACK_H

#include "kpack/Support/Status.h"

#include <chrono>
#include <functional>
#include <string>

namespace kpack::jit {

/// Returns true to stop; null means never.
using StopCallback = std::function<bool()>;

constexpr std::chrono::milliseconds StopInterval{50};

inline bool isStopped(const StopCallback &Stop) { return Stop && Stop(); }

/// Returns the error of a cancelled compile. \p Name is the kernel's.
inline Status stoppedStatus(const std::string &Name) {
  return Status(StatusCode::IoError,
                Name + ": its compile was cancelled by the caller",
                Errc::Cancelled);
}

} // namespace kpack::jit

#endif // KPACK_JIT_STORE_STOPCALLBACK_H
