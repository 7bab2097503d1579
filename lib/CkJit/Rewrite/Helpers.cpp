//===- Helpers.cpp - templates that forward to kernels --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The template
//   template <class A, class B> float run(s, a) { first<A>(s, a);
//                                                 second<B>(s, a); }
// is instantiated once for each leaf, and the instantiations differ only in
// their calls. It becomes
//   float run(ck_jit_slot *first, ck_jit_slot *second, s, a)
// compiled once. This is equivalent if the parameters A and B are named only in
// calls of specializations and of other such helpers, and in conditions of `if
// constexpr`, which are decided here, and if all callers can pass slots. All of
// that is checked first, for helpers of this file, of headers, and members;
// HelperCopy.cpp then writes those that passed.
//
//===----------------------------------------------------------------------===//
#include "Helpers.h"
#include "AstVisitor.h"
#include "Lambdas.h"
#include "SourceReduction.h"
#include "Statements.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;
using namespace kpack;
using namespace kpack::ckjit;
using llvm::StringRef;

namespace {

/// Finds differences between instantiations beyond their calls.
class PatternVisitor : public AstVisitor {
public:
  bool VisitTemplateTypeParmTypeLoc(TemplateTypeParmTypeLoc T) override {
    Named.push_back(T.getNameLoc());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    if (isa<NonTypeTemplateParmDecl>(E->getDecl()))
      Named.push_back(E->getLocation());
    return true;
  }
  bool VisitSizeOfPackExpr(SizeOfPackExpr *E) override {
    Named.push_back(E->getPackLoc());
    return true;
  }
  bool TraverseTemplateName(TemplateName Name) override {
    Good &= !isTemplateParameter(Name);
    return AstVisitor::TraverseTemplateName(Name);
  }
  bool VisitVarDecl(VarDecl *D) override {
    Good &= !D->isStaticLocal();
    return true;
  }
  bool VisitPredefinedExpr(PredefinedExpr *) override { return Good = false; }
  bool VisitIfStmt(IfStmt *S) override {
    if (S->isConstexpr())
      Ifs.push_back(S);
    return true;
  }
  std::vector<SourceLocation> Named;
  std::vector<IfStmt *> Ifs;
  bool Good = true;
};

/// All helpers of a dispatcher.
class HelperNet {
public:
  explicit HelperNet(RewritePlan &Plan) : Plan(Plan) {}
  void run();

private:
  void collect();
  void addInstance(const FunctionDecl *F);
  void addCall(const Use &U);
  void locate(Helper &H);
  std::string whyNotAlone(Helper &H);
  std::string whyNotMember(const Helper &H) const;
  std::string whyNotText(const Helper &H) const;
  std::string decideBranches(Helper &H, ArrayRef<IfStmt *> Ifs);
  std::string whyNotNamed(Helper &H);
  std::string whyNotPointer(const Helper &H) const;
  std::string whyNotUsed(const Helper &H, const Use &U);
  std::string whyNotMemberCall(const Helper &H, const Use &U);
  bool isBefore(const Helper &H, unsigned Offset);
  std::string whyNotNow(Helper &H);
  void copy(Helper &H);
  Helper *findHelper(const FunctionDecl *F);
  Instance *findInstance(const FunctionDecl *F);
  std::string placeOfUse(const Use &U) const {
    return placeOf(Plan.Sources, U.Expression->getBeginLoc());
  }

  RewritePlan &Plan;
  llvm::MapVector<const FunctionTemplateDecl *, Helper> Helpers;
  /// Functions that call a specialization, directly or through others.
  llvm::SmallSetVector<const FunctionDecl *, 16> Reaching;
  llvm::DenseMap<const FunctionDecl *, std::vector<Lambda>> LambdasOf;
  llvm::SmallPtrSet<Helper *, 8> Copied;
};

} // namespace

Helper *HelperNet::findHelper(const FunctionDecl *F) {
  const FunctionTemplateDecl *T = F ? F->getPrimaryTemplate() : nullptr;
  auto Entry = T ? Helpers.find(T->getCanonicalDecl()) : Helpers.end();
  return Entry == Helpers.end() ? nullptr : &Entry->second;
}

Instance *HelperNet::findInstance(const FunctionDecl *F) {
  Helper *H = findHelper(F);
  if (!H)
    return nullptr;
  auto Entry = H->Instances.find(F->getCanonicalDecl());
  return Entry == H->Instances.end() ? nullptr : &Entry->second;
}

void HelperNet::addInstance(const FunctionDecl *F) {
  const FunctionTemplateDecl *T = F->getPrimaryTemplate();
  const FunctionDecl *Pattern = F->getTemplateInstantiationPattern();
  const FunctionDecl *WithBody = Plan.Shared.getBody(F);
  if (!T || !Pattern || !WithBody)
    return;
  Helper &H = Helpers[T->getCanonicalDecl()];
  H.Pattern = Pattern;
  const FunctionTemplateDecl *Defined = Pattern->getDescribedFunctionTemplate();
  H.Template = Defined ? Defined : T;
  H.File = Plan.Sources.getFileID(Pattern->getLocation());
  H.Text = Plan.Sources.getBufferData(H.File);
  H.Instances[F->getCanonicalDecl()].Function = WithBody;
}

void HelperNet::addCall(const Use &U) {
  Instance *In = findInstance(U.In);
  if (!In)
    return;
  Helper &H = *findHelper(U.In);
  auto Name = Plan.getRange(U.Expression->getSourceRange(), H.File);
  if (!Name || !Plan.calleeRange(U, H.File)) {
    H.Why = "a function in it is used other than by a plain call at " +
            placeOfUse(U);
    return;
  }
  Instance *Target = findInstance(U.Callee);
  In->Calls[Name->Begin] = {&U, Target};
  if (Target)
    H.Callees.insert(findHelper(U.Callee));
}

void HelperNet::collect() {
  llvm::DenseMap<const FunctionDecl *, std::vector<const Use *>> UsersOf;
  llvm::DenseMap<const FunctionDecl *, const FunctionDecl *> Written;
  auto Reach = [&](const FunctionDecl *In) {
    if (In && In->isTemplateInstantiation() &&
        Reaching.insert(In->getCanonicalDecl()))
      Written[In->getCanonicalDecl()] = In;
  };
  for (const Use &U : Plan.Uses.Templates)
    UsersOf[U.Callee->getCanonicalDecl()].push_back(&U);
  for (const Use &U : Plan.Uses.Undefined)
    Reach(U.In);
  for (size_t I = 0; I < Reaching.size(); ++I)
    for (const Use *U : UsersOf[Reaching[I]])
      Reach(U->In);

  for (const FunctionDecl *F : Reaching)
    addInstance(Written.lookup(F));
  for (const Use &U : Plan.Uses.Undefined)
    addCall(U);
  for (const Use &U : Plan.Uses.Templates) {
    if (Reaching.contains(U.Callee->getCanonicalDecl()))
      addCall(U);
    if (Helper *H = findHelper(U.Callee))
      H->Callers.push_back(&U);
  }
}

/// Fills the ranges of \p H, or stores in Why the reason that it cannot.
void HelperNet::locate(Helper &H) {
  auto Find = [&](SourceRange Tokens, Range &Result) {
    auto Place = Plan.getRange(Tokens, H.File);
    if (!Place && H.Why.empty())
      H.Why = "it comes out of a macro";
    Result = Place.value_or(Range());
  };
  Range Left, Right;
  FunctionTypeLoc Type = H.Pattern->getFunctionTypeLoc();
  Find(H.Template->getSourceRange(), H.Declaration);
  Find(H.Pattern->getSourceRange(), H.Function);
  Find(H.Pattern->getBody() ? H.Pattern->getBody()->getSourceRange()
                            : SourceRange(),
       H.Body);
  Find(Type ? Type.getLParenLoc() : SourceLocation(), Left);
  Find(Type ? Type.getRParenLoc() : SourceLocation(), Right);
  H.Parameters = {Left.End, Right.Begin};
}

static std::string whyNotFriend(const FunctionDecl *F) {
  for (const FunctionDecl *D : F->redecls())
    if (D->getFriendObjectKind() != Decl::FOK_None)
      return "it is a friend";
  return "";
}

std::string HelperNet::whyNotMember(const Helper &H) const {
  auto *Method = cast<CXXMethodDecl>(H.Pattern);
  const CXXRecordDecl *Class = Method->getParent();
  if (Class->isLambda() || Class->isDependentContext() ||
      isa<ClassTemplateSpecializationDecl>(Class) ||
      !Method->getDeclName().isIdentifier())
    return "it is a member of a template or a lambda, or an operator";
  StringRef Behind = H.Text.slice(H.Parameters.End + 1, H.Body.Begin).trim();
  if (!Behind.empty() && Behind != "const")
    return "it has more than parameters before its body";
  return "";
}

std::string HelperNet::whyNotText(const Helper &H) const {
  if (H.Text[H.Body.Begin] != '{')
    return "its body is no block";
  if (!H.Pattern->getNumParams() &&
      !H.Text.slice(H.Parameters.Begin, H.Parameters.End).trim().empty())
    return "its list of parameters is not empty but for something";
  if (H.Pattern->isConstexpr() || H.Pattern->isVariadic())
    return "it is constexpr or has '...'";
  if (H.isMember())
    return whyNotMember(H);
  if (H.Pattern->isInAnonymousNamespace() &&
      H.File != Plan.Sources.getMainFileID())
    return "it is in a nameless namespace of a header";
  return whyNotFriend(H.Pattern->getCanonicalDecl());
}

/// Branches are read from the pattern: an instantiation lacks discarded ones.
std::string HelperNet::decideBranches(Helper &H, ArrayRef<IfStmt *> Ifs) {
  for (auto &[F, I] : H.Instances) {
    std::map<unsigned, bool> ValueAt; ///< of the condition of the `if` there
    bool Good = true;
    forEachStatement(I.Function->getBody(), [&](Stmt *In) {
      auto *S = dyn_cast<IfStmt>(In);
      if (!S || !S->isConstexpr())
        return;
      auto Place = Plan.getRange(S->getSourceRange(), H.File);
      auto Value = S->getCond()->getIntegerConstantExpr(Plan.Context);
      if (!Place || !Value || S->hasInitStorage() || S->hasVarStorage())
        Good = false;
      else
        ValueAt[Place->Begin] = Value->getBoolValue();
    });
    if (!Good)
      return "an 'if constexpr' cannot be decided";
    for (IfStmt *S : Ifs) {
      auto Place = Plan.getRange(S->getSourceRange(), H.File);
      auto Decided = Place ? ValueAt.find(Place->Begin) : ValueAt.end();
      if (Decided == ValueAt.end())
        continue;
      Branch &B = I.Branches[Place->Begin];
      B.All = *Place;
      if (Stmt *Kept = Decided->second ? S->getThen() : S->getElse())
        B.Kept = Plan.getRange(Kept->getSourceRange(), H.File);
    }
  }
  return "";
}

std::string HelperNet::whyNotNamed(Helper &H) {
  PatternVisitor Look;
  Look.TraverseDecl(const_cast<FunctionDecl *>(H.Pattern));
  if (!Look.Good)
    return "it has static variables, its own name or a parameter that is a "
           "template in it";
  std::string Why = decideBranches(H, Look.Ifs);
  if (!Why.empty())
    return Why;
  std::vector<Range> Allowed;
  for (IfStmt *S : Look.Ifs)
    if (auto Place = Plan.getRange(S->getCond()->getSourceRange(), H.File))
      Allowed.push_back(*Place);
  for (auto &[F, I] : H.Instances)
    for (auto &[Offset, Call] : I.Calls)
      Allowed.push_back(
          *Plan.getRange(Call.Site->Expression->getSourceRange(), H.File));
  auto Discarded = [&](unsigned Offset) {
    return llvm::all_of(H.Instances, [&](auto &Entry) {
      return llvm::any_of(Entry.second.Branches, [&](auto &Place) {
        const Branch &B = Place.second;
        return B.All.contains(Offset) && !(B.Kept && B.Kept->contains(Offset));
      });
    });
  };
  for (SourceLocation Name : Look.Named) {
    bool Written = !Name.isMacroID() && Plan.Sources.getFileID(Name) == H.File;
    unsigned Offset = Plan.Sources.getFileOffset(Name);
    bool Fine =
        llvm::any_of(Allowed, [&](Range R) { return R.contains(Offset); });
    if (!Written || (!Fine && !Discarded(Offset)))
      return "its template parameters are named at " +
             placeOf(Plan.Sources, Name);
  }
  return "";
}

std::string HelperNet::whyNotPointer(const Helper &H) const {
  for (auto &[F, I] : H.Instances)
    for (const Lambda &L : findLambdas(Plan, I.Function->getBody(), H.File))
      if (L.IsPointer && llvm::any_of(I.Calls, [&](auto &Call) {
            return L.All.contains(Call.first);
          }))
        return "a lambda in it is used as a pointer";
  return "";
}

/// Returns the reason why \p H stays a template regardless of its callers; or
/// empty.
std::string HelperNet::whyNotAlone(Helper &H) {
  std::string Why = whyNotText(H);
  if (Why.empty())
    Why = whyNotNamed(H);
  if (Why.empty())
    Why = whyNotPointer(H);
  return Why;
}

/// Returns the reason why the lambda for \p H cannot be called at \p U; or
/// empty.
std::string HelperNet::whyNotMemberCall(const Helper &H, const Use &U) {
  auto *Member = dyn_cast<MemberExpr>(U.Expression);
  auto *Method = cast<CXXMethodDecl>(H.Pattern);
  auto *Caller = dyn_cast<CXXMethodDecl>(U.In);
  std::string Where = " at " + placeOfUse(U);
  if (!Member || !isa<CXXThisExpr>(Member->getBase()->IgnoreImpCasts()) ||
      !Caller || Caller->isConst() != Method->isConst() ||
      Caller->getParent()->getCanonicalDecl() !=
          Method->getParent()->getCanonicalDecl())
    return "it is called for another object than its caller's" + Where;
  auto Body = Plan.getRange(U.In->getBody()->getSourceRange());
  if (!Body || Plan.Text[Body->Begin] != '{')
    return "it is called from a body that is no block" + Where;
  auto [Entry, New] = LambdasOf.try_emplace(U.In);
  if (New)
    Entry->second =
        findLambdas(Plan, U.In->getBody(), Plan.Sources.getMainFileID());
  auto Place = Plan.calleeRange(U);
  for (const Lambda &L : Entry->second)
    if (L.All.contains(Place->Begin))
      return "it is called from a lambda" + Where;
  llvm::StringSet<> Hidden;
  for (const ParmVarDecl *P : U.In->parameters())
    Hidden.insert(P->getName());
  for (const ParmVarDecl *P : H.Pattern->parameters())
    Hidden.erase(P->getName());
  if (hasName(H.Text.slice(H.Function.Begin, H.Function.End).str(), Hidden))
    return "its caller has parameters of the same names" + Where;
  return "";
}

/// Returns true if any part of the replacement of \p H precedes \p Offset in
/// the main file.
bool HelperNet::isBefore(const Helper &H, unsigned Offset) {
  if (!H.isMember())
    return H.File != Plan.Sources.getMainFileID() || H.Function.Begin < Offset;
  return llvm::any_of(H.Callers, [&](const Use *U) {
    auto Place = Plan.getRange(U->Expression->getSourceRange());
    return Place && Place->Begin < Offset;
  });
}

/// Returns the reason why slots cannot be passed at \p U; or empty.
std::string HelperNet::whyNotUsed(const Helper &H, const Use &U) {
  std::string Elsewhere = "it is used at " + placeOfUse(U) +
                          " other than by a plain call that can be changed";
  if (!H.Instances.contains(U.Callee->getCanonicalDecl()))
    return Elsewhere;
  FileID Main = Plan.Sources.getMainFileID();
  if (Helper *By = findHelper(U.In); By && findInstance(U.In)) {
    if (!By->Why.empty() || H.isMember())
      return Elsewhere;
    bool Behind = H.File == Main && isBefore(*By, H.Function.Begin);
    return Behind ? "it is defined behind its caller at " + placeOfUse(U) : "";
  }
  auto Place = Plan.calleeRange(U);
  if (!Plan.isPlainMainFile(U.In) || !Place)
    return Elsewhere;
  if (H.File == Main && !H.isMember() && Place->Begin < H.Function.Begin)
    return "it is defined behind its caller at " + placeOfUse(U);
  return H.isMember() ? whyNotMemberCall(H, U) : "";
}

/// Returns the reason why \p H stays a template, given the others that do; or
/// empty.
std::string HelperNet::whyNotNow(Helper &H) {
  for (Helper *Callee : H.Callees)
    if (!Callee->Why.empty())
      return "it calls '" + Callee->Template->getNameAsString() +
             "', which stays one";
  llvm::DenseSet<const FunctionDecl *> Called;
  for (const Use *U : H.Callers) {
    std::string Why = whyNotUsed(H, *U);
    if (!Why.empty())
      return Why;
    Called.insert(U->Callee->getCanonicalDecl());
  }
  if (Called.size() != H.Instances.size())
    return "not all of its callers are known";
  return "";
}

/// Copies the helpers that \p H calls, then \p H.
void HelperNet::copy(Helper &H) {
  if (!H.Why.empty() || !Copied.insert(&H).second)
    return;
  for (auto &[T, Callee] : Helpers)
    if (H.Callees.contains(&Callee))
      copy(Callee);
  copyHelper(Plan, H);
}

static bool reaches(Helper *Caller, Helper *Callee,
                    llvm::SmallPtrSetImpl<Helper *> &Seen) {
  return llvm::any_of(Caller->Callees, [&](Helper *H) {
    return H == Callee || (Seen.insert(H).second && reaches(H, Callee, Seen));
  });
}

void HelperNet::run() {
  collect();
  for (auto &[T, H] : Helpers) {
    llvm::SmallPtrSet<Helper *, 8> Seen;
    if (H.Why.empty() && reaches(&H, &H, Seen))
      H.Why = "it calls itself";
    locate(H);
    if (H.Why.empty())
      H.Why = whyNotAlone(H);
  }
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (auto &[T, H] : Helpers)
      if (H.Why.empty())
        Changed |= !(H.Why = whyNotNow(H)).empty();
  }
  for (auto &[T, H] : Helpers) {
    if (!H.Why.empty())
      Plan.note(H.Template->getLocation(), "'" + H.Template->getNameAsString() +
                                               "' stays a template: " + H.Why);
    copy(H);
  }
}

void RewritePlan::planHelpers() { HelperNet(*this).run(); }
