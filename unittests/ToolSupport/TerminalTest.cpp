//===- TerminalTest.cpp - tests of colours and status lines ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/Terminal.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace kpack;
using namespace llvm;

namespace {
struct Terminal : raw_string_ostream {
  using raw_string_ostream::raw_string_ostream;
  bool is_displayed() const override { return true; }
};
} // namespace

template <typename Stream> static std::string shown(const char *Term) {
  ::setenv("TERM", Term, /*overwrite=*/1);
  std::string Text;
  Stream OS(Text);
  StatusLine Line(OS);
  Line.show("a");
  Line.show("b");
  Line.keep("c");
  return Text;
}

TEST(StatusLine, IsReplacedOnATerminal) {
  EXPECT_EQ(shown<Terminal>("xterm"), "\r\x1b[Ka\r\x1b[Kb\r\x1b[Kc\n");
}

TEST(StatusLine, IsLeftOutElsewhere) {
  EXPECT_EQ(shown<Terminal>("dumb"), "c\n");
  EXPECT_EQ(shown<raw_string_ostream>("xterm"), "c\n");
}
