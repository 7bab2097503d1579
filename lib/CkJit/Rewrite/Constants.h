//===- Constants.h - functions that return a constant -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dispatchers ask blobs for block sizes, alignments and the like, often for all
// of them at once, in the rows of a static table. Such a function is evaluated
// when it is indexed, so that no kernel is compiled for a number.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_REWRITE_CONSTANTS_H
#define KPACK_LIB_CKJIT_REWRITE_CONSTANTS_H

#include "Parse.h"
#include "llvm/ADT/StringMap.h"

namespace kpack::ckjit {

/// Returns true if the body of \p F, which may have been skipped, is worth
/// parsing: it returns a number, and has no parameters or is a single return
/// statement.
bool mayReturnConstant(const clang::FunctionDecl *F,
                       const clang::SourceManager &Sources);

/// Returns the constant result of \p F, whose body has been parsed, if it
/// ignores its arguments.
std::optional<ConstantResult> findConstantResult(const clang::FunctionDecl *F);

/// Returns the constants in \p Blobs by symbol. Parses the blobs as one
/// translation unit; those that conflict or define macros, separately. A blob
/// that cannot be parsed has none.
llvm::StringMap<ConstantResult> findConstants(llvm::ArrayRef<VirtualFile> Blobs,
                                              const SourceOptions &Options);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_REWRITE_CONSTANTS_H
