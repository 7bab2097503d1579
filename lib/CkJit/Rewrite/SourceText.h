//===- SourceText.h - what of a source is worth parsing ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blobs and dispatchers are written by generators: thousands of lines of one
// kind. Here they are made cheaper to parse, by their tokens alone. Everything
// that is left out is of no consequence for the index; where the tokens leave a
// doubt it stays.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_REWRITE_SOURCETEXT_H
#define KPACK_LIB_CKJIT_REWRITE_SOURCETEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace kpack::ckjit {

/// \p Text with a suffix at every name of its own, so that all blobs can be
/// parsed as one translation unit.
std::string withOwnNames(llvm::StringRef Text, unsigned Number);

/// \p Text without the bodies of explicit specialisations, but for those that
/// are one return statement or say what type their function has, and without
/// the aliases that only such bodies use. Lines stay where they are.
std::string withoutBodies(llvm::StringRef Text);

/// \p Text with blanks for each `else` before an `if` that is decided when the
/// program runs. Clang looks every name up through all branches above it; one
/// after the other they name the same functions, in the same places. \p Cut
/// gets the offsets of what was left out.
std::string withoutElse(llvm::StringRef Text, std::vector<unsigned> &Cut);

/// Whether \p Text has one of \p Names as an identifier.
bool hasName(const std::string &Text, const llvm::StringSet<> &Names);

/// Whether \p Text defines macros, or undefines some.
bool definesMacros(const std::string &Text);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_REWRITE_SOURCETEXT_H
