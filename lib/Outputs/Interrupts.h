//===- Outputs/Interrupts.h - an interrupt leaves nothing -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM removes files in the handler of whichever thread gets the signal, while
// the others go on, and only files it knows of: not one that was created a
// moment ago, as lld's probes of its output's directory are. Here the link's
// thread alone handles interrupts, so it creates nothing meanwhile, and what
// goes is found by name. Thus a link that ends by a signal leaves none of its
// files, and one that has given them their names no longer ends by a signal.
// The file with the global state that a handler needs is Interrupts.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OUTPUTS_INTERRUPTS_H
#define KPACK_OUTPUTS_INTERRUPTS_H

#include "Support/HeldInterrupts.h"
#include "llvm/ADT/StringRef.h"

#include <csignal>
#include <string>

namespace kpack {

/// While it lives, a file that is mapped and that somebody cuts off meanwhile
/// removes the files of all TemporaryName and ends the process with a message,
/// whichever thread reads it. One object at a time, in the thread that makes
/// the files. For who reads interrupts otherwise (Support/SignalWatch.h);
/// InterruptHandler has one.
class CutOffHandler {
public:
  CutOffHandler();
  ~CutOffHandler();
  CutOffHandler(const CutOffHandler &) = delete;
  CutOffHandler &operator=(const CutOffHandler &) = delete;

private:
  struct sigaction Before;
};

/// While it lives, an interrupt (InterruptSignals) does the same, without a
/// message. One that was ignored does, too: LLVM's handlers come first, and
/// take them all, but for SIGPIPE, which makes an error of the write then.
class InterruptHandler {
public:
  InterruptHandler();
  ~InterruptHandler();
  InterruptHandler(const InterruptHandler &) = delete;
  InterruptHandler &operator=(const InterruptHandler &) = delete;

private:
  CutOffHandler CutOff;
  struct sigaction Before[std::size(InterruptSignals)];
};

/// From now on, and for those that wait as well, an interrupt is too late. Only
/// SIGPIPE ends the program still, since it has not said what it has to say.
void ignoreInterrupts();

/// The files in one directory whose names start with that of \p Path, to be
/// removed by an interrupt. To be made before the first of them or, under
/// HeldInterrupts, right after it; by the thread of the handler.
class TemporaryName {
public:
  enum class Holds {
    Files,
    DirectoryToo, ///< that they are in goes with the last of them
    Trees,        ///< folders with such a name go with all that is in them
  };
  /// \p Removable is the name by which the directory can be removed; not given:
  /// that in \p Path.
  explicit TemporaryName(llvm::StringRef Path, Holds What = Holds::Files,
                         llvm::StringRef Removable = "");
  ~TemporaryName();
  TemporaryName(const TemporaryName &) = delete;
  TemporaryName &operator=(const TemporaryName &) = delete;

  /// Removes the files. Safe in a signal handler.
  void removeFiles() const;

  const TemporaryName *next() const { return Next; }

private:
  std::string Path, Directory, Removable, Prefix;
  Holds What;
  TemporaryName *Next;
};

} // namespace kpack

#endif // KPACK_OUTPUTS_INTERRUPTS_H
