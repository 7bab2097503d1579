//===- Specialize.cpp - explicit specializations as stubs -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A template whose arguments matter beyond the calls stays unchanged. The
// functions that it references are defined before the first function: as
// explicit specializations that call the slot.
//
//===----------------------------------------------------------------------===//
#include "RewritePlan.h"

using namespace clang;
using namespace kpack;
using namespace kpack::ckjit;

static std::string specialization(const FunctionDecl *F,
                                  const std::string &Slot) {
  const ASTContext &Context = F->getASTContext();
  std::string Parameters, Arguments;
  for (unsigned I = 0; I < F->getNumParams(); ++I) {
    std::string Name = "a" + std::to_string(I);
    QualType Type = F->getParamDecl(I)->getType();
    Parameters += (I ? ", " : "") + qualifiedType(Type, Context, Name);
    Arguments += ", " + (Type->isRValueReferenceType()
                             ? "static_cast<" + qualifiedType(Type, Context) +
                                   ">(" + Name + ")"
                             : Name);
  }
  std::string Head = readableName(F) + "(" + Parameters + ")";
  // Hidden: a loaded blob must use its own definition.
  return "template <>\n__attribute__((visibility(\"hidden\"))) " +
         qualifiedType(F->getReturnType(), Context) + " " + Head +
         " {\n    return ck_jit_call<" + getCallType(F) + ">(" + Slot +
         Arguments + ");\n}\n\n";
}

void RewritePlan::planSpecializations() {
  llvm::DenseMap<const FunctionDecl *, unsigned> Done;
  llvm::DenseMap<const FunctionDecl *, bool> Told;
  for (const Use *U : Rest) {
    const FunctionDecl *F = U->Callee->getCanonicalDecl();
    const FunctionDecl *Pattern =
        U->In ? U->In->getTemplateInstantiationPattern() : nullptr;
    if (Told.try_emplace(Pattern ? Pattern : U->In, true).second)
      note(U->Expression->getBeginLoc(),
           "left as it is: calls come out of a template that cannot be "
           "replaced, or are no plain calls; specialisations call the stubs");
    if (!Done.try_emplace(F, 0).second)
      continue;
    Specializations += specialization(F, slotName(getSlot(F)));
    ++Report.Specialized;
  }
}
