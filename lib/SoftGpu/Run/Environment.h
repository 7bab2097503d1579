//===- Environment.h - what the program's environment gets ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts the emulated GPU and the shim for HIPK binaries in front of the
// libraries that the program would load, and passes settings on in variables,
// which docs/reference/kpack-run.md lists.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_RUN_ENVIRONMENT_H
#define KPACK_LIB_SOFTGPU_RUN_ENVIRONMENT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace kpack::run {

/// \p LibraryFolder: lib/ beside the tool's bin/. Errors: a library is missing,
/// or the folder's path cannot stand in the variables.
llvm::Error setLibraries(llvm::StringRef LibraryFolder);

/// For this process and the program that it starts.
void setVariable(const char *Name, const std::string &Value);
/// The same unless the user has set it.
void setDefault(const char *Name, const std::string &Value);

/// \p First, a colon, and what the variable held before.
void putBefore(const char *Name, llvm::StringRef First);

} // namespace kpack::run

#endif // KPACK_LIB_SOFTGPU_RUN_ENVIRONMENT_H
