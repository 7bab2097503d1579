//===- Lambdas.h - lambdas in text that moves -------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a call in a lambda went to a function of its own type and now goes
// through a variable of the function around it, the lambda has to capture that
// variable: by copy, as it may live longer.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_REWRITE_LAMBDAS_H
#define KPACK_LIB_CKJIT_REWRITE_LAMBDAS_H

#include "RewritePlan.h"

namespace kpack::ckjit {

struct Lambda {
  Range All, Introducer;
  bool CopiesAll = false; ///< [=]
  /// It becomes a pointer to a function, so it cannot capture anything.
  bool IsPointer = false;
};

/// Those in \p S that are written down in \p File, outer ones first.
std::vector<Lambda> findLambdas(const RewritePlan &Plan, const clang::Stmt *S,
                                clang::FileID File);

/// Adds \p Names to what \p L of \p Text captures.
Edit captureIn(llvm::StringRef Text, const Lambda &L,
               llvm::ArrayRef<std::string> Names);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_REWRITE_LAMBDAS_H
