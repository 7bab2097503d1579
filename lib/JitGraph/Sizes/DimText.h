//===- Sizes/DimText.h - symbolic sizes as text and as C++ ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Dim as text for people, "4*b*floordiv(t + 1, 2)", and for a kernel's
// compiler, "4*b*((t + 1) / 2)". In C++ the variables are long long with the
// same names. Steps have the order in which DimContext checked their bounds, so
// none overflows. Operands that may be negative, and min and max, use helper
// functions, which sourcePrelude() defines once for a source.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_SIZES_DIMTEXT_H
#define KPACK_JITGRAPH_SIZES_DIMTEXT_H

#include "kpack/JitGraph/Dim.h"

#include <string_view>

namespace kpack::jit {

/// Returns "invalid" for an invalid size.
std::string toText(Dim E);

/// Returns a C++ expression, which needs parentheses as an operand.
std::string toSource(Dim E);

/// Returns the functions that toSource() may call, with \p Qualifiers before
/// each, for example "__device__".
std::string sourcePrelude(std::string_view Qualifiers = "");

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_SIZES_DIMTEXT_H
