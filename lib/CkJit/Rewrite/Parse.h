//===- Parse.h - one translation unit, and what it names --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the index and the rewriter: run clang's front end over a file, on a
// thread whose stack suits else-if chains of thousands of branches, and
// describe the specialisations in it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_REWRITE_PARSE_H
#define KPACK_LIB_CKJIT_REWRITE_PARSE_H

#include "CkJit/Rewrite/Index.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/TemplateName.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kpack::ckjit {

/// Text that stands for a file.
struct VirtualFile {
  std::string Path; ///< absolute
  std::string Text;
};

class SharedBodies;

struct ParseProblem {
  std::string File; ///< as clang names it; empty: no place
  std::string Message;
};

/// Parses \p Path and calls \p Use with what came of it, errors or not. Returns
/// the errors. Where bodies are skipped, those that \p WantsBody accepts are
/// not. \p Shared, if it is given, keeps bodies from being instantiated.
std::vector<ParseProblem> parseSource(
    llvm::StringRef Path, const SourceOptions &Options,
    llvm::ArrayRef<VirtualFile> Files, bool SkipBodies,
    llvm::function_ref<void(clang::ASTContext &)> Use,
    llvm::function_ref<bool(const clang::FunctionDecl *)> WantsBody = nullptr,
    SharedBodies *Shared = nullptr);

/// Parses \p Files, which there are, as one translation unit, and skips bodies.
std::vector<ParseProblem> parseTogether(
    llvm::ArrayRef<VirtualFile> Files, const SourceOptions &Options,
    llvm::function_ref<void(clang::ASTContext &)> Use,
    llvm::function_ref<bool(const clang::FunctionDecl *)> WantsBody = nullptr);

/// Parses \p Path with bodies that are shared, and \p Short in its place if it
/// is given. Where \p Use says that this cannot be trusted, or it does not
/// compile, once more as it is, with a body for each instantiation. What \p Use
/// is called with last counts.
std::vector<ParseProblem> parseDispatcher(
    llvm::StringRef Path, const SourceOptions &Options,
    llvm::ArrayRef<VirtualFile> Short,
    llvm::function_ref<void(clang::ASTContext &, SharedBodies &)> Use);

/// One error of all of \p Problems, "<object>: <what>; <how to fix>".
llvm::Error toError(llvm::StringRef Object,
                    llvm::ArrayRef<ParseProblem> Problems);

/// How a function is written in messages, and its type.
std::string readableName(const clang::FunctionDecl *F);
std::string signatureOf(const clang::FunctionDecl *F);
/// The type as a stub's call has it: "float(args)".
std::string callTypeOf(const clang::FunctionDecl *F);
/// \p Type, valid in every scope, declaring \p Name if that is not empty.
std::string qualifiedType(clang::QualType Type,
                          const clang::ASTContext &Context,
                          llvm::StringRef Name = "");
clang::PrintingPolicy printingPolicy(const clang::ASTContext &Context);

/// "file:line:column" where \p Location stands in the source.
std::string placeOf(const clang::SourceManager &Sources,
                    clang::SourceLocation Location);

/// The file that \p Location stands in, whatever #line says; empty: none.
llvm::StringRef fileOf(const clang::SourceManager &Sources,
                       clang::SourceLocation Location);

/// Is \p Name a parameter of a template, which stands for a template?
bool isTemplateParameter(clang::TemplateName Name);

/// Is \p F a specialisation that another file must define?
bool isUndefinedSpecialization(const clang::FunctionDecl *F,
                               const clang::SourceManager &Sources);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_REWRITE_PARSE_H
