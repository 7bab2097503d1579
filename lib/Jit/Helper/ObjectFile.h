//===- ObjectFile.h - symbols made visible in an object ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blobs are compiled with -fvisibility=hidden, and a linker cannot export
// hidden symbols. Instead of compiling with other flags than the build, we make
// the requested symbols visible in the object before the link.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_OBJECTFILE_H
#define KPACK_LIB_JIT_HELPER_OBJECTFILE_H

#include "kpack/Support/Status.h"

#include <string>
#include <string_view>
#include <vector>

namespace kpack::jit {

struct ObjectSymbols {
  std::vector<std::string> Defined;   ///< global functions, not weak
  std::vector<std::string> Undefined; ///< global
  std::vector<std::string> Exposed;   ///< made visible
};

/// Reads the symbol table of \p Bytes, a 64-bit ELF relocatable file, and gives
/// \p Wanted default visibility. If that is empty, exposes all functions except
/// a kernel's launch stubs, which are not called by name, and weak ones that
/// are certainly not meant, such as those of the standard library. Errors:
/// InvalidFormat; KernelNotFound with the names that are defined instead.
Result<ObjectSymbols> exposeSymbols(std::string &Bytes,
                                    const std::vector<std::string> &Wanted);

/// Returns the dynamic linker that the program with these first \p Bytes names;
/// empty for a statically linked one and for other files.
std::string readInterpreter(std::string_view Bytes);

/// Returns true if these are the first bytes of a shared object (or of a
/// position independent program, which looks the same).
bool isSharedObject(std::string_view Bytes);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_OBJECTFILE_H
