//===- FinishUnit.h - device code added to an object ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last step of a compile: combines host output and code objects in the
// output file, which replaces the host compiler's.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_FINISHUNIT_H
#define KPACK_LIB_DRIVER_FINISHUNIT_H

#include "BuildPlan.h"
#include "kpack/Support/OutputPlace.h"

#include <optional>

namespace kpack::driver {

/// State of Unit.Object before the compile. The compiler replaces the file and
/// a link to it; our output keeps permissions and link.
struct ReplacedObject {
  std::optional<OutputPlace> Place; // nullopt: must not be replaced
  std::string Link;                 // target of the link; empty: no link
};
ReplacedObject replacedObject(const TranslationUnit &Unit);

/// Writes Unit.Object. Call after all compiles of the unit have succeeded.
llvm::Error finishUnit(const TranslationUnit &Unit, const CommandLine &Command,
                       const ReplacedObject &Before);

/// Removes files that a unit's compiles may have written to the user's
/// directories, after a failure.
void removeOutputs(const TranslationUnit &Unit);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_FINISHUNIT_H
