//===- CompilerArguments.h - parsed compiler command lines ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses command lines of clang, hipcc and g++ as far as builds need it: which
// words are inputs, and which are values of the option before them. Without
// LLVM, since the drop-in compiler starts thousands of times in a build.
// `ck-jit build` reads the same lines.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_INTERCEPT_COMPILERARGUMENTS_H
#define KPACK_CKJIT_INTERCEPT_COMPILERARGUMENTS_H

#include "kpack/Support/Status.h"

#include <string_view>
#include <vector>

namespace kpack::ckjit {

/// An option with its value, or an input.
struct Argument {
  std::string Name;  ///< "-I", "-c"; empty for an input
  std::string Value; ///< the option's value, or the input's path
  size_t First = 0;  ///< index of its first word
  size_t Count = 1;  ///< 2 if the value is a separate word

  bool isInput() const { return Name.empty(); }
};

/// Replaces every "@file" by the words of the file (quotes and backslashes as
/// in the GNU tools), recursively. As in compilers, a word stays if its file
/// cannot be opened. Errors: InvalidFormat for files that include each other
/// endlessly.
Result<std::vector<std::string>>
expandResponseFiles(const std::vector<std::string> &Args);

std::vector<Argument> parseArguments(const std::vector<std::string> &Args);

/// Resolves \p Path against \p Directory and removes "." and "..".
std::string absolutePath(std::string_view Path, std::string_view Directory);

/// Returns the part after the last slash.
std::string_view fileName(std::string_view Path);
/// Returns the file name without its extension.
std::string_view fileStem(std::string_view Path);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_INTERCEPT_COMPILERARGUMENTS_H
