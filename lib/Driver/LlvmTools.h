//===- LlvmTools.h - tools of the clang that is driven ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CMake takes what is in front of "clang++" in a compiler's name for the prefix
// of a toolchain, and looks for its archiver as kpack-llvm-ar. These names lead
// to this program, which becomes the tool that belongs to its clang.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_LLVMTOOLS_H
#define KPACK_LIB_DRIVER_LLVMTOOLS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace kpack::driver {

/// "llvm-ar" if a program called \p Argv0 is asked for as kpack-llvm-ar; empty
/// if it is asked for as no tool.
llvm::StringRef llvmToolOf(llvm::StringRef Argv0);

/// Replaces this process by \p Tool. Returns only when that fails.
llvm::Error becomeLlvmTool(llvm::StringRef Tool,
                           llvm::ArrayRef<const char *> Arguments);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_LLVMTOOLS_H
