//===- References.cpp - the walk over a dispatcher ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "References.h"
#include "SharedBodies.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/SaveAndRestore.h"

#include <map>

using namespace clang;
using namespace kpack;
using namespace kpack::ckjit;

namespace {

/// An expression that names a function, as clang made it or as it would have.
struct NamedFunction {
  const Expr *Expression;
  FunctionDecl *Function;
};

/// The functions that a body names, in the order in which UseVisitor sees them.
class BodyVisitor : public RecursiveASTVisitor<BodyVisitor> {
public:
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (auto *F = dyn_cast<FunctionDecl>(E->getDecl()))
      Names.push_back({E, F});
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) {
    if (auto *Method = dyn_cast<CXXMethodDecl>(E->getMemberDecl()))
      Names.push_back({E, Method});
    return true;
  }
  std::vector<NamedFunction> Names;
};

class UseVisitor : public RecursiveASTVisitor<UseVisitor> {
  using Base = RecursiveASTVisitor<UseVisitor>;

public:
  UseVisitor(ASTContext &Context, DispatcherUses &To, SharedBodies &Shared)
      : Sources(Context.getSourceManager()), Found(To), Shared(Shared) {}

  /// Functions with the types of lambdas in their names, of which only one
  /// was looked at. They must not lead to what is undefined.
  llvm::DenseSet<const FunctionDecl *> Unshared;

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(Decl *D) {
    auto *F = dyn_cast_or_null<FunctionDecl>(D);
    llvm::SaveAndRestore Outer(In, F ? F : In);
    return Base::TraverseDecl(D);
  }

  bool VisitFunctionDecl(FunctionDecl *F) {
    if (isWantedOfOthers(F))
      Found.Others.insert(F->getCanonicalDecl());
    if (const SharedInstance *I =
            F->isCanonicalDecl() ? Shared.find(F) : nullptr)
      checkOrAdd(F, *I);
    return true;
  }

  /// One that no token shows may have lost its `else` (SourceText.h).
  bool VisitIfStmt(IfStmt *S) {
    if (S->isConstexpr() && S->getIfLoc().isMacroID() &&
        Sources.isInMainFile(Sources.getExpansionLoc(S->getIfLoc())))
      Shared.distrust();
    return true;
  }

  bool VisitCallExpr(CallExpr *Call) {
    Found.CallOf[Call->getCallee()->IgnoreParenImpCasts()] = Call;
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (auto *F = dyn_cast<FunctionDecl>(E->getDecl()))
      addFunction(E, F);
    else if (isLocal(E->getDecl()))
      Found.LocalUses[E->getDecl()].push_back(E->getLocation());
    return true;
  }

  bool VisitMemberExpr(MemberExpr *E) {
    if (auto *Method = dyn_cast<CXXMethodDecl>(E->getMemberDecl()))
      addTemplate(E, Method);
    return true;
  }

  bool VisitTypedefTypeLoc(TypedefTypeLoc T) {
    if (const NamedDecl *Name = T.getTypePtr()->getDecl(); isLocal(Name))
      Found.LocalUses[Name].push_back(T.getNameLoc());
    return true;
  }

private:
  bool isLocal(const NamedDecl *D) const {
    return D->getDeclContext()->isFunctionOrMethod() &&
           Sources.isInMainFile(D->getLocation());
  }

  /// A function that is used, and that the linker has to find elsewhere. The
  /// members of a class that is instantiated elsewhere are of that kind, and
  /// what `extern template` declares, though the template may be known.
  bool isWantedOfOthers(const FunctionDecl *F) const {
    if (!F->isUsed(/*CheckUsedAttr=*/false) || F->isTemplated() ||
        F->isDeleted() || F->getBuiltinID() || !F->isExternallyVisible() ||
        F->hasAttr<CUDAGlobalAttr>() ||
        (F->hasAttr<CUDADeviceAttr>() && !F->hasAttr<CUDAHostAttr>()))
      return false;
    if (F->getTemplateSpecializationKind() ==
        TSK_ExplicitInstantiationDeclaration)
      return true;
    if (F->isDefined() || isUndefinedSpecialization(F, Sources))
      return false;
    const FunctionDecl *Pattern = F->getTemplateInstantiationPattern(false);
    return !Pattern || !Pattern->isDefined();
  }

  void addFunction(const Expr *E, FunctionDecl *F) {
    if (!F->getPrimaryTemplate() || F->isDependentContext())
      return;
    // What is only named in a branch that is discarded, or in a type, is never
    // asked of the linker.
    if (isUndefinedSpecialization(F, Sources)) {
      if (F->isUsed(/*CheckUsedAttr=*/false))
        Found.Undefined.push_back({E, F, In});
      return;
    }
    addTemplate(E, F);
  }

  void addTemplate(const Expr *E, FunctionDecl *F) {
    if (!F->getPrimaryTemplate() || F->isDependentContext())
      return;
    const FunctionDecl *Pattern = F->getTemplateInstantiationPattern();
    if (Pattern && !Sources.isInSystemHeader(Pattern->getLocation()))
      Found.Templates.push_back({E, F, In});
  }

  /// The one that was made shows whether its calls are those that were
  /// substituted; the others do what it does.
  void checkOrAdd(const FunctionDecl *F, const SharedInstance &I) {
    const bool IsMade = I.Body->getCanonicalDecl() == F;
    const std::vector<NamedFunction> &Names = namesIn(I.Body);
    llvm::SaveAndRestore Outer(In, F);
    unsigned Seen = 0;
    for (const NamedFunction &N : Names) {
      const int Call = I.Of->callAt(N.Expression->getBeginLoc());
      if (Call < 0) {
        if (!IsMade)
          addOther(I, N);
        continue;
      }
      FunctionDecl *Callee = I.Callees[Call];
      Seen += Callee != nullptr;
      if (!Callee || (IsMade && Callee->getCanonicalDecl() !=
                                    N.Function->getCanonicalDecl()))
        Shared.distrust();
      else if (!IsMade)
        addFunction(I.Of->Calls[Call].Name, Callee);
    }
    if (Seen < llvm::count_if(
                   I.Callees, [](auto *C) { return C != nullptr; }))
      Shared.distrust();
  }

  /// \p N of an instantiation that was made, in one that was not.
  void addOther(const SharedInstance &I, const NamedFunction &N) {
    if (!N.Function->getPrimaryTemplate())
      return;
    if (I.Of->Fixed.lookup(N.Expression->getBeginLoc()) ==
        N.Function->getCanonicalDecl())
      return addFunction(N.Expression, N.Function);
    Unshared.insert(N.Function->getCanonicalDecl());
    if (isUndefinedSpecialization(N.Function, Sources))
      Shared.distrust();
  }

  const std::vector<NamedFunction> &namesIn(const FunctionDecl *Body) {
    auto [Entry, New] = NamesOf.try_emplace(Body);
    if (New) {
      BodyVisitor Visitor;
      Visitor.TraverseStmt(Body->getBody());
      Entry->second = std::move(Visitor.Names);
    }
    return Entry->second;
  }

  SourceManager &Sources;
  DispatcherUses &Found;
  SharedBodies &Shared;
  std::map<const FunctionDecl *, std::vector<NamedFunction>> NamesOf;
  const FunctionDecl *In = nullptr;
};

/// Is there a way from one of \p From to an undefined specialisation?
bool leadsToUndefined(const DispatcherUses &Uses,
                      const llvm::DenseSet<const FunctionDecl *> &From) {
  llvm::DenseMap<const FunctionDecl *, std::vector<const FunctionDecl *>>
      UsersOf;
  for (const Use &U : Uses.Templates)
    if (U.In)
      UsersOf[U.Callee->getCanonicalDecl()].push_back(U.In->getCanonicalDecl());
  llvm::SetVector<const FunctionDecl *> Reaching;
  for (const Use &U : Uses.Undefined)
    if (U.In)
      Reaching.insert(U.In->getCanonicalDecl());
  for (size_t I = 0; I < Reaching.size(); ++I)
    for (const FunctionDecl *User : UsersOf.lookup(Reaching[I]))
      Reaching.insert(User);
  return llvm::any_of(Reaching,
                      [&](const FunctionDecl *F) { return From.contains(F); });
}

} // namespace

DispatcherUses ckjit::collectUses(ASTContext &Context, SharedBodies &Shared) {
  DispatcherUses Found;
  UseVisitor Visitor(Context, Found, Shared);
  const SourceManager &Sources = Context.getSourceManager();
  for (Decl *D : Context.getTranslationUnitDecl()->decls())
    if (!Sources.isInSystemHeader(D->getLocation()))
      Visitor.TraverseDecl(D);
  if (leadsToUndefined(Found, Visitor.Unshared))
    Shared.distrust();
  return Found;
}

std::vector<Reference> ckjit::toReferences(const DispatcherUses &Uses,
                                           ASTContext &Context) {
  ASTNameGenerator Names(Context);
  std::vector<Reference> References;
  llvm::DenseMap<const FunctionDecl *, unsigned> Known;
  for (const Use &U : Uses.Undefined) {
    const FunctionDecl *F = U.Callee->getCanonicalDecl();
    auto [Entry, New] = Known.try_emplace(F, References.size());
    if (New)
      References.push_back(
          {Names.getName(F), readableName(F), signatureOf(F),
           placeOf(Context.getSourceManager(), U.Expression->getBeginLoc())});
    ++References[Entry->second].Sites;
  }
  return References;
}

std::vector<Reference> ckjit::toOtherReferences(const DispatcherUses &Uses,
                                                ASTContext &Context) {
  ASTNameGenerator Names(Context);
  std::vector<Reference> References;
  for (const FunctionDecl *F : Uses.Others) {
    Reference R{"", readableName(F), signatureOf(F),
                placeOf(Context.getSourceManager(), F->getLocation())};
    R.Sites = 1;
    R.MayBeElsewhere = true;
    if (isa<CXXConstructorDecl, CXXDestructorDecl>(F)) {
      for (std::string &Symbol : Names.getAllManglings(F)) {
        R.Symbol = std::move(Symbol);
        References.push_back(R);
      }
      continue;
    }
    R.Symbol = Names.getName(F);
    References.push_back(std::move(R));
  }
  return References;
}
