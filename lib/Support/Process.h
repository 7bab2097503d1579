//===- Support/Process.h - a program that we run ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts one program and waits for it, for all of us: the tools, and libraries
// inside of somebody's program. No handler is installed, no other child is
// waited for, and nothing of ours is open in it but what it is given. Failures
// are errno, as of the calls below; what to say and what to do about them is
// known to the callers. Many programs at a time: Jobs.h.
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

/// What a program is started with.
struct ProcessOptions {
  std::vector<std::string> Arguments; ///< [0] is the program
  std::string File;        ///< what is run as Arguments[0]; empty: that
  bool IsSearched = false; ///< in PATH, where it has no slash
  /// "NAME=value"; nothing: ours.
  std::optional<std::vector<std::string>> Environment = {};
  std::string Directory = {};              ///< empty: ours
  int Input = -1, Output = -1, Error = -1; ///< its streams; -1: ours
  int Kept = -1;         ///< stays open in it under its number; -1: nothing
  bool HasGroup = false; ///< leads a process group, which kill() means
  /// It gets this when the thread that started it ends. It is then made by
  /// fork(): for small programs with one thread.
  int DeathSignal = 0;
  std::optional<sigset_t> Mask = {}; ///< blocked in it; nothing: as in us
  std::vector<int> Defaults = {};    ///< signals not ignored in it
};

/// How a program ended.
struct ProcessEnd {
  int Code = 0;          ///< 128 plus Signal where that is not 0, as in a shell
  int Signal = 0;        ///< that it died of
  double CpuSeconds = 0; ///< its own and of what it waited for
};

/// A child. Its end does not end the program: who wants that kills it.
class Process {
public:
  /// None, and errno, if it cannot be started.
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

  /// Whether there is one that nobody has waited for through this object.
  explicit operator bool() const { return Pid > 0; }
  pid_t id() const { return Pid; }
  /// A pidfd, which tells of the end; -1 for one with a group, and where the
  /// kernel has none.
  int descriptor() const { return Handle.get(); }

  /// How it ended, nothing if it goes on after that time; -1: waits for ever.
  /// The code is -1 where somebody else has taken the status, or the program
  /// around us ignores SIGCHLD.
  std::optional<ProcessEnd> wait(int Milliseconds = -1);
  /// To it, or to its group. Never to a stranger who has got its number.
  void kill(int Signal) const;

private:
  pid_t Pid = -1;
  bool HasGroup = false;
  UniqueFd Handle;
};

/// As Process::start(), but what is started is nobody's child: no wait finds it
/// and no signal tells of its end. False, and errno, if it cannot be started.
bool startOrphan(const ProcessOptions &Options);

/// Takes the end of a child, \p Which as of waitpid(): its number, 0 when none
/// has ended, -1 when there is none.
pid_t takeEnd(pid_t Which, ProcessEnd &End);

/// A pidfd; none where the kernel has none.
UniqueFd openProcess(pid_t Pid);

/// \p File or, if its number is that of a standard stream, the same again
/// under another one.
UniqueFd aboveStandard(UniqueFd File);

/// Becomes the program \p Arguments[0]. Returns, with errno, if it cannot.
void becomeProgram(const std::vector<std::string> &Arguments);

} // namespace kpack

#endif // KPACK_SUPPORT_PROCESS_H
