//===- Cuid.h - one cuid for all compiles of a TU ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host and device compiles of a TU must use the same cuid, and clang's default
// one depends on options that differ between them. Ours is a hash of the file's
// real path and of the options that change code. It excludes -o, options for
// dependency files and diagnostics, and our options, so that the same compile
// to another path gives the same bytes.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_CUID_H
#define KPACK_LIB_DRIVER_CUID_H

#include "CommandLine.h"

namespace kpack::driver {

/// Returns 16 hex digits for \p Source, a HIP input of \p Command.
std::string hashCuid(const CommandLine &Command, const Input &Source);

/// Returns one cuid for each HIP input, in order: the user's -cuid=, a hash or
/// (with -fuse-cuid=random) a random number. Fails on -fuse-cuid=none, and on a
/// -cuid= for two TUs.
llvm::Expected<std::vector<std::string>> cuids(const CommandLine &Command);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_CUID_H
