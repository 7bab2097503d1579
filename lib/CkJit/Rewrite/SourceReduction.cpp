//===- SourceReduction.cpp - removal of irrelevant source text ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses no parser, only clang's raw lexer and the nesting of braces. Mistakes
// are detected: a text that then does not compile is parsed unchanged.
//
//===----------------------------------------------------------------------===//
#include "SourceReduction.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <vector>

using namespace clang;
using namespace kpack;
using llvm::ArrayRef;
using llvm::StringRef;

namespace {

struct Word {
  unsigned Begin, End; ///< offsets
  tok::TokenKind Kind;
  StringRef Name; ///< of an identifier or a keyword, else empty
  bool IsDirective;
};

/// \p Text must be followed by a zero byte, at which the lexer stops.
std::vector<Word> lex(StringRef Text) {
  LangOptions Language;
  Language.CPlusPlus = Language.CPlusPlus11 = Language.CPlusPlus14 = true;
  Language.CPlusPlus17 = Language.CPlusPlus20 = Language.Digraphs = true;
  Lexer Lex(SourceLocation::getFromRawEncoding(1), Language, Text.begin(),
            Text.begin(), Text.end());
  std::vector<Word> Tokens;
  bool InDirective = false;
  Token T;
  for (bool Last = false; !Last;) {
    Last = Lex.LexFromRawLexer(T);
    if (T.is(tok::eof))
      break;
    if (T.isAtStartOfLine())
      InDirective = T.is(tok::hash);
    unsigned End = Lex.getCurrentBufferOffset();
    Tokens.push_back(
        {End - T.getLength(), End, T.getKind(),
         T.is(tok::raw_identifier) ? T.getRawIdentifier() : StringRef(),
         InDirective});
  }
  return Tokens;
}

/// Follows the braces of a text to track unnamed namespaces.
class UnnamedNamespaces {
public:
  void word(const Word &W, StringRef Before) {
    if (W.Kind == tok::l_brace) {
      if (Before == "namespace" && Outermost < 0)
        Outermost = Depth;
      ++Depth;
    } else if (W.Kind == tok::r_brace && --Depth == Outermost) {
      Outermost = -1;
    }
  }
  bool inside() const { return Outermost >= 0; }

private:
  int Depth = 0, Outermost = -1;
};

/// Returns the names that a text declares by `using X =`, or by `struct X {` in
/// an unnamed namespace.
llvm::StringSet<> ownNames(ArrayRef<Word> Tokens) {
  llvm::StringSet<> Own;
  UnnamedNamespaces Unnamed;
  StringRef Before, Introducer; // one word back, and two
  for (const Word &W : Tokens) {
    Unnamed.word(W, Before);
    bool IsClass = Introducer == "struct" || Introducer == "class";
    if (Introducer == "using" ? W.Kind == tok::equal
                              : IsClass && Unnamed.inside() &&
                                    (W.Kind == tok::l_brace ||
                                     W.Kind == tok::colon || W.Name == "final"))
      Own.insert(Before);
    Introducer = W.Name.empty() ? StringRef() : Before;
    Before = W.Name;
  }
  return Own;
}

/// Returns false for texts with macros or conditions, which can change the
/// meaning of tokens, and for includes inside statements. Such texts are not
/// shortened.
bool isPlain(ArrayRef<Word> Tokens) {
  tok::TokenKind Before = tok::semi;
  for (size_t I = 0; I < Tokens.size(); ++I) {
    if (!Tokens[I].IsDirective) {
      Before = Tokens[I].Kind;
      continue;
    }
    if (Tokens[I].Kind == tok::hash &&
        (I + 1 == Tokens.size() ||
         (Tokens[I + 1].Name != "include" && Tokens[I + 1].Name != "pragma") ||
         (Before != tok::semi && Before != tok::r_brace)))
      return false;
  }
  return true;
}

/// A declaration in a namespace: its range and kind.
struct Statement {
  enum Kind { Other, Alias, Body } What;
  size_t Begin, End; ///< word indices; of a body: the words inside its braces
};

/// With one of these a function may be more than its type and its body.
constexpr StringRef SpecialWords[] = {
    "auto",   "decltype", "constexpr", "consteval", "noexcept", "requires",
    "struct", "class",    "union",     "enum",      "operator"};

/// Splits a text into statements.
class Splitter {
public:
  explicit Splitter(ArrayRef<Word> Tokens) : Words(Tokens) {}

  /// Returns an empty list if it finds an unknown construct.
  std::vector<Statement> run() {
    for (size_t I = 0; I < Words.size(); ++I) {
      const Word &W = Words[I];
      if (W.IsDirective) {
        if (inStatement(I))
          return {};
        Start = I + 1;
      } else if (W.Kind == tok::semi) {
        end(I + 1);
      } else if (W.Kind == tok::r_brace) {
        if (inStatement(I))
          return {};
        Start = I + 1; // end of a namespace
      } else if (W.Kind == tok::l_brace && isNamespace(I)) {
        end(I + 1);
      } else if (W.Kind == tok::l_brace) {
        size_t Close = findClose(I);
        if (!Close)
          return {};
        // A body ends its statement; other braces may not.
        bool Ends = isSpecialization(I);
        if (Ends && Words[I + 1].Name != "return") {
          Found.push_back({Statement::Other, Start, I + 1});
          Found.push_back({Statement::Body, I + 1, Close});
          Start = Close;
        }
        I = Close;
        if (Ends)
          end(I + 1);
      }
    }
    end(Words.size());
    return std::move(Found);
  }

private:
  bool inStatement(size_t I) const { return I > Start; }

  void end(size_t I) {
    if (I > Start) {
      bool IsAlias = I - Start > 3 && Words[Start].Name == "using" &&
                     Words[Start + 2].Kind == tok::equal &&
                     Words[I - 1].Kind == tok::semi;
      Found.push_back(
          {IsAlias ? Statement::Alias : Statement::Other, Start, I});
    }
    Start = I;
  }

  /// Returns the partner of the brace; 0 also for one with an include in it.
  size_t findClose(size_t Open) const {
    unsigned Depth = 0;
    for (size_t I = Open; I < Words.size() && !Words[I].IsDirective; ++I) {
      if (Words[I].Kind == tok::l_brace)
        ++Depth;
      else if (Words[I].Kind == tok::r_brace && !--Depth)
        return I;
    }
    return 0;
  }

  bool isNamespace(size_t Brace) const {
    StringRef First = Words[Start].Name;
    return First == "namespace" ||
           (First == "inline" && Words[Start + 1].Name == "namespace") ||
           (First == "extern" && Brace == Start + 2 &&
            Words[Start + 1].Kind == tok::string_literal);
  }

  /// Returns true for "template <> type name<...>(...) {" if the type does not
  /// depend on the body.
  bool isSpecialization(size_t Brace) const {
    return Brace > Start + 4 && Words[Start].Name == "template" &&
           Words[Start + 1].Kind == tok::less &&
           Words[Start + 2].Kind == tok::greater &&
           Words[Brace - 1].Kind == tok::r_paren &&
           llvm::none_of(Words.slice(Start, Brace - Start), [](const Word &W) {
             return llvm::is_contained(SpecialWords, W.Name) ||
                    W.Kind == tok::equal || W.Kind == tok::colon ||
                    W.Kind == tok::l_brace;
           });
  }

  ArrayRef<Word> Words;
  size_t Start = 0;
  std::vector<Statement> Found;
};

/// Follows the else-if chains of a text.
class ElseFinder {
public:
  explicit ElseFinder(ArrayRef<Word> Tokens) : Words(Tokens) {}

  /// Returns the indices of the words that can be removed.
  std::vector<size_t> run() {
    std::vector<size_t> Found;
    for (size_t I = 0; I < Words.size(); ++I) {
      const Word &W = Words[I];
      if (W.IsDirective)
        continue;
      if (W.Kind == tok::l_brace)
        Levels.push_back({Levels.back().InLambda || isLambda(I)});
      else if (W.Kind == tok::r_brace && Levels.size() > 1)
        Levels.pop_back();
      else if (W.Name == "else" && I + 2 < Words.size() &&
               Words[I + 1].Name == "if")
        continueChain(I, Found);
      else if (W.Name == "if" && (!I || Words[I - 1].Name != "else"))
        beginChain(I);
    }
    return Found;
  }

private:
  struct Level {
    bool InLambda = false;   ///< it may run at compile time
    bool IsConstant = false; ///< there was an `if constexpr`
    bool CanBeCut = false;   ///< the chain declares no name
  };

  void beginChain(size_t If) {
    Level &L = Levels.back();
    tok::TokenKind Before = If ? Words[If - 1].Kind : tok::semi;
    L.CanBeCut = (Before == tok::l_brace || Before == tok::r_brace ||
                  Before == tok::semi) &&
                 hasPlainCondition(If);
  }
  void continueChain(size_t Else, std::vector<size_t> &Found) {
    Level &L = Levels.back();
    bool Before = L.CanBeCut;
    L.CanBeCut = Before && hasPlainCondition(Else + 1);
    if (Before && !L.IsConstant && !L.InLambda &&
        Words[Else + 2].Kind == tok::l_paren)
      Found.push_back(Else);
  }

  /// Returns true if the condition declares nothing and is no `if constexpr`.
  bool hasPlainCondition(size_t If) {
    if (If + 1 >= Words.size() || Words[If + 1].Kind != tok::l_paren) {
      Levels.back().IsConstant = true;
      return false;
    }
    unsigned Depth = 0;
    for (size_t I = If + 1; I < Words.size(); ++I) {
      tok::TokenKind Kind = Words[I].Kind;
      if (Kind == tok::l_paren)
        ++Depth;
      else if (Kind == tok::r_paren && !--Depth)
        return true;
      else if (Kind == tok::equal || Kind == tok::semi ||
               Kind == tok::l_brace || Words[I].IsDirective)
        return false;
    }
    return false;
  }

  bool isLambda(size_t Brace) const {
    for (size_t I = Brace; I--;) {
      tok::TokenKind Kind = Words[I].Kind;
      if (Kind == tok::r_square)
        return true;
      if (Kind == tok::semi || Kind == tok::l_brace || Kind == tok::r_brace)
        return false;
    }
    return false;
  }

  ArrayRef<Word> Words;
  std::vector<Level> Levels{Level()};
};

} // namespace

std::string ckjit::withOwnNames(StringRef Text, unsigned Index) {
  std::vector<Word> Tokens = lex(Text);
  llvm::StringSet<> Own = ownNames(Tokens);
  std::string Suffix = "_blob" + std::to_string(Index), Result;
  size_t Done = 0;
  for (const Word &W : Tokens) {
    if (W.Name.empty() || W.Name == "using" || !Own.contains(W.Name))
      continue;
    Result += Text.slice(Done, W.End);
    Result += Suffix;
    Done = W.End;
  }
  return Result + Text.substr(Done).str();
}

/// Marks the statements that only bodies use.
static std::vector<bool> findUnused(ArrayRef<Word> Tokens,
                                    ArrayRef<Statement> Statements) {
  llvm::StringSet<> Used;
  std::vector<bool> Unused(Statements.size());
  auto Use = [&](const Statement &S) {
    for (const Word &W : Tokens.slice(S.Begin, S.End - S.Begin))
      if (!W.Name.empty())
        Used.insert(W.Name);
  };
  for (auto [I, S] : llvm::enumerate(Statements)) {
    Unused[I] = S.What != Statement::Other;
    if (!Unused[I])
      Use(S);
  }
  // An alias precedes its uses.
  for (size_t I = Statements.size(); I--;) {
    const Statement &S = Statements[I];
    if (S.What != Statement::Alias || !Used.contains(Tokens[S.Begin + 1].Name))
      continue;
    Unused[I] = false;
    Use({S.What, S.Begin + 2, S.End});
  }
  return Unused;
}

std::string ckjit::withoutBodies(StringRef Text) {
  std::vector<Word> Tokens = lex(Text);
  if (!isPlain(Tokens))
    return Text.str();
  std::vector<Statement> Statements = Splitter(Tokens).run();
  std::vector<bool> Unused = findUnused(Tokens, Statements);
  std::string Result;
  size_t Done = 0;
  for (auto [I, S] : llvm::enumerate(Statements)) {
    if (!Unused[I] || S.Begin == S.End)
      continue;
    size_t Begin = Tokens[S.Begin].Begin, End = Tokens[S.End - 1].End;
    Result += Text.slice(Done, Begin);
    Result.append(Text.slice(Begin, End).count('\n'), '\n');
    Done = End;
  }
  return Result + Text.substr(Done).str();
}

std::string ckjit::withoutElse(StringRef Text, std::vector<unsigned> &Cut) {
  std::vector<Word> Tokens = lex(Text);
  std::string Result = Text.str();
  if (!isPlain(Tokens))
    return Result;
  for (size_t I : ElseFinder(Tokens).run()) {
    const Word &W = Tokens[I];
    Cut.push_back(W.Begin);
    Result.replace(W.Begin, W.Name.size(), W.Name.size(), ' ');
  }
  return Result;
}

bool ckjit::hasName(const std::string &Text, const llvm::StringSet<> &Names) {
  return llvm::any_of(lex(Text), [&](const Word &W) {
    return !W.Name.empty() && Names.contains(W.Name);
  });
}

bool ckjit::definesMacros(const std::string &Text) {
  return llvm::any_of(lex(Text), [](const Word &W) {
    return W.IsDirective && (W.Name == "define" || W.Name == "undef");
  });
}
