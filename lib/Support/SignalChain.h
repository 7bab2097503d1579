//===- Support/SignalChain.h - signal handler that calls others -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SIGSEGV and SIGBUS belong to the whole process, and several libraries may
// handle them. A signal for another one is passed to the handler that was
// installed before, as if this library were absent (its flags and mask apply,
// and the default action dumps the same core).
//
// A program that installs a handler later would replace this one. If the
// library interposes libc, its sigaction() and signal() call exchange(), which
// makes the program's handler the next one in the chain.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_SIGNALCHAIN_H
#define KPACK_SUPPORT_SIGNALCHAIN_H

#include <atomic>
#include <csignal>
#include <mutex>

namespace kpack {

/// The next definitions of the interposed functions.
struct SignalFunctions {
  int (*Sigaction)(int, const struct sigaction *, struct sigaction *);
  int (*Sigmask)(int, const sigset_t *, sigset_t *);
};

/// A handler has no context argument, so this is a global object with constant
/// initialization, and is never destroyed.
class SignalChain {
public:
  /// The number of times that install() can put the handler on top. If other
  /// code replaced this handler and calls it from its own, the handler comes
  /// back on top as another function with another next one; otherwise the two
  /// would call each other without end.
  static constexpr unsigned Levels = 4;
  using Handler = void (*)(int, siginfo_t *, void *);

  /// \p Handlers: copies of one handler, each calls passOn() with its index.
  constexpr SignalChain(int Signal, const Handler (&Handlers)[Levels])
      : Signal(Signal), Handlers(Handlers) {}

  /// Installs the handler. May be called again, and puts it back on top if
  /// other code replaced it.
  void install(const SignalFunctions &Next);
  /// If false, the program's sigaction() calls are not intercepted.
  bool isInstalled() const { return InstalledLevels.load() != 0; }

  /// sigaction() of the program, applied to the next handler in the chain. Call
  /// only if installed.
  void exchange(const struct sigaction *New, struct sigaction *Old);

  /// Called by the handler for a signal of other code.
  void passOn(unsigned Level, siginfo_t *Info, void *Context);

private:
  /// An action that was installed before this handler, or is set later. Never
  /// freed, because a handler may be reading it; equal ones are stored once.
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
  SignalFunctions Functions = {}; ///< set before the first handler
};

} // namespace kpack

#endif // KPACK_SUPPORT_SIGNALCHAIN_H
