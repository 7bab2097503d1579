//===- HelperProcess.h - a program that works for a library -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts one of our helpers inside of somebody's program: the question is its
// standard input, a file without a name; the reply comes through a pipe.
// Nothing is learned from its exit status, which the program around us may have
// taken. What is asked and answered: CompileProtocol.h, RemoteProtocol.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_SERVICE_HELPERPROCESS_H
#define KPACK_LIB_JIT_SERVICE_HELPERPROCESS_H

#include "Jit/Store/Message.h"
#include "Jit/Store/Store.h"
#include "Support/Process.h"

#include <chrono>

namespace kpack::jit {

/// A started helper. If it still runs, the destructor ends one with a pipe and
/// lets go of one without.
class HelperProcess {
public:
  using Clock = std::chrono::steady_clock;
  enum class Output {
    Pipe, ///< for readToEnd() and hear()
    None, ///< it outlives this object: nothing of ours stays open in it
  };

  /// Errors: FileNotFound for a program that is not there, IoError.
  static Result<HelperProcess> start(const std::string &Program,
                                     const Message &Question,
                                     Output Where = Output::Pipe);

  HelperProcess(HelperProcess &&) = default;
  ~HelperProcess();

  /// What it writes until its end, for which this waits.
  std::string readToEnd();

  /// Nobody waits for its reply any more: it cleans up and ends, or is ended.
  void giveUp();

  enum class Heard { Something, End, Late };
  /// Appends what it has written to \p Into as soon as there is something. End
  /// also when only a forked child of the program keeps the pipe open.
  Heard hear(std::string &Into, Clock::time_point Deadline);

  /// Whether it has ended; never waits.
  bool hasEnded() { return !Running || Running.wait(0); }

private:
  HelperProcess(Process Running, UniqueFd Read)
      : Running(std::move(Running)), Read(std::move(Read)) {}

  Process Running;
  UniqueFd Read;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_SERVICE_HELPERPROCESS_H
