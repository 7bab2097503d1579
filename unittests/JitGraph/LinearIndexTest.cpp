//===- LinearIndexTest.cpp - tests of indices as sums of counters ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is simplified is simplified to the same number: for all values of the
// counters, a quotient and a remainder are those of C++.
//
//===----------------------------------------------------------------------===//
#include "JitGraph/Codegen/LinearIndex.h"

#include <gtest/gtest.h>

using namespace kpack::jit;

namespace {

LinearIndex counter(const char *Name, int64_t Most) {
  return LinearIndex::counter(Name, 2, Most);
}

TEST(LinearIndexTest, TextIsExact) {
  LinearIndex I = counter("i", 9), J = counter("j", 4);
  EXPECT_EQ(LinearIndex().text(), "0");
  EXPECT_EQ(I.times(5).plus(J).plus(-3).text(), "5*i + j - 3");
  EXPECT_EQ(J.plus(I.times(-1)).text(), "-i + j");
  EXPECT_EQ(I.plus(I.times(-1)).text(), "0");
  EXPECT_EQ(I.times(0).plus(2).text(), "2");
  EXPECT_EQ(I.plusSize("n[0]", -2).text(), "i - 2*n[0]");
  EXPECT_EQ(I.plus(J).timesSize("n[1]").text(), "((i + j)*n[1])");
  EXPECT_EQ(I.plus(LinearIndex::counter("k", 4, 1)).depth(), 4U);
}

TEST(LinearIndexTest, DivisionsSimplify) {
  LinearIndex I = counter("i", 9), J = counter("j", 4);
  LinearIndex Both = I.times(5).plus(J);
  EXPECT_EQ(Both.dividedBy(5).text(), "i");
  EXPECT_EQ(Both.remainderBy(5).text(), "j");
  EXPECT_EQ(Both.remainderBy(50).text(), "5*i + j");
  EXPECT_EQ(Both.dividedBy(50).text(), "0");
  // One more than fits: j may be 5.
  LinearIndex Wider = I.times(5).plus(counter("j", 5));
  EXPECT_EQ(Wider.remainderBy(5).text(), "((5*i + j) % 5)");
  // What skews a table of relative positions.
  LinearIndex Skewed =
      counter("i", 374).times(748).plus(counter("j", 374)).plus(374);
  EXPECT_EQ(Skewed.remainderBy(749).text(), "-i + j + 374");
  // Nothing is known of a size.
  EXPECT_EQ(J.plusSize("n[0]", 1).remainderBy(5).text(), "((j + n[0]) % 5)");
}

// By trying.
TEST(LinearIndexTest, SimplifiedFormsHaveTheSameValues) {
  unsigned Simple = 0, All = 0;
  for (int64_t Factor = 0; Factor < 12; ++Factor)
    for (int64_t Most = 0; Most < 8; ++Most)
      for (int64_t Start = 0; Start < 15; ++Start)
        for (int64_t Divisor = 1; Divisor < 12; ++Divisor) {
          LinearIndex X = counter("i", 6)
                              .times(Factor)
                              .plus(counter("j", Most))
                              .plus(Start);
          std::string Quotient = X.dividedBy(Divisor).text(),
                      Rest = X.remainderBy(Divisor).text();
          ++All;
          if (Rest.find('%') != std::string::npos)
            continue;
          ++Simple;
          for (int64_t I = 0; I <= 6; ++I)
            for (int64_t J = 0; J <= Most; ++J) {
              // The texts are sums of these terms; a program of sums is not
              // needed to compute them.
              auto ValueOf = [&](const LinearIndex &Index) {
                return Index.valueAt({{"i", I}, {"j", J}});
              };
              int64_t Value = Factor * I + J + Start;
              ASSERT_EQ(ValueOf(X), Value);
              ASSERT_EQ(ValueOf(X.remainderBy(Divisor)), Value % Divisor)
                  << X.text() << " % " << Divisor << " = " << Rest;
              ASSERT_EQ(ValueOf(X.dividedBy(Divisor)), Value / Divisor)
                  << X.text() << " / " << Divisor << " = " << Quotient;
            }
        }
  EXPECT_GT(Simple, All / 8);
}

} // namespace
