//===- SharedBodies.h - instantiations that differ in a call ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dispatcher has a launcher for each leaf: one template, thousands of
// instantiations, each with streams, lambdas and a kernel launch in it. Clang
// needs milliseconds for each; all that differs is which specialisations are
// called. Where a template names its parameters nowhere else, this keeps all
// instantiations but the first from being made, and substitutes only the
// arguments of those calls. References.cpp reads the body of the first one for
// all of them, and finds what it would have found in each.
//
// Who cannot be sure of that says so: the file is then parsed once more,
// without this.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_REWRITE_SHAREDBODIES_H
#define KPACK_LIB_CKJIT_REWRITE_SHAREDBODIES_H

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace clang {
class Sema;
}

namespace kpack::ckjit {

/// A call in a template whose callee is f<...>, with arguments that depend on
/// the template's.
struct DependentCall {
  const clang::UnresolvedLookupExpr *Name;
  clang::FunctionTemplateDecl *Template;
};

/// A function template whose instantiations may share a body.
struct SharedTemplate {
  std::vector<DependentCall> Calls;
  /// Of each `if constexpr`: its condition, and both branches.
  struct Branch {
    clang::Expr *Condition;
    clang::SourceRange Then, Else;
  };
  std::vector<Branch> Branches;
  /// What is named in it, and is the same in every instantiation.
  llvm::DenseMap<clang::SourceLocation, const clang::FunctionDecl *> Fixed;

  /// Number of the call whose name begins at \p Where, or -1.
  int callAt(clang::SourceLocation Where) const;
};

/// An instantiation that was made, or that has the body of one.
struct SharedInstance {
  const SharedTemplate *Of;
  const clang::FunctionDecl *Body; ///< the instantiation that was made
  /// By number of the call; null where it is in a branch that is discarded.
  std::vector<clang::FunctionDecl *> Callees;
};

/// Of one parse, and only as long as its syntax tree.
class SharedBodies {
public:
  SharedBodies();
  ~SharedBodies();

  // For Parse.cpp, while clang is at work.
  void begin(clang::Sema &S) { Semantics = &S; }
  void requested(clang::FunctionDecl *F);
  void finish();

  /// Null for a function that has its own body, and none like it.
  const SharedInstance *find(const clang::FunctionDecl *F) const;

  /// The definition whose statements stand for those of \p F: its own, or that
  /// of the instantiation it shares one with; null if there is neither.
  const clang::FunctionDecl *bodyOf(const clang::FunctionDecl *F) const;

  bool empty() const { return Instances.empty(); }
  /// The templates that calls of shared bodies name.
  llvm::ArrayRef<const clang::FunctionTemplateDecl *> callees() const {
    return Callees.getArrayRef();
  }

  /// Something was found that sharing cannot be trusted with.
  bool isTrusted() const { return Trusted; }
  void distrust() { Trusted = false; }

private:
  struct TemplateRecord; // a template that was looked at
  TemplateRecord &look(const clang::FunctionDecl *Pattern);
  void share(clang::FunctionDecl *F, clang::SourceLocation Where,
             TemplateRecord &Of);
  std::vector<bool> decide(const clang::FunctionDecl *F,
                           clang::SourceLocation Where,
                           const SharedTemplate &Of);
  clang::FunctionDecl *substitute(clang::FunctionDecl *F,
                                  clang::SourceLocation Where,
                                  const DependentCall &Call);

  struct Withheld {
    clang::FunctionDecl *Function;
    clang::SourceLocation Where;
    TemplateRecord *Of;
  };
  clang::Sema *Semantics = nullptr;
  std::map<const clang::FunctionDecl *, std::unique_ptr<TemplateRecord>>
      Templates;
  std::deque<Withheld> Waiting;
  llvm::DenseMap<const clang::FunctionDecl *, SharedInstance> Instances;
  llvm::SetVector<const clang::FunctionTemplateDecl *> Callees;
  bool Trusted = true;
};

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_REWRITE_SHAREDBODIES_H
