//===- Driver/Driver.h - the compiler driver kpack-clang++ ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver without main(). Without any of our options it becomes clang (exec,
// same arguments). With --emit-kpack it drives stock clang: device and host
// compiles in parallel, insertion of the device code into the object, ld.kpack
// for the link. No step makes a fat binary.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_DRIVER_DRIVER_H
#define KPACK_DRIVER_DRIVER_H

#include "llvm/ADT/ArrayRef.h"

namespace kpack::driver {

/// Runs the driver with main()'s \p Argv. Returns the exit code.
int runDriver(llvm::ArrayRef<const char *> Argv);

} // namespace kpack::driver

#endif // KPACK_DRIVER_DRIVER_H
