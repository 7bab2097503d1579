//===- Definitions.cpp - functions that a kernel source defines -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies may have been skipped.
//
//===----------------------------------------------------------------------===//
#include "Definitions.h"
#include "AstVisitor.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Config/llvm-config.h"

using namespace clang;
using namespace kpack;
using namespace kpack::ckjit;

namespace {

class DefinitionVisitor : public AstVisitor {
public:
  DefinitionVisitor(ASTContext &Context,
                    llvm::function_ref<void(const FoundFunction &)> OnFunction,
                    llvm::function_ref<void(const FoundVariable &)> OnVariable)
      : Context(Context), Names(Context),
        Mangler(
            ItaniumMangleContext::create(Context, Context.getDiagnostics())),
        OnFunction(OnFunction), OnVariable(OnVariable) {}

  bool VisitFunctionDecl(FunctionDecl *F) override {
    if (!F->isThisDeclarationADefinition() || F->isDeleted() ||
        F->isTemplated())
      return true;
    if (F->getTemplateSpecializationKind() == TSK_ExplicitSpecialization)
      add(F, F->getLocation(), F->isInlined());
    else if (isPlain(F))
      add(F, F->getLocation(), F->isInlined());
    return true;
  }

  bool VisitFunctionTemplateDecl(FunctionTemplateDecl *T) override {
    if (!T->isCanonicalDecl())
      return true;
    for (FunctionDecl *F : T->specializations())
      if (isInstantiationDefinition(F))
        add(F, F->getPointOfInstantiation(), /*Weak=*/true);
    return true;
  }

  bool VisitClassTemplateDecl(ClassTemplateDecl *T) override {
    if (!T->isCanonicalDecl())
      return true;
    for (ClassTemplateSpecializationDecl *Class : T->specializations())
      if (Class->getSpecializationKind() == TSK_ExplicitInstantiationDefinition)
        addMembers(Class, Class->getPointOfInstantiation());
    return true;
  }

  bool VisitVarDecl(VarDecl *V) override {
    if (V->isFileVarDecl() && !V->isTemplated() && V->isExternallyVisible() &&
        V->isThisDeclarationADefinition() == VarDecl::Definition)
      addVariable(V, V->getLocation());
    return true;
  }

private:
  static bool isInstantiationDefinition(const FunctionDecl *F) {
    return F->getTemplateSpecializationKind() ==
               TSK_ExplicitInstantiationDefinition &&
           F->isDefined();
  }

  /// Returns true for a function that is no template and that another file may
  /// call.
  static bool isPlain(const FunctionDecl *F) {
    if (F->getTemplateSpecializationKind() != TSK_Undeclared ||
        !F->isExternallyVisible() || F->isMain() || F->isConsteval())
      return false;
    // No other file can name a class that the blob defines.
    return !isa<CXXMethodDecl>(F) || F->isOutOfLine();
  }

  /// Returns true for arguments that the stub of a late function (Seam.cpp)
  /// does not save while it waits.
  static bool takesWideVectors(const FunctionDecl *F) {
    const ASTContext &Context = F->getASTContext();
    return llvm::any_of(F->parameters(), [&](const ParmVarDecl *P) {
      QualType T = P->getType();
      return !T->isReferenceType() && !T->isDependentType() &&
             !T->isIncompleteType() && Context.getTypeAlign(T) > 128;
    });
  }

  void add(const FunctionDecl *F, SourceLocation Where, bool Weak) {
    if (F->hasAttr<CUDADeviceAttr>() && !F->hasAttr<CUDAHostAttr>())
      return;
    // The symbol of a kernel is the variable by which the runtime identifies
    // it.
    if (F->hasAttr<CUDAGlobalAttr>() || takesWideVectors(F))
      return addVariable(F, Where);
    if (isa<CXXConstructorDecl, CXXDestructorDecl>(F))
      for (std::string &Symbol : Names.getAllManglings(F))
        OnFunction({F, std::move(Symbol), Where, Weak});
    else
      OnFunction({F, Names.getName(F), Where, Weak});
    addKeyFunction(dyn_cast<CXXMethodDecl>(F), Where);
  }

  void addVariable(const NamedDecl *D, SourceLocation Where) {
    OnVariable({Names.getName(D), D->getQualifiedNameAsString(), Where});
  }

  void addMembers(const ClassTemplateSpecializationDecl *Class,
                  SourceLocation Where) {
    for (const Decl *D : Class->decls()) {
      if (const auto *Method = dyn_cast<CXXMethodDecl>(D)) {
        if (isInstantiationDefinition(Method) && !Method->isDeleted())
          add(Method, Where, /*Weak=*/true);
      } else if (const auto *V = dyn_cast<VarDecl>(D)) {
        addVariable(V, Where);
      }
    }
    if (Class->isDynamicClass())
      addTables(Class, Where);
  }

  /// Adds the tables of a class, which are emitted with its key function: the
  /// first virtual function that is neither inline nor pure.
  void addKeyFunction(const CXXMethodDecl *Method, SourceLocation Where) {
    if (!Method || !Method->isVirtual() ||
        Method->getParent()->isDependentContext())
      return;
    const CXXMethodDecl *Key =
        Context.getCurrentKeyFunction(Method->getParent());
    if (Key && Key->getCanonicalDecl() == Method->getCanonicalDecl())
      addTables(Method->getParent(), Where);
  }

  void addTables(const CXXRecordDecl *Class, SourceLocation Where) {
#if LLVM_VERSION_MAJOR >= 22
    QualType Type = Context.getCanonicalTagType(Class);
#else
    QualType Type = Context.getTypeDeclType(Class);
#endif
    auto Add = [&](llvm::function_ref<void(llvm::raw_ostream &)> Write) {
      std::string Symbol;
      llvm::raw_string_ostream OS(Symbol);
      Write(OS);
      OnVariable({Symbol, Class->getQualifiedNameAsString(), Where});
    };
    Add([&](auto &OS) { Mangler->mangleCXXVTable(Class, OS); });
    Add([&](auto &OS) { Mangler->mangleCXXRTTI(Type, OS); });
    Add([&](auto &OS) { Mangler->mangleCXXRTTIName(Type, OS); });
  }

  ASTContext &Context;
  ASTNameGenerator Names;
  std::unique_ptr<ItaniumMangleContext> Mangler;
  llvm::function_ref<void(const FoundFunction &)> OnFunction;
  llvm::function_ref<void(const FoundVariable &)> OnVariable;
};

} // namespace

void ckjit::findDefinitions(
    ASTContext &Context,
    llvm::function_ref<void(const FoundFunction &)> OnFunction,
    llvm::function_ref<void(const FoundVariable &)> OnVariable) {
  DefinitionVisitor Visitor(Context, OnFunction, OnVariable);
  const SourceManager &Sources = Context.getSourceManager();
  for (Decl *D : Context.getTranslationUnitDecl()->decls())
    if (!Sources.isInSystemHeader(D->getLocation()))
      Visitor.TraverseDecl(D);
}
