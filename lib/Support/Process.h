//===- Support/Process.h - start of a child process, and wait ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts a program and waits for it, in tools and in libraries inside of other
// programs. Installs no handler, waits for no other child, and passes only the
// given files to the program. Failures are the errno of the calls below;
// callers add messages and advice. For many programs at a time see Jobs.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_PROCESS_H
#define KPACK_SUPPORT_PROCESS_H

#include "kpack/Support/UniqueFd.h"

#include <csignal>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kpack {

/// The parameters of a program.
struct ProcessOptions {
  std::vector<std::string> Arguments; ///< [0] is the program
  std::string File;                   ///< the file to run; empty: Arguments[0]
  bool IsSearched = false;            ///< in PATH, if it has no slash
  /// "NAME=value"; nullopt: the caller's.
  std::optional<std::vector<std::string>> Environment = {};
  std::string Directory = {};              ///< empty: the caller's
  int Input = -1, Output = -1, Error = -1; ///< its streams; -1: the caller's
  int Kept = -1;         ///< stays open in it with its number; -1: none
  bool HasGroup = false; ///< leads a process group, to which kill() sends
  /// The signal that it gets when the thread that started it ends. Requires
  /// fork(), so use it in small programs with one thread.
  int DeathSignal = 0;
  std::optional<sigset_t> Mask = {}; ///< blocked in it; nullopt: the caller's
  std::vector<int> Defaults = {};    ///< signals not ignored in it
};

/// The end of a program.
struct ProcessEnd {
  int Code = 0;          ///< as in a shell: 128 + Signal if it was killed
  int Signal = 0;        ///< the signal that killed it
  double CpuSeconds = 0; ///< with the children that it waited for
};

/// A child. Destroying the object does not end the program; use kill().
class Process {
public:
  /// Returns none, with errno set, if it cannot be started.
  static Process start(const ProcessOptions &Options);

  Process() = default;
  Process(Process &&Other) noexcept
      : Pid(std::exchange(Other.Pid, -1)), HasGroup(Other.HasGroup),
        Handle(std::move(Other.Handle)) {}
  Process &operator=(Process &&Other) noexcept {
    std::swap(Pid, Other.Pid);
    std::swap(HasGroup, Other.HasGroup);
    Handle = std::move(Other.Handle);
    return *this;
  }

  /// True for a started program until wait() has returned its end.
  explicit operator bool() const { return Pid > 0; }
  pid_t id() const { return Pid; }
  /// A pidfd, which poll() reports at the end; -1 for a program with a group,
  /// and if the kernel has no pidfds.
  int descriptor() const { return Handle.get(); }

  /// Returns the end of the program, or nullopt after that time; -1: no limit.
  /// The code is -1 if other code has taken the status, or the process ignores
  /// SIGCHLD.
  std::optional<ProcessEnd> wait(int Milliseconds = -1);
  /// Sends a signal to the program or to its group, and never to another
  /// process with its number.
  void kill(int Signal) const;

private:
  pid_t Pid = -1;
  bool HasGroup = false;
  UniqueFd Handle;
};

/// Like Process::start(), but the program is no child of this process: no wait
/// finds it and its end raises no signal. Returns false, with errno set, if it
/// cannot be started.
bool startOrphan(const ProcessOptions &Options);

/// Reaps a child, \p Which as for waitpid(). Returns its number, 0 if none has
/// ended, -1 if there is none.
pid_t takeEnd(pid_t Which, ProcessEnd &End);

/// Returns a pidfd; none if the kernel has no pidfds.
UniqueFd openProcess(pid_t Pid);

/// Returns \p File, or a duplicate with a higher number if it has the number of
/// a standard stream.
UniqueFd aboveStandard(UniqueFd File);

/// Becomes the program \p Arguments[0]. Returns, with errno set, on failure.
void becomeProgram(const std::vector<std::string> &Arguments);

} // namespace kpack

#endif // KPACK_SUPPORT_PROCESS_H
