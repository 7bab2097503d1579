//===- References.h - where a dispatcher needs a blob -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over a dispatcher's syntax tree, instantiations included:
// expressions that name an undefined specialisation, expressions that name an
// instantiation of the dispatcher's own templates, uses of its local types and
// constants, and whatever other functions it uses and does not define.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_REWRITE_REFERENCES_H
#define KPACK_LIB_CKJIT_REWRITE_REFERENCES_H

#include "Parse.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

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
  /// Functions that another file has to define, but for those of Undefined.
  llvm::SetVector<const clang::FunctionDecl *> Others;
  /// Calls by their callee expression.
  llvm::DenseMap<const clang::Expr *, const clang::CallExpr *> CallOf;
  /// Where local type names and constants of the main file are used.
  llvm::DenseMap<const clang::NamedDecl *, std::vector<clang::SourceLocation>>
      LocalUses;
};

/// What is written down in the file, and what its instantiations do: of those
/// in \p Shared as if each had been made. Where that is not certain, \p Shared
/// is not trusted any more, and neither where one of \p Cut, offsets of an
/// `else` that was left out, turns out to matter.
DispatcherUses collectUses(clang::ASTContext &Context, SharedBodies &Shared,
                           llvm::ArrayRef<unsigned> Cut = {});

/// Distinct undefined specialisations of \p Uses in the order of first use.
std::vector<Reference> toReferences(const DispatcherUses &Uses,
                                    clang::ASTContext &Context);

/// The other functions that \p Uses wants of another file.
std::vector<Reference> toOtherReferences(const DispatcherUses &Uses,
                                         clang::ASTContext &Context);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_REWRITE_REFERENCES_H
