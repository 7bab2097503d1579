//===- Identity.h - the files that decide on a compile ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --kpack-compiler-id, for compiler caches: ccache looks at this driver's file,
// not at the clang behind it, and runs a command instead where it is told to.
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

/// The arguments of the compile that ccache has been given when it is ccache
/// that runs this process; empty otherwise.
std::vector<std::string> argumentsOfCcache();

/// Prints size and time of each file but sources and headers that decides what
/// \p Command gives when it is compiled with \p Clang: this driver, the clang,
/// its libraries, its linker, device libraries, plugins. Of hipcc, whose
/// variables add options, \p Given are the arguments without these; empty
/// otherwise.
llvm::Error printIdentity(const CommandLine &Command, llvm::StringRef Clang,
                          llvm::ArrayRef<const char *> Given, const char *Argv0,
                          llvm::raw_ostream &OS);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_IDENTITY_H
