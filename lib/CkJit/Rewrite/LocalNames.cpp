//===- LocalNames.cpp - removal of unused local names ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A leaf names its variant in aliases and constants. One is removed if all its
// uses are in text that was replaced, or in another removed declaration.
//
//===----------------------------------------------------------------------===//
#include "RewritePlan.h"
#include "Statements.h"

using namespace clang;
using namespace kpack;
using namespace kpack::ckjit;

/// Returns \p Place extended to its whole line if nothing else is on it.
static Range wholeLine(llvm::StringRef Text, Range Place) {
  size_t Begin = Text.take_front(Place.Begin).find_last_not_of(" \t");
  size_t End = Text.find_first_not_of(" \t\r", Place.End);
  bool First = Begin == llvm::StringRef::npos || Text[Begin] == '\n';
  bool Last = End != llvm::StringRef::npos && Text[End] == '\n';
  if (!First || !Last)
    return Place;
  return {Begin == llvm::StringRef::npos ? 0 : unsigned(Begin + 1),
          unsigned(End + 1)};
}

void RewritePlan::dropUnusedNames() {
  std::vector<std::pair<NamedDecl *, DeclStmt *>> Locals;
  for (const FunctionDecl *F : plainUsers())
    forEachStatement(F->getBody(), [&](Stmt *In) {
      auto *S = dyn_cast<DeclStmt>(In);
      if (!S || !S->isSingleDecl())
        return;
      auto *Variable = dyn_cast<VarDecl>(S->getSingleDecl());
      if (isa<TypedefNameDecl>(S->getSingleDecl()) ||
          (Variable && Variable->isConstexpr()))
        Locals.push_back({cast<NamedDecl>(S->getSingleDecl()), S});
    });

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
  // Last declared first: a declaration only uses earlier ones.
  for (auto &[D, Statement] : llvm::reverse(Locals)) {
    auto Uses = this->Uses.LocalUses.find(D);
    auto Place = getRange(Statement->getSourceRange());
    if (!Place || IsGone(Statement->getBeginLoc()) ||
        Uses == this->Uses.LocalUses.end() ||
        !llvm::all_of(Uses->second, IsGone))
      continue;
    Range Line = wholeLine(Text, *Place);
    Gone[Line.Begin] = Line.End;
    addEdit({Line, {}});
    ++Report.Dropped;
  }
}
