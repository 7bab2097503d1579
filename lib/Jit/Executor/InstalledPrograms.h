//===- InstalledPrograms.h - paths of helper programs -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library that is loaded into any program finds its helpers relative to its
// own file: beside it, in the installed programs, or in libexec.
// libkpack_jit.so and libckjit.so may be in different folders, so each passes
// its own address.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_INSTALLEDPROGRAMS_H
#define KPACK_JIT_EXECUTOR_INSTALLEDPROGRAMS_H

#include <string>

namespace kpack::jit {

/// Returns the path of the binary that contains \p Address, or empty.
std::string getFile(const void *Address);

/// Returns the folder of that binary, without a trailing slash.
std::string getFolder(const void *Address);

/// Returns the path of the program \p Name that was installed with the binary
/// of \p Address; it may not exist.
std::string programBeside(const void *Address, const std::string &Name);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_INSTALLEDPROGRAMS_H
