//===- Targets.h - GPU targets of --offload-arch= ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates --offload-arch= and --no-offload-arch= like clang's HIP driver:
// features in canonical order, sorted, without duplicates. Ids that clang would
// refuse stay in the list, so that their compile prints clang's message.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_TARGETS_H
#define KPACK_LIB_DRIVER_TARGETS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Option/ArgList.h"

#include <string>
#include <vector>

namespace kpack::driver {

/// HIP's target if none is given.
inline constexpr llvm::StringLiteral DefaultTarget = "gfx906";

/// Puts features in canonical order: "gfx90a:xnack+:sramecc+" ->
/// "gfx90a:sramecc+:xnack+". Returns malformed ids unchanged.
std::string canonicalTargetId(llvm::StringRef Id);

/// Returns the targets. "native" stays in the list; Build::targets() resolves
/// it.
std::vector<std::string> offloadTargets(const llvm::opt::ArgList &Args);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_TARGETS_H
