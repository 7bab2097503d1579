//===- RuntimeLibrary.h - functions of a library ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds a library that the process has, or could have: what the program, or the
// library that this is linked into, sees under a function's name comes first,
// since that is what their own calls reach; then one that is mapped, in
// whatever scope; then by its names. A library that was found is kept: glibc
// notes that a library depends on what its dlsym(RTLD_DEFAULT) has found.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_GPURUNTIME_RUNTIMELIBRARY_H
#define KPACK_LIB_GPURUNTIME_RUNTIMELIBRARY_H

#include <functional>
#include <string>
#include <vector>

namespace kpack {

/// The address of a function by its name, or null, which leaves no message for
/// dlerror().
using LibraryFunctions = std::function<void *(const char *)>;

/// Empty if there is no library. \p Function is one of the library's, \p Stem
/// how names of its file begin, \p Names what it is opened by.
LibraryFunctions findLibrary(const char *Function, const char *Stem,
                             const std::vector<std::string> &Names);

/// Functions that the whole program sees, and with it libraries that are loaded
/// later.
LibraryFunctions programFunctions();

/// The path of the mapped library whose file name begins with \p Stem; empty:
/// there is none.
std::string mappedLibrary(const char *Stem);

} // namespace kpack

#endif // KPACK_LIB_GPURUNTIME_RUNTIMELIBRARY_H
