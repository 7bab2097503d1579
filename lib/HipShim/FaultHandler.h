//===- FaultHandler.h - SIGSEGV, shared -------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is not a touch of our memory goes on to other handlers (SignalChain.h).
// Where the shim is in front of libc, sigaction() and signal() come here, and a
// thread cannot block SIGSEGV: a fault while it is blocked ends the process.
//
// The handler itself does nothing but start a thread and wait for it. It may
// run on an alternate stack, which other handlers in the chain depend on (stack
// overflow) and which is too small to decompress on. A bundle takes two touches
// in its life. (A thread that waits for touches would be there in every process
// that never comes to use its GPU, and missing in children.)
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_FAULTHANDLER_H
#define KPACK_LIB_HIPSHIM_FAULTHANDLER_H

#include "LazyMemory.h"

#include "Support/SignalChain.h"

namespace kpack::hipshim {

/// The handler of the process. \p Memory must never be destroyed. May be called
/// again: puts the handler back on top if somebody else replaced it.
void installFaultHandler(LazyMemory &Memory, const SignalFunctions &Next);

/// Whether installFaultHandler() was called: if not, the program's calls are
/// none of our business.
bool faultHandlerInstalled();

/// The memory of the handler; null before installFaultHandler().
LazyMemory *lazyMemory();

/// Fills the lazy memory in [\p Begin, \p Begin + \p Size). A system call that
/// reads unfilled memory fails with EFAULT; no handler of SIGSEGV runs.
void fillForSystemCall(const void *Begin, size_t Size);

/// sigaction(SIGSEGV) of the program: about the next handler in the chain.
/// Call only if installed.
void exchangeNextAction(const struct sigaction *New, struct sigaction *Old);

} // namespace kpack::hipshim

#endif // KPACK_LIB_HIPSHIM_FAULTHANDLER_H
