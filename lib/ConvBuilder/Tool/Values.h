//===- Values.h - signatures and algorithms of a command line ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A word is a text or JSON, '@' and the name of a file with one, or '-' for
// standard input. Whether it is a signature, an algorithm or a problem follows
// from --as= or the names of its fields, which no two of them share.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_TOOL_VALUES_H
#define KPACK_LIB_CONVBUILDER_TOOL_VALUES_H

#include "ConvVerb.h"
#include "kpack/ConvBuilder/Describe.h"

#include <variant>

namespace kpack::conv {

enum class Object { Signature, Algorithm, Problem };

/// Returns the kind in --as=; fails for another word.
llvm::Expected<std::optional<Object>> findObject(const Invocation &I);

/// A word of the command line, and the text that it leads to.
struct ValueText {
  std::string Source; ///< the file, for messages; empty for the word itself
  std::string Text;

  /// Reads at most \p Most bytes for '-' and '@<file>'; a longer text is an
  /// error.
  static llvm::Expected<ValueText> read(llvm::StringRef Word,
                                        std::uint64_t Most = MaxJson);

  /// Returns nullopt if several kinds fit: "{}".
  std::optional<Object> object() const;
};

using Value = std::variant<Signature, Algorithm, Problem>;

llvm::Expected<Value> parseValue(const ValueText &Input, Object Kind);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TOOL_VALUES_H
