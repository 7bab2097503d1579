//===- FaultHandler.cpp - SIGSEGV handler for lazy memory -----------------===//
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
#include <mutex>
#include <pthread.h>

using namespace kpack;
using namespace kpack::hipshim;

static std::atomic<LazyMemory *> TheMemory{nullptr};
static SignalFunctions TheFunctions; // set before the first handler is

//===----------------------------------------------------------------------===//
// In the handler
//===----------------------------------------------------------------------===//

namespace {
struct Touch {
  LazyMemory *Memory;
  const void *Begin;
  size_t Size; ///< bytes to fill; 0: one part
  bool Done;
};
} // namespace

static void *runTouch(void *Argument) {
  auto *T = static_cast<Touch *>(Argument);
  if (T->Size)
    T->Memory->touchAll(T->Begin, T->Size);
  else
    T->Done = T->Memory->touch(T->Begin);
  return nullptr;
}

/// Does the work on a separate thread, with a stack that is large enough and
/// outside of the signal handler; this thread only waits.
static void runOnThread(Touch &T) {
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
}

static bool touch(LazyMemory &Memory, const void *Address) {
  Touch T{&Memory, Address, 0, false};
  if (!Memory.contains(Address))
    return false;
  runOnThread(T);
  return T.Done;
}

static SignalChain &chain();

template <unsigned Level>
static void onFault(int Signal, siginfo_t *Info, void *Context) {
  int Errno = errno;
  // A protection fault; not an unmapped address or a signal that was sent.
  bool IsOurs =
      Info->si_code == SEGV_ACCERR &&
      touch(*TheMemory.load(std::memory_order_acquire), Info->si_addr);
  if (!IsOurs)
    chain().passOn(Level, Info, Context);
  errno = Errno;
}

//===----------------------------------------------------------------------===//
// Installing
//===----------------------------------------------------------------------===//

static constexpr SignalChain::Handler Handlers[SignalChain::Levels] = {
    onFault<0>, onFault<1>, onFault<2>, onFault<3>};
static SignalChain TheChain(SIGSEGV, Handlers);
static SignalChain &chain() { return TheChain; }

void kpack::hipshim::installFaultHandler(LazyMemory &Memory,
                                         const SignalFunctions &Next) {
  static std::mutex Lock;
  std::lock_guard<std::mutex> Guard(Lock);
  if (!TheMemory.load()) {
    TheFunctions = Next;
    TheMemory.store(&Memory, std::memory_order_release);
  }
  TheChain.install(Next);
}

LazyMemory *kpack::hipshim::lazyMemory() {
  return TheMemory.load(std::memory_order_acquire);
}

void kpack::hipshim::fillForSystemCall(const void *Begin, size_t Size) {
  LazyMemory *Memory = lazyMemory();
  if (!Memory || !Size || !Memory->overlaps(Begin, Size))
    return;
  int Errno = errno;
  Touch T{Memory, Begin, Size, false};
  runOnThread(T);
  errno = Errno;
}

bool kpack::hipshim::faultHandlerInstalled() { return TheChain.isInstalled(); }

void kpack::hipshim::exchangeNextAction(const struct sigaction *New,
                                        struct sigaction *Old) {
  TheChain.exchange(New, Old);
}
