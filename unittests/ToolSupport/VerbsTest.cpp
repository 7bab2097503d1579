//===- VerbsTest.cpp - programs with verbs --------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/Verbs.h"
#include "gtest/gtest.h"

using namespace kpack;
using namespace llvm;

static constexpr Verb Verbs[] = {
    {.Name = "list", .Summary = "list them"},
    {.Name = "hidden"},
};
static constexpr VerbMenu Menu = {
    .Program = "t x", .Head = "head\n", .Tail = "tail\n", .Version = "t 1\n"};

/// What is printed for \p Words, and "#" with the index of what was chosen.
static std::string answer(const VerbMenu &M, std::vector<const char *> Words,
                          int Code = 0) {
  std::string Text;
  raw_string_ostream OS(Text);
  Session S(OS, OS, "t");
  if (std::optional<size_t> Chosen = chooseVerb(S, M, Verbs, Words))
    OS << '#' << *Chosen;
  EXPECT_EQ(S.exitCode(), Code);
  return Text;
}

TEST(Verbs, AreChosenByTheirNames) {
  EXPECT_EQ(answer(Menu, {"list", "--help"}), "#0");
  EXPECT_EQ(answer(Menu, {"hidden"}), "#1");
}

TEST(Verbs, AreListedIfTheyHaveASummary) {
  EXPECT_EQ(answer(Menu, {"--help"}), "head\n  list       list them\ntail\n");
  EXPECT_EQ(answer(Menu, {"-h", "list"}), answer(Menu, {"--help"}));
}

TEST(Verbs, HaveAVersionIfThereIsOne) {
  EXPECT_EQ(answer(Menu, {"--version"}), "t 1\n");
  VerbMenu Without = Menu;
  Without.Version = "";
  EXPECT_EQ(answer(Without, {"--version"}, 1),
            "t: error: --version: no such command; see 't x --help'\n");
}

TEST(Verbs, AreGuessedWhereTheyAreMisspelt) {
  EXPECT_EQ(answer(Menu, {"lsit"}, 1),
            "t: error: lsit: no such command; did you mean 'list'?\n");
  EXPECT_EQ(answer(Menu, {"frobnicate"}, 1),
            "t: error: frobnicate: no such command; see 't x --help'\n");
  EXPECT_EQ(answer(Menu, {}, 1), "t: error: command line: no command given; "
                                 "see 't x --help'\n");
  VerbMenu Own = Menu;
  Own.NotOne = "is none";
  Own.Advice = "give list";
  EXPECT_EQ(answer(Own, {"lsit"}, 1), "t: error: lsit: is none; give list\n");
}
