//===- References.cpp - undefined kernels that a source uses --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// UseVisitor walks the AST, with instantiations. An undefined specialization
// counts only if clang has marked it as used: one that is named in a discarded
// branch or in a type does not reach the linker.
//
// Most instantiations of a launcher were not made (SharedBodies.h). The body of
// the one that was made is read for all of them, with the callees that were
// substituted for each (checkOrAdd()). The one that was made is also the check:
// its calls must equal those of its substitution. Any other possible
// difference, such as an overload, a lambda in a template argument or a removed
// `else`, withdraws the trust in the shared bodies, and the file is parsed
// again without them. A doubt thus costs time and never gives a wrong index.
//
//===----------------------------------------------------------------------===//
#include "References.h"
#include "AstVisitor.h"
#include "SharedBodies.h"
#include "Statements.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/SaveAndRestore.h"

#include <map>

using namespace clang;
using namespace kpack;
using namespace kpack::ckjit;

namespace {

/// An expression in an instantiated body, and the function that it names.
struct NamedFunction {
  const Expr *Expression;
  FunctionDecl *Function;
};

class UseVisitor : public AstVisitor {
public:
  UseVisitor(ASTContext &Context, DispatcherUses &Output, SharedBodies &Shared,
             llvm::ArrayRef<unsigned> Cut)
      : Context(Context), Sources(Context.getSourceManager()), Found(Output),
        Shared(Shared), Cut(Cut) {
    ShouldVisitTemplateInstantiations = true;
  }

  /// Functions with lambda types in their names, of which only one was visited.
  /// They must not lead to undefined specializations.
  llvm::DenseSet<const FunctionDecl *> Unshared;
  /// Number of function templates by name.
  llvm::DenseMap<DeclarationName, unsigned> TemplatesOf;

  bool TraverseDecl(Decl *D) override {
    auto *F = dyn_cast_or_null<FunctionDecl>(D);
    llvm::SaveAndRestore Outer(In, F ? F : In);
    return AstVisitor::TraverseDecl(D);
  }

  bool VisitFunctionDecl(FunctionDecl *F) override {
    if (isWantedOfOthers(F))
      Found.Others.insert(F->getCanonicalDecl());
    if (F->isConstexpr() && !Cut.empty())
      checkConstant(F);
    if (const SharedInstance *I =
            F->isCanonicalDecl() ? Shared.find(F) : nullptr)
      checkOrAdd(F, *I);
    return true;
  }

  /// An `else` that was removed (SourceReduction.h) must not belong to an `if
  /// constexpr` in a macro.
  bool VisitIfStmt(IfStmt *S) override {
    if (Cut.empty() || !S->isConstexpr())
      return true;
    SourceLocation End =
        Lexer::getLocForEndOfToken(Sources.getExpansionLoc(S->getEndLoc()), 0,
                                   Sources, Context.getLangOpts());
    if (End.isInvalid() || !Sources.isInMainFile(End)) {
      if (Sources.isInMainFile(Sources.getExpansionLoc(S->getIfLoc())))
        Shared.distrust();
      return true;
    }
    unsigned Behind = Sources.getFileOffset(End);
    auto Next = llvm::lower_bound(Cut, Behind);
    if (Next != Cut.end() && Sources.getBufferData(Sources.getMainFileID())
                                 .slice(Behind, *Next)
                                 .trim("} \t\r\n")
                                 .empty())
      Shared.distrust();
    return true;
  }

  bool VisitCallExpr(CallExpr *Call) override {
    Found.CallOf[Call->getCallee()->IgnoreParenImpCasts()] = Call;
    return true;
  }

  bool VisitFunctionTemplateDecl(FunctionTemplateDecl *T) override {
    TemplatesOf[T->getDeclName()] += T->isCanonicalDecl();
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    if (auto *F = dyn_cast<FunctionDecl>(E->getDecl()))
      addFunction(E, F);
    else if (isLocal(E->getDecl()))
      Found.LocalUses[E->getDecl()].push_back(E->getLocation());
    return true;
  }

  bool VisitMemberExpr(MemberExpr *E) override {
    if (auto *Method = dyn_cast<CXXMethodDecl>(E->getMemberDecl()))
      addTemplate(E, Method);
    return true;
  }

  bool VisitTypedefTypeLoc(TypedefTypeLoc T) override {
    if (const NamedDecl *Name = T.getTypePtr()->getDecl(); isLocal(Name))
      Found.LocalUses[Name].push_back(T.getNameLoc());
    return true;
  }

private:
  bool isLocal(const NamedDecl *D) const {
    return D->getDeclContext()->isFunctionOrMethod() &&
           Sources.isInMainFile(D->getLocation());
  }

  /// Returns true for a used function that the linker has to find elsewhere.
  /// These include members of a class that is instantiated elsewhere, and
  /// functions that `extern template` declares, even if the template is known.
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
    // A function that is only named in a discarded branch or in a type does not
    // reach the linker.
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

  /// A function that is evaluated at compile time needs each `else`.
  void checkConstant(const FunctionDecl *F) {
    SourceRange All = F->getSourceRange();
    if (!Sources.isInMainFile(Sources.getExpansionLoc(All.getBegin())))
      return;
    unsigned Begin =
                 Sources.getFileOffset(Sources.getExpansionLoc(All.getBegin())),
             End = Sources.getFileOffset(Sources.getExpansionLoc(All.getEnd()));
    auto Next = llvm::lower_bound(Cut, Begin);
    if (Next != Cut.end() && *Next < End)
      Shared.distrust();
  }

  /// Checks that the calls of the instantiation that was made equal the
  /// substituted ones; adds the calls of the others.
  void checkOrAdd(const FunctionDecl *F, const SharedInstance &I) {
    bool IsMade = I.Body->getCanonicalDecl() == F;
    const std::vector<NamedFunction> &Names = namesIn(I.Body);
    llvm::SaveAndRestore Outer(In, F);
    unsigned Seen = 0;
    for (const NamedFunction &N : Names) {
      int Call = I.Of->callAt(N.Expression->getBeginLoc());
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
    if (Seen < llvm::count_if(I.Callees, [](auto *C) { return C != nullptr; }))
      Shared.distrust();
  }

  /// Adds \p N, from an instantiation that was made, for one that was not.
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

  /// Returns the functions that a body names, in the order of the visits.
  const std::vector<NamedFunction> &namesIn(const FunctionDecl *Body) {
    auto [Entry, New] = NamesOf.try_emplace(Body);
    if (New)
      forEachStatement(Body->getBody(), [&Names = Entry->second](Stmt *S) {
        ValueDecl *Named = nullptr;
        if (auto *E = dyn_cast<DeclRefExpr>(S))
          Named = E->getDecl();
        else if (auto *E = dyn_cast<MemberExpr>(S))
          Named = E->getMemberDecl();
        if (auto *F = dyn_cast_or_null<FunctionDecl>(Named))
          Names.push_back({cast<Expr>(S), F});
      });
    return Entry->second;
  }

  ASTContext &Context;
  SourceManager &Sources;
  DispatcherUses &Found;
  SharedBodies &Shared;
  llvm::ArrayRef<unsigned> Cut; ///< sorted
  std::map<const FunctionDecl *, std::vector<NamedFunction>> NamesOf;
  const FunctionDecl *In = nullptr;
};

/// Returns true if \p Argument contains the type of a lambda.
bool namesLambda(const TemplateArgument &Argument) {
  if (Argument.getKind() == TemplateArgument::Pack)
    return llvm::any_of(Argument.pack_elements(), namesLambda);
  if (Argument.getKind() != TemplateArgument::Type)
    return false;
  const CXXRecordDecl *Class =
      Argument.getAsType().getNonReferenceType()->getAsCXXRecordDecl();
  if (!Class)
    return false;
  auto *Specialization = dyn_cast<ClassTemplateSpecializationDecl>(Class);
  return Class->isLambda() ||
         (Specialization &&
          llvm::any_of(Specialization->getTemplateArgs().asArray(),
                       namesLambda));
}

/// Returns true if \p F, or a class around it, has the type of a lambda as
/// argument.
bool isOfLambda(const FunctionDecl *F) {
  if (const TemplateArgumentList *Args = F->getTemplateSpecializationArgs();
      Args && llvm::any_of(Args->asArray(), namesLambda))
    return true;
  for (const DeclContext *C = F->getDeclContext(); C; C = C->getParent())
    if (auto *Specialization = dyn_cast<ClassTemplateSpecializationDecl>(C);
        Specialization &&
        llvm::any_of(Specialization->getTemplateArgs().asArray(), namesLambda))
      return true;
  return false;
}

/// Returns true if each template that calls of shared bodies name is the only
/// one of its name, and each that is defined here is used by one function only.
/// Otherwise the arguments, or the order of instantiation, may select between
/// them.
bool areCalleesPlain(const DispatcherUses &Uses, const SharedBodies &Shared,
                     const llvm::DenseMap<DeclarationName, unsigned> &Names) {
  llvm::DenseMap<const FunctionTemplateDecl *,
                 llvm::SmallPtrSet<const FunctionDecl *, 2>>
      Users;
  for (const Use &U : Uses.Templates)
    if (U.In && U.Callee->getPrimaryTemplate()) {
      const FunctionDecl *Pattern = U.In->getTemplateInstantiationPattern();
      Users[U.Callee->getPrimaryTemplate()->getCanonicalDecl()].insert(
          (Pattern ? Pattern : U.In)->getCanonicalDecl());
    }
  return llvm::all_of(Shared.callees(), [&](const FunctionTemplateDecl *T) {
    return Names.lookup(T->getDeclName()) < 2 &&
           (!T->getTemplatedDecl()->isDefined() || Users.lookup(T).size() < 2);
  });
}

/// Returns true if a function of \p Undefined leads to an undefined
/// specialization.
bool leadsToUndefined(const DispatcherUses &Uses,
                      const llvm::DenseSet<const FunctionDecl *> &Undefined) {
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
  return llvm::any_of(
      Reaching, [&](const FunctionDecl *F) { return Undefined.contains(F); });
}

} // namespace

DispatcherUses ckjit::collectUses(ASTContext &Context, SharedBodies &Shared,
                                  llvm::ArrayRef<unsigned> Cut) {
  DispatcherUses Found;
  UseVisitor Visitor(Context, Found, Shared, Cut);
  const SourceManager &Sources = Context.getSourceManager();
  for (Decl *D : Context.getTranslationUnitDecl()->decls())
    if (!Sources.isInSystemHeader(D->getLocation()))
      Visitor.TraverseDecl(D);
  if (!Shared.empty() &&
      (leadsToUndefined(Found, Visitor.Unshared) ||
       !areCalleesPlain(Found, Shared, Visitor.TemplatesOf) ||
       llvm::any_of(Found.Undefined,
                    [](const Use &U) { return U.In && isOfLambda(U.In); })))
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
          {Names.getName(F), readableName(F), getSignature(F),
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
    Reference R{"", readableName(F), getSignature(F),
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
