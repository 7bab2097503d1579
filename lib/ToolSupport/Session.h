//===- ToolSupport/Session.h - streams of one run ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every subcommand is handed: where results and messages go, and whether
// anything has failed so far. A subcommand reports a problem and goes on with
// its next input; the exit code says at the end that there was one.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_SESSION_H
#define KPACK_TOOLSUPPORT_SESSION_H

#include "Support/Printable.h"
#include "kpack/Support/Status.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace kpack {

class Session {
public:
  /// Whether a message may have several lines, the words of a compiler. Where
  /// messages hold names out of foreign files, a line break in one of them is
  /// escaped, so that nothing can pose as another message.
  enum class Lines { One, Several };

  /// \p Program is what messages begin with.
  Session(llvm::raw_ostream &Out, llvm::raw_ostream &Err,
          llvm::StringRef Program = "kpack", Lines PerMessage = Lines::One);

  /// Results: what the user asked for.
  llvm::raw_ostream &out() { return Quiet ? llvm::nulls() : Out; }

  /// What is neither a result nor a message: progress.
  llvm::raw_ostream &err() { return Err; }

  /// From now on results and notes are dropped.
  void beQuiet() { Quiet = true; }

  /// "<Program>: error: <Message>". Red where Err is a terminal and NO_COLOR is
  /// not set.
  void error(const llvm::Twine &Message);
  void error(const Status &Failure) { error(Failure.message()); }
  /// Success is none.
  void error(llvm::Error Failure);

  /// "<Program>: note: <Message>": worth knowing, and not an error.
  void note(const llvm::Twine &Message);

  /// The exit status is 1 although there is no error: two things differ.
  void setFailed() { Failed = true; }

  int exitCode() const { return Failed ? 1 : 0; }

private:
  void message(llvm::raw_ostream::Colors Color, llvm::StringRef Kind,
               const llvm::Twine &Text);

  llvm::raw_ostream &Out;
  llvm::raw_ostream &Err;
  llvm::StringRef Program;
  Lines PerMessage;
  bool Colored;
  bool Quiet = false;
  bool Failed = false;
};

/// "1 wrapper", "2 wrappers".
std::string counted(uint64_t Number, llvm::StringRef Thing);

/// \p Text for JSON: bytes that are not UTF-8 become U+FFFD.
std::string jsonText(llvm::StringRef Text);

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_SESSION_H
