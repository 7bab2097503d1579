//===- Parse.h - clang's parse of a translation unit ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Used by the index and the rewriter: runs clang's front end over a file, on a
// thread with a stack for else-if chains of thousands of branches, and
// describes the specializations in it.
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

/// Text that replaces a file.
struct VirtualFile {
  std::string Path; ///< absolute
  std::string Text;
};

class SharedBodies;

struct ParseProblem {
  std::string File; ///< as clang names it; empty without a location
  std::string Message;
};

/// Parses \p Path, calls \p Use with the result, even after errors, and returns
/// the errors. If bodies are skipped, those that \p WantsBody accepts are still
/// parsed. \p Shared, if given, keeps bodies from being instantiated.
std::vector<ParseProblem> parseSource(
    llvm::StringRef Path, const SourceOptions &Options,
    llvm::ArrayRef<VirtualFile> Files, bool SkipBodies,
    llvm::function_ref<void(clang::ASTContext &)> Use,
    llvm::function_ref<bool(const clang::FunctionDecl *)> WantsBody = nullptr,
    SharedBodies *Shared = nullptr);

/// Parses the existing \p Files as one translation unit, skipping bodies.
std::vector<ParseProblem> parseTogether(
    llvm::ArrayRef<VirtualFile> Files, const SourceOptions &Options,
    llvm::function_ref<void(clang::ASTContext &)> Use,
    llvm::function_ref<bool(const clang::FunctionDecl *)> WantsBody = nullptr);

/// Parses \p Path with shared bodies, and \p Short instead of it if given. If
/// \p Use withdraws its trust, or the text does not compile, parses the
/// unchanged file again, with a body for each instantiation. The last call of
/// \p Use counts.
std::vector<ParseProblem> parseDispatcher(
    llvm::StringRef Path, const SourceOptions &Options,
    llvm::ArrayRef<VirtualFile> Short,
    llvm::function_ref<void(clang::ASTContext &, SharedBodies &)> Use);

/// Makes one error of all \p Problems, "<object>: <what>; <how to fix>".
llvm::Error toError(llvm::StringRef Object,
                    llvm::ArrayRef<ParseProblem> Problems);

/// Returns a function's name for messages, and its type.
std::string readableName(const clang::FunctionDecl *F);
std::string getSignature(const clang::FunctionDecl *F);
/// Returns the type for a stub's call: "float(args)".
std::string getCallType(const clang::FunctionDecl *F);
/// Returns \p Type so that it is valid in every scope; declares \p Name unless
/// that is empty.
std::string qualifiedType(clang::QualType Type,
                          const clang::ASTContext &Context,
                          llvm::StringRef Name = "");
clang::PrintingPolicy printingPolicy(const clang::ASTContext &Context);

/// Returns the "file:line:column" of \p Location.
std::string placeOf(const clang::SourceManager &Sources,
                    clang::SourceLocation Location);

/// Returns the file of \p Location, ignoring #line; empty if there is none.
llvm::StringRef getFile(const clang::SourceManager &Sources,
                        clang::SourceLocation Location);

/// Returns true if \p Name is a template template parameter.
bool isTemplateParameter(clang::TemplateName Name);

/// Returns true if \p F is a specialization that another file must define.
bool isUndefinedSpecialization(const clang::FunctionDecl *F,
                               const clang::SourceManager &Sources);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_REWRITE_PARSE_H
