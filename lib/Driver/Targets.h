//===- Targets.h - architectures to compile for -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --offload-arch= and --no-offload-arch=, evaluated as clang's HIP driver does:
// features in canonical order, duplicates gone, sorted. Ids clang would refuse
// stay in the list: the compile for them gives clang's own message.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_TARGETS_H
#define KPACK_LIB_DRIVER_TARGETS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Option/ArgList.h"

#include <string>
#include <vector>

namespace kpack::driver {

/// What HIP compiles for when nobody says anything.
inline constexpr llvm::StringLiteral DefaultTarget = "gfx906";

/// "gfx90a:xnack+:sramecc+" -> "gfx90a:sramecc+:xnack+". Other ids, and those
/// that are not well formed, come back as they are.
std::string canonicalTargetId(llvm::StringRef Id);

/// The list. "native" stays in it as it is: see resolveNative in Driver.cpp.
std::vector<std::string> offloadTargets(const llvm::opt::ArgList &Args);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_TARGETS_H
