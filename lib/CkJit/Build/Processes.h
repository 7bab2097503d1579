//===- Processes.h - child processes of a build -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs programs of a build with Support/Jobs.h. SIGINT and similar signals, and
// the failure of one program, end them all with their children. Their output is
// shown or written to a log.
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
  /// File for standard output and error; empty: ours.
  std::string LogFile = {};
  /// "NAME=value": added to our environment.
  std::vector<std::string> Variables = {};
};

/// A failed command that has printed its own error message.
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
  const int Code; ///< 128 + n for signal n
};

/// The end was requested by a signal.
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

/// While it lives, signals that would end the program are held until check(),
/// and orphans become our children, so that we can wait for them.
class HeldSignals : public SignalWatch {
public:
  HeldSignals();
  ~HeldSignals();

  /// Returns InterruptError after a signal.
  llvm::Error check();
};

/// Runs all of \p Commands; a failure stops the others. Calls \p Tick a few
/// times a second. Errors: InterruptError; a program that cannot start;
/// CommandError for the first failure.
llvm::Error runCommands(
    HeldSignals &Signals, llvm::ArrayRef<BuildCommand> Commands,
    unsigned Parallel = 1, llvm::function_ref<void()> Tick = [] {});

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_BUILD_PROCESSES_H
