//===- HelperProcess.h - child process of a helper program ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts one of our helpers inside the user's program. The question is the
// helper's standard input, an unnamed file; the reply comes through a pipe. The
// exit status is not used: the program around us may have taken it. Messages:
// CompileProtocol.h, RemoteProtocol.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_SERVICE_HELPERPROCESS_H
#define KPACK_LIB_JIT_SERVICE_HELPERPROCESS_H

#include "Jit/Store/Message.h"
#include "Jit/Store/Store.h"
#include "Support/Process.h"

#include <chrono>

namespace kpack::jit {

/// A started helper. The destructor kills a running helper that has a pipe, and
/// detaches from one without.
class HelperProcess {
public:
  using Clock = std::chrono::steady_clock;
  enum class Output {
    Pipe, ///< for readToEnd() and hear()
    None, ///< the helper outlives this object and inherits no files
  };

  /// Errors: FileNotFound if the program is missing; IoError.
  static Result<HelperProcess> start(const std::string &Program,
                                     const Message &Question,
                                     Output Where = Output::Pipe);

  HelperProcess(HelperProcess &&) = default;
  ~HelperProcess();

  /// Waits for the helper's end and returns its output.
  std::string readToEnd();

  /// Cancels: closes the pipe, on which the helper cleans up and ends, and
  /// kills it if it does not.
  void giveUp();

  enum class Heard { Something, End, Late };
  /// Waits for output and appends it to \p Into. Also returns End if only a
  /// forked child of the program keeps the pipe open.
  Heard hear(std::string &Into, Clock::time_point Deadline);

  /// Returns true if the helper has ended; never waits.
  bool hasEnded() { return !Running || Running.wait(0); }

private:
  HelperProcess(Process Running, UniqueFd Read)
      : Running(std::move(Running)), Read(std::move(Read)) {}

  Process Running;
  UniqueFd Read;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_SERVICE_HELPERPROCESS_H
