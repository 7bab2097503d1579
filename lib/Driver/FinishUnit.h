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

#include "Plan.h"
#include "kpack/Support/OutputPlace.h"

#include <optional>

namespace kpack::driver {

/// What Unit.Object was before its compile: the compiler replaces the file and
/// a link to it, where our output keeps permissions and the link.
struct ReplacedObject {
  std::optional<OutputPlace> Place; // none: not to be replaced at all
  std::string Link;                 // what the link says; empty: no link
};
ReplacedObject replacedObject(const TranslationUnit &Unit);

/// Writes Unit.Object. All compiles of the unit have succeeded.
llvm::Error finishUnit(const TranslationUnit &Unit, const CommandLine &Command,
                       const ReplacedObject &Before);

/// Removes what a unit's compiles may have written to the user's directories,
/// after a failure.
void removeOutputs(const TranslationUnit &Unit);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_FINISHUNIT_H
