//===- Interpose.cpp - the functions that libkpack_hip.so replaces --------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library stands between the program and its HIP runtime: preloaded, or
// linked in front of -lamdhip64. Each function does its part and calls the next
// definition; for HIP's functions that is the one that the caller would have
// reached (HipFunctions.h). The signal functions pass calls to the C library
// until a wrapper with magic HIPK is registered; FaultHandler.h explains why
// they are replaced. Siblings: InterposeModules.cpp has HIP's functions that
// load code objects, InterposeReads.cpp those with which runtimes measure
// memory.
//
//===----------------------------------------------------------------------===//
#include "NextFunction.h"
#include "Runtime/BinaryPath.h"
#include "Support/Printable.h"
#include "TheShim.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <pthread.h>

using namespace kpack;
using namespace kpack::hipshim;

static SignalFunctions nextSignalFunctions() {
  static std::atomic<int (*)(int, const struct sigaction *, struct sigaction *)>
      Sigaction{nullptr};
  static std::atomic<int (*)(int, const sigset_t *, sigset_t *)> Sigmask{
      nullptr};
  return {nextOfLibc(Sigaction, "sigaction"),
          nextOfLibc(Sigmask, "pthread_sigmask")};
}

HipFunctions kpack::hipshim::hipFunctions(const void *Caller,
                                          const void *Wrapper) {
  try {
    return findHipFunctions(Caller, Wrapper);
  } catch (const std::bad_alloc &) {
    return {};
  }
}

/// Reports that the process has no runtime; the caller continues with a null
/// handle.
static void sayThatNoRuntimeIsThere(const void *Caller) {
  constexpr char Format[] = "kpack_hip: error: %s: no HIP runtime in this "
                            "process; link it with -lamdhip64\n";
  try {
    Result<runtime::FilePlace> Binary = runtime::findBinary(Caller);
    std::fprintf(stderr, Format,
                 Binary ? printable(Binary->Path).c_str() : "a HIP binary");
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, Format, "a HIP binary");
  }
}

Shim &kpack::hipshim::theShim() {
  SignalFunctions Signals = nextSignalFunctions(); // outside the guard
  static Shim *The = [&] {
    auto *New = new Shim(readShimMode(), runtime::Environment::read(), Signals,
                         readMemoryMode());
    pthread_atfork([] { theShim().lock(); }, [] { theShim().unlock(); },
                   [] { theShim().unlock(); });
    if (const char *Stats = secure_getenv("KPACK_HIP_STATS"))
      if (*Stats && *Stats != '0')
        std::atexit([] { theShim().printStats(); });
    return New;
  }();
  return *The;
}

/// Removes SIGSEGV from the signals to block: with it blocked, the next touch
/// of a bundle would be a crash.
static const sigset_t *withoutFaults(int Operation, const sigset_t *Set,
                                     sigset_t &Copy) {
  if (!Set || Operation == SIG_UNBLOCK || !faultHandlerInstalled())
    return Set;
  Copy = *Set;
  sigdelset(&Copy, SIGSEGV);
  return &Copy;
}

extern "C" {

KPACK_INTERPOSED void **__hipRegisterFatBinary(const void *Wrapper) {
  const void *Caller = __builtin_return_address(0);
  HipFunctions Hip = hipFunctions(Caller, Wrapper);
  if (!Hip) {
    sayThatNoRuntimeIsThere(Caller);
    return nullptr;
  }
  try {
    return theShim().registerFatBinary(Wrapper, Hip);
  } catch (const std::bad_alloc &) {
    return Hip.Register(Wrapper); // the runtime refuses it
  }
}

KPACK_INTERPOSED void __hipUnregisterFatBinary(void **Handle) {
  if (theShim().unregisterFatBinary(Handle))
    return;
  // Not registered here, or remember() lacked memory.
  HipFunctions Hip = hipFunctions(__builtin_return_address(0), nullptr);
  if (Hip.Unregister)
    Hip.Unregister(Handle);
}

KPACK_INTERPOSED int sigaction(int Signal, const struct sigaction *New,
                               struct sigaction *Old) noexcept {
  if (Signal != SIGSEGV || !faultHandlerInstalled())
    return nextSignalFunctions().Sigaction(Signal, New, Old);
  exchangeNextAction(New, Old);
  return 0;
}

KPACK_INTERPOSED sighandler_t signal(int Signal,
                                     sighandler_t Handler) noexcept {
  if (Signal != SIGSEGV || Handler == SIG_ERR || !faultHandlerInstalled()) {
    static std::atomic<sighandler_t (*)(int, sighandler_t)> Signals{nullptr};
    return nextOfLibc(Signals, "signal")(Signal, Handler);
  }
  struct sigaction New = {}, Old = {};
  New.sa_handler = Handler;
  New.sa_flags = SA_RESTART;
  sigemptyset(&New.sa_mask);
  exchangeNextAction(&New, &Old);
  return Old.sa_handler;
}

KPACK_INTERPOSED int pthread_sigmask(int Operation, const sigset_t *Set,
                                     sigset_t *Old) noexcept {
  sigset_t Copy;
  return nextSignalFunctions().Sigmask(
      Operation, withoutFaults(Operation, Set, Copy), Old);
}

KPACK_INTERPOSED int sigprocmask(int Operation, const sigset_t *Set,
                                 sigset_t *Old) noexcept {
  int Error = pthread_sigmask(Operation, Set, Old);
  if (Error == 0)
    return 0;
  errno = Error;
  return -1;
}

} // extern "C"
