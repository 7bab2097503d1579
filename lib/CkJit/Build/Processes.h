//===- Processes.h - programs that a build runs -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs of a build, by Support/Jobs.h. SIGINT and its like end them
// and all they have started, and so does the failure of one. Their output is
// shown, or written into a log.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_BUILD_PROCESSES_H
#define KPACK_LIB_CKJIT_BUILD_PROCESSES_H

#include "Support/SignalWatch.h"
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

/// A command that has failed, and told so itself.
class CommandError : public llvm::ErrorInfo<CommandError> {
public:
  static char ID;
  CommandError(BuildCommand Command, int Code)
      : Command(std::move(Command)), Code(Code) {}
  void log(llvm::raw_ostream &OS) const override {
    OS << Command.Words[0] << ": failed with exit code " << Code
       << "; its own words are above";
  }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
  const BuildCommand Command;
  const int Code; ///< 128 + n: signal n
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

/// Runs all of \p Commands; when one fails, the others are stopped. \p Tick is
/// called a few times a second. Errors: InterruptError; a program that cannot
/// be started; CommandError for the first that failed.
llvm::Error runCommands(
    HeldSignals &Signals, llvm::ArrayRef<BuildCommand> Commands,
    unsigned Parallel = 1, llvm::function_ref<void()> Tick = [] {});

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_BUILD_PROCESSES_H
