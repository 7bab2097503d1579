//===- SourceReduction.h - removal of irrelevant source text ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blobs and dispatchers are generated: thousands of similar lines. These
// functions make them cheaper to parse, by their tokens alone. All that is left
// out does not affect the index; in doubt, text stays.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_REWRITE_SOURCEREDUCTION_H
#define KPACK_LIB_CKJIT_REWRITE_SOURCEREDUCTION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace kpack::ckjit {

/// Returns \p Text with a suffix at each name that it declares, so that all
/// blobs can be parsed as one translation unit.
std::string withOwnNames(llvm::StringRef Text, unsigned Index);

/// Returns \p Text without the bodies of explicit specializations, except those
/// that are one return statement or determine the function's type, and without
/// the aliases that only such bodies use. Line numbers stay the same.
std::string withoutBodies(llvm::StringRef Text);

/// Returns \p Text with blanks for each `else` before an `if` that is decided
/// at run time. Clang looks up every name through all enclosing branches; in
/// sequence they name the same functions in the same places. \p Cut receives
/// the offsets of the removed tokens.
std::string withoutElse(llvm::StringRef Text, std::vector<unsigned> &Cut);

/// Returns true if \p Text has one of \p Names as an identifier.
bool hasName(const std::string &Text, const llvm::StringSet<> &Names);

/// Returns true if \p Text defines or undefines macros.
bool definesMacros(const std::string &Text);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_REWRITE_SOURCEREDUCTION_H
