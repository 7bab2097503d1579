//===- MisspelledTest.cpp - tests of suggestions for misspelled names -----===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each name of a field and each enumerator, in texts and in JSON, with a letter
// too much: the error says where, and what may have been meant. Sibling:
// TextTest.cpp, which has what is said about other errors, word by word.
//
//===----------------------------------------------------------------------===//
#include "RandomValue.h"

#include "kpack/ConvBuilder/Describe.h"
#include "kpack/ConvBuilder/Problem.h"

#include <algorithm>
#include <cctype>
#include <gtest/gtest.h>
#include <string>

using namespace kpack;
using namespace kpack::conv;

namespace {

/// The last letter of each name is there twice, one name at a time: what is
/// said has the place of the name and another one that is near.
template <typename T>
void eachNameIsCorrected(const std::string &Text, bool IsJson) {
  auto IsLetter = [](char C) {
    return std::isalnum(static_cast<unsigned char>(C)) || C == '_';
  };
  unsigned Names = 0;
  for (size_t Begin = 0, End = 0; Begin < Text.size();
       Begin = std::max(Begin + 1, End)) {
    for (End = Begin; End < Text.size() && IsLetter(Text[End]);)
      ++End;
    // Neither numbers, nor the words of JSON.
    if (End == Begin || std::isdigit(static_cast<unsigned char>(Text[Begin])) ||
        (IsJson && Text[Begin - 1] != '"'))
      continue;
    std::string Name = Text.substr(Begin, End - Begin);
    std::string Wrong = Text.substr(0, End) + Name.back() + Text.substr(End);
    T Read;
    TextError Error = IsJson ? parseJson(Wrong, Read) : parseText(Wrong, Read);
    std::string Said(Error.Message.view());
    // In JSON a name is where its quote is.
    ASSERT_EQ(Error.Offset, IsJson ? Begin - 1 : Begin) << Name << ": " << Said;
    ASSERT_NE(Said.find("'" + Name + Name.back() + "' is no "),
              std::string::npos)
        << Said;
    ASSERT_NE(Said.find("; did you mean "), std::string::npos) << Said;
    ++Names;
  }
  EXPECT_GT(Names, 15U);
}

TEST(MisspelledTest, EachNameIsCorrected) {
  auto Checker = [](const auto &Value) {
    using T = std::remove_cvref_t<decltype(Value)>;
    eachNameIsCorrected<T>(text(Value), false);
    eachNameIsCorrected<T>(toJson(Value), true);
  };
  Checker(LongestValue::make<Signature>());
  Checker(LongestValue::make<Algorithm>());
  Checker(LongestValue::make<Problem>());
}

template <Enumeration Enum> void eachEnumeratorIsCorrected() {
  for (const EnumRow &Row : EnumTable<Enum>::Rows) {
    std::string Wrong = std::string(Row.Name) + Row.Name.back();
    TextIn In(Wrong);
    Enum Value;
    EXPECT_FALSE(read(In, Value, Field{.Name = "here"}));
    EXPECT_EQ(In.error().Offset, 0U);
    std::string Said(In.error().Message.view());
    EXPECT_EQ(Said.find("here: '" + Wrong + "' is no "), 0U) << Said;
    // The first of those that are as near.
    EXPECT_NE(Said.find("; did you mean "), std::string::npos) << Said;
  }
}

TEST(MisspelledTest, EachEnumeratorIsCorrected) {
  eachEnumeratorIsCorrected<ConvDirection>();
  eachEnumeratorIsCorrected<ConvSpecialization>();
  eachEnumeratorIsCorrected<DataType>();
  eachEnumeratorIsCorrected<ElementwiseOperation>();
  eachEnumeratorIsCorrected<Isa>();
  eachEnumeratorIsCorrected<Kind>();
  eachEnumeratorIsCorrected<PipelineScheduler>();
  eachEnumeratorIsCorrected<PipelineVersion>();
  eachEnumeratorIsCorrected<StreamKReductionStrategy>();
  eachEnumeratorIsCorrected<TensorLayout>();
}

} // namespace
