//===- CommandLine.h - what a compiler was asked ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Command lines of clang, hipcc and g++ as far as builds need them understood:
// which words are inputs, which are values of the option in front of them.
// Without LLVM: the drop-in compiler starts thousands of times in a build. Also
// used by `ck-jit build`, which reads the same lines back.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_INTERCEPT_COMMANDLINE_H
#define KPACK_CKJIT_INTERCEPT_COMMANDLINE_H

#include "kpack/Support/Status.h"

#include <string_view>
#include <vector>

namespace kpack::ckjit {

/// One option with its value, or one input.
struct Argument {
  std::string Name;  ///< "-I", "-c"; empty: an input
  std::string Value; ///< the option's, or the input's path
  size_t First = 0;  ///< its first word
  size_t Count = 1;  ///< 2 when the value is a word of its own

  bool isInput() const { return Name.empty(); }
};

/// Replaces every "@file" by the words of the file (quotes and backslashes as
/// in the GNU tools), also within such files. What cannot be opened stays a
/// word, as in the compilers. Errors: InvalidFormat, files that name each
/// other for ever.
Result<std::vector<std::string>>
expandResponseFiles(const std::vector<std::string> &Words);

std::vector<Argument> parseArguments(const std::vector<std::string> &Words);

/// \p Path as seen from \p Directory, without "." and "..".
std::string absolutePath(std::string_view Path, std::string_view Directory);

/// What stands after the last slash.
std::string_view fileName(std::string_view Path);
/// The file name without its extension.
std::string_view fileStem(std::string_view Path);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_INTERCEPT_COMMANDLINE_H
