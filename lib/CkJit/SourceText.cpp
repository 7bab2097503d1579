//===- SourceText.cpp - sources by their tokens ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SourceText.h. No parser: clang's raw lexer, and which braces belong to
// what. A mistake shows: what then does not compile is parsed as it is.
//
//===----------------------------------------------------------------------===//
#include "SourceText.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

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

std::vector<Word> lex(StringRef Text) {
  LangOptions Language;
  Language.CPlusPlus = Language.CPlusPlus11 = true;
  Lexer Lex(SourceLocation::getFromRawEncoding(1), Language, Text.begin(),
            Text.begin(), Text.end());
  std::vector<Word> Words;
  bool InDirective = false;
  Token T;
  for (bool Last = false; !Last;) {
    Last = Lex.LexFromRawLexer(T);
    if (T.is(tok::eof))
      break;
    if (T.isAtStartOfLine())
      InDirective = T.is(tok::hash);
    const unsigned End = Lex.getCurrentBufferOffset();
    Words.push_back(
        {End - T.getLength(), End, T.getKind(),
         T.is(tok::raw_identifier) ? T.getRawIdentifier() : StringRef(),
         InDirective});
  }
  return Words;
}

/// Follows the braces of a text, to know what is in an unnamed namespace.
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

/// Names that a text declares by `using X =`, or by `struct X {` in an unnamed
/// namespace.
llvm::StringSet<> ownNames(ArrayRef<Word> Words) {
  llvm::StringSet<> Own;
  UnnamedNamespaces Unnamed;
  StringRef Before, Introducer; // one word back, and two
  for (const Word &W : Words) {
    Unnamed.word(W, Before);
    const bool IsClass = Introducer == "struct" || Introducer == "class";
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

/// What a text declares in namespaces: where, and of what kind.
struct Statement {
  enum Kind { Other, Alias, Body } What;
  size_t Begin, End; ///< numbers of words; of a body: those in its braces
};

/// Splits a text into statements.
class Splitter {
public:
  explicit Splitter(ArrayRef<Word> Words) : Words(Words) {}

  /// Empty if there are macros, or braces that do not fit.
  std::vector<Statement> run() {
    for (size_t I = 0; I < Words.size(); ++I) {
      const Word &W = Words[I];
      if (W.IsDirective) {
        if (W.Name == "define")
          return {};
        End(I), Start = I + 1;
        continue;
      }
      if (W.Kind == tok::semi) {
        End(I + 1);
      } else if (W.Kind == tok::r_brace) {
        End(I), Start = I + 1; // of a namespace
      } else if (W.Kind == tok::l_brace && isNamespace(I)) {
        End(I + 1);
      } else if (W.Kind == tok::l_brace) {
        const size_t Close = closeOf(I);
        if (!Close)
          return {};
        // A body ends its statement; a class, or a list of values, does not.
        const bool Ends = isFunction(Start, I);
        if (isPlainFunction(I) && Words[I + 1].Name != "return") {
          Found.push_back({Statement::Other, Start, I + 1});
          Found.push_back({Statement::Body, I + 1, Close});
          Start = Close;
        }
        I = Close;
        if (Ends)
          End(I + 1);
      }
    }
    End(Words.size());
    return std::move(Found);
  }

private:
  void End(size_t I) {
    if (I > Start) {
      const bool IsAlias = I - Start > 3 && Words[Start].Name == "using" &&
                           Words[Start + 2].Kind == tok::equal &&
                           Words[I - 1].Kind == tok::semi;
      Found.push_back(
          {IsAlias ? Statement::Alias : Statement::Other, Start, I});
    }
    Start = I;
  }

  size_t closeOf(size_t Open) const {
    unsigned Depth = 0;
    for (size_t I = Open; I < Words.size(); ++I) {
      if (Words[I].Kind == tok::l_brace)
        ++Depth;
      else if (Words[I].Kind == tok::r_brace && !--Depth)
        return I;
    }
    return 0;
  }

  bool has(size_t Begin, size_t End, llvm::function_ref<bool(const Word &)> F) {
    return llvm::any_of(Words.slice(Begin, End - Begin), F);
  }
  bool isNamespace(size_t Brace) {
    return has(Start, Brace, [](const Word &W) {
      return W.Name == "namespace" || W.Kind == tok::string_literal;
    });
  }
  /// Do the words before a brace declare a function?
  bool isFunction(size_t Begin, size_t Brace) {
    return has(Begin, Brace,
               [](const Word &W) { return W.Kind == tok::r_paren; }) &&
           !has(Begin, Brace, [](const Word &W) {
             return W.Kind == tok::equal || W.Name == "struct" ||
                    W.Name == "class" || W.Name == "union" ||
                    W.Name == "enum" || W.Name == "using";
           });
  }
  /// One whose type does not depend on its body, which begins at \p Brace.
  bool isPlainFunction(size_t Brace) {
    return isFunction(Start, Brace) && Words[Brace - 1].Kind == tok::r_paren &&
           !has(Start, Brace, [](const Word &W) {
             return W.Name == "auto" || W.Name == "decltype" ||
                    W.Name == "constexpr" || W.Name == "consteval" ||
                    W.Name == "noexcept" || W.Name == "requires" ||
                    W.Kind == tok::colon;
           });
  }

  ArrayRef<Word> Words;
  size_t Start = 0;
  std::vector<Statement> Found;
};

} // namespace

std::string ckjit::withOwnNames(StringRef Text, unsigned Number) {
  const std::vector<Word> Words = lex(Text);
  const llvm::StringSet<> Own = ownNames(Words);
  std::string Suffix = "_blob" + std::to_string(Number), Result;
  size_t Done = 0;
  for (const Word &W : Words) {
    if (W.Name.empty() || W.Name == "using" || !Own.contains(W.Name))
      continue;
    Result += Text.slice(Done, W.End);
    Result += Suffix;
    Done = W.End;
  }
  return Result + Text.substr(Done).str();
}

/// Numbers of the statements that nothing but bodies uses.
static std::vector<bool> findUnused(ArrayRef<Word> Words,
                                    ArrayRef<Statement> Statements) {
  llvm::StringSet<> Used;
  std::vector<bool> Unused(Statements.size());
  auto Use = [&](const Statement &S) {
    for (const Word &W : Words.slice(S.Begin, S.End - S.Begin))
      if (!W.Name.empty())
        Used.insert(W.Name);
  };
  for (auto [I, S] : llvm::enumerate(Statements)) {
    Unused[I] = S.What != Statement::Other;
    if (!Unused[I])
      Use(S);
  }
  // An alias comes before those that use it.
  for (size_t I = Statements.size(); I--;) {
    const Statement &S = Statements[I];
    if (S.What != Statement::Alias || !Used.contains(Words[S.Begin + 1].Name))
      continue;
    Unused[I] = false;
    Use({S.What, S.Begin + 2, S.End});
  }
  return Unused;
}

std::string ckjit::withoutBodies(StringRef Text) {
  const std::vector<Word> Words = lex(Text);
  const std::vector<Statement> Statements = Splitter(Words).run();
  const std::vector<bool> Unused = findUnused(Words, Statements);
  std::string Result;
  size_t Done = 0;
  for (auto [I, S] : llvm::enumerate(Statements)) {
    if (!Unused[I] || S.Begin == S.End)
      continue;
    const size_t Begin = Words[S.Begin].Begin, End = Words[S.End - 1].End;
    Result += Text.slice(Done, Begin);
    Result.append(Text.slice(Begin, End).count('\n'), '\n');
    Done = End;
  }
  return Result + Text.substr(Done).str();
}

std::string ckjit::withoutElse(StringRef Text) {
  const std::vector<Word> Words = lex(Text);
  std::string Result = Text.str();
  // By depth of braces: an `if constexpr` came before, which an `else` may
  // belong to.
  std::vector<bool> Constant(1);
  auto Is = [&](size_t I, StringRef Name) {
    return I < Words.size() && Words[I].Name == Name;
  };
  for (auto [I, W] : llvm::enumerate(Words)) {
    if (W.IsDirective)
      continue;
    if (W.Kind == tok::l_brace) {
      Constant.push_back(false);
    } else if (W.Kind == tok::r_brace && Constant.size() > 1) {
      Constant.pop_back();
    } else if (W.Name == "if") {
      if (I + 1 == Words.size() || Words[I + 1].Kind != tok::l_paren)
        Constant.back() = true;
    } else if (W.Name == "else" && Is(I + 1, "if") && !Constant.back() &&
               I + 2 < Words.size() && Words[I + 2].Kind == tok::l_paren) {
      Result.replace(W.Begin, W.Name.size(), W.Name.size(), ' ');
    }
  }
  return Result;
}
