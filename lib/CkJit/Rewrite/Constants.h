//===- Constants.h - functions that return a constant -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dispatchers ask blobs for block sizes, alignments and the like, often for all
// of them at once, in the rows of a static table. Such a function is evaluated
// when it is indexed: nobody has to compile a kernel for a number.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_REWRITE_CONSTANTS_H
#define KPACK_LIB_CKJIT_REWRITE_CONSTANTS_H

#include "Parse.h"
#include "llvm/ADT/StringMap.h"

namespace kpack::ckjit {

/// Whether the body of \p F, which may have been skipped, is worth a look: it
/// returns a number, and has no parameters or is a single return statement.
bool mayReturnConstant(const clang::FunctionDecl *F,
                       const clang::SourceManager &Sources);

/// What \p F, whose body has been parsed, returns whatever it is given.
std::optional<ConstantResult> constantResultOf(const clang::FunctionDecl *F);

/// The constants in \p Blobs by symbol: parsed as one translation unit, and
/// those that cannot stand together or have macros of their own alone. What
/// cannot be parsed has none.
llvm::StringMap<ConstantResult> findConstants(llvm::ArrayRef<VirtualFile> Blobs,
                                              const SourceOptions &Options);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_REWRITE_CONSTANTS_H
