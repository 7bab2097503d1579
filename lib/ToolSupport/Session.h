//===- ToolSupport/Session.h - streams and exit status of a run -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passed to every subcommand: the streams for results and messages, and whether
// anything has failed so far. A subcommand reports a problem and continues with
// its next input; the exit code tells at the end whether there was one.
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

#include <algorithm>
#include <string>

namespace kpack {

class Session {
public:
  /// Whether a message may have several lines, as those of a compiler. If
  /// messages contain untrusted names, line breaks are escaped, so that a name
  /// cannot imitate another message.
  enum class Lines { One, Several };

  /// Messages begin with \p Program.
  Session(llvm::raw_ostream &Out, llvm::raw_ostream &Err,
          llvm::StringRef Program = "kpack", Lines PerMessage = Lines::One);

  /// The stream for results that the user asked for.
  llvm::raw_ostream &out() { return Quiet ? llvm::nulls() : Out; }

  /// The stream for progress, which is neither a result nor a message.
  llvm::raw_ostream &err() { return Err; }

  /// Drops results and notes from now on.
  void beQuiet() { Quiet = true; }

  /// Prints "<Program>: error: <Message>", in red if Err is a terminal and
  /// NO_COLOR is not set.
  void error(const llvm::Twine &Message);
  void error(const Status &Failure) { error(Failure.message()); }
  /// Prints nothing on success.
  void error(llvm::Error Failure);

  /// Prints "<Program>: note: <Message>", for facts that are no errors.
  void note(const llvm::Twine &Message);

  /// Sets the exit status to 1 without an error, if two things differ.
  void setFailed() { ExitStatus = std::max(ExitStatus, 1); }
  /// Sets the exit status that the next errors lead to, which is 1 at first.
  void setErrorStatus(int Code) { ErrorStatus = Code; }

  int exitCode() const { return ExitStatus; }

private:
  void message(llvm::raw_ostream::Colors Color, llvm::StringRef Kind,
               const llvm::Twine &Text);

  llvm::raw_ostream &Out;
  llvm::raw_ostream &Err;
  llvm::StringRef Program;
  Lines PerMessage;
  bool Colored;
  bool Quiet = false;
  int ExitStatus = 0, ErrorStatus = 1;
};

/// "1 wrapper", "2 wrappers".
std::string counted(uint64_t Count, llvm::StringRef Thing);

/// Returns \p Text for JSON, with invalid UTF-8 replaced by U+FFFD.
std::string jsonText(llvm::StringRef Text);

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_SESSION_H
