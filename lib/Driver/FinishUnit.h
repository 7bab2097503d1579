//===- FinishUnit.h - device code into the host's object --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last step of a compile: host output and code objects become the one file
// that the user asked for, in place of the host compiler's.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_FINISHUNIT_H
#define KPACK_LIB_DRIVER_FINISHUNIT_H

#include "kpack/Driver/Plan.h"

namespace kpack::driver {

/// Writes Unit.Object. All compiles of the unit have succeeded.
llvm::Error finishUnit(const TranslationUnit &Unit, const CommandLine &Command);

/// Removes what a unit's compiles may have written to the user's directories,
/// after a failure.
void removeOutputs(const TranslationUnit &Unit);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_FINISHUNIT_H
