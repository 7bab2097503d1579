//===- TheShim.h - the shim of the process ----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the functions that libkpack_hip.so replaces call.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_THESHIM_H
#define KPACK_LIB_HIPSHIM_THESHIM_H

#include "Shim.h"

namespace kpack::hipshim {

/// Never destroyed: the runtime's threads run while the process exits.
Shim &theShim();

/// As findHipFunctions(); nothing if memory is short, as if there were no
/// runtime.
HipFunctions hipFunctions(const void *Caller, const void *Wrapper);

} // namespace kpack::hipshim

#endif // KPACK_LIB_HIPSHIM_THESHIM_H
