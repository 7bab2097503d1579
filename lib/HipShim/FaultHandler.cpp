//===- FaultHandler.cpp - SIGSEGV, shared ---------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Read onFault() first. A signal handler has no context argument, so this is
// the one file of the library with global state.
//
//===----------------------------------------------------------------------===//
#include "FaultHandler.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>
#include <pthread.h>

using namespace kpack::hipshim;

namespace {

/// An action that came after ours or was there before. Never freed, because a
/// handler may be reading it; the same one is not kept twice.
struct Action {
  struct sigaction Value;
  const Action *Older;
};

/// Handlers that we can be in one chain with: if somebody replaced ours and
/// calls it from theirs, ours comes back on top as another function with
/// another next one, or else the two would call each other for ever.
constexpr unsigned Levels = 4;

std::atomic<LazyMemory *> TheMemory{nullptr};
std::atomic<const Action *> NextActions[Levels] = {};
std::atomic<const Action *> KnownActions{nullptr};
std::atomic<unsigned> InstalledLevels{0};
std::mutex InstallLock;
SignalFunctions TheFunctions; // set before the first handler is

} // namespace

static bool isSame(const struct sigaction &A, const struct sigaction &B) {
  if (A.sa_flags != B.sa_flags || A.sa_sigaction != B.sa_sigaction)
    return false;
  for (int Signal = 1; Signal != NSIG; ++Signal)
    if (sigismember(&A.sa_mask, Signal) != sigismember(&B.sa_mask, Signal))
      return false;
  return true;
}

/// With InstallLock held.
static void setNextAction(unsigned Level, const struct sigaction &Value) {
  for (const Action *A = KnownActions.load(); A; A = A->Older)
    if (isSame(A->Value, Value)) {
      NextActions[Level].store(A, std::memory_order_release);
      return;
    }
  auto *A = new (std::nothrow) Action{Value, KnownActions.load()};
  if (!A)
    return;
  KnownActions.store(A, std::memory_order_release);
  NextActions[Level].store(A, std::memory_order_release);
}

//===----------------------------------------------------------------------===//
// In the handler
//===----------------------------------------------------------------------===//

namespace {
struct Touch {
  LazyMemory *Memory;
  const void *Address;
  bool Done;
};
} // namespace

static void *runTouch(void *Argument) {
  auto *T = static_cast<Touch *>(Argument);
  T->Done = T->Memory->touch(T->Address);
  return nullptr;
}

/// The work is done by a thread of its own, on a stack that is large enough and
/// outside of the signal handler; this thread only waits.
static bool touch(LazyMemory &Memory, const void *Address) {
  Touch T{&Memory, Address, false};
  if (!Memory.contains(Address))
    return false;
  // The new thread inherits the mask: the program's own signals are not for it.
  sigset_t All, Old;
  sigfillset(&All);
  TheFunctions.Sigmask(SIG_BLOCK, &All, &Old);
  int CancelState;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &CancelState);
  pthread_t Thread;
  if (pthread_create(&Thread, nullptr, runTouch, &T) == 0)
    pthread_join(Thread, nullptr);
  else
    runTouch(&T); // a limit on threads: here, then
  pthread_setcancelstate(CancelState, nullptr);
  TheFunctions.Sigmask(SIG_SETMASK, &Old, nullptr);
  return T.Done;
}

/// What the kernel does without a handler: the instruction faults again, this
/// time for good. A signal that somebody sent has to be sent again.
static void takeDefaultAction(int Signal, const siginfo_t *Info) {
  struct sigaction Default = {};
  Default.sa_handler = SIG_DFL;
  TheFunctions.Sigaction(Signal, &Default, nullptr);
  if (Info->si_code <= 0)
    pthread_kill(pthread_self(), Signal);
}

static void passOn(unsigned Level, int Signal, siginfo_t *Info, void *Context) {
  const Action *Next = NextActions[Level].load(std::memory_order_acquire);
  bool WasSent = Info->si_code <= 0;
  if (Next && WasSent && Next->Value.sa_handler == SIG_IGN)
    return;
  if (!Next || Next->Value.sa_handler == SIG_DFL ||
      Next->Value.sa_handler == SIG_IGN) {
    takeDefaultAction(Signal, Info);
    return;
  }
  const struct sigaction &A = Next->Value;
  if (A.sa_flags & SA_RESETHAND)
    NextActions[Level].store(nullptr);
  // The mask that the kernel would have given it.
  sigset_t Old;
  TheFunctions.Sigmask(SIG_BLOCK, &A.sa_mask, &Old);
  if (A.sa_flags & SA_NODEFER) {
    sigset_t Self;
    sigemptyset(&Self);
    sigaddset(&Self, Signal);
    TheFunctions.Sigmask(SIG_UNBLOCK, &Self, nullptr);
  }
  if (A.sa_flags & SA_SIGINFO)
    A.sa_sigaction(Signal, Info, Context);
  else
    A.sa_handler(Signal);
  TheFunctions.Sigmask(SIG_SETMASK, &Old, nullptr);
}

template <unsigned Level>
static void onFault(int Signal, siginfo_t *Info, void *Context) {
  int Errno = errno;
  // Memory that may not be accessed; neither an address without memory nor a
  // signal that somebody sent.
  bool IsOurs =
      Info->si_code == SEGV_ACCERR &&
      touch(*TheMemory.load(std::memory_order_acquire), Info->si_addr);
  if (!IsOurs)
    passOn(Level, Signal, Info, Context);
  errno = Errno;
}

//===----------------------------------------------------------------------===//
// Installing
//===----------------------------------------------------------------------===//

using Handler = void (*)(int, siginfo_t *, void *);
static constexpr Handler Handlers[Levels] = {onFault<0>, onFault<1>, onFault<2>,
                                             onFault<3>};

static bool isOurs(const struct sigaction &A) {
  for (Handler H : Handlers)
    if ((A.sa_flags & SA_SIGINFO) && A.sa_sigaction == H)
      return true;
  return false;
}

void kpack::hipshim::installFaultHandler(LazyMemory &Memory,
                                         const SignalFunctions &Next) {
  std::lock_guard<std::mutex> Guard(InstallLock);
  unsigned Level = InstalledLevels.load();
  if (Level == 0) {
    TheFunctions = Next;
    TheMemory.store(&Memory, std::memory_order_release);
  }
  struct sigaction Current = {};
  if (Level == Levels ||
      TheFunctions.Sigaction(SIGSEGV, nullptr, &Current) != 0 ||
      isOurs(Current))
    return;
  setNextAction(Level, Current);
  struct sigaction Ours = {};
  Ours.sa_sigaction = Handlers[Level];
  Ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&Ours.sa_mask);
  if (TheFunctions.Sigaction(SIGSEGV, &Ours, nullptr) == 0)
    InstalledLevels.store(Level + 1);
}

bool kpack::hipshim::faultHandlerInstalled() {
  return InstalledLevels.load() != 0;
}

void kpack::hipshim::exchangeNextAction(const struct sigaction *New,
                                        struct sigaction *Old) {
  std::lock_guard<std::mutex> Guard(InstallLock);
  unsigned Top = InstalledLevels.load() - 1;
  const Action *Next = NextActions[Top].load();
  struct sigaction Default = {};
  struct sigaction Wanted = New ? *New : Default; // may be *Old
  if (Old)
    *Old = Next ? Next->Value : Default;
  if (New)
    setNextAction(Top, Wanted);
}
