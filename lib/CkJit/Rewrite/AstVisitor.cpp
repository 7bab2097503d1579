//===- AstVisitor.cpp - base class of the AST visitors, for LLVM 19 -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled only with LLVM 19. These functions are the only ways into
// RecursiveASTVisitor, so no other file instantiates it.
//
//===----------------------------------------------------------------------===//
#include "AstVisitor.h"

using namespace clang;
using namespace kpack::ckjit;

bool AstVisitor::TraverseStmt(Stmt *S, DataRecursionQueue *Queue) {
  return RecursiveASTVisitor::TraverseStmt(S, Queue);
}

bool AstVisitor::TraverseDecl(Decl *D) {
  return RecursiveASTVisitor::TraverseDecl(D);
}

bool AstVisitor::TraverseTemplateName(TemplateName Name) {
  return RecursiveASTVisitor::TraverseTemplateName(Name);
}
