//===- SessionTest.cpp - tests of messages and exit codes -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/Session.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"

using namespace kpack;
using namespace llvm;

TEST(Session, LineBreaksFollowTheMode) {
  std::string One, Several;
  raw_string_ostream OneStream(One), SeveralStream(Several);
  Session(nulls(), OneStream, "x").error("a\nb\x1b");
  Session(nulls(), SeveralStream, "x", Session::Lines::Several)
      .error("a\nb\x1b");
  EXPECT_EQ(OneStream.str(), "x: error: a\\x0ab\\x1b\n");
  EXPECT_EQ(SeveralStream.str(), "x: error: a\nb\\x1b\n");
}

TEST(Session, CountsErrorsAndNotNotes) {
  std::string Out, Err;
  raw_string_ostream OutStream(Out), ErrStream(Err);
  Session S(OutStream, ErrStream);
  S.note("x: is so");
  EXPECT_EQ(S.exitCode(), 0);
  S.error("x: is wrong; mend it");
  S.error(Status(StatusCode::IoError, "y: is wrong; mend it"));
  S.error(createStringError(inconvertibleErrorCode(), "z: is wrong"));
  EXPECT_EQ(S.exitCode(), 1);
  EXPECT_EQ(Out, "");
  EXPECT_EQ(Err, "kpack: note: x: is so\n"
                 "kpack: error: x: is wrong; mend it\n"
                 "kpack: error: y: is wrong; mend it\n"
                 "kpack: error: z: is wrong\n");
}

TEST(Session, HostileNamesDoNotSteerTheTerminal) {
  std::string Out, Err;
  raw_string_ostream OutStream(Out), ErrStream(Err);
  Session S(OutStream, ErrStream);
  S.error("a\x1b[2J\nkpack: all is well\x7f");
  EXPECT_EQ(Err, "kpack: error: a\\x1b[2J\\x0akpack: all is well\\x7f\n");
  EXPECT_EQ(printable(StringRef("\0\t\xc3\xa9", 4)), "\\x00\\x09\xc3\xa9");
  // CSI as one character, in UTF-8 and as a bare byte.
  EXPECT_EQ(printable("\xc2\x9b\xc2\xa0"), "\\xc2\\x9b\xc2\xa0");
  EXPECT_EQ(printable("a\x9b\xc2"), "a\\x9b\\xc2");
  Err.clear();
  S.error("\xe2\x80\xae"
          "ok");
  EXPECT_EQ(Err, "kpack: error: \\xe2\\x80\\xaeok\n");
}

TEST(Session, JsonTextIsUtf8) {
  EXPECT_EQ(jsonText("\xc3\xa9"), "\xc3\xa9");
  EXPECT_NE(jsonText("a\xff"), "a\xff");
  EXPECT_TRUE(json::isUTF8(jsonText("a\xff\xc3")));
}
