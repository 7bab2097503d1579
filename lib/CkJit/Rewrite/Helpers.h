//===- Helpers.h - templates that only pass their arguments on --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Helpers.cpp finds out about a function template, and HelperCopy.cpp
// writes down: one function with slots as parameters in the place of thousands
// of instantiations.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_REWRITE_HELPERS_H
#define KPACK_LIB_CKJIT_REWRITE_HELPERS_H

#include "RewritePlan.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace kpack::ckjit {

/// A decided `if constexpr`: all of it, and the branch that stays.
struct Branch {
  Range All;
  std::optional<Range> Kept;
};

struct Instance;

/// A call of what a blob defines, or of another helper's instantiation.
struct HelperCall {
  const Use *Site = nullptr;
  Instance *Target = nullptr;
};

/// One instantiation: what it calls, by place, and how it decides.
struct Instance {
  const clang::FunctionDecl *Function = nullptr;
  std::map<unsigned, HelperCall> Calls; ///< by offset of the name
  std::map<unsigned, Branch> Branches;
  // What it becomes.
  std::string Name;
  std::vector<std::string> Parameters; ///< names of the slots it is passed
  std::vector<int> Slots;
};

struct Helper {
  const clang::FunctionTemplateDecl *Template = nullptr;
  const clang::FunctionDecl *Pattern = nullptr;
  clang::FileID File; ///< where it is defined; ranges are of this file
  llvm::StringRef Text;
  llvm::MapVector<const clang::FunctionDecl *, Instance> Instances;
  std::vector<const Use *> Callers;
  llvm::SmallPtrSet<Helper *, 4> Callees;
  std::string Why; ///< it stays a template; empty: it does not
  Range Declaration, Function, Body;
  Range Parameters; ///< without the parentheses

  bool isMember() const { return llvm::isa<clang::CXXMethodDecl>(Pattern); }
};

/// Replaces the template by functions, in its own place, in front of the first
/// function (of a header) or in its callers (a member). Those that \p H calls
/// have been replaced before.
void copyHelper(RewritePlan &Plan, Helper &H);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_REWRITE_HELPERS_H
