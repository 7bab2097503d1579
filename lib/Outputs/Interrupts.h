//===- Outputs/Interrupts.h - cleanup on interrupts -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's handlers remove files on whichever thread gets the signal, while other
// threads continue, and only files that are registered, so not one that was
// just created, such as lld's probes of its output directory. Here the link's
// thread alone handles interrupts, so it creates no file meanwhile, and finds
// the files to remove by name. Thus a link that ends by a signal leaves no
// files, and one that has renamed its files no longer ends by a signal.
// Interrupts.cpp has the global state that a handler needs.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OUTPUTS_INTERRUPTS_H
#define KPACK_OUTPUTS_INTERRUPTS_H

#include "Support/HeldInterrupts.h"
#include "llvm/ADT/StringRef.h"

#include <csignal>
#include <string>

namespace kpack {

/// While it lives, SIGBUS from a mapped file that is truncated removes the
/// files of all TemporaryName objects and ends the process with a message,
/// whichever thread reads the file. Create one object at a time, on the thread
/// that makes the files. For programs that receive interrupts in another way
/// (Support/SignalWatch.h); InterruptHandler contains one.
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
/// message. Ignored signals are handled too, because LLVM's handlers precede
/// ours and take all of them except SIGPIPE, which then makes the write fail.
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

/// Ignores interrupts from now on, pending ones included. Only SIGPIPE still
/// ends the program, since its output is incomplete.
void ignoreInterrupts();

/// The files in one directory whose names start with that of \p Path, for
/// removal by an interrupt. Create it on the handler's thread before the first
/// file or, under HeldInterrupts, right after it.
class TemporaryName {
public:
  enum class Holds {
    Files,
    DirectoryToo, ///< remove the directory after its last file
    Trees,        ///< remove directories with such names and their content
  };
  /// \p Removable is the path with which to remove the directory; the default
  /// is the directory in \p Path.
  explicit TemporaryName(llvm::StringRef Path, Holds Content = Holds::Files,
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
