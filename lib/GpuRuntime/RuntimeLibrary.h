//===- RuntimeLibrary.h - functions of a library ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds a library that the process has, or could have: what the program sees
// under a function's name comes first, since that is what its own calls reach;
// then one that is mapped, in whatever scope; then by its names. A library that
// was found is kept.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_GPURUNTIME_RUNTIMELIBRARY_H
#define KPACK_LIB_GPURUNTIME_RUNTIMELIBRARY_H

#include <string>
#include <vector>

namespace kpack {

/// A handle for dlsym(), or null. \p Function is one of the library's, \p Stem
/// how names of its file begin, \p Names what it is opened by.
void *findLibrary(const char *Function, const char *Stem,
                  const std::vector<std::string> &Names);

/// The path of the mapped library whose file name begins with \p Stem; empty:
/// there is none.
std::string mappedLibrary(const char *Stem);

} // namespace kpack

#endif // KPACK_LIB_GPURUNTIME_RUNTIMELIBRARY_H
