//===- Processes.h - programs that a build runs -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs of a build, by kpack/Support/Jobs.h. SIGINT and its like end them
// and all they have started, and so does the failure of one. Their output is
// shown, or written into a log.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_BUILD_PROCESSES_H
#define KPACK_LIB_CKJIT_BUILD_PROCESSES_H

#include "kpack/Support/SignalWatch.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kpack::ckjit {

struct BuildCommand {
  std::vector<std::string> Words; ///< [0] is the program, searched in PATH
  std::string Directory = {};     ///< empty: ours
  /// Standard output and error go there; empty: ours.
  std::string LogFile = {};
  /// "NAME=value": in its environment, beside ours.
  std::vector<std::string> Variables = {};
};

/// The user, or the system, wants an end.
class InterruptError : public llvm::ErrorInfo<InterruptError> {
public:
  static char ID;
  explicit InterruptError(int Signal) : Signal(Signal) {}
  void log(llvm::raw_ostream &OS) const override { OS << "interrupted"; }
  std::error_code convertToErrorCode() const override {
    return std::make_error_code(std::errc::interrupted);
  }
  const int Signal;
};

/// As long as it lives, the signals that end a program wait until they are
/// asked for, and orphans become our children, so that they can be waited for.
class HeldSignals : public SignalWatch {
public:
  HeldSignals();
  ~HeldSignals();

  /// InterruptError if one has come.
  llvm::Error check();
};

/// Exit codes in the order of \p Commands (128 + n: signal n; -1: not run, or
/// stopped). \p Tick is called a few times a second. When one fails, the others
/// are stopped. Errors: InterruptError; a program that cannot be started.
llvm::Expected<std::vector<int>> runCommands(
    HeldSignals &Signals, llvm::ArrayRef<BuildCommand> Commands,
    unsigned Parallel, llvm::function_ref<void()> Tick = [] {});

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_BUILD_PROCESSES_H
