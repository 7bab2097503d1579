//===- References.h - where a dispatcher needs a blob -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over a dispatcher's syntax tree, instantiations included:
// expressions that name an undefined specialisation, expressions that name an
// instantiation of the dispatcher's own templates, and uses of its local types
// and constants.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_REFERENCES_H
#define KPACK_LIB_CKJIT_REFERENCES_H

#include "Parse.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"

namespace kpack::ckjit {

/// An expression that names a function, and the function it is in (lambdas
/// count as part of the function around them).
struct Use {
  const clang::Expr *Expression;
  const clang::FunctionDecl *Callee;
  const clang::FunctionDecl *In;
};

struct DispatcherUses {
  std::vector<Use> Undefined;
  /// Uses of instantiations of function templates, the system's left out.
  std::vector<Use> Templates;
  /// Calls by their callee expression.
  llvm::DenseMap<const clang::Expr *, const clang::CallExpr *> CallOf;
  /// Where local type names and constants of the main file are used.
  llvm::DenseMap<const clang::NamedDecl *, std::vector<clang::SourceLocation>>
      LocalUses;
};

DispatcherUses collectUses(clang::ASTContext &Context);

/// Distinct references of \p Uses in the order of first use.
std::vector<Reference> toReferences(const DispatcherUses &Uses,
                                    clang::ASTContext &Context);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_REFERENCES_H
