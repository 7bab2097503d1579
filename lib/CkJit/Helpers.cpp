//===- Helpers.cpp - templates that only pass their arguments on ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// template <class A, class B> float run(s, a) { first<A>(s, a); second<B>(s,
// a); } is instantiated once a leaf, and differs only in what is called. It
// becomes
//   float run(ck_jit_slot *first, ck_jit_slot *second, s, a)
// compiled once (pointers, which lambdas can copy). That is the same program if
// the parameters A and B are named nowhere but in those calls and in conditions
// of `if constexpr`, which are decided here: instantiations that take the same
// branches share a function.
//
//===----------------------------------------------------------------------===//
#include "RewritePlan.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace kpack;
using namespace kpack::ckjit;
using llvm::StringRef;

namespace {

/// A decided `if constexpr`: all of it, and the branch that stays.
struct Branch {
  Range All;
  std::optional<Range> Kept;
};

/// One instantiation: what it calls, by place, and how it decides.
struct Instance {
  const FunctionDecl *Function = nullptr;
  std::map<unsigned, const Use *> Calls; ///< by offset of the name
  std::map<unsigned, Branch> Branches;
  std::string key() const;
};

std::string Instance::key() const {
  std::string Key;
  for (auto &[Offset, U] : Calls)
    Key += std::to_string(Offset) + ":" + signatureOf(U->Callee) + ";";
  for (auto &[Offset, B] : Branches)
    Key += std::to_string(Offset) + "?" +
           std::to_string(B.Kept ? B.Kept->Begin : 0) + ";";
  return Key;
}

class BranchVisitor : public RecursiveASTVisitor<BranchVisitor> {
public:
  BranchVisitor(RewritePlan &Plan, Instance &To) : Plan(Plan), To(To) {}
  bool VisitIfStmt(IfStmt *S) {
    if (!S->isConstexpr())
      return true;
    std::optional<Range> All = Plan.rangeOf(S->getSourceRange());
    auto Cond = S->getCond()->getIntegerConstantExpr(Plan.Context);
    if (!All || !Cond || S->hasInitStorage() || S->hasVarStorage())
      return Good = false;
    To.Branches[All->Begin] = {*All, std::nullopt};
    IfOf[All->Begin] = Cond->getBoolValue();
    return true;
  }
  /// By where the `if` begins: is its condition true?
  std::map<unsigned, bool> IfOf;
  bool Good = true;

private:
  RewritePlan &Plan;
  Instance &To;
};

/// Looks for what makes instantiations differ beyond the calls.
class PatternVisitor : public RecursiveASTVisitor<PatternVisitor> {
public:
  explicit PatternVisitor(RewritePlan &Plan) : Plan(Plan) {}
  bool VisitTemplateTypeParmTypeLoc(TemplateTypeParmTypeLoc T) {
    Named.push_back(T.getNameLoc());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (isa<NonTypeTemplateParmDecl>(E->getDecl()))
      Named.push_back(E->getLocation());
    return true;
  }
  bool VisitVarDecl(VarDecl *D) {
    Good &= !D->isStaticLocal();
    return true;
  }
  bool VisitPredefinedExpr(PredefinedExpr *) { return Good = false; }
  bool VisitIfStmt(IfStmt *S) {
    if (S->isConstexpr())
      Ifs.push_back(S);
    return true;
  }
  RewritePlan &Plan;
  std::vector<SourceLocation> Named;
  std::vector<IfStmt *> Ifs;
  bool Good = true;
};

} // namespace

struct RewritePlan::Helper {
  const FunctionTemplateDecl *Template = nullptr;
  llvm::MapVector<const FunctionDecl *, Instance> Instances;
  std::vector<const Use *> Callers;
  Range Declaration, Function, Body;
  unsigned ParameterList = 0; ///< behind its '('
};

/// Why \p H stays a template, or empty.
static std::string
whyNot(RewritePlan &Plan, const FunctionDecl *Pattern,
       llvm::MapVector<const FunctionDecl *, Instance> &All) {
  PatternVisitor Look(Plan);
  Look.TraverseDecl(const_cast<FunctionDecl *>(Pattern));
  if (!Look.Good)
    return "it has static variables or its own name in it";
  std::vector<Range> Allowed;
  for (IfStmt *S : Look.Ifs)
    if (auto Condition = Plan.rangeOf(S->getCond()->getSourceRange()))
      Allowed.push_back(*Condition);
  for (auto &[F, I] : All)
    for (auto &[Offset, U] : I.Calls)
      if (auto Name = Plan.rangeOf(U->Expression->getSourceRange()))
        Allowed.push_back(*Name);
  for (auto &[F, I] : All) {
    BranchVisitor Decide(Plan, I);
    Decide.TraverseStmt(F->getBody());
    if (!Decide.Good)
      return "an 'if constexpr' cannot be decided";
    // The branches themselves are read from the pattern: an instantiation has
    // nothing in the place of one that is discarded.
    for (IfStmt *S : Look.Ifs) {
      auto At = Plan.rangeOf(S->getSourceRange());
      auto Decided = At ? Decide.IfOf.find(At->Begin) : Decide.IfOf.end();
      if (Decided == Decide.IfOf.end())
        continue;
      I.Branches[At->Begin].All = *At;
      if (Stmt *Kept = Decided->second ? S->getThen() : S->getElse())
        I.Branches[At->Begin].Kept = Plan.rangeOf(Kept->getSourceRange());
    }
  }
  // Parts of discarded branches are not looked at again.
  auto Discarded = [&](unsigned Offset) {
    for (auto &[F, I] : All) {
      bool Dead = false;
      for (auto &[Begin, B] : I.Branches)
        Dead |= B.All.contains(Offset) && !(B.Kept && B.Kept->contains(Offset));
      if (!Dead)
        return false;
    }
    return true;
  };
  for (SourceLocation Name : Look.Named) {
    unsigned Offset = Plan.Sources.getFileOffset(Name);
    bool Fine =
        llvm::any_of(Allowed, [&](Range R) { return R.contains(Offset); });
    if (!Fine && !Discarded(Offset))
      return "its template parameters are named at " +
             placeOf(Plan.Sources, Name);
  }
  return "";
}

/// Parameter names of a group: one for each distinct slot over all instances.
static std::map<unsigned, unsigned>
mergeCalls(RewritePlan &Plan, llvm::ArrayRef<Instance *> Group) {
  std::map<std::vector<int>, unsigned> Columns;
  std::map<unsigned, unsigned> ColumnOf;
  for (auto &[Offset, U] : Group.front()->Calls) {
    std::vector<int> Slots;
    for (Instance *I : Group)
      Slots.push_back(Plan.slotOf(I->Calls.at(Offset)->Callee));
    ColumnOf[Offset] = Columns.try_emplace(Slots, Columns.size()).first->second;
  }
  return ColumnOf;
}

namespace {
struct Parameters {
  std::vector<std::string> Names;        ///< by column
  std::vector<const Use *> First;        ///< of the first instance
  std::map<unsigned, unsigned> ColumnOf; ///< by offset of the call
};
} // namespace

static Parameters nameParameters(RewritePlan &Plan,
                                 llvm::ArrayRef<Instance *> Group) {
  Parameters P;
  P.ColumnOf = mergeCalls(Plan, Group);
  std::map<std::string, unsigned> Seen;
  for (auto &[Offset, Column] : P.ColumnOf) {
    if (Column < P.Names.size())
      continue;
    const Use *U = Group.front()->Calls.at(Offset);
    std::string Name =
        StringRef(U->Callee->getNameAsString()).rtrim('_').str() + "_slot";
    if (unsigned Number = Seen[Name]++)
      Name += std::to_string(Number + 1);
    P.Names.push_back(Name);
    P.First.push_back(U);
  }
  return P;
}

void RewritePlan::planHelper(Helper &H) {
  const FunctionDecl *Pattern = H.Template->getTemplatedDecl();
  TextMap<std::vector<Instance *>> Groups;
  for (auto &[F, I] : H.Instances)
    Groups[I.key()].push_back(&I);

  Edit Definition{H.Declaration, {}, /*Block=*/true};
  llvm::DenseMap<const FunctionDecl *, std::pair<std::string, Instance *>>
      Named;
  llvm::DenseMap<const FunctionDecl *, std::vector<int>> SlotsOf;
  unsigned Number = 0;
  for (auto &[Key, Group] : Groups) {
    Parameters P = nameParameters(*this, Group);
    std::string Name = Pattern->getNameAsString();
    if (++Number > 1)
      Name += std::to_string(Number);

    std::map<unsigned, Edit> Inner;
    auto Insert = [&](Range At, std::string Text) {
      Inner[At.Begin] = {At, {{std::move(Text), -1}}};
    };
    if (auto Identifier = rangeOf(Pattern->getLocation()))
      Insert(*Identifier, Name);
    std::string List, Ready;
    for (const std::string &Column : P.Names) {
      List += (List.empty() ? "" : ", ") + ("ck_jit_slot *" + Column);
      Ready += (Ready.empty() ? "*" : ", *") + Column;
    }
    if (Pattern->getNumParams() && !List.empty())
      List += ", ";
    Insert({H.ParameterList, H.ParameterList}, List);
    Insert({H.Body.Begin, H.Body.Begin + 1},
           P.Names.size() > 1 ? "{\n    ck_jit_ready(" + Ready + ");" : "{");
    for (auto &[Offset, Column] : P.ColumnOf) {
      const Use *U = Group.front()->Calls.at(Offset);
      bool Any = Uses.CallOf.lookup(U->Expression)->getNumArgs();
      Insert(*calleeRange(*U), "ck_jit_call<" + callTypeOf(U->Callee) + ">(*" +
                                   P.Names[Column] + (Any ? ", " : ""));
    }
    // Inner branches first: they are part of what an outer one keeps.
    for (auto &[Begin, B] : llvm::reverse(Group.front()->Branches)) {
      std::string Kept =
          B.Kept ? render(*B.Kept, Inner, [](int) { return std::string(); })
                 : ";";
      Inner.erase(Inner.lower_bound(B.All.Begin), Inner.lower_bound(B.All.End));
      Insert(B.All, Kept);
    }
    std::string Copy =
        render(H.Function, Inner, [](int) { return std::string(); });
    bool Local =
        Pattern->getStorageClass() == SC_Static || Pattern->isInlineSpecified();
    Definition.Pieces.push_back({(Local ? "" : "static ") + Copy + "\n\n", -1});
    for (Instance *I : Group) {
      Named[I->Function] = {Name, I};
      std::vector<int> &Slots = SlotsOf[I->Function];
      Slots.resize(P.Names.size());
      for (auto &[Offset, Column] : P.ColumnOf)
        Slots[Column] = slotOf(I->Calls.at(Offset)->Callee);
    }
  }
  Definition.Pieces.back().Text.resize(Definition.Pieces.back().Text.size() -
                                       2);
  addEdit(std::move(Definition));

  for (const Use *U : H.Callers) {
    const FunctionDecl *F = U->Callee->getCanonicalDecl();
    Edit E{*calleeRange(*U), {{Named[F].first + "(", -1}}};
    const CallExpr *Call = Uses.CallOf.lookup(U->Expression);
    for (auto [I, Slot] : llvm::enumerate(SlotsOf[F])) {
      E.Pieces.push_back({I ? ", " : "", -1});
      E.Pieces.push_back({"", Slot, /*Address=*/true});
    }
    if (!SlotsOf[F].empty() && Call->getNumArgs())
      E.Pieces.push_back({", ", -1});
    addEdit(std::move(E));
    ++Report.Helpers;
  }
}

void RewritePlan::planHelpers() {
  llvm::MapVector<const FunctionTemplateDecl *, Helper> Helpers;
  for (const Use &U : Uses.Undefined) {
    if (!U.In || !U.In->isTemplateInstantiation() || isa<CXXMethodDecl>(U.In))
      continue;
    const FunctionTemplateDecl *T = U.In->getPrimaryTemplate();
    const FunctionDecl *Pattern = U.In->getTemplateInstantiationPattern();
    if (!T || !Pattern || !Sources.isInMainFile(Pattern->getLocation()))
      continue;
    const FunctionTemplateDecl *Defined =
        Pattern->getDescribedFunctionTemplate();
    Helper &H = Helpers[Defined ? Defined : T];
    H.Template = Defined ? Defined : T;
    Instance &I = H.Instances[U.In->getCanonicalDecl()];
    I.Function = U.In;
    if (auto Name = rangeOf(U.Expression->getSourceRange()))
      I.Calls[Name->Begin] = &U;
  }
  for (auto &[Template, H] : Helpers) {
    const FunctionDecl *Pattern = Template->getTemplatedDecl();
    std::string Why;
    for (const Use &U : Uses.Undefined)
      if (H.Instances.contains(U.In ? U.In->getCanonicalDecl() : nullptr) &&
          !calleeRange(U))
        Why = "a function in it is used without being called";
    for (auto &[F, I] : H.Instances)
      if (I.Calls.empty())
        Why = "its calls come out of a macro";
    for (const Use &U : Uses.OwnTemplates) {
      if (U.Callee->getTemplateInstantiationPattern() != Pattern)
        continue;
      if (!H.Instances.contains(U.Callee->getCanonicalDecl()) ||
          !isPlainMainFile(U.In) || !calleeRange(U))
        Why = "it is used at " + placeOf(Sources, U.Expression->getBeginLoc()) +
              " other than by a plain call of this file";
      H.Callers.push_back(&U);
    }
    auto All = rangeOf(Template->getSourceRange());
    auto Function = rangeOf(Pattern->getSourceRange());
    auto Body = Pattern->hasBody()
                    ? rangeOf(Pattern->getBody()->getSourceRange())
                    : std::nullopt;
    FunctionTypeLoc Type = Pattern->getFunctionTypeLoc();
    auto Paren = Type ? rangeOf(Type.getLParenLoc()) : std::nullopt;
    if (Why.empty() && (!All || !Function || !Body || !Paren))
      Why = "it comes out of a macro";
    if (Why.empty())
      Why = whyNot(*this, Pattern, H.Instances);
    if (!Why.empty()) {
      note(Template->getLocation(),
           "'" + Template->getNameAsString() + "' stays a template: " + Why);
      continue;
    }
    H.Declaration = *All;
    H.Function = *Function;
    H.Body = *Body;
    H.ParameterList = Paren->End;
    planHelper(H);
  }
}
