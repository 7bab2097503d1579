//===- Helper.h - another process for a test --------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process that has used the GPU cannot be forked and go on using it, so a
// program starts its first child before it uses HIP. That one stays as it is
// and forks again for each test that wants a process.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ACCEPTANCE_HELPER_H
#define KPACK_ACCEPTANCE_HELPER_H

#include <sys/types.h>

namespace own {

/// What the other process does; its result is the exit status. Socket leads to
/// the test.
using Work = int (*)(int Socket);

/// Before anything else of HIP.
void startHelpers();

/// A process that has not used HIP yet, and does Do.
class Helper {
public:
  explicit Helper(Work Do);
  ~Helper();
  Helper(const Helper &) = delete;
  Helper &operator=(const Helper &) = delete;

  int socket() const { return Socket; }
  /// Waits for its end: the status as of waitpid().
  int end();

private:
  int Socket = -1;
};

/// Whole values through a socket. False: the other process has ended.
bool send(int Socket, const void *Data, size_t Size);
bool receive(int Socket, void *Data, size_t Size);
template <typename T> bool send(int Socket, const T &Value) {
  return send(Socket, &Value, sizeof(Value));
}
template <typename T> bool receive(int Socket, T &Value) {
  return receive(Socket, &Value, sizeof(Value));
}

} // namespace own

#endif // KPACK_ACCEPTANCE_HELPER_H
