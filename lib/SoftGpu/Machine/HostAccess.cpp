//===- HostAccess.cpp - guarded access to host memory ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Read onSignal() first. The current access of a thread is a variable in the
// static TLS block (initial-exec): the handler, which may interrupt malloc(),
// allocates nothing.
//
// The jump also leaves handlers before ours in the chain, so onSignal() first
// restores the signal mask of the interrupted code.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Machine/HostAccess.h"

#include <cerrno>
#include <pthread.h>
#include <ucontext.h>

using namespace kpack;
using namespace kpack::softgpu;

[[gnu::tls_model(
    "initial-exec")]] static constinit thread_local HostAccess *Current =
    nullptr;

HostAccess::HostAccess(const Ranges &R) : R(R), Outer(Current) {
  Current = this;
}
HostAccess::~HostAccess() { Current = Outer; }

HostAccess::Pause::Pause() : Paused(Current) { Current = nullptr; }
HostAccess::Pause::~Pause() { Current = Paused; }

const char *HostFault::reason() const {
  switch (What) {
  case Kind::Unmapped:
    return "; the program has unmapped it";
  case Kind::Protected:
    return IsWrite ? "; the program may not write it itself"
                   : "; the program may not read it itself";
  case Kind::EndOfFile:
    break;
  }
  return "; its file ends before it";
}

/// Returns the range with the process's byte at \p Host, or null.
static const MemoryRange *getRange(const MemoryMap::Snapshot &Ranges,
                                   uint64_t Host) {
  for (const MemoryRange &R : Ranges)
    if (Host - (R.Begin + R.ToHost) < R.End - R.Begin)
      return &R;
  return nullptr;
}

uint64_t HostFault::address(const MemoryMap::Snapshot &Ranges) const {
  const MemoryRange *R = getRange(Ranges, Host);
  return R ? Host - R->ToHost : 0;
}

namespace kpack::softgpu {
struct HostFaultHandler {
  static void onSignal(SignalChain &Chain, unsigned Level, int Signal,
                       siginfo_t *Info, void *Context);
};
} // namespace kpack::softgpu

void HostFaultHandler::onSignal(SignalChain &Chain, unsigned Level, int Signal,
                                siginfo_t *Info, void *Context) {
  HostAccess *Here = Current;
  auto Address = reinterpret_cast<uint64_t>(Info->si_addr);
  if (!Here || !Here->R || Info->si_code <= 0 || !getRange(*Here->R, Address)) {
    int Errno = errno;
    Chain.passOn(Level, Info, Context);
    errno = Errno;
    return;
  }
  constexpr greg_t WriteBit = 2; // in the error code
  const auto *Interrupted = static_cast<const ucontext_t *>(Context);
  Here->Refused.Host = Address;
  Here->Refused.IsWrite = Interrupted->uc_mcontext.gregs[REG_ERR] & WriteBit;
  Here->Refused.What = Signal == SIGBUS ? HostFault::Kind::EndOfFile
                       : Info->si_code == SEGV_MAPERR
                           ? HostFault::Kind::Unmapped
                           : HostFault::Kind::Protected;
  ::pthread_sigmask(SIG_SETMASK, &Interrupted->uc_sigmask, nullptr);
  siglongjmp(Here->Point, 1);
}

//===----------------------------------------------------------------------===//
// The chains
//===----------------------------------------------------------------------===//

template <int Which> struct ChainOf {
  template <unsigned Level>
  static void handle(int Signal, siginfo_t *Info, void *Context) {
    HostFaultHandler::onSignal(Chain, Level, Signal, Info, Context);
  }
  static constexpr SignalChain::Handler Handlers[SignalChain::Levels] = {
      handle<0>, handle<1>, handle<2>, handle<3>};
  static SignalChain Chain;
};
template <int Which>
constinit SignalChain ChainOf<Which>::Chain(Which, Handlers);

void kpack::softgpu::catchHostFaults(const SignalFunctions &Next) {
  ChainOf<SIGSEGV>::Chain.install(Next);
  ChainOf<SIGBUS>::Chain.install(Next);
}

bool kpack::softgpu::exchangeHostFaultAction(int Signal,
                                             const struct sigaction *New,
                                             struct sigaction *Old) {
  SignalChain *Chain = Signal == SIGSEGV  ? &ChainOf<SIGSEGV>::Chain
                       : Signal == SIGBUS ? &ChainOf<SIGBUS>::Chain
                                          : nullptr;
  if (!Chain || !Chain->isInstalled())
    return false;
  Chain->exchange(New, Old);
  return true;
}
