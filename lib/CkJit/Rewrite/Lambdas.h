//===- Lambdas.h - captures added to lambdas --------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a call in a lambda named a function and now uses a variable of the
// enclosing function, the lambda has to capture that variable: by copy, as it
// may outlive the function.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_REWRITE_LAMBDAS_H
#define KPACK_LIB_CKJIT_REWRITE_LAMBDAS_H

#include "RewritePlan.h"

namespace kpack::ckjit {

struct Lambda {
  Range All, Introducer;
  bool CopiesAll = false; ///< [=]
  /// It is converted to a function pointer, so it cannot capture anything.
  bool IsPointer = false;
};

/// Returns the lambdas in \p S that are in \p File, outer ones first.
std::vector<Lambda> findLambdas(const RewritePlan &Plan, const clang::Stmt *S,
                                clang::FileID File);

/// Adds \p Names to the captures of \p L in \p Text.
Edit captureIn(llvm::StringRef Text, const Lambda &L,
               llvm::ArrayRef<std::string> Names);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_REWRITE_LAMBDAS_H
