//===- PchSafety.cpp - sources safe to compile with a PCH -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the source as tokens without preprocessing: a macro that expands to
// declarations counts as unknown.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Cache/PchSafety.h"

#include <cctype>
#include <string>

using namespace kpack::jit;

namespace {

class Reader {
public:
  explicit Reader(std::string_view Source) : Source(Source) {}

  bool variantsOnly() {
    for (next(); !Word.empty(); next())
      if (!declaration())
        return false;
    return !Failed;
  }

private:
  bool fail() {
    Failed = true;
    Word = {};
    return false;
  }
  bool at(std::string_view Text) const {
    return Source.substr(At, Text.size()) == Text;
  }

  void next();
  bool directive();
  bool literal(char Quote);
  bool group();
  bool untilEnd(bool MayHaveBody);
  bool declaration();

  std::string_view Source;
  size_t At = 0;
  std::string_view Word; ///< name, literal or punctuator; empty at the end
  bool Failed = false;
};

} // namespace

static bool isWordCharacter(char C) {
  return std::isalnum(static_cast<unsigned char>(C)) || C == '_';
}

/// Returns true for a header of the C++ library. Its specializations (such as
/// std::hash) are for its own types, which no earlier kernel can have used.
static bool isStandardInclude(std::string_view Line) {
  static constexpr std::string_view Names =
      " algorithm array atomic cassert cfloat chrono climits cmath cstddef "
      "cstdint cstdio cstdlib cstring exception fstream functional "
      "initializer_list iomanip ios iosfwd iostream istream iterator limits "
      "map memory mutex new numeric optional ostream ratio set sstream "
      "stdexcept string string_view thread tuple type_traits typeinfo "
      "unordered_map utility variant vector ";
  size_t Open = Line.find_first_not_of(" \t", Line.find("include") + 7);
  if (Open == std::string_view::npos || Line[Open] != '<')
    return false;
  size_t Close = Line.find('>', Open);
  if (Close == std::string_view::npos ||
      Line.find_first_not_of(" \t\r", Close + 1) != std::string_view::npos)
    return false;
  std::string Name(Line.substr(Open + 1, Close - Open - 1));
  return Name.find(' ') == std::string::npos &&
         Names.find(" " + Name + " ") != std::string_view::npos;
}

/// Accepts conditions and macros, which change no template, unlike most
/// includes.
bool Reader::directive() {
  size_t End = At;
  do
    End = Source.find('\n', End + 1);
  while (End != std::string_view::npos &&
         (Source[End - 1] == '\\' ||
          (Source[End - 1] == '\r' && Source[End - 2] == '\\')));
  std::string_view Line = Source.substr(At + 1, End - At - 1);
  At = End == std::string_view::npos ? Source.size() : End;
  size_t Start = Line.find_first_not_of(" \t");
  Line =
      Start == std::string_view::npos ? std::string_view() : Line.substr(Start);
  for (std::string_view Good :
       {"if", "else", "elif", "endif", "define", "undef"})
    if (Line.substr(0, Good.size()) == Good)
      return Line.find("/*") == std::string_view::npos;
  return Line.substr(0, 7) == "include" && isStandardInclude(Line);
}

bool Reader::literal(char Quote) {
  if (At > 0 && Source[At - 1] == 'R')
    return false;
  for (++At; At < Source.size() && Source[At] != Quote; ++At) {
    if (Source[At] == '\n')
      return false;
    At += Source[At] == '\\';
  }
  return ++At <= Source.size();
}

void Reader::next() {
  bool StartsLine = At == 0;
  for (; At < Source.size(); ++At) {
    char C = Source[At];
    if (C == '\n') {
      StartsLine = true;
    } else if (at("//")) {
      size_t End = Source.find('\n', At);
      At = End == std::string_view::npos ? Source.size() : End - 1;
    } else if (at("/*")) {
      size_t End = Source.find("*/", At + 2);
      if (End == std::string_view::npos) {
        fail();
        return;
      }
      At = End + 1;
    } else if (C == '#' && StartsLine) {
      if (!directive()) {
        fail();
        return;
      }
      --At; // continue at the line's end
    } else if (!std::isspace(static_cast<unsigned char>(C))) {
      break;
    }
  }
  size_t Start = At;
  if (At >= Source.size()) {
    Word = {};
    return;
  }
  if (Source[At] == '"' || Source[At] == '\'') {
    if (!literal(Source[At])) {
      fail();
      return;
    }
  } else if (isWordCharacter(Source[At])) {
    // Includes the separators in numbers.
    while (At < Source.size() &&
           (isWordCharacter(Source[At]) ||
            (Source[At] == '\'' &&
             std::isdigit(static_cast<unsigned char>(Source[Start])))))
      ++At;
  } else {
    ++At;
  }
  Word = Source.substr(Start, At - Start);
}

/// Skips from an opening bracket to its partner.
bool Reader::group() {
  std::string Open;
  for (; !Word.empty(); next()) {
    if (Word == "(" || Word == "{" || Word == "[")
      Open += Word == "(" ? ')' : Word == "{" ? '}' : ']';
    else if (Word == ")" || Word == "}" || Word == "]") {
      if (Open.empty() || Open.back() != Word[0])
        return fail();
      Open.pop_back();
      if (Open.empty())
        return true;
    }
  }
  return fail();
}

/// Skips to the semicolon, or to the end of a body.
bool Reader::untilEnd(bool MayHaveBody) {
  for (; !Word.empty(); next()) {
    if (Word == ";")
      return true;
    bool IsBody = Word == "{";
    if ((IsBody || Word == "(" || Word == "[") && !group())
      return false;
    if (IsBody && MayHaveBody)
      return true;
  }
  return fail();
}

bool Reader::declaration() {
  if (Word == ";")
    return true;
  if (Word == "using" || Word == "typedef" || Word == "static_assert")
    return untilEnd(/*MayHaveBody=*/false);
  if (Word == "namespace") {
    next();
    return Word == "{" && group();
  }
  if (Word != "template")
    return fail();
  next();
  if (Word != "<")
    return fail();
  next();
  if (Word != ">")
    return fail();
  next();
  for (std::string_view Type : {"struct", "class", "union", "enum", "template"})
    if (Word == Type)
      return fail();
  return untilEnd(/*MayHaveBody=*/true);
}

bool kpack::jit::isSafeForSharedInstantiations(std::string_view Source) {
  return Reader(Source).variantsOnly();
}
