//===- Definitions.h - what a translation unit defines ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of a blob that somebody else may ask the linker for: explicit
// specialisations, what an explicit instantiation definition instantiates, and
// plain functions. And its variables, which cannot come late: an address is
// needed before anything is called.
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
  /// Where it is defined; of an instantiation, where that is asked for.
  clang::SourceLocation Where;
  bool Weak; ///< others may define it as well: inline or instantiated
};

struct FoundVariable {
  std::string Symbol;
  std::string Name;
  clang::SourceLocation Where;
};

/// Visits everything but the system's headers. A constructor or destructor is
/// found once for each of its symbols.
void findDefinitions(
    clang::ASTContext &Context,
    llvm::function_ref<void(const FoundFunction &)> OnFunction,
    llvm::function_ref<void(const FoundVariable &)> OnVariable);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_REWRITE_DEFINITIONS_H
