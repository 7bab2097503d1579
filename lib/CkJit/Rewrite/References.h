//===- References.h - undefined kernels that a source uses ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks a dispatcher's AST once, with instantiations, and collects expressions
// that name an undefined specialization or an instantiation of the dispatcher's
// templates, uses of its local types and constants, and all other functions
// that it uses without defining them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_REWRITE_REFERENCES_H
#define KPACK_LIB_CKJIT_REWRITE_REFERENCES_H

#include "Parse.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace kpack::ckjit {

/// An expression that names a function, and the enclosing function (lambdas are
/// part of the function around them).
struct Use {
  const clang::Expr *Expression;
  const clang::FunctionDecl *Callee;
  const clang::FunctionDecl *In;
};

struct DispatcherUses {
  std::vector<Use> Undefined;
  /// Uses of instantiations of function templates, except the system's.
  std::vector<Use> Templates;
  /// Functions that another file has to define, except those of Undefined.
  llvm::SetVector<const clang::FunctionDecl *> Others;
  /// Calls by their callee expression.
  llvm::DenseMap<const clang::Expr *, const clang::CallExpr *> CallOf;
  /// Uses of local type names and constants of the main file.
  llvm::DenseMap<const clang::NamedDecl *, std::vector<clang::SourceLocation>>
      LocalUses;
};

/// Collects the uses in the file and in its instantiations; those in \p Shared
/// as if each had been instantiated. If that is uncertain, withdraws the trust
/// in \p Shared; also if one of \p Cut, the offsets of removed `else` tokens,
/// turns out to matter.
DispatcherUses collectUses(clang::ASTContext &Context, SharedBodies &Shared,
                           llvm::ArrayRef<unsigned> Cut = {});

/// Returns the distinct undefined specializations of \p Uses in the order of
/// first use.
std::vector<Reference> toReferences(const DispatcherUses &Uses,
                                    clang::ASTContext &Context);

/// Returns the other functions that \p Uses needs from another file.
std::vector<Reference> toOtherReferences(const DispatcherUses &Uses,
                                         clang::ASTContext &Context);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_REWRITE_REFERENCES_H
