//===- AstVisitor.h - base class of the AST visitors ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each class that derives from clang's RecursiveASTVisitor instantiates it for
// every kind of node, which takes several seconds to compile. LLVM 20 added a
// visitor with virtual functions, instantiated once in clang's library. For
// older versions this file declares the part of it that the rewriter uses;
// AstVisitor.cpp holds the one instantiation.
//
// Mark every callback `override`: a Visit or Traverse function that the base
// class does not have would never be called.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_REWRITE_ASTVISITOR_H
#define KPACK_LIB_CKJIT_REWRITE_ASTVISITOR_H

#include "llvm/Config/llvm-config.h"
#if LLVM_VERSION_MAJOR >= 20
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#else
#include "clang/AST/RecursiveASTVisitor.h"
#endif

namespace kpack::ckjit {

#if LLVM_VERSION_MAJOR >= 20

using AstVisitor = clang::DynamicRecursiveASTVisitor;

#else

class AstVisitor : public clang::RecursiveASTVisitor<AstVisitor> {
public:
  bool ShouldVisitTemplateInstantiations = false;
  bool shouldVisitTemplateInstantiations() const {
    return ShouldVisitTemplateInstantiations;
  }

  virtual ~AstVisitor() = default;

  // TraverseStmt() has the signature of the base class, and is not virtual:
  // otherwise RecursiveASTVisitor would recurse where it now uses a queue.
  bool TraverseStmt(clang::Stmt *S, DataRecursionQueue *Queue = nullptr);
  virtual bool TraverseDecl(clang::Decl *D);
  virtual bool TraverseTemplateName(clang::TemplateName Name);

  virtual bool VisitStmt(clang::Stmt *) { return true; }
#define STMT(CLASS, BASE)                                                      \
  virtual bool Visit##CLASS(clang::CLASS *) { return true; }
#include "clang/AST/StmtNodes.inc"
#define DECL(CLASS, BASE)                                                      \
  virtual bool Visit##CLASS##Decl(clang::CLASS##Decl *) { return true; }
#include "clang/AST/DeclNodes.inc"
#define TYPELOC(CLASS, BASE)                                                   \
  virtual bool Visit##CLASS##TypeLoc(clang::CLASS##TypeLoc) { return true; }
#include "clang/AST/TypeLocNodes.def"
};

#endif

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_REWRITE_ASTVISITOR_H
