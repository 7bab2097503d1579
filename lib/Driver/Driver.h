//===- Driver/Driver.h - the whole program ----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole program behind main(). Without one of our options it becomes clang
// (exec, same arguments). With --emit-kpack it drives stock clang: device and
// host compiles side by side, device code into the one object, ld.kpack for
// the link. No fat binary exists at any point.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_DRIVER_DRIVER_H
#define KPACK_DRIVER_DRIVER_H

#include "llvm/ADT/ArrayRef.h"

namespace kpack::driver {

/// \p Argv as main() gets it. Returns the exit code.
int runDriver(llvm::ArrayRef<const char *> Argv);

} // namespace kpack::driver

#endif // KPACK_DRIVER_DRIVER_H
