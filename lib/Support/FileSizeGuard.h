//===- FileSizeGuard.h - error EFBIG instead of signal SIGXFSZ --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel ends a program that writes beyond the limit on file sizes
// (RLIMIT_FSIZE, "ulimit -f"). A cache that cannot be written must not end a
// program: while this object lives, such a write of this thread fails with
// EFBIG. Handlers of the program stay as they are.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_FILESIZEGUARD_H
#define KPACK_SUPPORT_FILESIZEGUARD_H

#include "Support/SignalMask.h"

#include <cerrno>
#include <ctime>

namespace kpack {

class FileSizeGuard {
public:
  ~FileSizeGuard() {
    if (::sigismember(&Mask.before(), SIGXFSZ))
      return;          // blocked by the program; leave it
    int Error = errno; // of the write, for the caller
    sigset_t Guarded = signalSet({SIGXFSZ});
    timespec None{};
    while (::sigtimedwait(&Guarded, nullptr, &None) > 0)
      ;
    errno = Error;
  }

private:
  SignalMask Mask{signalSet({SIGXFSZ})};
};

} // namespace kpack

#endif // KPACK_SUPPORT_FILESIZEGUARD_H
