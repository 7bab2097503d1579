//===- ObjectFile.h - symbols of a relocatable file -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blobs are compiled with -fvisibility=hidden, and a linker cannot export what
// is hidden. Instead of compiling with other flags than the build did, the
// symbols that are wanted are made visible in the object, before the link.
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
  std::vector<std::string> Exposed;   ///< what was made visible
};

/// Reads the symbol table of \p Bytes, an ELF relocatable file of 64 bits, and
/// gives \p Wanted default visibility in it; where that is empty, all
/// functions but a kernel's launch stubs, which nobody calls by name, and weak
/// ones of the standard library. Errors:
/// InvalidFormat; KernelNotFound with the names of what is defined instead.
Result<ObjectSymbols> exposeSymbols(std::string &Bytes,
                                    const std::vector<std::string> &Wanted);

/// The dynamic linker that the program with these first \p Bytes names; empty
/// for one that is linked statically, and for what is no ELF program.
std::string interpreterOf(std::string_view Bytes);

/// Whether these are the first bytes of a shared object (or of a program that
/// looks the same).
bool isSharedObject(std::string_view Bytes);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_OBJECTFILE_H
