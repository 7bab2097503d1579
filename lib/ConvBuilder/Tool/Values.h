//===- Values.h - signatures and algorithms of a command line ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A word is a text or JSON, the name of a file with one after '@', or '-' for
// standard input. Whether it is a signature, an algorithm or a problem is said
// by --as=, or by the names of its fields: none is of two.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_TOOL_VALUES_H
#define KPACK_LIB_CONVBUILDER_TOOL_VALUES_H

#include "Command.h"
#include "kpack/ConvBuilder/Describe.h"

#include <variant>

namespace kpack::conv {

enum class Object { Signature, Algorithm, Problem };

/// What \p I says by --as=; an error where it says something else.
llvm::Expected<std::optional<Object>> objectOf(const Invocation &I);

/// A word of the command line, and what it leads to.
struct ValueText {
  std::string Source; ///< the file, for messages; empty: the word itself
  std::string Text;

  /// '-' and '@<file>' have at most \p Most bytes; a longer one is an error.
  static llvm::Expected<ValueText> read(llvm::StringRef Word,
                                        std::uint64_t Most = MaxJson);

  /// Nothing where it may be several: "{}".
  std::optional<Object> object() const;
};

using Value = std::variant<Signature, Algorithm, Problem>;

llvm::Expected<Value> parseValue(const ValueText &From, Object Kind);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TOOL_VALUES_H
