//===- FileSizeLimit.h - scope with a limit on file sizes -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As on a full disk: writes past the limit fail with EFBIG.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_SUPPORT_FILESIZELIMIT_H
#define KPACK_UNITTESTS_SUPPORT_FILESIZELIMIT_H

#include <csignal>
#include <sys/resource.h>

namespace kpack::test {

/// Lets files grow to \p Bytes while it lives.
class FileSizeLimit {
public:
  explicit FileSizeLimit(rlim_t Bytes) {
    OldHandler = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &Old);
    rlimit New = Old;
    New.rlim_cur = Bytes;
    ::setrlimit(RLIMIT_FSIZE, &New);
  }
  FileSizeLimit(const FileSizeLimit &) = delete;
  FileSizeLimit &operator=(const FileSizeLimit &) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &Old);
    std::signal(SIGXFSZ, OldHandler);
  }

private:
  rlimit Old;
  void (*OldHandler)(int);
};

} // namespace kpack::test

#endif // KPACK_UNITTESTS_SUPPORT_FILESIZELIMIT_H
