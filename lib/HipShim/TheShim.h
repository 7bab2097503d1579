//===- TheShim.h - the process's single Shim --------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shim that the functions of libkpack_hip.so share.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_THESHIM_H
#define KPACK_LIB_HIPSHIM_THESHIM_H

#include "Shim.h"

namespace kpack::hipshim {

/// Returns the shim. It is never destroyed, since the runtime's threads run
/// while the process exits.
Shim &theShim();

/// Calls findHipFunctions(). Returns an empty result if memory is short, as if
/// the process had no runtime.
HipFunctions hipFunctions(const void *Caller, const void *Wrapper);

} // namespace kpack::hipshim

#endif // KPACK_LIB_HIPSHIM_THESHIM_H
