//===- Literal.h - string literals measured on demand -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// String literals whose length is not computed until it is needed. Lists of
// fields and checks of requirements have hundreds of them, most of which are
// never printed, and compilers count characters one by one in constant
// expressions: that took half of the time of a check.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_LITERAL_H
#define KPACK_CONVBUILDER_LITERAL_H

namespace kpack::conv {

/// A literal, never null; converts to a string_view, which counts its
/// characters only then. A plain pointer: compilers would evaluate the
/// constructor of a class for each of the hundreds of literals in a list.
using Literal = const char *;

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_LITERAL_H
