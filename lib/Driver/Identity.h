//===- Identity.h - compiler identity for ccache ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --kpack-compiler-id, for compiler caches. ccache identifies a compiler by the
// driver's file, which stays the same when the driven clang changes; it can be
// configured to run a command instead.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_IDENTITY_H
#define KPACK_LIB_DRIVER_IDENTITY_H

#include "CommandLine.h"

namespace llvm {
class raw_ostream;
}

namespace kpack::driver {

inline constexpr llvm::StringLiteral IdentityOption = "--kpack-compiler-id";

/// Returns the arguments of the compile that ccache was given, if ccache runs
/// this process; else none.
std::vector<std::string> argumentsOfCcache();

/// Prints size and time of each file, other than sources and headers, on which
/// the output of \p Command depends: this driver, \p Clang, its libraries and
/// its linker, device libraries, plugins, configuration files. For hipcc, \p
/// Given has the arguments before its variables added options; else it is
/// empty.
llvm::Error printIdentity(const CommandLine &Command, llvm::StringRef Clang,
                          llvm::ArrayRef<const char *> Given, const char *Argv0,
                          llvm::raw_ostream &OS);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_IDENTITY_H
