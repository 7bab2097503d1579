//===- JitGraph/Sizes/DimText.h - sizes as text and as C++ ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Dim for people, "4*b*floordiv(t + 1, 2)", and for the compiler of a kernel,
// "4*b*((t + 1) / 2)". In C++ the variables are long long of the same names;
// steps are taken in the order in which DimContext looked at their bounds, so
// none overflows. Where an operand may be negative, and for min and max, helper
// functions are called: sourcePrelude() defines them once for a source.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_SIZES_DIMTEXT_H
#define KPACK_JITGRAPH_SIZES_DIMTEXT_H

#include "kpack/JitGraph/Dim.h"

#include <string_view>

namespace kpack::jit {

/// "invalid" for what is not valid.
std::string toText(Dim E);

/// An expression of C++, to be put into parentheses where it is an operand.
std::string toSource(Dim E);

/// The functions that toSource() may call. \p Qualifiers stand before each, for
/// example "__device__".
std::string sourcePrelude(std::string_view Qualifiers = "");

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_SIZES_DIMTEXT_H
