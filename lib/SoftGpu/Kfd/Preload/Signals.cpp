//===- Signals.cpp - the C library's functions that set handlers ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver installs handlers of SIGSEGV and SIGBUS once the program registers
// memory for a GPU (HostAccess.h). A handler that the program sets then becomes
// the next one after the driver's, which forwards faults that no kernel caused.
// Other signals go to the C library, or to a library with functions of the same
// names (lib/HipShim/Interpose.cpp).
//
//===----------------------------------------------------------------------===//
#include "Next.h"
#include "Redirect.h"

#include <csignal>

using namespace kpack::softgpu;

KPACK_NEXT Next<SignalAction> NextSigaction("sigaction");

SignalAction *kpack::softgpu::nextSigaction() {
  return reinterpret_cast<SignalAction *>(NextSigaction.find());
}

/// Returns true if the driver has handled the call.
static bool exchange(int Signal, const struct sigaction *New,
                     struct sigaction *Old) {
  const EmulatorTable *Driver = loadedEmulator();
  return Driver && Driver->ExchangeAction(Signal, New, Old);
}

KPACK_EXPORT int sigaction(int Signal, const struct sigaction *New,
                           struct sigaction *Old) noexcept {
  return exchange(Signal, New, Old) ? 0 : NextSigaction(Signal, New, Old);
}

KPACK_EXPORT sighandler_t signal(int Signal, sighandler_t Handler) noexcept {
  struct sigaction New = {}, Old = {};
  New.sa_handler = Handler;
  New.sa_flags = SA_RESTART;
  if (Handler != SIG_ERR && exchange(Signal, &New, &Old))
    return Old.sa_handler;
  KPACK_NEXT Next<sighandler_t(int, sighandler_t)> Real("signal");
  return Real(Signal, Handler);
}
