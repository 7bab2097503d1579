//===- Support/FileSizeGuard.h - writes that are too large fail -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a program's files may not grow (RLIMIT_FSIZE, "ulimit -f"), the kernel
// ends a program that writes more. A cache that cannot be written must not stop
// a program: while this object lives such a write of this thread fails with
// EFBIG instead. No handler of the program is touched.
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
      return;          // the program's own business
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
