//===- LlvmTools.h - exec of tools in clang's folder ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CMake parses "kpack-" in the compiler's name as the prefix of a toolchain,
// and searches for an archiver called kpack-llvm-ar. Links with such names
// start this program, which executes the tool of its clang.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_LLVMTOOLS_H
#define KPACK_LIB_DRIVER_LLVMTOOLS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace kpack::driver {

/// Returns "llvm-ar" if \p Argv0 names kpack-llvm-ar, and likewise for other
/// tools; else an empty string.
llvm::StringRef getLlvmTool(llvm::StringRef Argv0);

/// Replaces this process by \p Tool, that of --kpack-clang= if it is among
/// \p Arguments. Returns only when that fails.
llvm::Error becomeLlvmTool(llvm::StringRef Tool,
                           llvm::ArrayRef<const char *> Arguments);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_LLVMTOOLS_H
