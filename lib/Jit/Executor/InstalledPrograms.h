//===- InstalledPrograms.h - programs beside a library ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library that is loaded into any program finds its own helpers by where it
// lies itself: beside it, where programs are installed, in libexec.
// libkpack_jit.so and libckjit.so may lie in different places, so each gives an
// address of its own.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_INSTALLEDPROGRAMS_H
#define KPACK_JIT_EXECUTOR_INSTALLEDPROGRAMS_H

#include <string>

namespace kpack::jit {

/// The path of the binary that \p Address belongs to; empty: not known.
std::string fileOf(const void *Address);

/// Its folder, without a slash at its end.
std::string folderOf(const void *Address);

/// The path of the program \p Name that was installed with the binary of
/// \p Address; it need not be there.
std::string programBeside(const void *Address, const std::string &Name);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_INSTALLEDPROGRAMS_H
