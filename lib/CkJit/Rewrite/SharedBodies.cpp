//===- SharedBodies.cpp - instantiations with a common body ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dispatcher has a launcher for each leaf, thousands of instantiations of one
// template. Clang needs milliseconds for each, although they differ only in the
// functions that they call. This file instantiates one body for all that have
// the same text after substitution, and computes only the callees of the
// others.
//
// Example, with three requests in this order:
//
//   template <typename T> float run(Stream S, Args A) {
//     if constexpr (T::HasBias)
//       addBias<T>(S, A);
//     return launch<typename T::Kernel>(S, A);
//   }
//
//   instance  T::HasBias  body        callees
//   run<A>    true        run<A>      addBias<A>, launch<A::Kernel>
//   run<B>    false       run<B>      none,       launch<B::Kernel>
//   run<C>    true        run<A>      addBias<C>, launch<C::Kernel>
//
//   1. PatternReader reads the template once. It collects the calls f<...>(...)
//      with dependent template arguments and the conditions of "if constexpr".
//      It rejects every other use of a parameter, local classes, static
//      variables, and unevaluated operands such as that of sizeof.
//   2. requested() sees each instantiation that clang appends to its list of
//      pending ones. The first of a template stays in the list. It removes the
//      others, run<B> and run<C>, and keeps them.
//   3. finish() takes these after the file was read. decide() evaluates the
//      conditions; instances with equal decisions share a body, so run<B> is
//      instantiated as well, and run<C> is not.
//   4. For each call that is not in a discarded branch, substitute() computes
//      the callee and marks it as referenced. So clang instantiates addBias<C>
//      as if run<C> had a body. It may be a launcher itself; then the next
//      round handles it. After 16 rounds distrust() is called.
//
// References.cpp reads the body of run<A> for run<C>, and at the call number I
// takes the callee number I of run<C>. For run<A> itself it compares the body's
// callees with the substituted ones, so that a wrong substitution is found.
//
// Why the result is equivalent: the parameters occur only in explicit arguments
// of calls whose types do not depend on them, and in conditions that are
// decided here. So the rest of the body has the same types in every instance
// with the same decisions, except for the types of its lambdas, which differ
// only in identity. If anything else is found, distrust() is called, and the
// file is parsed again without sharing.
//
// Cost: one instantiation for each template and set of decisions. If a template
// has several instances, each of them, with a body or not, also costs one
// evaluation of each condition and one substitution of each call.
//
//===----------------------------------------------------------------------===//
#include "SharedBodies.h"
#include "AstVisitor.h"
#include "Parse.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/EnterExpressionEvaluationContext.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/Template.h"
#include "clang/Sema/TemplateDeduction.h"

using namespace clang;
using namespace kpack;
using namespace kpack::ckjit;

static bool isIn(const SourceManager &Sources, SourceLocation Where,
                 SourceRange Body) {
  return Body.isValid() &&
         Sources.isPointWithin(Where, Body.getBegin(), Body.getEnd());
}

namespace {

/// Reads a template's text once and collects the places that name its
/// parameters.
class PatternReader : public AstVisitor {
public:
  explicit PatternReader(const SourceManager &Sources) : Sources(Sources) {}

  /// Returns nullopt unless instantiations of \p Pattern may share a body.
  std::optional<SharedTemplate> read(const FunctionDecl *Pattern) {
    TraverseDecl(const_cast<FunctionDecl *>(Pattern));
    auto InCall = [&](SourceLocation Where) {
      return llvm::any_of(Result.Calls, [&](const DependentCall &C) {
        return isWrittenIn(
            Where, SourceRange(C.Name->getLAngleLoc(), C.Name->getRAngleLoc()));
      });
    };
    auto InCondition = [&](SourceLocation Where) {
      return llvm::any_of(Result.Branches, [&](const auto &B) {
        return isWrittenIn(Where, B.Condition->getSourceRange());
      });
    };
    for (SourceLocation Where : Named)
      Good &= Where.isFileID() && (InCall(Where) || InCondition(Where));
    // Declarations in the body have no counterpart for the substitution.
    for (SourceLocation Where : Locals)
      Good &= !InCall(Where) && !InCondition(Where);
    for (const DependentCall &C : Result.Calls)
      Good &=
          !InCondition(C.Name->getBeginLoc()) && !InCall(C.Name->getBeginLoc());
    if (!Good || Result.Calls.empty())
      return std::nullopt;
    return std::move(Result);
  }

  bool VisitCallExpr(CallExpr *Call) override {
    auto *Name = dyn_cast<UnresolvedLookupExpr>(
        Call->getCallee()->IgnoreParenImpCasts());
    if (Name && isPlainTemplate(*Name))
      Result.Calls.push_back(
          {Name, cast<FunctionTemplateDecl>(*Name->decls_begin())});
    return true;
  }

  bool VisitTemplateTypeParmTypeLoc(TemplateTypeParmTypeLoc T) override {
    name(T.getNameLoc(), T.getTypePtr()->getDepth());
    return true;
  }
  bool VisitSizeOfPackExpr(SizeOfPackExpr *E) override {
    name(E->getPackLoc(), 0);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    if (auto *P = dyn_cast<NonTypeTemplateParmDecl>(E->getDecl()))
      name(E->getLocation(), P->getDepth());
    else if (E->getDecl()->getDeclContext()->isFunctionOrMethod())
      Locals.push_back(E->getLocation());
    else if (auto *F = dyn_cast<FunctionDecl>(E->getDecl()))
      Result.Fixed.try_emplace(E->getBeginLoc(), F->getCanonicalDecl());
    return true;
  }
  bool VisitTypedefTypeLoc(TypedefTypeLoc T) override {
    if (T.getTypePtr()->getDecl()->getDeclContext()->isFunctionOrMethod())
      Locals.push_back(T.getNameLoc());
    return true;
  }
  bool TraverseTemplateName(TemplateName Name) override {
    Good &= !isTemplateParameter(Name);
    return AstVisitor::TraverseTemplateName(Name);
  }

  // Names that these declarations introduce cannot be substituted, either.
  bool VisitNamespaceAliasDecl(NamespaceAliasDecl *) override {
    return Good = false;
  }
  bool VisitUsingDecl(UsingDecl *) override { return Good = false; }
  bool VisitUsingEnumDecl(UsingEnumDecl *) override { return Good = false; }

  // A local class differs between instantiations.
  bool VisitTagDecl(TagDecl *D) override {
    auto *Class = dyn_cast<CXXRecordDecl>(D);
    return Good &= Class && Class->isLambda();
  }
  bool VisitVarDecl(VarDecl *D) override { return Good &= !D->isStaticLocal(); }
  bool VisitPredefinedExpr(PredefinedExpr *) override { return Good = false; }
  // A call in one of these is not evaluated.
  bool VisitUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) override {
    return Good = false;
  }
  bool VisitCXXNoexceptExpr(CXXNoexceptExpr *) override { return Good = false; }
  bool VisitCXXTypeidExpr(CXXTypeidExpr *) override { return Good = false; }
  bool VisitRequiresExpr(RequiresExpr *) override { return Good = false; }
  bool VisitDecltypeTypeLoc(DecltypeTypeLoc) override { return Good = false; }
  bool VisitTypeOfExprTypeLoc(TypeOfExprTypeLoc) override {
    return Good = false;
  }
  bool VisitExpressionTraitExpr(ExpressionTraitExpr *) override {
    return Good = false;
  }
  bool VisitArrayTypeTraitExpr(ArrayTypeTraitExpr *) override {
    return Good = false;
  }
  bool VisitGenericSelectionExpr(GenericSelectionExpr *) override {
    return Good = false;
  }

  bool VisitIfStmt(IfStmt *S) override {
    if (!S->isConstexpr())
      return true;
    Good &= !S->hasInitStorage() && !S->hasVarStorage() &&
            namesNoFunction(S->getCond());
    Result.Branches.push_back(
        {S->getCond(), S->getThen()->getSourceRange(),
         S->getElse() ? S->getElse()->getSourceRange() : SourceRange()});
    return Good;
  }

private:
  /// Returns false for conditions with calls, which may lead anywhere;
  /// std::is_same_v<...> is fine.
  bool namesNoFunction(const Stmt *S) const {
    if (!S)
      return true;
    if (isa<CallExpr, LambdaExpr, CXXUnresolvedConstructExpr>(S))
      return false;
    if (auto *Name = dyn_cast<OverloadExpr>(S))
      for (const NamedDecl *D : Name->decls())
        if (!isa<VarTemplateDecl>(D))
          return false;
    return llvm::all_of(S->children(), [&](const Stmt *Child) {
      return namesNoFunction(Child);
    });
  }

  void name(SourceLocation Where, unsigned Depth) {
    Good &= Depth == 0;
    Named.push_back(Where);
  }

  bool isWrittenIn(SourceLocation Where, SourceRange Body) const {
    return Body.getBegin().isFileID() && Body.getEnd().isFileID() &&
           isIn(Sources, Where, Body);
  }

  /// Returns true for a single template whose instantiations all have the same
  /// type.
  bool isPlainTemplate(const UnresolvedLookupExpr &Name) const {
    if (!Name.hasExplicitTemplateArgs() || Name.getNumDecls() != 1 ||
        Name.containsUnexpandedParameterPack())
      return false;
    auto *T = dyn_cast<FunctionTemplateDecl>(*Name.decls_begin());
    if (!T || T->hasAssociatedConstraints() ||
        Sources.isInSystemHeader(T->getLocation()))
      return false;
    const FunctionDecl *F = T->getTemplatedDecl();
    return !isa<CXXMethodDecl>(F) &&
           !F->getType()->isInstantiationDependentType() &&
           !F->getReturnType()->isUndeducedType() && !F->isConstexpr() &&
           llvm::none_of(F->parameters(), [](const ParmVarDecl *P) {
             return P->hasDefaultArg();
           });
  }

  const SourceManager &Sources;
  SharedTemplate Result;
  std::vector<SourceLocation> Named, Locals;
  bool Good = true;
};

} // namespace

struct SharedBodies::TemplateRecord {
  std::optional<SharedTemplate> Shared;
  FunctionDecl *First = nullptr; ///< left to clang to instantiate
  SourceLocation FirstWhere;
  bool FirstIsShared = false;
  /// The instantiations that were made, by the decisions of their branches.
  std::map<std::vector<bool>, const FunctionDecl *> Made;
};

SharedBodies::SharedBodies() = default;
SharedBodies::~SharedBodies() = default;

int SharedTemplate::callAt(SourceLocation Where) const {
  auto Found = llvm::find_if(Calls, [&](const DependentCall &C) {
    return C.Name->getBeginLoc() == Where;
  });
  return Found == Calls.end() ? -1 : Found - Calls.begin();
}

SharedBodies::TemplateRecord &SharedBodies::look(const FunctionDecl *Pattern) {
  std::unique_ptr<TemplateRecord> &Entry =
      Templates[Pattern->getCanonicalDecl()];
  if (!Entry) {
    Entry = std::make_unique<TemplateRecord>();
    const SourceManager &Sources = Semantics->getSourceManager();
    if (!Sources.isInSystemHeader(Pattern->getLocation()))
      Entry->Shared = PatternReader(Sources).read(Pattern);
  }
  return *Entry;
}

/// Returns true for a namespace, or a class outside of templates.
static bool isPlainContext(const DeclContext *C) {
  const auto *Class = dyn_cast<CXXRecordDecl>(C);
  return C->isFileContext() ||
         (Class && !Class->isLambda() && !Class->isDependentContext() &&
          !isa<ClassTemplateSpecializationDecl>(Class) &&
          isPlainContext(Class->getDeclContext()));
}

/// Returns the definition of which \p F is an instantiation, if there is only
/// one level of templates.
static const FunctionDecl *findPattern(const FunctionDecl *F) {
  if (!F->getPrimaryTemplate() || F->hasAttr<CUDAGlobalAttr>() ||
      F->getTemplateSpecializationKind() != TSK_ImplicitInstantiation ||
      !isPlainContext(F->getDeclContext()))
    return nullptr;
  const FunctionDecl *Pattern = F->getTemplateInstantiationPattern();
  const FunctionDecl *Definition = nullptr;
  return Pattern && Pattern->isDefined(Definition) ? Definition : nullptr;
}

/// Called when clang has appended \p F to its list of pending instantiations.
void SharedBodies::requested(FunctionDecl *F) {
  auto &Pending = Semantics->PendingInstantiations;
  if (Pending.empty() || Pending.back().first != F)
    return;
  const FunctionDecl *Pattern = findPattern(F);
  if (!Pattern)
    return;
  TemplateRecord &Record = look(Pattern);
  if (!Record.Shared)
    return;
  if (!Record.First) {
    Record.First = F;
    Record.FirstWhere = Pending.back().second;
    return;
  }
  Waiting.push_back({F, Pending.back().second, &Record});
  Pending.pop_back();
}

/// Returns true if \p Where is in a branch that \p Decisions discard.
static bool isDiscarded(const SourceManager &Sources, SourceLocation Where,
                        const SharedTemplate &Pattern,
                        const std::vector<bool> &Decisions) {
  for (size_t I = 0; I < Decisions.size(); ++I) {
    const SharedTemplate::Branch &B = Pattern.Branches[I];
    if (isIn(Sources, Where, Decisions[I] ? B.Else : B.Then))
      return true;
  }
  return false;
}

static MultiLevelTemplateArgumentList getArguments(const FunctionDecl *F) {
  return MultiLevelTemplateArgumentList(
      const_cast<FunctionDecl *>(F),
      F->getTemplateSpecializationArgs()->asArray(), /*Final=*/false);
}

/// Returns the branches of \p Pattern that \p F takes.
std::vector<bool> SharedBodies::decide(const FunctionDecl *F,
                                       SourceLocation Where,
                                       const SharedTemplate &Pattern) {
  std::vector<bool> Decisions;
  if (Pattern.Branches.empty())
    return Decisions;
  Sema::InstantiatingTemplate Instantiating(*Semantics, Where,
                                            const_cast<FunctionDecl *>(F));
  EnterExpressionEvaluationContext Constant(
      *Semantics, Sema::ExpressionEvaluationContext::ConstantEvaluated);
  const SourceManager &Sources = Semantics->getSourceManager();
  for (const SharedTemplate::Branch &B : Pattern.Branches) {
    // A condition in a discarded branch is not evaluated; outer ones come
    // first.
    if (isDiscarded(Sources, B.Condition->getBeginLoc(), Pattern, Decisions)) {
      Decisions.push_back(false);
      continue;
    }
    ExprResult Condition = Semantics->SubstExpr(B.Condition, getArguments(F));
    bool Value = false;
    if (Condition.isUsable())
      Condition = Semantics->CheckBooleanCondition(
          B.Condition->getBeginLoc(), Condition.get(), /*IsConstexpr=*/true);
    if (!Condition.isUsable() || Condition.get()->isValueDependent() ||
        !Condition.get()->EvaluateAsBooleanCondition(Value, Semantics->Context))
      distrust();
    Decisions.push_back(Value);
  }
  return Decisions;
}

/// Returns the callee of \p Call in \p F and marks it as referenced, as clang
/// would.
FunctionDecl *SharedBodies::substitute(FunctionDecl *F, SourceLocation Where,
                                       const DependentCall &Call) {
  Sema::InstantiatingTemplate Instantiating(*Semantics, Where, F);
  TemplateArgumentListInfo Arguments(Call.Name->getLAngleLoc(),
                                     Call.Name->getRAngleLoc());
  sema::TemplateDeductionInfo Info(Where);
  FunctionDecl *Callee = nullptr;
  if (Instantiating.isInvalid() ||
      Semantics->SubstTemplateArguments(Call.Name->template_arguments(),
                                        getArguments(F), Arguments) ||
      Semantics->DeduceTemplateArguments(Call.Template, &Arguments, Callee,
                                         Info) !=
          TemplateDeductionResult::Success) {
    distrust();
    return nullptr;
  }
  // A type may depend on its value.
  if (Callee->isConstexpr())
    distrust();
  Callees.insert(Call.Template->getCanonicalDecl());
  Semantics->MarkFunctionReferenced(Call.Name->getNameLoc(), Callee);
  return Callee;
}

void SharedBodies::share(FunctionDecl *F, SourceLocation Where,
                         TemplateRecord &Record) {
  if (F != Record.First && !std::exchange(Record.FirstIsShared, true)) {
    if (!findPattern(Record.First))
      return distrust();
    share(Record.First, Record.FirstWhere, Record);
  }
  const SharedTemplate &Shared = *Record.Shared;
  const SourceManager &Sources = Semantics->getSourceManager();
  std::vector<bool> Decisions = decide(F, Where, Shared);
  const FunctionDecl *&SharedBody = Record.Made[Decisions];
  if (!SharedBody) {
    Semantics->InstantiateFunctionDefinition(Where, F, /*Recursive=*/true);
    if (!F->isDefined(SharedBody))
      return distrust();
  }
  SharedInstance Instance{&Shared, SharedBody, {}};
  for (const DependentCall &Call : Shared.Calls)
    Instance.Callees.push_back(
        isDiscarded(Sources, Call.Name->getBeginLoc(), Shared, Decisions)
            ? nullptr
            : substitute(F, Where, Call));
  Instances[F->getCanonicalDecl()] = std::move(Instance);
}

void SharedBodies::finish() {
  // Referenced functions may be launchers, too. One that refers to itself would
  // never end; clang has a limit.
  constexpr unsigned MaxRounds = 16;
  for (unsigned Round = 0; Trusted && !Waiting.empty(); ++Round) {
    std::deque<Withheld> Now = std::exchange(Waiting, {});
    for (const Withheld &W : Now) {
      // It may have been instantiated explicitly since.
      if (Round == MaxRounds || W.Function->isDefined() ||
          !findPattern(W.Function))
        return distrust();
      share(W.Function, W.Where, *W.Of);
    }
    Semantics->PerformPendingInstantiations();
  }
}

const SharedInstance *SharedBodies::find(const FunctionDecl *F) const {
  auto Found = Instances.find(F->getCanonicalDecl());
  return Found == Instances.end() ? nullptr : &Found->second;
}

const FunctionDecl *SharedBodies::getBody(const FunctionDecl *F) const {
  const FunctionDecl *Definition = nullptr;
  if (F->hasBody(Definition))
    return Definition;
  const SharedInstance *I = find(F);
  return I ? I->Body : nullptr;
}
