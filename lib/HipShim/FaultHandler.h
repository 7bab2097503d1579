//===- FaultHandler.h - SIGSEGV handler for lazy memory ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Faults outside of lazy memory are passed on to other handlers
// (SignalChain.h). If the shim precedes libc in the search order, it replaces
// sigaction() and signal(), and keeps threads from blocking SIGSEGV: a fault
// while it is blocked ends the process.
//
// The handler only starts a thread and waits for it. It may run on an alternate
// stack, which other handlers in the chain depend on (stack overflow) and which
// is too small to decompress on. A bundle is touched about twice in its life,
// so a thread a touch is cheap. A permanent thread would run in every process
// that never uses its GPU, and would be missing in children.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_FAULTHANDLER_H
#define KPACK_LIB_HIPSHIM_FAULTHANDLER_H

#include "LazyMemory.h"

#include "Support/SignalChain.h"

namespace kpack::hipshim {

/// Installs the handler of the process. \p Memory must never be destroyed. May
/// be called again, to put the handler back on top if another one replaced it.
void installFaultHandler(LazyMemory &Memory, const SignalFunctions &Next);

/// True if installFaultHandler() was called. If not, the program's signal calls
/// pass through unchanged.
bool faultHandlerInstalled();

/// Returns the memory of the handler; null before installFaultHandler().
LazyMemory *lazyMemory();

/// Fills the lazy memory in [\p Begin, \p Begin + \p Size) for a system call,
/// which would fail with EFAULT on unfilled memory without running a handler.
void fillForSystemCall(const void *Begin, size_t Size);

/// Implements the program's sigaction(SIGSEGV): exchanges the next handler in
/// the chain. Call only if installed.
void exchangeNextAction(const struct sigaction *New, struct sigaction *Old);

} // namespace kpack::hipshim

#endif // KPACK_LIB_HIPSHIM_FAULTHANDLER_H
