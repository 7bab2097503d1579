//===- ProgramEnvironment.h - variables for the user's program --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts the emulated GPU and the shim for HIPK binaries before the program's
// libraries, and passes settings in variables; docs/reference/kpack-run.md
// lists them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_RUN_PROGRAMENVIRONMENT_H
#define KPACK_LIB_SOFTGPU_RUN_PROGRAMENVIRONMENT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace kpack::run {

/// \p LibraryFolder is lib/ beside the tool's bin/. Fails if a library is
/// missing, or the folder's path cannot be written in the variables.
llvm::Error setLibraries(llvm::StringRef LibraryFolder);

/// Sets a variable for this process and the program that it starts.
void setVariable(const char *Name, const std::string &Value);
/// The same unless the user has set it.
void setDefault(const char *Name, const std::string &Value);

/// Puts \p First and a colon before the variable's value.
void putBefore(const char *Name, llvm::StringRef First);

} // namespace kpack::run

#endif // KPACK_LIB_SOFTGPU_RUN_PROGRAMENVIRONMENT_H
