//===- JsonTest.cpp - tests of the JSON reader and writer -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kpack/Support/Json.h"

#include <gtest/gtest.h>

using namespace kpack;

namespace {

/// The text that \p Json is; "?" when it is none.
std::string read(std::string_view Json) {
  JsonReader R(Json);
  std::string Text;
  return R.string(Text) && R.atEnd() ? Text : "?";
}

bool isJson(std::string_view Text) {
  JsonReader R(Text);
  return R.skip() && R.atEnd();
}

TEST(JsonTest, StringsRoundTrip) {
  for (std::string_view Text :
       {"", "a b", "\"\\/", "\b\f\n\r\t\x01\x1f\x7f", "k\u00e9\U0001f600"})
    EXPECT_EQ(read(jsonString(Text)), Text);
  EXPECT_EQ(jsonString("\"\\\n"), R"("\"\\\u000a")");
  EXPECT_EQ(jsonObject({{"a", jsonStrings({"b", "c"})}, {"d", "[]"}}),
            R"({"a":["b","c"],"d":[]})");
  EXPECT_EQ(jsonObject({}) + jsonArray({}), "{}[]");
}

TEST(JsonTest, WritesValidTextOfAnyBytes) {
  EXPECT_EQ(jsonString("\xff\xc3"), "\"\uFFFD\uFFFD\"");
  EXPECT_TRUE(isUtf8("k\u00e9\U0001f600"));
  for (const char *Bad :
       {"\xff", "\xc0\x80", "\xe0\x9f\x80", "\xed\xa0\x80", "\xf0\x8f\x80\x80",
        "\xf4\x90\x80\x80", "a\xc3", "\xe2\x82", "\xc3("})
    EXPECT_FALSE(isUtf8(Bad)) << Bad;
}

TEST(JsonTest, ReadsEscapes) {
  EXPECT_EQ(read(R"( "\"\\\/\b\f\n\r\t" )"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(read(R"("\u0041\u00E9\u20ac\ud83d\ude00")"),
            "A\u00e9\u20ac\U0001f600");
  for (const char *Bad :
       {"", "\"", "\"\\", "\"\\\"", R"("\q")", R"("\u12")", R"("\u12g4")",
        R"("\u0000")", R"("\ud800")", R"("\ud800\u0041")", R"("\udc00")",
        "\"\n\"", "\"\xff\"", "\"\xc3\"", "1", "\"a\"b"})
    EXPECT_EQ(read(Bad), "?") << Bad;
}

TEST(JsonTest, SkipsValuesAndNothingElse) {
  for (const char *Good : {"0", "-1.5e3", "1E+20", "true", "false", "null",
                           "[]", "{}", R"([1, "]", {"a" : [ {} , null]}])"})
    EXPECT_TRUE(isJson(Good)) << Good;
  for (const char *Bad :
       {"", "-", "+1", ".5", "1.", "1e", "1e+", "nul", "truee", "[1,]", "[,1]",
        "{\"a\"}", "{\"a\":}", "{1:2}", "[1}", "{\"a\":1,}", "[1 2]", "a"})
    EXPECT_FALSE(isJson(Bad)) << Bad;
}

TEST(JsonTest, RefusesDeepValues) {
  auto nested = [](size_t Depth) {
    return std::string(Depth, '[') + std::string(Depth, ']');
  };
  EXPECT_TRUE(isJson(nested(32)));
  EXPECT_FALSE(isJson(nested(33)));
  EXPECT_FALSE(isJson(std::string(1 << 20, '[')));
  EXPECT_TRUE(isJson("[" + nested(31) + "," + nested(31) + "]"));
}

TEST(JsonTest, ReadsIndices) {
  size_t Index;
  for (const auto &[Text, End, Wanted] :
       {std::tuple(" 0", 1, 0), {"12,", 13, 12}, {"007", 8, 7}})
    EXPECT_TRUE(JsonReader(Text).index(End, Index) && Index == size_t(Wanted))
        << Text;
  for (const char *Bad :
       {"", "-1", "x", "13", "99999999999999999999999", "\"1\""})
    EXPECT_FALSE(JsonReader(Bad).index(13, Index)) << Bad;
}

TEST(JsonTest, OffsetIsThatOfTheError) {
  JsonReader R("{\"a\": [1, 2], \"b\": x}");
  std::vector<std::string> Names;
  EXPECT_FALSE(R.object([&](const std::string &Name) {
    Names.push_back(Name);
    return R.skip();
  }));
  EXPECT_EQ(Names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(R.offset(), 19u);
}

} // namespace
