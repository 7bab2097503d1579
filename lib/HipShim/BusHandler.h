//===- BusHandler.h - SIGBUS in an archive ----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever maps an archive to use it without a copy (ArchiveReader::view(), the
// RFC's kpack_get_kernel()) gets SIGBUS when somebody cuts the file off, for
// instance by copying a new one over it. Nothing can be put in the place of the
// code, so the program ends as it would; but first the file is named. Unlike
// SIGSEGV (FaultHandler.h), nothing is done for the program to go on, so we are
// only there while nobody else wants the signal.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_BUSHANDLER_H
#define KPACK_LIB_HIPSHIM_BUSHANDLER_H

#include "FaultHandler.h"

namespace kpack::hipshim {

/// Once in a process: later calls do nothing. Leaves a handler that the program
/// has set alone.
void installBusHandler(const SignalFunctions &Next);

} // namespace kpack::hipshim

#endif // KPACK_LIB_HIPSHIM_BUSHANDLER_H
