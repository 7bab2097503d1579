//===- HelperCopy.cpp - one function for many template instances ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instantiations that take the same branches and call the same kinds of
// functions share a copy of the template's text. A template of this file is
// replaced in place. One of a header is copied before the first function, into
// its namespace. A member of a class becomes a lambda at the start of the
// member functions that call it, so that it has access to the class.
//
//===----------------------------------------------------------------------===//
#include "Helpers.h"
#include "Lambdas.h"
#include "Statements.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace clang;
using namespace kpack;
using namespace kpack::ckjit;
using llvm::StringRef;

namespace {

/// A call's offset and the index of a slot that it takes.
using SlotPlace = std::pair<unsigned, unsigned>;

/// Instantiations that become one function, and its parameters: one for each
/// slot that differs from the others in some of them.
struct Group {
  std::vector<Instance *> Members;
  std::string Name;
  std::vector<std::string> Parameters;
  std::vector<unsigned> Direct; ///< parameters that it calls itself
  std::map<SlotPlace, unsigned> ColumnOf;
};

class Copier {
public:
  Copier(RewritePlan &Plan, Helper &H) : Plan(Plan), H(H) {}
  void run();

private:
  std::vector<Group> makeGroups();
  std::vector<int> getSlots(const HelperCall &Call) const;
  void nameParameters(Group &G);
  std::map<unsigned, Edit> bodyEdits(const Group &G);
  std::string parameterList(const Group &G) const;
  std::string copyFunction(const Group &G);
  std::string copyMember(const Group &G);
  void place(ArrayRef<Group> Groups);
  void placeMembers(ArrayRef<Group> Groups);
  void editCallers();

  RewritePlan &Plan;
  Helper &H;
};

} // namespace

static std::string nothing(int) { return ""; }

/// Returns a key of all differences between instantiations except slots.
static std::string getKey(const Instance &I) {
  std::string Key;
  for (auto &[Offset, Call] : I.Calls)
    Key += std::to_string(Offset) + ":" +
           (Call.Target ? Call.Target->Name : getSignature(Call.Site->Callee)) +
           ";";
  for (auto &[Offset, B] : I.Branches)
    Key += std::to_string(Offset) + "?" +
           std::to_string(B.Kept ? B.Kept->Begin : 0) + ";";
  return Key;
}

std::vector<Group> Copier::makeGroups() {
  TextMap<Group> ByKey;
  for (auto &[F, I] : H.Instances)
    ByKey[getKey(I)].Members.push_back(&I);
  std::vector<Group> Groups;
  for (auto &[Key, G] : ByKey) {
    G.Name = (H.isMember() ? "ck_jit_" : "") + H.Pattern->getNameAsString();
    if (!Groups.empty())
      G.Name += std::to_string(Groups.size() + 1);
    nameParameters(G);
    Groups.push_back(std::move(G));
  }
  return Groups;
}

std::vector<int> Copier::getSlots(const HelperCall &Call) const {
  if (Call.Target)
    return Call.Target->Slots;
  return {Plan.getSlot(Call.Site->Callee)};
}

void Copier::nameParameters(Group &G) {
  std::map<SlotPlace, std::vector<int>> Columns;
  for (Instance *I : G.Members)
    for (auto &[Offset, Call] : I->Calls)
      for (auto [Place, Slot] : llvm::enumerate(getSlots(Call)))
        Columns[{Offset, unsigned(Place)}].push_back(Slot);

  std::map<std::vector<int>, unsigned> Known;
  std::map<std::string, unsigned> Seen;
  llvm::DenseSet<unsigned> Called;
  for (auto &[Place, Slots] : Columns) {
    auto [Entry, New] = Known.try_emplace(Slots, G.Parameters.size());
    unsigned Column = G.ColumnOf[Place] = Entry->second;
    const HelperCall &Call = G.Members.front()->Calls.at(Place.first);
    if (!Call.Target && Called.insert(Column).second)
      G.Direct.push_back(Column);
    if (!New)
      continue;
    std::string Name =
        Call.Target
            ? Call.Target->Parameters[Place.second]
            : StringRef(Call.Site->Callee->getNameAsString()).rtrim('_').str() +
                  "_slot";
    if (unsigned Repeats = Seen[Name]++)
      Name += std::to_string(Repeats + 1);
    G.Parameters.push_back(std::move(Name));
    for (auto [I, Slot] : llvm::zip(G.Members, Slots))
      I->Slots.push_back(Slot);
  }
  std::string Space;
  if (auto *D = dyn_cast<NamespaceDecl>(H.Pattern->getDeclContext());
      D && !D->isAnonymousNamespace())
    Space = D->getQualifiedNameAsString() + "::";
  for (Instance *I : G.Members) {
    I->Name = Space + G.Name;
    I->Parameters = G.Parameters;
  }
}

/// Edits calls through slots, captures and decided branches, in the file of H.
std::map<unsigned, Edit> Copier::bodyEdits(const Group &G) {
  const Instance &First = *G.Members.front();
  std::map<unsigned, Edit> Inner;
  auto Insert = [&](Range Place, std::string Text) {
    Inner[Place.Begin] = {Place, {{std::move(Text), -1}}};
  };
  std::string Ready;
  for (unsigned Column : G.Direct)
    Ready += (Ready.empty() ? "*" : ", *") + G.Parameters[Column];
  Insert({H.Body.Begin, H.Body.Begin + 1},
         G.Direct.size() > 1 ? "{\n    ck_jit_ready(" + Ready + ");" : "{");

  for (auto &[Offset, Call] : First.Calls) {
    std::string Text, Comma;
    if (!Call.Target)
      Text = "ck_jit_call<" + getCallType(Call.Site->Callee) + ">(*";
    else
      Text = Call.Target->Name + "(";
    for (size_t I = 0; I < getSlots(Call).size(); ++I, Comma = ", ")
      Text += Comma + G.Parameters[G.ColumnOf.at({Offset, unsigned(I)})];
    Insert(*Plan.calleeRange(*Call.Site, H.File),
           Text + (Plan.hasArguments(*Call.Site) ? Comma : ""));
  }
  for (const Lambda &L : findLambdas(Plan, First.Function->getBody(), H.File)) {
    std::set<unsigned> Columns;
    for (auto &[Place, Column] : G.ColumnOf)
      if (L.All.contains(Place.first))
        Columns.insert(Column);
    std::vector<std::string> Names;
    for (unsigned Column : Columns)
      Names.push_back(G.Parameters[Column]);
    if (!Names.empty() && !L.CopiesAll) {
      Edit E = captureIn(H.Text, L, Names);
      Inner[E.At.Begin] = std::move(E);
    }
  }
  // Inner branches first: an outer one may contain them.
  for (auto &[Begin, B] : llvm::reverse(First.Branches)) {
    std::string Kept = B.Kept ? render(H.Text, *B.Kept, Inner, nothing) : ";";
    Inner.erase(Inner.lower_bound(B.All.Begin), Inner.lower_bound(B.All.End));
    Insert(B.All, Kept);
  }
  return Inner;
}

std::string Copier::parameterList(const Group &G) const {
  std::string List;
  for (const std::string &Name : G.Parameters)
    List += (List.empty() ? "" : ", ") + ("ck_jit_slot *" + Name);
  return List + (H.Pattern->getNumParams() && !List.empty() ? ", " : "");
}

std::string Copier::copyFunction(const Group &G) {
  std::map<unsigned, Edit> Edits = bodyEdits(G);
  if (auto Name = Plan.getRange(H.Pattern->getLocation(), H.File))
    Edits[Name->Begin] = {*Name, {{G.Name, -1}}};
  // Replaces only the parenthesis, so that a parameter may begin after it.
  std::string List = parameterList(G);
  unsigned Paren = H.Parameters.Begin - 1;
  Edits[Paren] = {{Paren, Paren + 1}, {{"(" + List, -1}}};
  bool Local = H.Pattern->getStorageClass() == SC_Static ||
               H.Pattern->isInlineSpecified();
  return (Local ? "" : "static ") + render(H.Text, H.Function, Edits, nothing);
}

std::string Copier::copyMember(const Group &G) {
  const FunctionDecl *F = G.Members.front()->Function;
  bool UsesThis = false;
  forEachStatement(F->getBody(),
                   [&](Stmt *S) { UsesThis |= isa<CXXThisExpr>(S); });
  std::string Body = render(H.Text, H.Body, bodyEdits(G), nothing);
  return "auto " + G.Name + " = [" + (UsesThis ? "this" : "") + "](" +
         parameterList(G) +
         H.Text.slice(H.Parameters.Begin, H.Parameters.End).str() + ") -> " +
         qualifiedType(F->getReturnType(), Plan.Context) + " " + Body + ";\n";
}

/// Returns text that opens the namespaces around \p D again, and text that
/// closes them.
static std::pair<std::string, std::string> getNamespaces(const Decl *D) {
  std::string Open, Close;
  for (const DeclContext *C = D->getDeclContext(); C; C = C->getParent())
    if (auto *Space = dyn_cast<NamespaceDecl>(C)) {
      Open = (Space->isInline() ? "inline namespace " : "namespace ") +
             Space->getNameAsString() + " {\n" + Open;
      Close += "} // namespace " + Space->getNameAsString() + "\n";
    }
  return {Open, Close};
}

void Copier::place(ArrayRef<Group> Groups) {
  std::string Text;
  bool Header = H.File != Plan.Sources.getMainFileID();
  for (const Group &G : Groups) {
    if (Header)
      Text += Plan.lineDirective(H.Function.Begin, H.File);
    Text += copyFunction(G) + (&G == &Groups.back() ? "" : "\n\n");
  }
  if (!Header) {
    Edit Definition{H.Declaration, {{Text, -1}}, /*Block=*/true};
    return Plan.addEdit(std::move(Definition));
  }
  auto [Open, Close] = getNamespaces(H.Pattern);
  Plan.Functions += Open + Text + "\n" + Close + "\n";
}

void Copier::placeMembers(ArrayRef<Group> Groups) {
  llvm::MapVector<const FunctionDecl *, std::set<std::string>> Wanted;
  for (const Use *U : H.Callers)
    Wanted[U->In].insert(
        H.Instances.find(U->Callee->getCanonicalDecl())->second.Name);
  FileID Main = Plan.Sources.getMainFileID();
  for (auto &[F, Names] : Wanted) {
    Range Body = *Plan.getRange(F->getBody()->getSourceRange());
    std::string Text;
    for (const Group &G : Groups)
      if (Names.count(G.Name))
        Text += Plan.lineDirective(H.Body.Begin, H.File) + copyMember(G);
    // The rest of the line after the '{' is empty, or goes to a new line.
    StringRef Rest = Plan.Text.drop_front(Body.Begin + 1).split('\n').first;
    bool Last = Rest.trim().empty();
    std::string Back = Plan.lineDirective(
        Last ? Body.Begin + 2 + Rest.size() : Body.Begin, Main);
    if (Last)
      Back = StringRef(Back).rtrim('\n').str();
    if (auto Known = Plan.Edits.find(Body.Begin); Known != Plan.Edits.end()) {
      // Insert it after an earlier member.
      std::vector<Piece> &Pieces = Known->second.Pieces;
      Pieces.insert(std::prev(Pieces.end()), {Text, -1});
      continue;
    }
    Plan.addEdit({{Body.Begin, Body.Begin + 1},
                  {{"{\n", -1}, {Text, -1}, {Back, -1}},
                  /*Block=*/true});
  }
}

void Copier::editCallers() {
  for (const Use *U : H.Callers) {
    if (!Plan.isPlainMainFile(U->In))
      continue; // in the copy of another helper
    Instance &I = H.Instances.find(U->Callee->getCanonicalDecl())->second;
    Edit E{*Plan.calleeRange(*U), {{I.Name + "(", -1}}};
    for (auto [N, Slot] : llvm::enumerate(I.Slots)) {
      E.Pieces.push_back({N ? ", " : "", -1});
      E.Pieces.push_back({"", Slot, /*Address=*/true});
    }
    if (!I.Slots.empty() && Plan.hasArguments(*U))
      E.Pieces.push_back({", ", -1});
    Plan.addEdit(std::move(E));
    ++Plan.Report.Helpers;
  }
}

void Copier::run() {
  std::vector<Group> Groups = makeGroups();
  if (H.isMember())
    placeMembers(Groups);
  else
    place(Groups);
  editCallers();
  Plan.Replaced.insert(H.Pattern->getCanonicalDecl());
  for (auto &[F, I] : H.Instances)
    Plan.Replaced.insert(F);
}

void ckjit::copyHelper(RewritePlan &Plan, Helper &H) { Copier(Plan, H).run(); }
