//===- References.cpp - the walk over a dispatcher ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "References.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace kpack;
using namespace kpack::ckjit;

namespace {

class UseVisitor : public RecursiveASTVisitor<UseVisitor> {
  using Base = RecursiveASTVisitor<UseVisitor>;

public:
  UseVisitor(ASTContext &Context, DispatcherUses &To)
      : Sources(Context.getSourceManager()), Found(To) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(Decl *D) {
    auto *F = dyn_cast_or_null<FunctionDecl>(D);
    llvm::SaveAndRestore Outer(In, F ? F : In);
    return Base::TraverseDecl(D);
  }

  bool VisitFunctionDecl(FunctionDecl *F) {
    if (isWantedOfOthers(F))
      Found.Others.insert(F->getCanonicalDecl());
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

  void addFunction(DeclRefExpr *E, FunctionDecl *F) {
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

  void addTemplate(Expr *E, FunctionDecl *F) {
    if (!F->getPrimaryTemplate() || F->isDependentContext())
      return;
    const FunctionDecl *Pattern = F->getTemplateInstantiationPattern();
    if (Pattern && !Sources.isInSystemHeader(Pattern->getLocation()))
      Found.Templates.push_back({E, F, In});
  }

  SourceManager &Sources;
  DispatcherUses &Found;
  const FunctionDecl *In = nullptr;
};

} // namespace

DispatcherUses ckjit::collectUses(ASTContext &Context) {
  DispatcherUses Found;
  UseVisitor Visitor(Context, Found);
  const SourceManager &Sources = Context.getSourceManager();
  for (Decl *D : Context.getTranslationUnitDecl()->decls())
    if (!Sources.isInSystemHeader(D->getLocation()))
      Visitor.TraverseDecl(D);
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
