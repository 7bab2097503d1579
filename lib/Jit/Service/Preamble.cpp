//===- Preamble.cpp - the directives before a source's code ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A construct that the reader does not understand ends the preamble, which is
// then shorter than it could be, or empty.
//
//===----------------------------------------------------------------------===//
#include "Jit/Service/Preamble.h"

#include <algorithm>

using namespace kpack::jit;

static bool isBlank(char C) {
  return C == ' ' || C == '\t' || C == '\r' || C == '\f' || C == '\v';
}

namespace {

/// Lines as the preprocessor sees them: spliced at backslashes, with blanks for
/// comments.
class Lines {
public:
  explicit Lines(std::string_view Source) : Source(Source) {}

  /// Returns false at the end and at constructs that this reader rejects.
  bool next(std::string &Line) {
    Line.clear();
    while (At < Source.size()) {
      if (Source[At] == '\n') {
        ++At;
        return true;
      }
      if (!take(Line))
        return false;
    }
    return false; // a last line without a newline is not part of the preamble
  }
  /// Returns the offset after the last line.
  size_t position() const { return At; }

private:
  char peek(size_t Ahead) const {
    return At + Ahead < Source.size() ? Source[At + Ahead] : '\0';
  }

  bool take(std::string &Line) {
    char C = Source[At];
    if (C == '\0')
      return false;
    if (C == '\\' && peek(1) == '\n') {
      At += 2;
      return true;
    }
    if (C == '\\' && peek(1) == '\r' && peek(2) == '\n') {
      At += 3;
      return true;
    }
    if (C == '/' && peek(1) == '/') {
      size_t End = Source.find('\n', At);
      if (End == std::string_view::npos)
        return false;
      // Reject a comment that a backslash continues.
      size_t Last = Source.find_last_not_of('\r', End - 1);
      if (Source[Last] == '\\')
        return false;
      At = End;
      return true;
    }
    if (C == '/' && peek(1) == '*') {
      size_t End = Source.find("*/", At + 2);
      if (End == std::string_view::npos)
        return false;
      At = End + 2;
      Line += ' ';
      return true;
    }
    if (C == '"' || C == '\'')
      return takeLiteral(C, Line);
    Line += C;
    ++At;
    return true;
  }

  /// Appends a literal or the name of a header to \p Line: no comment begins
  /// in it. Returns false if it does not end in its line.
  bool takeLiteral(char Quote, std::string &Line) {
    do {
      if (Source[At] == '\n' || Source[At] == '\0')
        return false;
      if (Source[At] == '\\' && At + 1 < Source.size())
        Line += Source[At++];
      Line += Source[At++];
    } while (At < Source.size() && Source[At] != Quote);
    if (At == Source.size())
      return false;
    Line += Source[At++];
    return true;
  }

  std::string_view Source;
  size_t At = 0;
};

enum class Directive { None, Blank, Include, Macro, Open, Middle, Close };

} // namespace

static std::string_view trimmed(std::string_view Text) {
  while (!Text.empty() && isBlank(Text.front()))
    Text.remove_prefix(1);
  while (!Text.empty() && isBlank(Text.back()))
    Text.remove_suffix(1);
  return Text;
}

static Directive parseDirective(std::string_view Line) {
  if (Line.empty())
    return Directive::Blank;
  if (Line.front() != '#')
    return Directive::None;
  Line = trimmed(Line.substr(1));
  size_t End = static_cast<size_t>(
      std::find_if(Line.begin(), Line.end(),
                   [](char C) { return (C < 'a' || C > 'z') && C != '_'; }) -
      Line.begin());
  std::string_view Word = Line.substr(0, End);
  if (Word == "include")
    return Directive::Include;
  if (Word == "define" || Word == "undef")
    return Directive::Macro;
  if (Word == "if" || Word == "ifdef" || Word == "ifndef")
    return Directive::Open;
  if (Word == "else" || Word == "elif")
    return Directive::Middle;
  if (Word == "endif")
    return Directive::Close;
  if (Word == "pragma" && trimmed(Line.substr(End)) == "once")
    return Directive::Blank;
  return Directive::None;
}

Preamble kpack::jit::parsePreamble(std::string_view Source) {
  Preamble Found;
  // A byte order mark counts in clang's offsets: precompile nothing then.
  if (Source.substr(0, 3) == "\xEF\xBB\xBF")
    return Found;
  Lines Reader(Source);
  std::string Line, Text;
  size_t Depth = 0;
  bool HasInclude = false;
  while (Reader.next(Line)) {
    std::string_view Content = trimmed(Line);
    Directive Kind = parseDirective(Content);
    if (Kind == Directive::None ||
        ((Kind == Directive::Middle || Kind == Directive::Close) && Depth == 0))
      break;
    if (Kind == Directive::Blank)
      continue;
    Depth += Kind == Directive::Open;
    Depth -= Kind == Directive::Close;
    HasInclude |= Kind == Directive::Include;
    Text.append(Content).append("\n");
    if (Depth == 0 && HasInclude) {
      Found.Bytes = Reader.position();
      Found.Text = Text;
      HasInclude = false;
    }
  }
  return Found;
}
