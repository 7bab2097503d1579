//===- Helpers.h - templates that forward to kernels ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data about a function template that Helpers.cpp collects for
// HelperCopy.cpp, which replaces thousands of instantiations by one function
// with slots as parameters.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_REWRITE_HELPERS_H
#define KPACK_LIB_CKJIT_REWRITE_HELPERS_H

#include "RewritePlan.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace kpack::ckjit {

/// A decided `if constexpr`: its range, and that of the branch that stays.
struct Branch {
  Range All;
  std::optional<Range> Kept;
};

struct Instance;

/// A call of a blob's function, or of another helper's instantiation.
struct HelperCall {
  const Use *Site = nullptr;
  Instance *Target = nullptr;
};

/// An instantiation: its calls and decided branches, by offset.
struct Instance {
  const clang::FunctionDecl *Function = nullptr;
  std::map<unsigned, HelperCall> Calls; ///< by offset of the name
  std::map<unsigned, Branch> Branches;
  // The resulting function.
  std::string Name;
  std::vector<std::string> Parameters; ///< names of the slots that it receives
  std::vector<int> Slots;
};

struct Helper {
  const clang::FunctionTemplateDecl *Template = nullptr;
  const clang::FunctionDecl *Pattern = nullptr;
  clang::FileID File; ///< of its definition; ranges are in this file
  llvm::StringRef Text;
  llvm::MapVector<const clang::FunctionDecl *, Instance> Instances;
  std::vector<const Use *> Callers;
  llvm::SmallPtrSet<Helper *, 4> Callees;
  std::string Why; ///< reason to keep the template; empty: it is replaced
  Range Declaration, Function, Body;
  Range Parameters; ///< without the parentheses

  bool isMember() const { return llvm::isa<clang::CXXMethodDecl>(Pattern); }
};

/// Replaces the template by functions: in place, before the first function (of
/// a header) or in its callers (a member). The helpers that \p H calls must be
/// replaced already.
void copyHelper(RewritePlan &Plan, Helper &H);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_REWRITE_HELPERS_H
