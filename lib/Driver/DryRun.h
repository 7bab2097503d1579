//===- DryRun.h - results of clang's -### -----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some options of jobs depend on the whole command line, which only clang's
// driver evaluates. These functions read them from its dry run. Sibling:
// BuildPlan.h, which uses them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_DRYRUN_H
#define KPACK_LIB_DRIVER_DRYRUN_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kpack::driver {

/// Returns the options of the device link job in the output of a dry run that
/// depend on the user's command line ("--lto-CGO3"), without target and files.
std::vector<std::string> deviceLinkArgs(llvm::StringRef DryRun);

/// Returns the targets in the output of a dry run.
std::vector<std::string> dryRunTargets(llvm::StringRef DryRun);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_DRYRUN_H
