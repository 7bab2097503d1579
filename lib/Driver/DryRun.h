//===- DryRun.h - what -### tells -------------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang's driver knows what depends on the whole command line. Its dry run says
// it, and these read it. Sibling: Plan.h, what is made of it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_DRYRUN_H
#define KPACK_LIB_DRIVER_DRYRUN_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kpack::driver {

/// From the output of a dry run: options of the device link job that depend
/// on the user's command line ("--lto-CGO3"), without target and files.
std::vector<std::string> deviceLinkArgs(llvm::StringRef DryRun);

/// From the output of a dry run: the targets it compiles for.
std::vector<std::string> dryRunTargets(llvm::StringRef DryRun);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_DRYRUN_H
