//===- BusHandler.h - SIGBUS handler for mapped archives --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process that maps an archive to use it without a copy
// (ArchiveReader::view(), the RFC's kpack_get_kernel()) gets SIGBUS if the file
// is truncated, for instance by copying a new one over it. The lost code cannot
// be replaced, so the program ends as it would without us; the handler only
// names the file first. Since it recovers nothing, unlike the handler of
// SIGSEGV (FaultHandler.h), it is installed only if the program has no handler
// for the signal.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_BUSHANDLER_H
#define KPACK_LIB_HIPSHIM_BUSHANDLER_H

#include "FaultHandler.h"

namespace kpack::hipshim {

/// Installs the handler once in a process; later calls do nothing. Leaves a
/// handler that the program has set alone.
void installBusHandler(const SignalFunctions &Next);

} // namespace kpack::hipshim

#endif // KPACK_LIB_HIPSHIM_BUSHANDLER_H
