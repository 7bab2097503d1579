//===- Rewriter.cpp - source rewriter of kernel calls ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the steps of RewritePlan.h over the AST, then writes the main file with
// the edits and with the slots before the first function, and formats changed
// lines.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Rewrite/Rewriter.h"

#include "RewritePlan.h"

#include "clang/AST/DeclCXX.h"
#include "clang/Format/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace kpack;
using namespace kpack::ckjit;
using llvm::StringRef;

llvm::json::Value RewriteReport::toJson() const {
  return llvm::json::Object{{"schema", "ck-jit-rewrite 1"},
                            {"references", References},
                            {"leaves", Leaves},
                            {"helpers", Helpers},
                            {"specialized", Specialized},
                            {"dropped", Dropped},
                            {"tables", Tables},
                            {"tableRows", TableRows},
                            {"notes", llvm::json::Array(Notes)}};
}

namespace {

/// New text, and its ranges that are not in the original.
struct Output {
  std::string Code;
  std::vector<tooling::Range> Changed;

  void copy(StringRef Text) { Code += Text; }
  void add(StringRef Text) {
    Changed.push_back(tooling::Range(Code.size(), Text.size()));
    Code += Text;
  }
};

/// Text between two characters of the original.
struct Insertion {
  std::string Preamble;
  std::string LineDirective;
};

} // namespace

/// Returns the start of the line on which \p D, or its comment, begins.
static unsigned getLine(const RewritePlan &Plan, const Decl *D) {
  unsigned Offset = Plan.Sources.getFileOffset(D->getBeginLoc());
  if (const RawComment *Comment = Plan.Context.getRawCommentForDeclNoCache(D))
    if (Plan.Sources.isInMainFile(Comment->getBeginLoc()))
      Offset =
          std::min(Offset, Plan.Sources.getFileOffset(Comment->getBeginLoc()));
  size_t Newline = Plan.Text.take_front(Offset).rfind('\n');
  return Newline == StringRef::npos ? 0 : Newline + 1;
}

static bool holdsCode(const Decl *D) {
  if (auto *F = dyn_cast<FunctionDecl>(D))
    return F->isThisDeclarationADefinition();
  if (auto *T = dyn_cast<FunctionTemplateDecl>(D))
    return T->isThisDeclarationADefinition();
  return isa<NamespaceDecl, LinkageSpecDecl>(D);
}

/// Returns the places of the preamble and of the #line directives that resume
/// the original's line numbers.
static std::map<unsigned, Insertion> findInsertions(const RewritePlan &Plan) {
  std::map<unsigned, Insertion> Result;
  bool First = true;
  for (const Decl *D : Plan.Context.getTranslationUnitDecl()->decls()) {
    if (D->isImplicit() || D->getBeginLoc().isMacroID() ||
        !Plan.Sources.isInMainFile(D->getBeginLoc()) ||
        (First && !holdsCode(D)))
      continue;
    unsigned Line = getLine(Plan, D);
    bool Inside = llvm::any_of(Plan.Edits, [&](auto &Entry) {
      return Entry.second.At.Begin < Line && Line < Entry.second.At.End;
    });
    if (Inside)
      continue;
    if (First)
      Result[Line].Preamble = Plan.preamble();
    StringRef Before = Plan.Text.take_front(Line).rtrim();
    Before = Before.drop_front(Before.rfind('\n') + 1);
    if (First || !Before.starts_with("#line"))
      Result[Line].LineDirective =
          Plan.lineDirective(Line, Plan.Sources.getMainFileID());
    First = false;
  }
  return Result;
}

/// Writes \p E as the continuation of the last line of \p Code; breaks the line
/// if another piece with its likely continuation would be too long. Formatting
/// a file of thousands of edited lines would take longer than all other work.
static std::string continueLine(StringRef Code, const Edit &E,
                                llvm::function_ref<std::string(int)> Name) {
  constexpr size_t Columns = 120, Behind = 8;
  StringRef Line = Code.drop_front(Code.rfind('\n') + 1);
  std::string Indent(Line.size() - Line.ltrim().size() + 4, ' ');
  size_t Column = Line.size();
  std::string Result;
  for (const Piece &P : E.Pieces) {
    std::string Text = P.write(Name);
    if (!Result.empty() && P.Slot >= 0 &&
        Column + Text.size() + Behind > Columns) {
      Result = StringRef(Result).rtrim(' ').str() + "\n" + Indent;
      Column = Indent.size();
    }
    Result += Text;
    Column += Text.size();
  }
  return Result;
}

static Output write(const RewritePlan &Plan) {
  Output Out;
  std::map<unsigned, Insertion> Insertions = findInsertions(Plan);
  unsigned Done = 0;
  auto CopyTo = [&](unsigned End) {
    while (true) {
      auto Next = Insertions.begin();
      if (Next == Insertions.end() || Next->first > End)
        break;
      Out.copy(Plan.Text.slice(Done, Next->first));
      Done = Next->first;
      if (!Next->second.Preamble.empty())
        Out.add(Next->second.Preamble);
      Out.copy(Next->second.LineDirective);
      Insertions.erase(Next);
    }
    Out.copy(Plan.Text.slice(Done, End));
    Done = std::max(Done, End);
  };
  for (auto &[Begin, E] : Plan.Edits) {
    if (Begin < Done)
      continue;
    CopyTo(Begin);
    auto Name = [&](int Slot) { return Plan.slotName(Slot); };
    if (E.Block) {
      std::string New;
      for (const Piece &P : E.Pieces)
        New += P.write(Name);
      Out.add(New);
    } else {
      Out.copy(continueLine(Out.Code, E, Name));
    }
    Done = E.At.End;
  }
  CopyTo(Plan.Text.size());
  return Out;
}

static llvm::Error formatChanges(Output &Out, StringRef Style, StringRef Path) {
  if (Style.empty())
    return llvm::Error::success();
  auto Parsed = format::getStyle(Style, Path, "LLVM");
  if (!Parsed)
    return Parsed.takeError();
  Parsed->SortIncludes = {};           // never
  Parsed->BreakStringLiterals = false; // users search for symbols
  tooling::Replacements Changes =
      format::reformat(*Parsed, Out.Code, Out.Changed, Path);
  llvm::Expected<std::string> Formatted =
      tooling::applyAllReplacements(Out.Code, Changes);
  if (!Formatted)
    return Formatted.takeError();
  Out.Code = std::move(*Formatted);
  return llvm::Error::success();
}

static llvm::Error missesToError(StringRef Path,
                                 llvm::ArrayRef<std::string> Misses) {
  constexpr size_t Shown = 20;
  std::string Text = (Path + ": " + llvm::Twine(Misses.size()) +
                      " specialisations have no blob; nothing was written")
                         .str();
  for (const std::string &M : Misses.take_front(Shown))
    Text += "\n" + M;
  if (Misses.size() > Shown)
    Text += "\nand " + std::to_string(Misses.size() - Shown) + " more";
  return llvm::createStringError(Text);
}

llvm::Expected<RewriteResult>
ckjit::rewriteDispatcher(StringRef Path, const BlobIndex &Blobs,
                         const SourceOptions &Source,
                         const RewriteOptions &Options) {
  RewriteResult Result;
  std::vector<std::string> Misses;
  llvm::Error Failure = llvm::Error::success();
  auto Rewrite = [&](ASTContext &Context, SharedBodies &Shared) {
    if (Context.getDiagnostics().hasErrorOccurred())
      return;
    Result = RewriteResult();
    RewritePlan Plan(Context, Shared, Blobs, Options, Result.Report);
    if (!Shared.isTrusted())
      return;
    Result.References = Plan.References;
    Result.Report.References = Plan.References.size();
    Misses = describeMisses(Plan.References, Blobs);
    if (!Misses.empty())
      return;
    Plan.planHelpers();
    Plan.planLeaves();
    Plan.planSpecializations();
    Plan.dropUnusedNames();
    if (Options.Table)
      Plan.planTables();
    Output Out = write(Plan);
    llvm::ErrorAsOutParameter Checked(&Failure);
    Failure = formatChanges(Out, Options.FormatStyle, Path);
    Result.Code = std::move(Out.Code);
  };
  std::vector<ParseProblem> Problems =
      parseDispatcher(Path, Source, /*Short=*/{}, Rewrite);
  if (!Problems.empty()) {
    llvm::consumeError(std::move(Failure));
    return toError(Path, Problems);
  }
  if (Failure)
    return std::move(Failure);
  if (!Misses.empty())
    return missesToError(Path, Misses);
  return Result;
}
