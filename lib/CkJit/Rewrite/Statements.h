//===- Statements.h - walk over a function's statements ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most steps of the rewriter search statements of one or two kinds in a body,
// which needs no separate visitor.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_REWRITE_STATEMENTS_H
#define KPACK_LIB_CKJIT_REWRITE_STATEMENTS_H

#include "clang/AST/Stmt.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kpack::ckjit {

/// Calls \p Do for \p Root and all statements and expressions in it, including
/// those of lambdas, outer ones first and in the order of the text.
void forEachStatement(const clang::Stmt *Root,
                      llvm::function_ref<void(clang::Stmt *)> Do);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_REWRITE_STATEMENTS_H
