//===- Constants.cpp - functions that return a constant -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang's constant evaluator does the work; it rejects all that depends on
// values unknown at compile time.
//
//===----------------------------------------------------------------------===//
#include "Constants.h"
#include "Definitions.h"
#include "SourceReduction.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;
using namespace kpack;
using namespace kpack::ckjit;
using llvm::StringRef;

/// Returns true if the body after \p Where is one return statement.
static bool isOneReturn(SourceLocation Where, const SourceManager &Sources,
                        const LangOptions &Language) {
  auto [File, Offset] = Sources.getDecomposedLoc(Where);
  bool IsInvalid = false;
  StringRef Text = Sources.getBufferData(File, &IsInvalid);
  if (Where.isMacroID() || IsInvalid)
    return false;
  Lexer Lex(Sources.getLocForStartOfFile(File), Language, Text.begin(),
            Text.begin() + Offset, Text.end());
  Token T;
  auto SkipTo = [&](tok::TokenKind Wanted) {
    for (int Depth = 0; !Lex.LexFromRawLexer(T);) {
      if (Depth == 0 && T.is(Wanted))
        return true;
      if (T.isOneOf(tok::l_paren, tok::l_brace))
        ++Depth;
      else if (T.isOneOf(tok::r_paren, tok::r_brace) && --Depth < 0)
        return false;
    }
    return false;
  };
  if (!SkipTo(tok::l_brace))
    return false;
  Lex.LexFromRawLexer(T);
  if (!T.is(tok::raw_identifier) || T.getRawIdentifier() != "return" ||
      !SkipTo(tok::semi))
    return false;
  Lex.LexFromRawLexer(T);
  return T.is(tok::r_brace);
}

/// Returns the number of parameters, including the object of a member function.
static unsigned getParameters(const FunctionDecl *F) {
  const auto *Method = dyn_cast<CXXMethodDecl>(F);
  return F->getNumParams() + (Method && Method->isInstance());
}

/// Returns true if an object of its file may lack it: it is inline,
/// instantiated, declared weak, or not externally visible.
static bool isWeak(const FunctionDecl *F) {
  return F->hasAttr<WeakAttr>() ||
         F->getASTContext().GetGVALinkageForFunction(F) != GVA_StrongExternal;
}

bool ckjit::mayReturnConstant(const FunctionDecl *F,
                              const SourceManager &Sources) {
  QualType Result = F->getReturnType().getCanonicalType();
  if (F->isTemplated() || F->isTemplateInstantiation() || F->isVariadic() ||
      Result->isDependentType())
    return false;
  bool IsNumber = (Result->isIntegralOrEnumerationType() &&
                   F->getASTContext().getTypeSize(Result) <= 64) ||
                  Result->isSpecificBuiltinType(BuiltinType::Float) ||
                  Result->isSpecificBuiltinType(BuiltinType::Double);
  return IsNumber && (getParameters(F) == 0 ||
                      isOneReturn(F->getLocation(), Sources,
                                  F->getASTContext().getLangOpts()));
}

static std::optional<ConstantResult> toResult(const APValue &Value,
                                              QualType Type) {
  using Kind = ConstantResult::Kind;
  if (Value.isInt() && Value.getInt().getBitWidth() <= 64)
    return ConstantResult{Kind::Integer,
                          Value.getInt().extOrTrunc(64).getZExtValue(), 0, 0};
  if (!Value.isFloat())
    return std::nullopt;
  uint64_t Bits = Value.getFloat().bitcastToAPInt().getZExtValue();
  return ConstantResult{Type->isSpecificBuiltinType(BuiltinType::Float)
                            ? Kind::Float
                            : Kind::Double,
                        Bits, 0, 0};
}

static std::optional<ConstantResult> evaluate(const Expr *E,
                                              const ASTContext &Context) {
  Expr::EvalResult Result;
  if (!E || E->isValueDependent() || E->containsErrors() ||
      !E->EvaluateAsRValue(Result, Context) || Result.HasSideEffects)
    return std::nullopt;
  return toResult(Result.Val, E->getType().getCanonicalType());
}

/// Creates a call without arguments.
static const Expr *findCall(const FunctionDecl *F) {
  ASTContext &Context = F->getASTContext();
  auto *Callee = DeclRefExpr::Create(
      Context, NestedNameSpecifierLoc(), SourceLocation(),
      const_cast<FunctionDecl *>(F), /*RefersToEnclosingVariableOrCapture=*/
      false, F->getLocation(), F->getType(), VK_LValue);
  auto *Pointer = ImplicitCastExpr::Create(
      Context, Context.getPointerType(F->getType()), CK_FunctionToPointerDecay,
      Callee, nullptr, VK_PRValue, FPOptionsOverride());
  return CallExpr::Create(Context, Pointer, {}, F->getReturnType(), VK_PRValue,
                          F->getLocation(), FPOptionsOverride());
}

/// Returns the result of \p F without the data of its type.
static std::optional<ConstantResult> getNumber(const FunctionDecl *F) {
  const FunctionDecl *Definition = nullptr;
  const auto *Body = dyn_cast_or_null<CompoundStmt>(F->getBody(Definition));
  if (!Body || Definition->isInvalidDecl())
    return std::nullopt;
  if (Body->size() == 1)
    if (const auto *Return = dyn_cast<ReturnStmt>(Body->body_front()))
      if (auto Known = evaluate(Return->getRetValue(), F->getASTContext()))
        return Known;
  if (getParameters(F) != 0)
    return std::nullopt;
  // The evaluator decides whether it could have been declared constexpr.
  const_cast<FunctionDecl *>(Definition)
      ->setConstexprKind(ConstexprSpecKind::Constexpr);
  return evaluate(findCall(Definition), F->getASTContext());
}

std::optional<ConstantResult> ckjit::findConstantResult(const FunctionDecl *F) {
  std::optional<ConstantResult> Known = getNumber(F);
  if (Known) {
    Known->Size =
        F->getASTContext().getTypeSizeInChars(F->getReturnType()).getQuantity();
    Known->Parameters = getParameters(F);
    Known->Weak = isWeak(F);
  }
  return Known;
}

llvm::StringMap<ConstantResult>
ckjit::findConstants(llvm::ArrayRef<VirtualFile> Blobs,
                     const SourceOptions &Options) {
  llvm::StringSet<> Paths, Alone;
  std::vector<VirtualFile> Plain;
  for (const VirtualFile &F : Blobs) {
    Paths.insert(F.Path);
    // Macros of one blob would affect the blobs that are parsed after it
    // (#ifndef).
    if (definesMacros(F.Text))
      Alone.insert(F.Path);
    else
      Plain.push_back(F);
  }
  llvm::StringMap<llvm::StringMap<ConstantResult>> ByFile;
  auto WantsBody = [&](const FunctionDecl *F) {
    const SourceManager &Sources = F->getASTContext().getSourceManager();
    return Paths.contains(getFile(Sources, F->getLocation())) &&
           mayReturnConstant(F, Sources);
  };
  auto Collect = [&](ASTContext &Context) {
    findDefinitions(
        Context,
        [&](const FoundFunction &F) {
          StringRef File = getFile(Context.getSourceManager(), F.Where);
          if (!Paths.contains(File) || !WantsBody(F.Function))
            return;
          if (auto Known = findConstantResult(F.Function))
            ByFile[File][F.Symbol] = *Known;
        },
        [](const FoundVariable &) {});
  };
  bool Everyone = false;
  if (!Plain.empty())
    for (const ParseProblem &P :
         parseTogether(Plain, Options, Collect, WantsBody)) {
      Everyone |= !Paths.contains(P.File);
      Alone.insert(P.File);
    }
  for (const VirtualFile &F : Blobs)
    if (Everyone || Alone.contains(F.Path)) {
      ByFile.erase(F.Path);
      if (!parseSource(F.Path, Options, {}, /*SkipBodies=*/true, Collect,
                       WantsBody)
               .empty())
        ByFile.erase(F.Path);
    }
  llvm::StringMap<ConstantResult> All;
  for (const auto &[File, Constants] : ByFile)
    for (const auto &[Symbol, Value] : Constants)
      All.try_emplace(Symbol, Value);
  return All;
}
