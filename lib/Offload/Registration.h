//===- Offload/Registration.h - who registers kernels -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code launches a kernel through its stub, which calls
// __hipPopCallConfiguration. The HIP runtime finds the kernel only if a
// constructor has called __hipRegisterFatBinary, for code that may be in
// another object: clang-linker-wrapper adds it to a link of the new offload
// driver. Where the device half of a compile is dropped, the host half of that
// driver still links, and each of its launches fails.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_REGISTRATION_H
#define KPACK_OFFLOAD_REGISTRATION_H

#include "llvm/ADT/StringRef.h"

namespace kpack::offload {

/// Called by the stubs of kernels, and by them alone.
inline constexpr llvm::StringLiteral StubFunction = "__hipPopCallConfiguration";
/// Called by the constructors that register kernels.
inline constexpr llvm::StringLiteral RegisterFunction =
    "__hipRegisterFatBinary";

/// Whether \p Linked, a program or shared library, has kernel stubs that call
/// the HIP runtime in another library. Goes by the relocations that a loader
/// applies, so what the linker has dropped does not count. False for files
/// other than 64-bit little-endian ELF, and for damaged ones.
bool launchesKernels(llvm::StringRef Linked);

/// The same, and nothing in \p Linked names the function that registers
/// kernels, be it to look it up.
bool launchesUnregistered(llvm::StringRef Linked);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_REGISTRATION_H
