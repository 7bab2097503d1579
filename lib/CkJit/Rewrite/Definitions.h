//===- Definitions.h - functions that a kernel source defines ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the functions of a blob that other objects may reference: explicit
// specializations, members of an explicit instantiation definition, and plain
// functions. Also finds its variables, which cannot come late: their address is
// needed before any call.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_REWRITE_DEFINITIONS_H
#define KPACK_LIB_CKJIT_REWRITE_DEFINITIONS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kpack::ckjit {

struct FoundFunction {
  const clang::FunctionDecl *Function;
  std::string Symbol;
  /// The definition; for an instantiation, the place that requests it.
  clang::SourceLocation Where;
  bool Weak; ///< others may define it as well: inline or instantiated
};

struct FoundVariable {
  std::string Symbol;
  std::string Name;
  clang::SourceLocation Where;
};

/// Visits all declarations except those in system headers. A constructor or
/// destructor is found once for each of its symbols.
void findDefinitions(
    clang::ASTContext &Context,
    llvm::function_ref<void(const FoundFunction &)> OnFunction,
    llvm::function_ref<void(const FoundVariable &)> OnVariable);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_REWRITE_DEFINITIONS_H
