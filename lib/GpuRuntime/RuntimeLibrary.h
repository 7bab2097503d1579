//===- RuntimeLibrary.h - search for a runtime library ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds a library that the process has or can load: first the one that the
// program, or the library that this is linked into, sees under a function's
// name, since their calls reach that one; then one that is mapped, in any
// scope; then one of its names. A found library stays loaded: glibc records
// that a library depends on the result of its dlsym(RTLD_DEFAULT).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_GPURUNTIME_RUNTIMELIBRARY_H
#define KPACK_LIB_GPURUNTIME_RUNTIMELIBRARY_H

#include <functional>
#include <string>
#include <vector>

namespace kpack {

/// Returns the address of a function by name, or null. A failed look-up leaves
/// no message in dlerror(), where the program would find it.
using LibraryFunctions = std::function<void *(const char *)>;

/// Returns an empty function if there is no library. \p Function is one of its
/// functions, \p Stem the start of its file names, \p Names the names to open.
LibraryFunctions findLibrary(const char *Function, const char *Stem,
                             const std::vector<std::string> &Names);

/// Returns the functions that the whole program sees, and so do libraries that
/// are loaded later.
LibraryFunctions programFunctions();

/// Returns the path of the mapped library whose file name begins with \p Stem,
/// or empty.
std::string mappedLibrary(const char *Stem);

} // namespace kpack

#endif // KPACK_LIB_GPURUNTIME_RUNTIMELIBRARY_H
