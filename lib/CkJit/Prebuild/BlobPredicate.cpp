//===- BlobPredicate.cpp - --where predicates on kernel names -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Selects blobs by their names. A name is the only description of a blob that
// exists before it is compiled, so getFields() parses it into fields, and
// --where is a predicate over these.
//
// A name is split at '_', and each word is classified separately by getField().
// The words before the first known one are the api:
//
//   fmha_fwd_d128_fp16_batch_nmask_gfx950
//
//   word   all seven words       dtype  fp16     mask  no
//   api    fmha_fwd              mode   batch    arch  gfx950
//   hdim   128                   stem   the whole name
//
// A field has a list of values, because a name may have several words for one
// field. Words that no rule knows only count as words.
//
// The grammar, with the tightest binding last:
//
//   either      both { "||" both }
//   both        single { "&&" single }
//   single      "!" single | "(" either ")" | comparison
//   comparison  field operator value
//   value       word | '"' text '"'
//
// Each rule is a function of Parser, and returns a closure over the closures of
// its parts. So a predicate is parsed once and then called for each name. For
// the name above:
//
//   hdim<=64 || mask!=yes && arch~gfx9
//
//   "&&" binds tighter, so this is  hdim<=64 || (mask!=yes && arch~gfx9)
//   hdim<=64    128 is above 64                        false
//   mask!=yes   the negation of mask==yes, which is
//               false, since "no" is the only value    true
//   arch~gfx9   gfx950 matches the regular expression  true
//   result                                             true
//
// A comparison holds if it holds for any value of the field. "!=" and "!~" are
// negations of "==" and "~": they hold if no value is equal or matches, and so
// also if the field is missing. bias!=yes holds for the name above, bias==no
// does not. "==", also written "=", compares texts, so 064 is not 64; "~" finds
// the expression anywhere in a value. "<" and the like compare numbers, and are
// false for a missing field.
//
// Invariants: a longer operator comes before its prefix in the table ("<="
// before "<"), so that take() finds it. Parentheses and "!" nest at most
// MaxDepth deep, so hostile text cannot exhaust the stack. An unknown field is
// an error and not a missing field, since a typing error would otherwise select
// nothing. Parsing is linear in the text; a call evaluates each comparison at
// most once.
//
//===----------------------------------------------------------------------===//
#include "BlobPredicate.h"

#include "Selection.h"

#include "ToolSupport/Session.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

#include <memory>

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

/// Words for a feature, or its absence with a prefix n or no: "lse", "nlse",
/// "nolse".
static constexpr StringLiteral Switches[] = {
    "logits", "bias",    "mask",          "lse",   "dropout", "skip", "squant",
    "trload", "pagedkv", "deterministic", "dbias", "sink",    "rope", "cap"};

static constexpr StringLiteral Types[] = {
    "fp64",    "fp32",    "fp16", "bf16",    "fp8",   "bf8",
    "fp8bf16", "fp8fp16", "int8", "fp8fp32", "mxfp8", "mxfp4"};

static bool isNumber(StringRef Text) {
  return !Text.empty() && all_of(Text, isDigit);
}

/// Returns the field of \p Word and the value; empty if there is none.
static std::pair<StringRef, StringRef> getField(StringRef Word) {
  if (is_contained(Types, Word))
    return {"dtype", Word};
  if (Word == "batch" || Word == "group")
    return {"mode", Word};
  if (Word.starts_with("gfx") && Word.size() > 3)
    return {"arch", Word};
  if (Word.size() > 1 && Word[0] == 'd' && isNumber(Word.drop_front()))
    return {"hdim", Word.drop_front()};
  if (Word == "qr" || Word == "qs" || Word == "qrks")
    return {"pipeline", Word};
  if (Word == "vr" || Word == "vc")
    return {"vlayout", Word == "vr" ? "row" : "col"};
  if (Word == "alibi")
    return {"bias", Word};
  if (is_contained(Switches, Word))
    return {Word, "yes"};
  for (StringRef No : {"no", "n"})
    if (Word.starts_with(No) && is_contained(Switches, Word.substr(No.size())))
      return {Word.substr(No.size()), "no"};
  return {};
}

Fields ckjit::getFields(StringRef Stem) {
  Fields Values;
  Values["stem"] = {Stem.str()};
  SmallVector<StringRef> Parts;
  Stem.split(Parts, '_', -1, /*KeepEmpty=*/false);
  SmallVector<StringRef> Api;
  bool InApi = true;
  for (size_t I = 0; I != Parts.size(); ++I) {
    Values["word"].push_back(Parts[I].str());
    auto [Field, Value] = getField(Parts[I]);
    // "batch" in "batch_prefill" is no mode.
    if (InApi && Field == "mode" && I + 1 != Parts.size() &&
        Parts[I + 1] == "prefill")
      Field = {};
    InApi &= Field.empty();
    if (InApi)
      Api.push_back(Parts[I]);
    if (!Field.empty())
      Values[Field.str()].push_back(Value.str());
  }
  Values["api"] = {join(Api, "_")};
  return Values;
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

namespace {

struct Operator {
  StringLiteral Name;
  /// Compares numbers; null compares texts.
  bool (*Compare)(uint64_t, uint64_t) = nullptr;
  bool IsPattern = false;  ///< the value is a regular expression
  bool IsOpposite = false; ///< negation of the operator without '!'
};

constexpr Operator Operators[] = {
    {"=="},
    {.Name = "!=", .IsOpposite = true},
    {"<=", [](uint64_t A, uint64_t B) { return A <= B; }},
    {">=", [](uint64_t A, uint64_t B) { return A >= B; }},
    {"<", [](uint64_t A, uint64_t B) { return A < B; }},
    {">", [](uint64_t A, uint64_t B) { return A > B; }},
    {.Name = "!~", .IsPattern = true, .IsOpposite = true},
    {.Name = "~", .IsPattern = true},
    {"="}};

class Parser {
public:
  explicit Parser(StringRef Text) : Text(Text) {}

  Expected<Predicate> parse() {
    Expected<Predicate> Top = either(0);
    if (!Top)
      return Top;
    skipSpace();
    if (At != Text.size())
      return error(At, "'&&' or '||' expected");
    return Top;
  }

private:
  /// Limit for nested parentheses.
  static constexpr unsigned MaxDepth = 64;

  Error error(size_t Where, const Twine &Message) {
    // Compute the column in the printed form of the text.
    size_t Column = printable(Text.take_front(Where)).size();
    return createStringError(inconvertibleErrorCode(),
                             "--where: " + Message + "\n  " + Text + "\n  " +
                                 std::string(Column, ' ') + "^");
  }
  void skipSpace() {
    while (At != Text.size() && isSpace(Text[At]))
      ++At;
  }
  bool take(StringRef Mark) {
    skipSpace();
    if (!Text.substr(At).starts_with(Mark))
      return false;
    At += Mark.size();
    return true;
  }

  Expected<Predicate> either(unsigned Depth) {
    Expected<Predicate> Left = both(Depth);
    while (Left && take("||")) {
      Expected<Predicate> Right = both(Depth);
      if (!Right)
        return Right;
      Left = [A = std::move(*Left), B = std::move(*Right)](const Fields &Blob) {
        return A(Blob) || B(Blob);
      };
    }
    return Left;
  }
  Expected<Predicate> both(unsigned Depth) {
    Expected<Predicate> Left = single(Depth);
    while (Left && take("&&")) {
      Expected<Predicate> Right = single(Depth);
      if (!Right)
        return Right;
      Left = [A = std::move(*Left), B = std::move(*Right)](const Fields &Blob) {
        return A(Blob) && B(Blob);
      };
    }
    return Left;
  }
  Expected<Predicate> single(unsigned Depth) {
    skipSpace();
    if (Depth > MaxDepth)
      return error(At, "too many parentheses");
    if (take("!")) {
      Expected<Predicate> Inner = single(Depth + 1);
      if (!Inner)
        return Inner;
      return [Inner = std::move(*Inner)](const Fields &Blob) {
        return !Inner(Blob);
      };
    }
    if (!take("("))
      return comparison();
    Expected<Predicate> Inner = either(Depth + 1);
    if (Inner && !take(")"))
      return error(At, "'&&', '||' or ')' expected");
    return Inner;
  }

  StringRef word() {
    size_t Start = At;
    while (At != Text.size() &&
           (isAlnum(Text[At]) || StringRef("_-+:.").contains(Text[At])))
      ++At;
    return Text.slice(Start, At);
  }
  /// Parses a word or a quoted text.
  Expected<std::string> value() {
    skipSpace();
    if (At == Text.size() || Text[At] != '"') {
      StringRef Word = word();
      if (Word.empty())
        return error(At, "a value expected, a word or \"text\"");
      return Word.str();
    }
    size_t Open = At++, End = Text.find('"', At);
    if (End == StringRef::npos)
      return error(Open, "this text has no end");
    std::string Quoted = Text.slice(At, End).str();
    At = End + 1;
    return Quoted;
  }

  Error checkField(size_t Where, StringRef Field) {
    static constexpr StringLiteral Others[] = {
        "stem", "word", "api",  "source",   "symbol", "dtype",
        "hdim", "mode", "arch", "pipeline", "vlayout"};
    if (Field.empty())
      return error(Where, "a field expected, such as dtype or hdim");
    SmallVector<StringRef, 32> Names(std::begin(Others), std::end(Others));
    append_range(Names, Switches);
    if (is_contained(Names, Field))
      return Error::success();
    StringRef Nearest = getNearest(Names, Field, 3);
    return error(Where,
                 "no field '" + Field + "'" +
                     (Nearest.empty()
                          ? Twine("; a word of the name is word==" + Field)
                          : "; did you mean '" + Nearest + "'?"));
  }

  Expected<Predicate> comparison() {
    skipSpace();
    size_t Start = At;
    StringRef Field = word();
    if (Error E = checkField(Start, Field))
      return std::move(E);
    skipSpace();
    size_t OperatorAt = At;
    const Operator *By =
        find_if(Operators, [&](const Operator &O) { return take(O.Name); });
    if (By == std::end(Operators))
      return error(OperatorAt, "one of == != < <= > >= ~ !~ expected");
    skipSpace();
    size_t ValueAt = At;
    Expected<std::string> Value = value();
    if (!Value)
      return Value.takeError();
    if (By->Compare && !isNumber(*Value))
      return error(ValueAt, "a number expected");
    std::shared_ptr<Regex> Pattern;
    if (By->IsPattern) {
      Pattern = std::make_shared<Regex>(*Value);
      std::string Problem;
      if (!Pattern->isValid(Problem))
        return error(ValueAt, "no regular expression: " + Problem);
    }
    auto HoldsFor = [By, Pattern, Value = *Value](StringRef Text) {
      uint64_t A = 0, B = 0;
      if (By->Compare)
        return !Text.getAsInteger(10, A) &&
               !StringRef(Value).getAsInteger(10, B) && By->Compare(A, B);
      return Pattern ? Pattern->match(Text) : Text == Value;
    };
    return [By, HoldsFor, Field = Field.str()](const Fields &Blob) {
      auto Found = Blob.find(Field);
      bool Any = Found != Blob.end() && any_of(Found->second, HoldsFor);
      return Any != By->IsOpposite;
    };
  }

  StringRef Text;
  size_t At = 0;
};

} // namespace

Expected<Predicate> ckjit::parsePredicate(StringRef Text) {
  return Parser(Text).parse();
}
