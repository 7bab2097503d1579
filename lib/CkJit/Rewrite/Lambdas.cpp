//===- Lambdas.cpp - captures added to lambdas ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A capture is inserted before the ']' of the introducer; the rest of the
// lambda stays: with the name f, "[]" becomes "[f]" and "[&x]" becomes "[&x,
// f]".
//
// The source does not show that a lambda is converted to a pointer. Clang
// represents it as a call, outside of the lambda, of the conversion function of
// the lambda's class; it is matched with its lambda by the start of the class,
// at the '['. Lambdas from macros have no range in the file and are not found.
//
//===----------------------------------------------------------------------===//
#include "Lambdas.h"
#include "Statements.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace kpack;
using namespace kpack::ckjit;
using llvm::StringRef;

std::vector<Lambda> ckjit::findLambdas(const RewritePlan &Plan, const Stmt *S,
                                       FileID File) {
  std::vector<Lambda> Found;
  llvm::DenseSet<unsigned> Pointers;
  forEachStatement(S, [&](Stmt *In) {
    if (auto *E = dyn_cast<LambdaExpr>(In)) {
      auto All = Plan.getRange(E->getSourceRange(), File);
      auto Introducer = Plan.getRange(E->getIntroducerRange(), File);
      if (All && Introducer)
        Found.push_back(
            {*All, *Introducer, E->getCaptureDefault() == LCD_ByCopy});
    } else if (auto *E = dyn_cast<MemberExpr>(In)) {
      auto *F = dyn_cast<CXXConversionDecl>(E->getMemberDecl());
      if (F && F->getParent()->isLambda())
        Pointers.insert(
            Plan.Sources.getFileOffset(F->getParent()->getLocation()));
    }
  });
  for (Lambda &L : Found)
    L.IsPointer = Pointers.contains(L.All.Begin);
  return Found;
}

Edit ckjit::captureIn(StringRef Text, const Lambda &L,
                      llvm::ArrayRef<std::string> Names) {
  unsigned End = L.Introducer.End - 1;
  bool Empty = Text.slice(L.Introducer.Begin + 1, End).trim().empty();
  return {{End, End}, {{(Empty ? "" : ", ") + llvm::join(Names, ", "), -1}}};
}
