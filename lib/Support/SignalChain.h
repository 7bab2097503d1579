//===- Support/SignalChain.h - a handler among others -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SIGSEGV and SIGBUS belong to the whole process, so a library is one of
// several who want them: what is not its own goes on to the handler that was
// there before, as if the library were not here (its flags and mask hold, the
// default action leaves the core dump that it would have left).
//
// A program that sets a handler later would take ours away. Where a library is
// in front of libc, its sigaction() and signal() therefore come to exchange():
// the handler becomes the next one in the chain.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_SIGNALCHAIN_H
#define KPACK_SUPPORT_SIGNALCHAIN_H

#include <atomic>
#include <csignal>
#include <mutex>

namespace kpack {

/// What the next definitions of the functions that we stand in front of do.
struct SignalFunctions {
  int (*Sigaction)(int, const struct sigaction *, struct sigaction *);
  int (*Sigmask)(int, const sigset_t *, sigset_t *);
};

/// A handler has no context argument, so this is a global object, initialised
/// by constants and never destroyed.
class SignalChain {
public:
  /// Handlers that we can be in one chain with: if somebody replaced ours and
  /// calls it from theirs, ours comes back on top as another function with
  /// another next one, or else the two would call each other for ever.
  static constexpr unsigned Levels = 4;
  using Handler = void (*)(int, siginfo_t *, void *);

  /// \p Handlers: the same handler, which calls passOn() with its index.
  constexpr SignalChain(int Signal, const Handler (&Handlers)[Levels])
      : Signal(Signal), Handlers(Handlers) {}

  /// May be called again: puts the handler back on top if somebody else
  /// replaced it.
  void install(const SignalFunctions &Next);
  /// If not, the program's calls are none of our business.
  bool isInstalled() const { return InstalledLevels.load() != 0; }

  /// sigaction() of the program: about the next handler in the chain. Only if
  /// installed.
  void exchange(const struct sigaction *New, struct sigaction *Old);

  /// In the handler: the signal is not ours.
  void passOn(unsigned Level, siginfo_t *Info, void *Context);

private:
  /// An action that came after ours or was there before. Never freed, because a
  /// handler may be reading it; the same one is not kept twice.
  struct Action {
    struct sigaction Value;
    const Action *Older;
  };

  bool isOurs(const struct sigaction &A) const;
  void setNext(unsigned Level, const struct sigaction &Value);
  void takeDefaultAction(const siginfo_t *Info);

  const int Signal;
  const Handler (&Handlers)[Levels];
  std::atomic<const Action *> Nexts[Levels] = {};
  std::atomic<const Action *> Known{nullptr};
  std::atomic<unsigned> InstalledLevels{0};
  std::mutex InstallLock;
  SignalFunctions Functions = {}; ///< set before the first handler is
};

} // namespace kpack

#endif // KPACK_SUPPORT_SIGNALCHAIN_H
