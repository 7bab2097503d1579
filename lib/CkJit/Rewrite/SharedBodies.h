//===- SharedBodies.h - instantiations with a common body -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dispatcher has a launcher for each leaf: one template with thousands of
// instantiations, which differ only in the functions that they call. This class
// lets clang make one body for all that are equal otherwise, and computes only
// the callees of the others. SharedBodies.cpp explains when and how.
//
// In doubt, distrust() is called, and the file is parsed again without sharing.
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
  /// The condition and the two branches of an `if constexpr`.
  struct Branch {
    clang::Expr *Condition;
    clang::SourceRange Then, Else;
  };
  std::vector<Branch> Branches;
  /// Functions that it names and that are the same in every instantiation.
  llvm::DenseMap<clang::SourceLocation, const clang::FunctionDecl *> Fixed;

  /// Returns the index of the call whose name begins at \p Where, or -1.
  int callAt(clang::SourceLocation Where) const;
};

/// An instantiation that was made, or that uses the body of one.
struct SharedInstance {
  const SharedTemplate *Of;
  const clang::FunctionDecl *Body; ///< the instantiation that was made
  /// By index of the call; null for a call in a discarded branch.
  std::vector<clang::FunctionDecl *> Callees;
};

/// Belongs to one parse; valid as long as its AST.
class SharedBodies {
public:
  SharedBodies();
  ~SharedBodies();

  // Called by Parse.cpp during the parse.
  void begin(clang::Sema &S) { Semantics = &S; }
  void requested(clang::FunctionDecl *F);
  void finish();

  /// Returns null if \p F does not share a body.
  const SharedInstance *find(const clang::FunctionDecl *F) const;

  /// Returns the definition with the statements of \p F: its own, or that of
  /// the instantiation with which it shares one; null if there is neither.
  const clang::FunctionDecl *getBody(const clang::FunctionDecl *F) const;

  bool empty() const { return Instances.empty(); }
  /// Returns the templates that calls of shared bodies name.
  llvm::ArrayRef<const clang::FunctionTemplateDecl *> callees() const {
    return Callees.getArrayRef();
  }

  /// False if a construct was found that sharing cannot handle.
  bool isTrusted() const { return Trusted; }
  void distrust() { Trusted = false; }

private:
  struct TemplateRecord; // a template that was read
  TemplateRecord &look(const clang::FunctionDecl *Pattern);
  void share(clang::FunctionDecl *F, clang::SourceLocation Where,
             TemplateRecord &Record);
  std::vector<bool> decide(const clang::FunctionDecl *F,
                           clang::SourceLocation Where,
                           const SharedTemplate &Pattern);
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
