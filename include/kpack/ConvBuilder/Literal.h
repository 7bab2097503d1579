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

namespace kpack::conv {

/// A literal, never null; a string_view where one is wanted. No class: its
/// constructor would be another call for each.
using Literal = const char *;

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_LITERAL_H
