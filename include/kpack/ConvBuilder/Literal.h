//===- kpack/ConvBuilder/Literal.h - words of the program -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Words of which nobody has asked the length yet. Lists of fields and checks of
// requirements have hundreds, of which hardly one is ever written, and
// compilers count letters one by one in constant expressions: that was half of
// what a check took.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_LITERAL_H
#define KPACK_CONVBUILDER_LITERAL_H

#include <string_view>

namespace kpack::conv {

/// Made of a literal, and a string_view where one is wanted.
class Literal {
public:
  constexpr Literal(const char *Words) : Words(Words) {}
  constexpr operator std::string_view() const { return Words; }
  constexpr bool empty() const { return *Words == '\0'; }

private:
  const char *Words;
};

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_LITERAL_H
