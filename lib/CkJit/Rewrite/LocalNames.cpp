//===- LocalNames.cpp - types and constants that nothing uses any more ----===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A leaf names its variant in aliases and constants. One whose every use lies
// in text that was replaced, or in another declaration that is dropped, goes.
//
//===----------------------------------------------------------------------===//
#include "RewritePlan.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;
using namespace kpack;
using namespace kpack::ckjit;

namespace {

class LocalVisitor : public RecursiveASTVisitor<LocalVisitor> {
public:
  bool VisitDeclStmt(DeclStmt *S) {
    if (!S->isSingleDecl())
      return true;
    auto *D = dyn_cast<NamedDecl>(S->getSingleDecl());
    auto *Variable = dyn_cast_or_null<VarDecl>(D);
    if (isa_and_nonnull<TypedefNameDecl>(D) ||
        (Variable && Variable->isConstexpr()))
      Found.push_back({D, S});
    return true;
  }
  std::vector<std::pair<NamedDecl *, DeclStmt *>> Found;
};

} // namespace

/// \p At and the rest of its line, where nothing else stands on it.
static Range wholeLine(llvm::StringRef Text, Range At) {
  size_t Begin = Text.take_front(At.Begin).find_last_not_of(" \t");
  size_t End = Text.find_first_not_of(" \t\r", At.End);
  bool First = Begin == llvm::StringRef::npos || Text[Begin] == '\n';
  bool Last = End != llvm::StringRef::npos && Text[End] == '\n';
  if (!First || !Last)
    return At;
  return {Begin == llvm::StringRef::npos ? 0 : unsigned(Begin + 1),
          unsigned(End + 1)};
}

void RewritePlan::dropUnusedNames() {
  // Functions in which something changed, once each.
  LocalVisitor Locals;
  llvm::DenseMap<const FunctionDecl *, bool> Seen;
  for (const std::vector<Use> *List : {&Uses.Undefined, &Uses.Templates})
    for (const Use &U : *List)
      if (isPlainMainFile(U.In) && Seen.try_emplace(U.In, true).second)
        Locals.TraverseStmt(U.In->getBody());

  std::map<unsigned, unsigned> Gone; // begin, end
  for (auto &[Begin, E] : Edits)
    Gone[E.At.Begin] = E.At.End;
  auto IsGone = [&](SourceLocation Place) {
    if (Place.isMacroID())
      return false;
    unsigned Offset = Sources.getFileOffset(Place);
    auto Next = Gone.upper_bound(Offset);
    return Next != Gone.begin() && Offset < std::prev(Next)->second;
  };
  // Last declared first: what it uses was declared before it.
  for (auto &[D, Statement] : llvm::reverse(Locals.Found)) {
    auto Uses = this->Uses.LocalUses.find(D);
    auto At = rangeOf(Statement->getSourceRange());
    if (!At || IsGone(Statement->getBeginLoc()) ||
        Uses == this->Uses.LocalUses.end() ||
        !llvm::all_of(Uses->second, IsGone))
      continue;
    Range Line = wholeLine(Text, *At);
    Gone[Line.Begin] = Line.End;
    addEdit({Line, {}});
    ++Report.Dropped;
  }
}
