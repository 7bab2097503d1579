//===- ServerProcess.h - a helper that stays --------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `kpack-jit-compile --serve`, which has clang and lld in its memory: for a
// small kernel the start of these programs takes longer than all they do. It is
// started by the first request and ends when nothing has been asked for half a
// minute, or with the program. It is nobody's child, so that a program that
// waits for all its children neither sees it nor waits for it; a socket ties it
// to the program. Each request is sent with a pipe of its own for the reply, so
// that threads do not wait for each other.
//
// Nothing depends on it: who gets no reply asks a helper of its own.
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

/// Thread-safe. A child of fork() has a server of its own as soon as it asks.
class ServerProcess {
public:
  /// \p Program is the path of kpack-jit-compile; nothing is started yet.
  explicit ServerProcess(std::string Program) : Program(std::move(Program)) {}

  /// The reply; nothing: there is no server, or it has ended before it replied,
  /// or \p Stop wants it to.
  std::optional<Message> ask(const Message &Question, const StopCallback &Stop);

private:
  /// Whose rights, and whose files, a server has been started with.
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
  /// Requests in a row without a reply. After a few it is left alone.
  unsigned Failures = 0;
  // The child's copy must not keep its parent's server alive.
  ForkGuard Guard{Lock, [this] { Socket = UniqueFd(); }};
};

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_SERVICE_SERVERPROCESS_H
