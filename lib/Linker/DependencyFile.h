//===- DependencyFile.h - files that lld opened -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld's --dependency-file names every file that the link read, including those
// of linker scripts. The link step reads it, and writes the user's with the
// names of the command line.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_LINKER_DEPENDENCYFILE_H
#define KPACK_LIB_LINKER_DEPENDENCYFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kpack::linker {

/// Returns the paths in a dependency file of lld.
std::vector<std::string> parseDependencies(llvm::StringRef Text);

/// Formats "\p Output depends on \p Inputs" like lld.
std::string formatDependencies(llvm::StringRef Output,
                               llvm::ArrayRef<std::string> Inputs);

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_DEPENDENCYFILE_H
