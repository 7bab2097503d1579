//===- RewritePlan.h - edits of a dispatching source file -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// State shared by the steps of the rewriter: Rewriter.cpp runs them in order;
// Helpers.cpp, HelperCopy.cpp, Specialize.cpp, LocalNames.cpp and
// ChainTable.cpp are a step each. An edit replaces a range of the main file by
// text with slots, so that the table can replace a slot's name.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_REWRITE_REWRITEPLAN_H
#define KPACK_LIB_CKJIT_REWRITE_REWRITEPLAN_H

#include "References.h"
#include "SharedBodies.h"

#include "CkJit/Rewrite/Rewriter.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <optional>

namespace kpack::ckjit {

/// A map by text, in the order of insertion.
template <typename T>
using TextMap =
    llvm::MapVector<std::string, T, std::map<std::string, unsigned>>;

/// A piece of new text, or the name or address of slot number Slot.
struct Piece {
  std::string Text;
  int Slot = -1;
  bool Address = false;
  std::string write(llvm::function_ref<std::string(int)> NameSlot) const;
};

/// A half-open range of offsets in the main file.
struct Range {
  unsigned Begin = 0, End = 0;
  bool contains(unsigned Offset) const {
    return Begin <= Offset && Offset < End;
  }
  bool contains(Range Other) const {
    return Begin <= Other.Begin && Other.End <= End;
  }
};

struct Edit {
  Range At;
  std::vector<Piece> Pieces;
  /// Whole statements, to be formatted; else it continues its line.
  bool Block = false;
};

class RewritePlan {
public:
  RewritePlan(clang::ASTContext &Context, SharedBodies &Shared,
              const BlobIndex &Blobs, const RewriteOptions &Options,
              RewriteReport &Report);

  /// The steps, in the required order.
  void planHelpers();
  void planLeaves();
  void planSpecializations();
  void dropUnusedNames();
  void planTables();

  /// Returns the text to insert before the first function.
  std::string preamble() const;

  clang::ASTContext &Context;
  clang::SourceManager &Sources;
  const SharedBodies &Shared;
  const BlobIndex &Blobs;
  const RewriteOptions &Options;
  RewriteReport &Report;
  llvm::StringRef Text; ///< of the main file
  DispatcherUses Uses;
  std::vector<Reference> References;
  /// By start offset; never overlapping.
  std::map<unsigned, Edit> Edits;

  /// Instantiations and their patterns that nothing calls any more.
  llvm::DenseSet<const clang::FunctionDecl *> Replaced;
  /// Copies of header functions, for the preamble.
  std::string Functions;

  /// Returns the number of the slot for \p F, which a blob must define.
  int getSlot(const clang::FunctionDecl *F);
  std::string slotName(int Slot) const;

  /// Returns the range of \p Tokens in \p File, by default the main file;
  /// nullopt for macros and other files.
  std::optional<Range> getRange(clang::SourceRange Tokens,
                                clang::FileID File = {}) const;
  /// Returns the range from the expression to the end of the call's '(', if it
  /// is called.
  std::optional<Range> calleeRange(const Use &U, clang::FileID File = {}) const;
  /// Returns true if there is text between the parentheses of the call.
  bool hasArguments(const Use &U) const;
  /// Returns true if \p F is in the main file and is no template.
  bool isPlainMainFile(const clang::FunctionDecl *F) const;
  /// Returns such functions that contain uses, in the order of the uses.
  llvm::SetVector<const clang::FunctionDecl *> plainUsers() const;

  void addEdit(Edit E);
  /// Adds "file:line:column: What" to the report.
  void note(clang::SourceLocation Where, const llvm::Twine &Message);

  /// Returns a "#line" for \p Offset of \p File; empty if not requested.
  std::string lineDirective(unsigned Offset, clang::FileID File) const;

private:
  struct Slot {
    std::string Name;
    const Definition *Blob;
    const clang::FunctionDecl *Function;
  };
  std::string constantFunction(const Slot &S, llvm::StringRef Name) const;
  std::vector<Slot> Slots;
  llvm::DenseMap<const clang::FunctionDecl *, int> SlotNumbers;
  llvm::StringMap<unsigned> SymbolsOfStem;
  clang::ASTNameGenerator Names;
  /// Undefined uses without an edit: they need a specialization.
  std::vector<const Use *> Rest;
  std::string Specializations;
};

/// Returns the range \p Place of \p Text with its edits; \p NameSlot writes a
/// slot.
std::string render(llvm::StringRef Text, Range Place,
                   const std::map<unsigned, Edit> &With,
                   llvm::function_ref<std::string(int)> NameSlot);

/// Replaces all characters of \p Text that identifiers cannot have by '_'.
std::string toIdentifier(llvm::StringRef Text);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_REWRITE_REWRITEPLAN_H
