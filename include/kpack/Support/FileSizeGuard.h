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

#include <cerrno>
#include <csignal>
#include <ctime>

namespace kpack {

class FileSizeGuard {
public:
  FileSizeGuard() {
    ::sigemptyset(&Guarded);
    ::sigaddset(&Guarded, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &Guarded, &Before);
  }
  ~FileSizeGuard() {
    if (::sigismember(&Before, SIGXFSZ))
      return;          // the program's own business
    int Error = errno; // of the write, for the caller
    const timespec None{};
    while (::sigtimedwait(&Guarded, nullptr, &None) > 0)
      ;
    ::pthread_sigmask(SIG_SETMASK, &Before, nullptr);
    errno = Error;
  }
  FileSizeGuard(const FileSizeGuard &) = delete;
  FileSizeGuard &operator=(const FileSizeGuard &) = delete;

private:
  sigset_t Guarded, Before;
};

} // namespace kpack

#endif // KPACK_SUPPORT_FILESIZEGUARD_H
