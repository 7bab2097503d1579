//===- kpack/Support/UniqueFd.h - owner of a file descriptor ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owns a file descriptor and closes it. Used for folders (SafePath.h), entries
// (Jit/Store/Store.h), locks (Jit/Store/CompileLock.h) and pipes.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_UNIQUEFD_H
#define KPACK_SUPPORT_UNIQUEFD_H

#include <unistd.h>
#include <utility>

namespace kpack {

class UniqueFd {
public:
  UniqueFd() = default;
  explicit UniqueFd(int Fd) : Fd(Fd) {}
  UniqueFd(UniqueFd &&Other) noexcept : Fd(std::exchange(Other.Fd, -1)) {}
  UniqueFd &operator=(UniqueFd &&Other) noexcept {
    std::swap(Fd, Other.Fd);
    return *this;
  }
  ~UniqueFd() {
    if (Fd >= 0)
      ::close(Fd);
  }
  int get() const { return Fd; }
  /// Returns the descriptor, which the caller then owns.
  int release() { return std::exchange(Fd, -1); }
  explicit operator bool() const { return Fd >= 0; }

private:
  int Fd = -1;
};

} // namespace kpack

#endif // KPACK_SUPPORT_UNIQUEFD_H
