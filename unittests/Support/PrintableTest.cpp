//===- PrintableTest.cpp - tests of untrusted text on terminals -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/Printable.h"

#include <gtest/gtest.h>

using namespace kpack;

TEST(Printable, VisibleTextIsUnchanged) {
  std::string Text = "a~ \xc3\xa9 \xc2\xa0 \xe2\x82\xac \xe2\x80\x90 "
                     "\xe2\x80\xa7 \xdb\x9d \xf0\x9f\x98\x80";
  EXPECT_EQ(printable(Text), Text);
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, ControlCharactersAreEscaped) {
  EXPECT_EQ(printable(std::string_view("\0\t\x1b\x7f", 4)),
            "\\x00\\x09\\x1b\\x7f");
  EXPECT_EQ(printable("\xc2\x80 \xc2\x9b"), "\\xc2\\x80 \\xc2\\x9b");
}

TEST(Printable, InvisibleAndBidiCharactersAreEscaped) {
  for (std::string Bad :
       {"\xc2\xad", "\xd8\x9c", "\xe1\xa0\x8e", "\xe2\x80\x8b", "\xe2\x80\x8e",
        "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaa",
        "\xe2\x80\xae", "\xe2\x81\xa0", "\xe2\x81\xa6", "\xe2\x81\xa9",
        "\xef\xbb\xbf", "\xef\xbf\xb9", "\xf3\xa0\x80\x81",
        "\xf3\xa0\x81\xbf"}) {
    std::string Shown = printable("a" + Bad + "b");
    EXPECT_EQ(Shown.size(), 2 + 4 * Bad.size()) << Shown;
    EXPECT_EQ(Shown.find_first_not_of("ab\\x0123456789cdef"),
              std::string::npos);
  }
}

TEST(Printable, InvalidUtf8IsEscaped) {
  EXPECT_EQ(printable("a\x9b\xc2"), "a\\x9b\\xc2");
  EXPECT_EQ(printable("\xc3\xa9\xff"), "\\xc3\\xa9\\xff");
}

TEST(Printable, LineBreaksAreKept) {
  EXPECT_EQ(printableLines("a\x1b\n\nb\r\n"), "a\\x1b\n\nb\\x0d\n");
  EXPECT_EQ(printableLines("a"), "a");
}
