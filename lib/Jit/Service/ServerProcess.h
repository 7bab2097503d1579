//===- ServerProcess.h - client of the resident compile server --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs `kpack-jit-compile --serve`, which keeps clang and lld in memory: for a
// small kernel these programs take longer to start than to work. The first
// request starts the server; it ends after half a minute without requests, or
// with the program. It is not a child of the program, so that a program that
// waits for all its children neither sees it nor waits for it; a socket ties it
// to the program. Each request brings a separate pipe for the reply, so that
// threads do not wait for each other.
//
// The server is optional: without a reply, the caller starts a helper.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_SERVICE_SERVERPROCESS_H
#define KPACK_LIB_JIT_SERVICE_SERVERPROCESS_H

#include "Jit/Store/Message.h"
#include "Jit/Store/StopCallback.h"
#include "Support/ForkGuard.h"
#include "kpack/Support/UniqueFd.h"

#include <mutex>
#include <sys/types.h>

namespace kpack::jit {

/// Thread-safe. After a fork(), the child starts a separate server on demand.
class ServerProcess {
public:
  /// \p Program is the path of kpack-jit-compile. Starts nothing.
  explicit ServerProcess(std::string Program) : Program(std::move(Program)) {}

  /// Returns the reply; nullopt if there is no server, if it ended before the
  /// reply, or if \p Stop cancels.
  std::optional<Message> ask(const Message &Question, const StopCallback &Stop);

private:
  /// The rights and root directory with which a server was started.
  struct Owner {
    static Owner current();
    bool operator==(const Owner &Other) const;
    uid_t User = 0;
    gid_t Group = 0;
    dev_t RootDevice = 0;
    ino_t Root = 0;
  };

  UniqueFd send(int Question, int Directory);
  bool start();

  const std::string Program;
  std::mutex Lock;
  UniqueFd Socket;
  Owner StartedBy;
  /// Requests in a row without a reply; after a few the server is not used.
  unsigned Failures = 0;
  // The child's copy must not keep the parent's server alive.
  ForkGuard Guard{Lock, [this] { Socket = UniqueFd(); }};
};

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_SERVICE_SERVERPROCESS_H
