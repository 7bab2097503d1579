//===- CommandsTest.cpp - tests of subcommands and their options ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/Commands.h"
#include "gtest/gtest.h"

using namespace kpack;
using namespace llvm;
using namespace llvm::opt;

namespace {
enum OptionVisibility { ShowOption = 1 << 1, LateOption = 1 << 2 };

#define KPACK_OPTION_TABLE "CommandsTestOptions.inc"
#include "ToolSupport/OptionTable.inc"
} // namespace

static void show(Invocation &I) {
  I.S.out() << "show" << (I.json() ? " json" : "") << ' '
            << I.Args.getLastArgValue(OPT_sort_EQ);
  for (const std::string &Operand : I.operands())
    I.S.out() << '[' << Operand << ']';
  for (const char *Word : I.Options.rest())
    I.S.out() << '<' << Word << '>';
  I.S.out() << '\n';
}

static int outer(ArrayRef<const char *> Words, raw_ostream &Out,
                 raw_ostream &) {
  Out << "outer " << Words.size() << '\n';
  return 7;
}

static const Command ShowCommand = {{.Name = "show",
                                     .Operands = "<file>...",
                                     .Summary = "show files",
                                     .Examples = "  $ t x show a\n",
                                     .Known = ShowOption},
                                    show};
static const Command LateCommand = {
    {.Name = "late", .Known = LateOption, .KeepsRest = true, .ErrorStatus = 3},
    show};
static const Command FailCommand = {
    {.Name = "fail",
     .Known = ShowOption,
     .ErrorStatus = 2,
     .Messages = Session::Lines::Several},
    [](Invocation &I) {
      if (I.json())
        return I.S.setFailed();
      I.S.error(createStringError(inconvertibleErrorCode(), "a\nb"));
    }};
static const Command OuterCommand = {{.Name = "outer", .Main = outer}};

static const Command *const Commands[] = {&ShowCommand, &LateCommand,
                                          &FailCommand, &OuterCommand};

static constexpr VerbMenu Menu = {.Program = "t x",
                                  .Head = "head of t x\n",
                                  .Tail = "tail\n",
                                  .Options = KpackOptTable::get,
                                  .ErrorStatus = 4};

/// Returns the output for \p Words.
static std::string answer(std::vector<const char *> Words, int Status = 0,
                          const VerbMenu &Of = Menu) {
  std::string Text;
  raw_string_ostream OS(Text);
  EXPECT_EQ(runCommands(Of, Commands, Words, OS, OS), Status) << Text;
  return Text;
}

TEST(Commands, GetWhatIsParsed) {
  EXPECT_EQ(answer({"show"}), "show \n");
  EXPECT_EQ(answer({"show", "a", "--json", "--sort=size", "--", "--b"}),
            "show json size[a][--b]\n");
  EXPECT_EQ(answer({"late", "a", "--", "-O2", "--"}), "show [a]<-O2><-->\n");
}

TEST(Commands, AreListedIfTheyHaveASummary) {
  EXPECT_EQ(answer({"--help"}), "head of t x\n  show       show files\ntail\n");
  EXPECT_EQ(answer({"-h", "show"}), answer({"--help"}));
}

TEST(Commands, HaveAVersionIfThereIsOne) {
  EXPECT_EQ(answer({"--version"}, 4),
            "t: error: --version: no such command; see 't x --help'\n");
  VerbMenu With = Menu;
  With.Version = "t 1\n";
  EXPECT_EQ(answer({"--version"}, 0, With), "t 1\n");
}

TEST(Commands, AreGuessedWhereTheyAreMisspelt) {
  EXPECT_EQ(answer({"sohw"}, 4),
            "t: error: sohw: no such command; did you mean 'show'?\n");
  EXPECT_EQ(answer({"frobnicate"}, 4),
            "t: error: frobnicate: no such command; see 't x --help'\n");
  EXPECT_EQ(answer({}, 4), "t: error: command line: no command given; "
                           "see 't x --help'\n");
  VerbMenu Own = Menu;
  Own.NotOne = "is none";
  Own.Advice = "give show";
  EXPECT_EQ(answer({"sohw"}, 4, Own), "t: error: sohw: is none; give show\n");
}

TEST(Commands, WithCommandsOfTheirOwnGetAllWords) {
  EXPECT_EQ(answer({"outer", "--help", "a"}, 7), "outer 2\n");
}

TEST(Commands, HaveTheStatusOfTheirErrors) {
  EXPECT_EQ(answer({"nothing"}, 4),
            "t: error: nothing: no such command; see 't x --help'\n");
  EXPECT_EQ(answer({"late", "--late"}, 3),
            "t: error: --late: 't x late' has no such option; see 't x late "
            "--help'\n");
  EXPECT_EQ(answer({"show", "--jsn"}, 4), "t: error: --jsn: 't x show' has no "
                                          "such option; did you mean "
                                          "'--json'?\n");
  EXPECT_EQ(answer({"show", "--sort"}, 4),
            "t: error: --sort: the option needs a value; see 't x show "
            "--help'\n");
  EXPECT_EQ(answer({"fail"}, 2), "t: error: a\nb\n");
  EXPECT_EQ(answer({"fail", "--json"}, 1), "");
}

TEST(Commands, HaveHelp) {
  std::string Help = answer({"show", "-h"});
  EXPECT_EQ(Help.find("OVERVIEW: show files\n\nUSAGE: t x show [options] "
                      "<file>...\n"),
            0u)
      << Help;
  EXPECT_NE(Help.find("\nEXAMPLES:\n  $ t x show a\n"), std::string::npos);
  EXPECT_EQ(answer({"show", "--help", "--bad"}, 4).find("USAGE"),
            std::string::npos);
}

TEST(Commands, HaveTheNamesOfTheirProgram) {
  const std::pair<StringRef, StringRef> Names[] = {{"t x", "other x"}};
  VerbMenu Other = Menu;
  Other.Names = Names;
  EXPECT_EQ(answer({"--help"}, 0, Other),
            "head of other x\n  show       show files\ntail\n");
  EXPECT_EQ(answer({"show", "--sort"}, 4, Other),
            "other: error: --sort: the option needs a value; see 'other x show "
            "--help'\n");
  EXPECT_NE(answer({"show", "--help"}, 0, Other).find("  $ other x show a\n"),
            std::string::npos);
}

TEST(Commands, GetAnObjectOfTheCaller) {
  std::string Text;
  raw_string_ostream OS(Text);
  EXPECT_EQ(runCommands(Menu, Commands, {"late", "a"}, OS, OS,
                        [&](const Command &C, Invocation &I) {
                          OS << C.Name << " with " << I.operands().front();
                        }),
            0);
  EXPECT_EQ(Text, "late with a");
}

TEST(Commands, AreProgramsWithoutAMenu) {
  Command Program = FailCommand;
  Program.Name = "p";
  Program.Options = KpackOptTable::get;
  std::string Text;
  raw_string_ostream OS(Text);
  EXPECT_EQ(runCommand(Program, {}, OS, OS), 2);
  EXPECT_EQ(runCommand(Program, {"--bad"}, OS, OS), 2);
  EXPECT_EQ(Text, "p: error: a\nb\np: error: --bad: 'p' has no such option; "
                  "see 'p --help'\n");
}
