//===- DependencyFile.cpp - files that lld opened -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   <file>   ::= <output> ":" <item>* "\n" <rule>*
//   <item>   ::= " \\\n " <escaped input>
//   <rule>   ::= "\n" <escaped input> ":\n"
//
// Space and '#' are escaped by a backslash, '$' is doubled, a backslash becomes
// a slash; the output is not escaped.
//
//===----------------------------------------------------------------------===//
#include "DependencyFile.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace kpack::linker {

static std::string unescape(StringRef Text) {
  std::string Path;
  for (size_t I = 0; I < Text.size(); ++I) {
    StringRef Pair = Text.substr(I, 2);
    if (Pair == "\\ " || Pair == "\\#" || Pair == "$$")
      ++I;
    Path += Text[I];
  }
  return Path;
}

std::vector<std::string> parseDependencies(StringRef Text) {
  std::vector<std::string> Paths;
  SmallVector<StringRef> Lines;
  Text.split(Lines, '\n');
  for (StringRef Line : ArrayRef(Lines).drop_front()) {
    if (!Line.consume_front(" "))
      break;
    Line.consume_back(" \\");
    Paths.push_back(unescape(Line));
  }
  return Paths;
}

static void printEscaped(raw_ostream &OS, StringRef Path) {
  for (char C : Path) {
    if (C == ' ' || C == '#')
      OS << '\\';
    else if (C == '$')
      OS << '$';
    OS << (C == '\\' ? '/' : C);
  }
}

std::string formatDependencies(StringRef Output, ArrayRef<std::string> Inputs) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << Output << ':';
  for (StringRef Input : Inputs) {
    OS << " \\\n ";
    printEscaped(OS, Input);
  }
  OS << '\n';
  for (StringRef Input : Inputs) {
    OS << '\n';
    printEscaped(OS, Input);
    OS << ":\n";
  }
  return Text;
}

} // namespace kpack::linker
