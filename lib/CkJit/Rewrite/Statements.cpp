//===- Statements.cpp - walk over a function's statements -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Unlike children() of a statement, clang's recursive visitor also visits the
// bodies of lambdas and the initializers of declared variables.
//
//===----------------------------------------------------------------------===//
#include "Statements.h"
#include "AstVisitor.h"

using namespace clang;
using namespace kpack;
using namespace kpack::ckjit;

namespace {

class StatementVisitor : public AstVisitor {
public:
  explicit StatementVisitor(llvm::function_ref<void(Stmt *)> Do) : Do(Do) {}
  bool VisitStmt(Stmt *S) override {
    Do(S);
    return true;
  }

private:
  llvm::function_ref<void(Stmt *)> Do;
};

} // namespace

void ckjit::forEachStatement(const Stmt *Root,
                             llvm::function_ref<void(Stmt *)> Do) {
  StatementVisitor(Do).TraverseStmt(const_cast<Stmt *>(Root));
}
