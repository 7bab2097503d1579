//===- Support/Texts.h - environment variables, name lists ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers for environment variables and lists of names. For paths see
// Jit/Executor/InstalledPrograms.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_TEXTS_H
#define KPACK_SUPPORT_TEXTS_H

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace kpack {

/// Empty if it is not set, and in programs with more rights than their user.
inline std::string variable(const char *Name) {
  const char *Value = ::secure_getenv(Name);
  return Value ? Value : "";
}

/// "a, b"
inline std::string joined(const std::vector<std::string> &Names) {
  std::string Text;
  for (const std::string &Name : Names)
    Text += (Text.empty() ? "" : ", ") + Name;
  return Text;
}

/// Returns the nonempty parts between each \p Mark.
inline std::vector<std::string> splitAt(const std::string &Text, char Mark) {
  std::vector<std::string> Parts;
  for (size_t Start = 0; Start < Text.size();) {
    size_t End = std::min(Text.find(Mark, Start), Text.size());
    if (End != Start)
      Parts.push_back(Text.substr(Start, End - Start));
    Start = End + 1;
  }
  return Parts;
}

} // namespace kpack

#endif // KPACK_SUPPORT_TEXTS_H
