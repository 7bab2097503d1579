//===- RemoteServer.h - interface to HTTP and Redis servers -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common interface of the two kinds of servers: a value by key. Time limits
// are enforced here as far as a library allows; the caller enforces its own.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_REMOTE_REMOTESERVER_H
#define KPACK_LIB_JIT_REMOTE_REMOTESERVER_H

#include "Jit/Service/RemoteProtocol.h"

#include <functional>
#include <memory>
#include <sys/time.h>

namespace kpack::jit {

class RemoteServer {
public:
  /// \p Call must outlive the server; \p OnAnswer is called when data arrives.
  RemoteServer(const RemoteCall &Call, std::function<void()> OnAnswer)
      : Call(Call), OnAnswer(std::move(OnAnswer)) {}
  virtual ~RemoteServer() = default;
  RemoteServer(const RemoteServer &) = delete;
  RemoteServer &operator=(const RemoteServer &) = delete;
  /// Returns Found, Missing or Failed.
  virtual RemoteAnswer get() = 0;
  /// Does the same without the value.
  virtual RemoteAnswer has() = 0;
  /// Returns Stored or Failed.
  virtual RemoteAnswer put(const std::string &Value) = 0;

protected:
  const RemoteCall &Call;
  std::function<void()> OnAnswer;
};

std::unique_ptr<RemoteServer> makeHttpServer(const RemoteCall &Call,
                                             std::function<void()> OnAnswer);
std::unique_ptr<RemoteServer> makeRedisServer(const RemoteCall &Call,
                                              std::function<void()> OnAnswer);

/// For a call that may only contact this machine.
constexpr const char *NotThisMachine =
    "is not on this machine; without a key only that is asked in plain text";

inline timeval getTime(uint64_t Milliseconds) {
  return {static_cast<time_t>(Milliseconds / 1000),
          static_cast<suseconds_t>(Milliseconds % 1000 * 1000)};
}

inline RemoteAnswer remoteFailure(std::string Detail) {
  return {RemoteAnswer::Outcome::Failed, std::move(Detail), {}};
}

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_REMOTE_REMOTESERVER_H
