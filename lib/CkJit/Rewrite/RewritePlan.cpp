//===- RewritePlan.cpp - edits of a dispatching source file ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of all steps, and the simplest step, planLeaves(): a call of
// an undefined specialization in a plain function becomes a call through a
// slot.
//
//   f<traits<8>>(a)  ->  ck_jit_call<float(args)>(ck_jit_stub::f_8, a)
//
// Only the text up to the '(' is replaced; the arguments stay. planHelpers()
// runs before, and calls in text that it replaces are left alone. A call in a
// macro or a template gets a specialization instead (Specialize.cpp). Planning
// never changes the text; render() applies the edits by offset. A slot whose
// function returns a known constant holds a function for it from the start:
// nothing is compiled.
//
//===----------------------------------------------------------------------===//
#include "RewritePlan.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace kpack;
using namespace kpack::ckjit;
using llvm::StringRef;

std::string ckjit::toIdentifier(StringRef Text) {
  std::string Name;
  for (char C : Text)
    Name += llvm::isAlnum(C) || C == '_' ? C : '_';
  if (Name.empty() || llvm::isDigit(Name[0]))
    Name.insert(Name.begin(), '_');
  return Name;
}

std::string Piece::write(llvm::function_ref<std::string(int)> NameSlot) const {
  if (Slot < 0)
    return Text;
  std::string Name = NameSlot(Slot);
  if (!Address)
    return Name;
  return Name[0] == '*' ? Name.substr(1) : "&" + Name;
}

RewritePlan::RewritePlan(ASTContext &Context, SharedBodies &Shared,
                         const BlobIndex &Blobs, const RewriteOptions &Options,
                         RewriteReport &Report)
    : Context(Context), Sources(Context.getSourceManager()), Shared(Shared),
      Blobs(Blobs), Options(Options), Report(Report),
      Text(Sources.getBufferData(Sources.getMainFileID())),
      Uses(collectUses(Context, Shared)), Names(Context) {
  if (!Options.Elsewhere.empty())
    llvm::erase_if(Uses.Undefined, [&](const Use &U) {
      return Options.Elsewhere.contains(Names.getName(U.Callee));
    });
  References = toReferences(Uses, Context);
  for (const Reference &R : References)
    if (const Definition *D = Blobs.find(R.Symbol))
      ++SymbolsOfStem[D->Stem];
}

int RewritePlan::getSlot(const FunctionDecl *F) {
  F = F->getCanonicalDecl();
  auto [Entry, New] = SlotNumbers.try_emplace(F, Slots.size());
  if (New) {
    const Definition *D = Blobs.find(Names.getName(F));
    std::string Name = toIdentifier(D->Stem);
    if (SymbolsOfStem.lookup(D->Stem) > 1)
      Name += "__" + StringRef(F->getNameAsString()).rtrim('_').str();
    Slots.push_back({std::move(Name), D, F});
  }
  return Entry->second;
}

std::string RewritePlan::slotName(int Slot) const {
  return "ck_jit_stub::" + Slots[Slot].Name;
}

std::optional<Range> RewritePlan::getRange(SourceRange Tokens,
                                           FileID File) const {
  if (File.isInvalid())
    File = Sources.getMainFileID();
  SourceLocation Begin = Tokens.getBegin(), End = Tokens.getEnd();
  if (Begin.isInvalid() || Begin.isMacroID() || End.isMacroID() ||
      Sources.getFileID(Begin) != File || Sources.getFileID(End) != File)
    return std::nullopt;
  SourceLocation Behind =
      Lexer::getLocForEndOfToken(End, 0, Sources, Context.getLangOpts());
  // A ">>" that closes two lists is one token; end at the first '>'.
  unsigned EndOffset = Sources.getFileOffset(End);
  if (Sources.getBufferData(File).substr(EndOffset).starts_with(">"))
    return Range{Sources.getFileOffset(Begin), EndOffset + 1};
  return Range{Sources.getFileOffset(Begin), Sources.getFileOffset(Behind)};
}

std::optional<Range> RewritePlan::calleeRange(const Use &U, FileID File) const {
  std::optional<Range> Name = getRange(U.Expression->getSourceRange(), File);
  if (!Name || !Uses.CallOf.contains(U.Expression))
    return std::nullopt;
  StringRef Text = File.isValid() ? Sources.getBufferData(File) : this->Text;
  size_t Paren = Text.find_first_not_of(" \t\r\n", Name->End);
  if (Paren == StringRef::npos || Text[Paren] != '(')
    return std::nullopt;
  return Range{Name->Begin, unsigned(Paren + 1)};
}

bool RewritePlan::hasArguments(const Use &U) const {
  const CallExpr *Call = Uses.CallOf.lookup(U.Expression);
  return Call->getNumArgs() && !isa<CXXDefaultArgExpr>(Call->getArg(0));
}

bool RewritePlan::isPlainMainFile(const FunctionDecl *F) const {
  return F && Sources.isInMainFile(F->getLocation()) &&
         !F->isTemplateInstantiation() && !F->isDependentContext();
}

llvm::SetVector<const FunctionDecl *> RewritePlan::plainUsers() const {
  llvm::SetVector<const FunctionDecl *> Users;
  for (const std::vector<Use> *List : {&Uses.Undefined, &Uses.Templates})
    for (const Use &U : *List)
      if (isPlainMainFile(U.In))
        Users.insert(U.In);
  return Users;
}

void RewritePlan::addEdit(Edit E) {
  unsigned Begin = E.At.Begin;
  Edits.emplace(Begin, std::move(E));
}

void RewritePlan::note(SourceLocation Where, const llvm::Twine &Message) {
  Report.Notes.push_back(placeOf(Sources, Where) + ": " + Message.str());
}

void RewritePlan::planLeaves() {
  for (const Use &U : Uses.Undefined) {
    std::optional<Range> Callee = calleeRange(U);
    if (!Callee || !isPlainMainFile(U.In)) {
      // Edits of helpers that are replaced as a whole cover their calls.
      std::optional<Range> Name = getRange(U.Expression->getSourceRange());
      auto Next = Name ? Edits.upper_bound(Name->Begin) : Edits.begin();
      bool Covered = Name && Next != Edits.begin() &&
                     std::prev(Next)->second.At.contains(*Name);
      if (!Covered && !(U.In && Replaced.contains(U.In->getCanonicalDecl())))
        Rest.push_back(&U);
      continue;
    }
    Edit E{*Callee, {}};
    E.Pieces.push_back({"ck_jit_call<" + getCallType(U.Callee) + ">(", -1});
    E.Pieces.push_back({"", getSlot(U.Callee)});
    if (hasArguments(U))
      E.Pieces.push_back({", ", -1});
    addEdit(std::move(E));
    ++Report.Leaves;
  }
}

std::string ckjit::render(StringRef Text, Range Place,
                          const std::map<unsigned, Edit> &With,
                          llvm::function_ref<std::string(int)> NameSlot) {
  std::string Result;
  unsigned Done = Place.Begin;
  for (auto I = With.lower_bound(Place.Begin); I != With.end(); ++I) {
    const Edit &E = I->second;
    if (!Place.contains(E.At))
      break;
    if (E.At.Begin < Done)
      continue;
    Result += Text.slice(Done, E.At.Begin);
    for (const Piece &P : E.Pieces)
      Result += P.write(NameSlot);
    Done = E.At.End;
  }
  return Result + Text.slice(Done, Place.End).str();
}

/// Returns a function of the slot's type that returns its constant.
std::string RewritePlan::constantFunction(const Slot &S, StringRef Name) const {
  using Kind = ConstantResult::Kind;
  std::string Bits = "0x" + llvm::utohexstr(S.Blob->Constant->Bits);
  std::string Type = qualifiedType(S.Function->getReturnType(), Context);
  std::string Value;
  switch (S.Blob->Constant->What) {
  case Kind::Integer:
    Value = "static_cast<" + Type + ">(" + Bits + "ULL)";
    break;
  case Kind::Float:
    Value = "__builtin_bit_cast(float, " + Bits + "U)";
    break;
  case Kind::Double:
    // The sizes are equal on targets with 64-bit doubles.
    Value = "__builtin_bit_cast(double, static_cast<unsigned long long>(" +
            Bits + "ULL))";
    break;
  }
  std::string Parameters;
  for (const ParmVarDecl *P : S.Function->parameters())
    Parameters +=
        (Parameters.empty() ? "" : ", ") + qualifiedType(P->getType(), Context);
  return ("static " + Type + " " + Name + "(" + Parameters + ") { return " +
          Value + "; }\n")
      .str();
}

std::string RewritePlan::preamble() const {
  if (Slots.empty())
    return "";
  std::string Result = "#include \"" + Options.RuntimeHeader + "\"\n\n";
  Result += "// Kernels that are compiled when they are first called.\n"
            "namespace ck_jit_stub {\n";
  for (const Slot &S : Slots) {
    if (!S.Blob->Constant) {
      Result += "CK_JIT_SLOT(" + S.Name + ", \"" + S.Blob->Stem +
                "\",\n    \"" + S.Blob->Symbol + "\");\n";
      continue;
    }
    // A constant needs no compile.
    std::string Function = "constant_" + S.Name;
    Result += constantFunction(S, Function) + "static ck_jit_slot " + S.Name +
              " = {{reinterpret_cast<void *>(&" + Function + ")}, \"" +
              S.Blob->Stem + "\",\n    \"" + S.Blob->Symbol +
              "\", &ck_jit_embedded_manifest};\n";
  }
  return Result + "} // namespace ck_jit_stub\n\n" + Specializations +
         Functions;
}

std::string RewritePlan::lineDirective(unsigned Offset, FileID File) const {
  if (!Options.LineDirectives)
    return "";
  PresumedLoc Presumed = Sources.getPresumedLoc(
      Sources.getLocForStartOfFile(File).getLocWithOffset(Offset));
  std::string Name;
  llvm::raw_string_ostream OS(Name);
  llvm::printEscapedString(Presumed.getFilename(), OS);
  return "#line " + std::to_string(Presumed.getLine()) + " \"" + Name + "\"\n";
}
