//===- SignalChain.cpp - signal handler that calls others -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Treats the next handler as the kernel would have done: its mask, its flags,
// the default action. Used by lib/HipShim (access to bundles) and the
// emulated GPU (host memory that is gone).
//
//===----------------------------------------------------------------------===//
#include "Support/SignalChain.h"

#include <new>
#include <pthread.h>

using namespace kpack;

static bool isSame(const struct sigaction &A, const struct sigaction &B) {
  if (A.sa_flags != B.sa_flags || A.sa_sigaction != B.sa_sigaction)
    return false;
  for (int Signal = 1; Signal != NSIG; ++Signal)
    if (sigismember(&A.sa_mask, Signal) != sigismember(&B.sa_mask, Signal))
      return false;
  return true;
}

/// Requires InstallLock.
void SignalChain::setNext(unsigned Level, const struct sigaction &Value) {
  for (const Action *A = Known.load(); A; A = A->Older)
    if (isSame(A->Value, Value)) {
      Nexts[Level].store(A, std::memory_order_release);
      return;
    }
  auto *A = new (std::nothrow) Action{Value, Known.load()};
  if (!A)
    return;
  Known.store(A, std::memory_order_release);
  Nexts[Level].store(A, std::memory_order_release);
}

//===----------------------------------------------------------------------===//
// In the handler
//===----------------------------------------------------------------------===//

/// Restores the kernel's default. The instruction faults again, now without a
/// handler. A signal that was sent has to be sent again.
void SignalChain::takeDefaultAction(const siginfo_t *Info) {
  struct sigaction Default = {};
  Default.sa_handler = SIG_DFL;
  Functions.Sigaction(Signal, &Default, nullptr);
  if (Info->si_code <= 0)
    pthread_kill(pthread_self(), Signal);
}

void SignalChain::passOn(unsigned Level, siginfo_t *Info, void *Context) {
  const Action *Next = Nexts[Level].load(std::memory_order_acquire);
  bool WasSent = Info->si_code <= 0;
  if (Next && WasSent && Next->Value.sa_handler == SIG_IGN)
    return;
  if (!Next || Next->Value.sa_handler == SIG_DFL ||
      Next->Value.sa_handler == SIG_IGN) {
    takeDefaultAction(Info);
    return;
  }
  const struct sigaction &A = Next->Value;
  if (A.sa_flags & SA_RESETHAND)
    Nexts[Level].store(nullptr);
  // Apply the mask that the kernel would have set for the handler.
  sigset_t Old;
  Functions.Sigmask(SIG_BLOCK, &A.sa_mask, &Old);
  if (A.sa_flags & SA_NODEFER) {
    sigset_t Self;
    sigemptyset(&Self);
    sigaddset(&Self, Signal);
    Functions.Sigmask(SIG_UNBLOCK, &Self, nullptr);
  }
  if (A.sa_flags & SA_SIGINFO)
    A.sa_sigaction(Signal, Info, Context);
  else
    A.sa_handler(Signal);
  Functions.Sigmask(SIG_SETMASK, &Old, nullptr);
}

//===----------------------------------------------------------------------===//
// Installing
//===----------------------------------------------------------------------===//

bool SignalChain::isOurs(const struct sigaction &A) const {
  for (Handler H : Handlers)
    if ((A.sa_flags & SA_SIGINFO) && A.sa_sigaction == H)
      return true;
  return false;
}

void SignalChain::install(const SignalFunctions &Next) {
  std::lock_guard<std::mutex> Guard(InstallLock);
  unsigned Level = InstalledLevels.load();
  if (Level == 0)
    Functions = Next;
  struct sigaction Current = {};
  if (Level == Levels || Functions.Sigaction(Signal, nullptr, &Current) != 0 ||
      isOurs(Current))
    return;
  setNext(Level, Current);
  struct sigaction Ours = {};
  Ours.sa_sigaction = Handlers[Level];
  Ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&Ours.sa_mask);
  if (Functions.Sigaction(Signal, &Ours, nullptr) == 0)
    InstalledLevels.store(Level + 1);
}

void SignalChain::exchange(const struct sigaction *New, struct sigaction *Old) {
  std::lock_guard<std::mutex> Guard(InstallLock);
  unsigned Top = InstalledLevels.load() - 1;
  const Action *Next = Nexts[Top].load();
  struct sigaction Default = {};
  struct sigaction Wanted = New ? *New : Default; // may be *Old
  if (Old)
    *Old = Next ? Next->Value : Default;
  if (New)
    setNext(Top, Wanted);
}
