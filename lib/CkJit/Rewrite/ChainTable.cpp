//===- ChainTable.cpp - else-if chains of kernel calls as tables ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every branch of a chain tests a conjunction of few distinct conditions. These
// are evaluated once, into the bits of a word; a row has the bits that it
// requires and its slots, and the first matching row is called. This is
// equivalent to the chain if evaluating a condition has no side effect and
// cannot fail where the chain would not have evaluated it: isHarmless() lists
// the accepted expressions.
//
//===----------------------------------------------------------------------===//
#include "Lambdas.h"
#include "RewritePlan.h"
#include "Statements.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace kpack;
using namespace kpack::ckjit;
using llvm::StringRef;

namespace {

/// The shortest chain that becomes a table.
constexpr unsigned MinLength = 4;
constexpr unsigned MaxConditions = 64;
/// Limit for the kinds of leaves, each a case of a switch.
constexpr unsigned MaxKinds = 8;
constexpr char TooManyKinds[] = "its leaves differ by more than what they call";

struct Row {
  std::vector<unsigned> Conditions;
  std::vector<int> Slots;
  unsigned Kind = 0;
};

struct ChainTable {
  TextMap<std::string> Conditions; ///< text, name
  TextMap<unsigned> Kinds;         ///< leaf text, number
  std::vector<bool> KindReturns;
  std::vector<Row> Rows;
  size_t Columns = 0;
};

} // namespace

static bool isNonZeroConstant(const Expr *E, const ASTContext &Context) {
  auto Value = E->getIntegerConstantExpr(Context);
  return Value && !Value->isZero() && !Value->isAllOnes();
}

/// Accepts const members and comparisons of the standard library's types.
static bool isHarmlessCall(const CallExpr *Call) {
  const FunctionDecl *F = Call->getDirectCallee();
  if (!F || !F->isInStdNamespace())
    return false;
  if (auto *Method = dyn_cast<CXXMethodDecl>(F))
    return Method->isConst() &&
           llvm::is_contained({"compare", "empty", "size", "has_value"},
                              llvm::StringRef(F->getNameAsString()));
  return F->getOverloadedOperator() == OO_EqualEqual ||
         F->getOverloadedOperator() == OO_ExclaimEqual;
}

/// Returns true if evaluating \p E has no side effect and cannot fail.
static bool isHarmless(const Expr *E, const ASTContext &Context) {
  E = E->IgnoreParens();
  if (E->isValueDependent() || E->getType().isVolatileQualified())
    return false;
  if (isa<IntegerLiteral, CXXBoolLiteralExpr, StringLiteral, DeclRefExpr,
          CharacterLiteral>(E))
    return true;
  if (auto *Wrapped = dyn_cast<FullExpr>(E))
    return isHarmless(Wrapped->getSubExpr(), Context);
  if (auto *Member = dyn_cast<MemberExpr>(E))
    return (!Member->isArrow() || isa<CXXThisExpr>(Member->getBase())) &&
           (isa<CXXThisExpr>(Member->getBase()) ||
            isHarmless(Member->getBase(), Context));
  if (auto *Cast = dyn_cast<CastExpr>(E))
    return Cast->getCastKind() != CK_UserDefinedConversion &&
           isHarmless(Cast->getSubExpr(), Context);
  if (auto *Unary = dyn_cast<UnaryOperator>(E))
    return !Unary->isIncrementDecrementOp() && Unary->getOpcode() != UO_Deref &&
           isHarmless(Unary->getSubExpr(), Context);
  if (auto *Binary = dyn_cast<BinaryOperator>(E)) {
    BinaryOperatorKind Kind = Binary->getOpcode();
    bool Divides = Kind == BO_Div || Kind == BO_Rem;
    bool Compares = Binary->isComparisonOp() || Binary->isLogicalOp();
    if (!Compares && !(Divides && isNonZeroConstant(Binary->getRHS(), Context)))
      return false;
    return isHarmless(Binary->getLHS(), Context) &&
           isHarmless(Binary->getRHS(), Context);
  }
  if (auto *Call = dyn_cast<CallExpr>(E)) {
    if (!isHarmlessCall(Call))
      return false;
    for (const Expr *Argument : Call->arguments())
      if (!isa<CXXDefaultArgExpr>(Argument) && !isHarmless(Argument, Context))
        return false;
    if (auto *Member = dyn_cast<CXXMemberCallExpr>(Call))
      return isHarmless(Member->getImplicitObjectArgument(), Context);
    return true;
  }
  return false;
}

/// Makes "t_mask_type_eq_mask_enum_causal" of "t.mask_type ==
/// mask_enum::causal".
static std::string conditionName(StringRef Text) {
  static constexpr std::pair<StringRef, StringRef> Operators[] = {
      {"==", "eq"},  {"!=", "ne"}, {"<=", "le"}, {">=", "ge"},
      {"&&", "and"}, {"||", "or"}, {"<", "lt"},  {">", "gt"},
      {"%", "mod"},  {"/", "div"}, {"!", "not"}, {"-", "minus"}};
  std::string Spelling;
  while (!Text.empty()) {
    const auto *Found = llvm::find_if(
        Operators, [&](auto &O) { return Text.consume_front(O.first); });
    if (Found != std::end(Operators)) {
      Spelling += (" " + Found->second + " ").str();
      continue;
    }
    Spelling += llvm::isAlnum(Text[0]) || Text[0] == '_' ? Text[0] : ' ';
    Text = Text.drop_front();
  }
  llvm::SmallVector<StringRef, 16> Parts;
  llvm::SplitString(Spelling, Parts);
  return toIdentifier(llvm::join(Parts, "_"));
}

/// Splits \p E at &&; drops true literals.
static void conjuncts(const Expr *E, std::vector<const Expr *> &Conditions) {
  const Expr *Inner = E->IgnoreParenImpCasts();
  if (auto *Both = dyn_cast<BinaryOperator>(Inner);
      Both && Both->getOpcode() == BO_LAnd) {
    conjuncts(Both->getLHS(), Conditions);
    conjuncts(Both->getRHS(), Conditions);
    return;
  }
  if (auto *Literal = dyn_cast<CXXBoolLiteralExpr>(Inner);
      Literal && Literal->getValue())
    return;
  Conditions.push_back(Inner);
}

static std::string normalized(StringRef Text) {
  llvm::SmallVector<StringRef, 16> Tokens;
  llvm::SplitString(Text, Tokens);
  return llvm::join(Tokens, " ");
}

/// Returns the edits in \p Leaf, and captures of the row for lambdas that use
/// its slots; nullopt if a lambda cannot capture.
static std::optional<std::map<unsigned, Edit>>
leafEdits(const RewritePlan &Plan, const Stmt *Leaf, Range Place) {
  std::map<unsigned, Edit> Edits(Plan.Edits.lower_bound(Place.Begin),
                                 Plan.Edits.lower_bound(Place.End));
  auto HasSlot = [&](auto &Entry, const Lambda &L) {
    return L.All.contains(Entry.second.At) &&
           llvm::any_of(Entry.second.Pieces,
                        [](const Piece &P) { return P.Slot >= 0; });
  };
  std::vector<Edit> Captures;
  for (const Lambda &L :
       findLambdas(Plan, Leaf, Plan.Sources.getMainFileID())) {
    if (L.CopiesAll ||
        llvm::none_of(Edits, [&](auto &Entry) { return HasSlot(Entry, L); }))
      continue;
    if (L.IsPointer)
      return std::nullopt;
    // The rows are static, but the loop's reference to a row is local.
    Captures.push_back(captureIn(Plan.Text, L, {"&row = row"}));
  }
  for (Edit &E : Captures)
    Edits.emplace(E.At.Begin, E);
  return Edits;
}

/// Adds a row for a branch; returns the reason if it cannot.
static std::string addRow(RewritePlan &Plan, ChainTable &Table,
                          const Expr *Condition, const Stmt *Leaf) {
  Row New;
  std::vector<const Expr *> Tests;
  if (Condition)
    conjuncts(Condition, Tests);
  for (const Expr *Test : Tests) {
    auto Place = Plan.getRange(Test->getSourceRange());
    if (!Place || !isHarmless(Test, Plan.Context))
      return "the condition at " + placeOf(Plan.Sources, Test->getBeginLoc()) +
             " cannot be evaluated ahead of its turn";
    std::string Text = normalized(Plan.Text.slice(Place->Begin, Place->End));
    auto [Entry, Added] = Table.Conditions.insert({Text, conditionName(Text)});
    New.Conditions.push_back(Entry - Table.Conditions.begin());
  }
  auto Place = Plan.getRange(Leaf->getSourceRange());
  bool Jumps = false; // a loop around the leaf would catch them
  forEachStatement(Leaf, [&](Stmt *S) {
    Jumps |= isa<BreakStmt, ContinueStmt, LabelStmt>(S);
  });
  if (!Place || !isa<CompoundStmt>(Leaf) || Jumps)
    return "the leaf at " + placeOf(Plan.Sources, Leaf->getBeginLoc()) +
           " is no block, or cannot stand in a loop";
  auto Edits = leafEdits(Plan, Leaf, *Place);
  if (!Edits)
    return "a lambda of the leaf at " +
           placeOf(Plan.Sources, Leaf->getBeginLoc()) + " is used as a pointer";
  std::string Text = render(Plan.Text, *Place, *Edits, [&](int Slot) {
    auto Known = llvm::find(New.Slots, Slot);
    if (Known == New.Slots.end())
      Known = New.Slots.insert(Known, Slot);
    return "*row.slots[" + std::to_string(Known - New.Slots.begin()) + "]";
  });
  auto Last = cast<CompoundStmt>(Leaf)->body_rbegin();
  bool Returns =
      !cast<CompoundStmt>(Leaf)->body_empty() && isa<ReturnStmt>(*Last);
  auto [Kind, Added] = Table.Kinds.insert({Text, Table.Kinds.size()});
  if (Added)
    Table.KindReturns.push_back(Returns);
  New.Kind = Kind->second;
  Table.Columns = std::max(Table.Columns, New.Slots.size());
  Table.Rows.push_back(std::move(New));
  if (Table.Conditions.size() > MaxConditions)
    return "it has more than 64 different conditions";
  if (Table.Kinds.size() > MaxKinds)
    return TooManyKinds;
  return "";
}

/// Writes the statements that replace the chain.
static std::vector<Piece> write(const ChainTable &Table) {
  std::vector<Piece> Out;
  auto Put = [&](const llvm::Twine &Text) { Out.push_back({Text.str(), -1}); };
  std::map<std::string, unsigned> Seen;
  std::vector<std::string> Names;
  for (auto &[Text, Name] : Table.Conditions) {
    unsigned Repeats = Seen[Name]++;
    Names.push_back(Repeats ? Name + std::to_string(Repeats + 1) : Name);
  }
  bool Kinds = Table.Kinds.size() > 1;
  Put("{\nenum : unsigned long long {\n");
  for (auto [I, Name] : llvm::enumerate(Names))
    Put(Name + " = 1ull << " + llvm::Twine(I) + ",\n");
  Put("};\nconst unsigned long long holds =\n");
  for (auto [I, Condition] : llvm::enumerate(Table.Conditions))
    Put(llvm::Twine(I ? "\n| " : "") + "((" + Condition.first + ") ? " +
        Names[I] + " : 0ull)");
  if (Names.empty())
    Put("0");
  Put(";\nstruct ck_jit_row { unsigned long long needs; ck_jit_slot *slots[" +
      llvm::Twine(std::max<size_t>(Table.Columns, 1)) + "];" +
      (Kinds ? " int kind;" : "") + " };\n");
  Put("static constexpr ck_jit_row rows[] = {\n");
  for (const Row &R : Table.Rows) {
    std::string Needs;
    for (unsigned C : R.Conditions)
      Needs += (Needs.empty() ? "" : " | ") + Names[C];
    Put("{" + (Needs.empty() ? "0" : Needs) + ", {");
    for (auto [I, Slot] : llvm::enumerate(R.Slots)) {
      Put(I ? ", " : "");
      Out.push_back({"", Slot, /*Address=*/true});
    }
    Put(llvm::Twine(R.Slots.empty() ? "nullptr" : "") + "}" +
        (Kinds ? ", " + llvm::Twine(R.Kind) : "") + "},\n");
  }
  Put("};\nfor (const ck_jit_row &row : rows) {\n"
      "if ((holds & row.needs) != row.needs) continue;\n");
  for (auto &[Text, Repeats] : Table.Kinds) {
    if (Kinds)
      Put("if (row.kind == " + llvm::Twine(Repeats) + ") ");
    Put(Text + "\n");
  }
  bool AllReturn = llvm::all_of(Table.KindReturns, [](bool B) { return B; });
  Put(AllReturn ? "}\n}" : "break;\n}\n}");
  return Out;
}

void RewritePlan::planTables() {
  std::vector<IfStmt *> Ifs;
  llvm::DenseSet<const Stmt *> Inner; // `else` branches of other ones
  for (const FunctionDecl *F : plainUsers())
    forEachStatement(F->getBody(), [&](Stmt *S) {
      if (auto *If = dyn_cast<IfStmt>(S)) {
        Ifs.push_back(If);
        Inner.insert(If->getElse());
      }
    });

  std::vector<Range> Replaced;
  // Innermost first: a chain around chains is no chain of leaves.
  for (IfStmt *First : llvm::reverse(Ifs)) {
    auto Place = getRange(First->getSourceRange());
    if (Inner.contains(First) || !Place ||
        llvm::any_of(Replaced, [&](Range R) { return Place->contains(R); }))
      continue;
    ChainTable Table;
    std::string Why;
    unsigned Length = 0;
    const Stmt *Next = First;
    while (Next) {
      auto *S = dyn_cast<IfStmt>(Next);
      ++Length;
      if (Why.empty())
        Why =
            S && (S->hasInitStorage() || S->hasVarStorage() || S->isConstexpr())
                ? "it declares variables, or is 'if constexpr'"
                : addRow(*this, Table, S ? S->getCond() : nullptr,
                         S ? S->getThen() : Next);
      Next = S ? S->getElse() : nullptr;
    }
    auto Inside = Edits.lower_bound(Place->Begin);
    bool Changed = Inside != Edits.end() && Place->contains(Inside->second.At);
    if (Length < MinLength || !Changed)
      continue;
    if (Why.empty() && Table.Columns == 0)
      Why = "its leaves call no slots";
    if (Why.empty() && Table.Kinds.size() * 2 > Table.Rows.size())
      Why = TooManyKinds;
    if (!Why.empty()) {
      note(First->getBeginLoc(),
           "chain of " + llvm::Twine(Length) + " stays: " + Why);
      continue;
    }
    Edits.erase(Edits.lower_bound(Place->Begin), Edits.lower_bound(Place->End));
    addEdit({*Place, write(Table), /*Block=*/true});
    Replaced.push_back(*Place);
    ++Report.Tables;
    Report.TableRows += Table.Rows.size();
  }
}
