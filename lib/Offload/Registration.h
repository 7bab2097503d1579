//===- Offload/Registration.h - check of kernel registration ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code launches a kernel through its stub, which calls
// __hipPopCallConfiguration. The HIP runtime finds the kernel only if a
// constructor has called __hipRegisterFatBinary. The constructor may be in
// another object: clang-linker-wrapper adds one to a link of the new offload
// driver. If the device half of that compile is dropped, the host half still
// links, and each of its launches fails.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_REGISTRATION_H
#define KPACK_OFFLOAD_REGISTRATION_H

#include "llvm/ADT/StringRef.h"

namespace kpack::offload {

/// Only the stubs of kernels call it.
inline constexpr llvm::StringLiteral StubFunction = "__hipPopCallConfiguration";
/// Called by the constructors that register kernels.
inline constexpr llvm::StringLiteral RegisterFunction =
    "__hipRegisterFatBinary";

/// True if \p Linked, a program or shared library, has kernel stubs that call
/// the HIP runtime in another library. Reads the loader's relocations, so code
/// that the linker has dropped does not count. False for files other than
/// 64-bit little-endian ELF, and for damaged ones.
bool launchesKernels(llvm::StringRef Linked);

/// True if also \p Linked does not contain the name of the function that
/// registers kernels, as a symbol or as a string.
bool launchesUnregistered(llvm::StringRef Linked);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_REGISTRATION_H
