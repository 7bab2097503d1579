//===- Table.cpp - text tables of the listing verbs -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Table.h.
//
//===----------------------------------------------------------------------===//
#include "Table.h"

#include "ToolSupport/Output.h"
#include "llvm/ADT/StringExtras.h"

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

static void printPlain(raw_ostream &OS, const Table &T) {
  std::vector<size_t> Widths;
  for (const Table::Column &C : T.Columns)
    Widths.push_back(C.Name.size());
  for (const std::vector<std::string> &Row : T.Rows)
    for (size_t I = 0; I < Row.size(); ++I)
      Widths[I] = std::max(Widths[I], Row[I].size());
  auto PrintRow = [&](auto CellAt) {
    std::string Line;
    for (size_t I = 0; I < Widths.size(); ++I) {
      Line += CellAt(I);
      Line.append(Widths[I] + 2 - CellAt(I).size(), ' ');
    }
    OS << StringRef(Line).rtrim() << '\n';
  };
  if (!T.Title.empty())
    OS << T.Title << '\n';
  PrintRow([&](size_t I) { return T.Columns[I].Name.upper(); });
  for (const std::vector<std::string> &Row : T.Rows)
    PrintRow([&](size_t I) { return Row[I]; });
}

/// Quotes names in a sentence as code, since Markdown reads underscores as
/// emphasis.
static std::string withCode(StringRef Text) {
  std::string Out;
  while (!Text.empty()) {
    StringRef Word =
        Text.take_while([](char C) { return isAlnum(C) || C == '_'; });
    StringRef Quote = Word.contains('_') ? "`" : "";
    Text = Text.drop_front(Word.size());
    StringRef Between =
        Text.take_until([](char C) { return isAlnum(C) || C == '_'; });
    Text = Text.drop_front(Between.size());
    Out += (Quote + Word + Quote + Between).str();
  }
  return Out;
}

static void printMarkdown(raw_ostream &OS, const Table &T) {
  if (!T.Title.empty())
    OS << "### " << T.Title << "\n\n";
  for (const Table::Column &C : T.Columns)
    OS << "| " << C.Name << ' ';
  OS << "|\n";
  for (size_t I = 0; I < T.Columns.size(); ++I)
    OS << "|---";
  OS << "|\n";
  for (const std::vector<std::string> &Row : T.Rows) {
    for (size_t I = 0; I < Row.size(); ++I) {
      OS << "| ";
      if (!Row[I].empty())
        OS << (T.Columns[I].IsCode ? "`" + Row[I] + "`" : withCode(Row[I]))
           << ' ';
    }
    OS << "|\n";
  }
}

void conv::printTables(raw_ostream &OS, ArrayRef<Table> Tables, bool Markdown) {
  for (const Table &T : Tables) {
    if (&T != Tables.begin())
      OS << '\n';
    Markdown ? printMarkdown(OS, T) : printPlain(OS, T);
  }
}

void conv::showTables(Invocation &I, StringRef Schema, ArrayRef<Table> Tables,
                      void (*Print)(json::OStream &)) {
  if (std::vector<std::string> Operands = I.operands(); !Operands.empty())
    I.S.error(Operands.front() + ": the verb takes no operand; " +
              I.Options.seeHelp());
  else if (I.json())
    printJson(I.S.out(), Schema, Print);
  else
    printTables(I.S.out(), Tables, I.Args.hasArg(OPT_markdown));
}
