//===- RewritePlan.h - what will change in a dispatcher ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// State shared by the steps of the rewriter: Rewriter.cpp runs them in order,
// Helpers.cpp, HelperCopy.cpp, Specialize.cpp, LocalNames.cpp and Table.cpp are
// one each. An edit replaces a range of the main file by text with slots in it,
// so that the table can put something else in the place of a slot's name.
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

/// By text, in the order of insertion.
template <typename T>
using TextMap =
    llvm::MapVector<std::string, T, std::map<std::string, unsigned>>;

/// A piece of new text, or the name or the address of slot number Slot.
struct Piece {
  std::string Text;
  int Slot = -1;
  bool Address = false;
  std::string write(llvm::function_ref<std::string(int)> NameSlot) const;
};

/// Half-open range of offsets in the main file.
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
  /// Whole statements, to be formatted; else it continues the line it is on.
  bool Block = false;
};

class RewritePlan {
public:
  RewritePlan(clang::ASTContext &Context, SharedBodies &Shared,
              const BlobIndex &Blobs, const RewriteOptions &Options,
              RewriteReport &Report);

  /// The steps, in the order in which they must run.
  void planHelpers();
  void planLeaves();
  void planSpecializations();
  void dropUnusedNames();
  void planTables();

  /// Everything that is put in front of the first function.
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
  /// By where they begin; never overlapping.
  std::map<unsigned, Edit> Edits;

  /// Instantiations, and what they are made of, that nothing calls any more.
  llvm::DenseSet<const clang::FunctionDecl *> Replaced;
  /// Copies of functions of headers, for the front.
  std::string Functions;

  /// Number of the slot for \p F, which some blob defines.
  int slotOf(const clang::FunctionDecl *F);
  std::string slotName(int Slot) const;

  /// Where \p Tokens stand in \p File, by default the main file; nothing for
  /// macros and other files.
  std::optional<Range> rangeOf(clang::SourceRange Tokens,
                               clang::FileID File = {}) const;
  /// From the expression to just past the '(' of its call, if it is one.
  std::optional<Range> calleeRange(const Use &U, clang::FileID File = {}) const;
  /// Is anything written between the parentheses of the call?
  bool hasArguments(const Use &U) const;
  /// Is \p F written down in the main file, and no template?
  bool isPlainMainFile(const clang::FunctionDecl *F) const;
  /// The functions of that kind that have uses in them, in the order of those.
  llvm::SetVector<const clang::FunctionDecl *> plainUsers() const;

  void addEdit(Edit E);
  /// "file:line:column: What", for the report.
  void note(clang::SourceLocation Where, const llvm::Twine &What);

  /// "#line" for what stands at \p Offset of \p File; empty if not wanted.
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
  /// Undefined uses that no edit covers: they need a specialisation.
  std::vector<const Use *> Rest;
  std::string Specializations;
};

/// \p At of \p Text with the edits inside of it; \p NameSlot writes a slot.
std::string render(llvm::StringRef Text, Range At,
                   const std::map<unsigned, Edit> &With,
                   llvm::function_ref<std::string(int)> NameSlot);

/// \p Text with everything that no identifier may have replaced by '_'.
std::string toIdentifier(llvm::StringRef Text);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_REWRITE_REWRITEPLAN_H
