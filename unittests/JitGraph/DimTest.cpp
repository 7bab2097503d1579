//===- DimTest.cpp - tests of symbolic sizes by example -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which expressions are one and the same, what they are between, what is
// refused and in which words. Random ones are in DimRandomTest.cpp.
//
//===----------------------------------------------------------------------===//
#include "kpack/JitGraph/Dim.h"
#include "JitGraph/Sizes/DimProgram.h"
#include "JitGraph/Sizes/DimText.h"

#include <gtest/gtest.h>
#include <limits>

using namespace kpack;
using namespace kpack::jit;

namespace {

constexpr int64_t Largest = std::numeric_limits<int64_t>::max();

class DimTest : public testing::Test {
protected:
  Dim variable(const char *Name, int64_t Lo, int64_t Hi) {
    Result<Dim> V = C.variable(Name, {Lo, Hi});
    EXPECT_TRUE(V.ok()) << V.status().message();
    return *V;
  }

  /// What \p R says; it has failed.
  static std::string failure(const Result<Dim> &R) {
    return R.ok() ? "not refused: " + toText(*R) : R.status().message();
  }

  DimContext C;
  Dim B = variable("b", 1, 8);
  Dim T = variable("t", 1, 3000);
  Dim X = variable("x", -50, 70); // below zero, too
};

TEST_F(DimTest, EqualPolynomialsAreIdentical) {
  EXPECT_EQ((T + 1) * (B - 1), T * B - T + B - 1);
  EXPECT_EQ(T * B, B * T);
  EXPECT_EQ(T - T, C.constant(0));
  EXPECT_EQ(2 * T - T, T);
  EXPECT_EQ((T + B) * (T - B), T * T - B * B);
  EXPECT_FALSE(T + 1 == T);
}

// A convolution of stride 2, written in the two ways that there are; then
// twice.
TEST_F(DimTest, NestedDivisionsSimplify) {
  Dim Half = (T - 1) / 2 + 1;
  EXPECT_EQ(Half, ceilDiv(T, 2));
  EXPECT_EQ(toText(Half), "floordiv(t + 1, 2)");
  EXPECT_EQ(Half.range(), (DimRange{1, 1500}));
  EXPECT_EQ((Half - 1) / 2 + 1, ceilDiv(T, 4));
}

TEST_F(DimTest, QuotientsSimplify) {
  EXPECT_EQ((4 * B + T + 5) / 4, B + 1 + (T + 1) / 4);
  EXPECT_EQ((6 * T + 3) / 4, T + (T + 1) / 2);
  EXPECT_EQ(T / 2 / 3, T / 6);
  EXPECT_EQ((T / 2 + 1) / 3, (T + 2) / 6);
  EXPECT_EQ((B * T * 12) / (B * 4), 3 * T);
  EXPECT_EQ((B * T + 3) / B, T + C.constant(3) / B);
  EXPECT_EQ(T / T, C.constant(1));
  EXPECT_EQ(T / 1, T);
  EXPECT_EQ(T / 3001, C.constant(0));
  EXPECT_EQ(X / 2 / 3, X / 6);
}

TEST_F(DimTest, RemaindersSimplify) {
  EXPECT_EQ((4 * B + T) % 4, T % 4);
  EXPECT_EQ((4 * T + 3) % 6, 2 * ((2 * T + 1) % 3) + 1);
  EXPECT_EQ((B * T + 3) % B, C.constant(3) % B);
  EXPECT_EQ(B % 9, B);
  EXPECT_EQ((B + 8) % 9 == B + 8, false);
  EXPECT_EQ(T % 1, C.constant(0));
  EXPECT_EQ(T % T, C.constant(0));
  EXPECT_EQ((T % 8).range(), (DimRange{0, 7}));
}

TEST_F(DimTest, ExtremesDropRedundantOperands) {
  EXPECT_EQ(min(T, 3000), T);
  EXPECT_EQ(max(T, 1), T);
  EXPECT_EQ(min(T, T + 1), T);
  EXPECT_EQ(min(min(T, 100), X), min(X, min(100 + 0 * T, T)));
  EXPECT_EQ(min(T, 100).range(), (DimRange{1, 100}));
  EXPECT_EQ(max(X, 0).range(), (DimRange{0, 70}));
  EXPECT_EQ(max(max(X, T), X), max(T, X));
}

// Each term alone would say -5999 to 9000001.
TEST_F(DimTest, BoundsOfMonotoneProductsAreTight) {
  EXPECT_EQ(((T - 1) * (T - 1)).range(), (DimRange{0, 2999 * 2999}));
  EXPECT_EQ(((B + 1) * (T - 1)).range(), (DimRange{0, 9 * 2999}));
  EXPECT_EQ((T * B - B).range(), (DimRange{0, 2999 * 8}));
  EXPECT_EQ((3 - T).range(), (DimRange{-2997, 2}));
  EXPECT_EQ((X * X).lo(), -3500) << "the bound is sound, and not the best";
}

TEST_F(DimTest, RoundsDownBelowZero) {
  for (int64_t Value : {-50, -4, -3, -1, 0, 1, 3, 70}) {
    const int64_t Values[] = {1, 1, Value};
    const int64_t Down = Value >= 0 ? Value / 3 : -((-Value + 2) / 3);
    EXPECT_EQ(valueOf(X / 3, Values), Down) << Value;
    EXPECT_EQ(valueOf(X % 3, Values), Value - 3 * Down) << Value;
    EXPECT_EQ(valueOf(ceilDiv(X, 3), Values),
              Down + (Value != 3 * Down ? 1 : 0))
        << Value;
  }
}

TEST_F(DimTest, FixedVariablesAreNumbers) {
  Dim Fixed = variable("fixed", 80, 80);
  EXPECT_TRUE(Fixed.isConstant());
  EXPECT_EQ(toText(Fixed * T + Fixed), "80*t + 80");
  EXPECT_EQ(C.variables().size(), 4U) << "it still has a place in a call";
}

TEST_F(DimTest, VariablesAreSubstituted) {
  Dim E = (T - 1) / 2 * B + T % 7;
  std::pair<Dim, Dim> ToNumber[] = {{T, C.constant(9)}};
  EXPECT_EQ(toText(*C.substitute(E, ToNumber)), "4*b + 2");
  std::pair<Dim, Dim> ToOther[] = {{T, B}, {B, C.constant(2)}};
  EXPECT_EQ(*C.substitute(E, ToOther), (B - 1) / 2 * 2 + B % 7)
      << "both at once, not one after the other";
  EXPECT_EQ(*C.substitute(E, {}), E);

  std::pair<Dim, Dim> Outside[] = {{B, T}};
  EXPECT_EQ(failure(C.substitute(E, Outside)),
            "b: t is not within 1 to 8; replace it with what is");
  std::pair<Dim, Dim> NoVariable[] = {{B + 1, T}};
  EXPECT_EQ(failure(C.substitute(E, NoVariable)),
            "b + 1: not a variable; replace the variables in it");
}

TEST_F(DimTest, InequalitiesAreProved) {
  EXPECT_TRUE(C.provablyEqual(ceilDiv(T, 2), (T + 1) / 2));
  EXPECT_FALSE(C.provablyEqual(T, B));
  EXPECT_TRUE(C.provablyLess(T / 2, T));
  EXPECT_TRUE(C.provablyLess(T, T + 1));
  EXPECT_TRUE(C.provablyLess((T + 3) / 4 + (T + 3) / 4, T + 2));
  EXPECT_FALSE(C.provablyLess(ceilDiv(T, 2), T)) << "at 1 they are equal";
  EXPECT_FALSE(C.provablyLessEqual(X / 2, X)) << "not below zero";
  EXPECT_TRUE(C.provablyLessEqual(min(X, T), T));
  EXPECT_TRUE(C.provablyLessEqual(T, max(X, T)));
  EXPECT_FALSE(C.provablyLessEqual(max(X, T), T));
  EXPECT_TRUE(C.provablyLess(min(T, B * 7), 3 * T + B));
  EXPECT_TRUE(C.provablyLess(max(X, T / 2), T + 71));
  EXPECT_TRUE(C.provablyLessEqual(T % 40, T));
  EXPECT_FALSE(C.provablyLess(T, T));
  EXPECT_TRUE(C.provablyLessEqual(T, T));
  EXPECT_TRUE(C.provablyLessEqual(T, T * B));
  EXPECT_FALSE(C.provablyLessEqual(T * B, T));
  EXPECT_FALSE(C.provablyLess(Dim(), T));
}

TEST_F(DimTest, OverflowIsRefused) {
  Dim Huge = variable("huge", 0, Largest);
  EXPECT_EQ(failure(C.add(Huge, C.constant(1))),
            "(huge) + (1): may be more than 64 bits hold; narrow the bounds of "
            "its variables");
  EXPECT_FALSE(C.mul(Huge, T).ok());
  EXPECT_FALSE(C.sub(C.constant(-2), Huge).ok());
  EXPECT_TRUE(C.sub(C.constant(-0), Huge).ok());
  EXPECT_TRUE(C.floorDiv(Huge, C.constant(2)).ok());
  EXPECT_FALSE(C.ceilDiv(Huge, C.constant(2)).ok());
  // The largest that fits, and one more.
  Dim Root = variable("root", 0, 3037000499);
  EXPECT_TRUE(C.mul(Root, Root).ok());
  Dim More = variable("more", 0, 3037000500);
  EXPECT_FALSE(C.mul(More, More).ok());
  // A factor that does not fit, though nothing is ever that large.
  Dim Bit = variable("bit", 0, 1);
  Dim Big = *C.mul(Bit, C.constant(Largest));
  EXPECT_FALSE(C.add(Big, Big).ok());
  EXPECT_FALSE(C.variable("lowest", {-Largest - 1, 0}).ok());
  EXPECT_FALSE(C.constant(-Largest - 1).valid());
}

TEST_F(DimTest, ExpressionSizeIsLimited) {
  Result<Dim> Power = T;
  for (int I = 0; I < 40 && Power; ++I)
    Power = C.mul(*Power, variable(("p" + std::to_string(I)).c_str(), 0, 1));
  EXPECT_NE(failure(Power).find("a product of more than 16; make a variable"),
            std::string::npos)
      << failure(Power);
  Result<Dim> Wide = T;
  for (int I = 0; I < 400 && Wide; ++I)
    Wide = C.add(*Wide, variable(("w" + std::to_string(I)).c_str(), 0, 1));
  EXPECT_NE(failure(Wide).find("more than 256 terms"), std::string::npos);
}

TEST_F(DimTest, DivisorsAreOneOrMore) {
  EXPECT_EQ(failure(C.floorDiv(T, B - 1)),
            "(t) / (b - 1): the divisor may be 0; raise the lower bounds of "
            "its variables until it is 1 or more");
  EXPECT_EQ(failure(C.mod(T, X)),
            "(t) % (x): the divisor may be -50; raise the lower bounds of its "
            "variables until it is 1 or more");
  EXPECT_FALSE(C.ceilDiv(T, C.constant(0)).ok());
}

TEST_F(DimTest, InvalidVariablesAreRefused) {
  for (const char *Bad : {"", "2b", "a b", "a-b", "\xc3\xa4"})
    EXPECT_FALSE(C.variable(Bad, {1, 2}).ok()) << Bad;
  EXPECT_EQ(failure(C.variable("t", {1, 2})),
            "t: a second variable of this name; give it another");
  EXPECT_EQ(failure(C.variable("u", {2, 1})),
            "u: bounds 2 to 1; give a lower bound that is not above the upper "
            "one");
}

TEST_F(DimTest, ValuesOfACall) {
  const int64_t Good[] = {8, 3000, -50};
  EXPECT_TRUE(C.check(Good).ok());
  const int64_t Above[] = {8, 3001, 0};
  EXPECT_EQ(C.check(Above).message(), "t: 3001 is not within 1 to 3000; "
                                      "prepare the graph with wider bounds");
  const int64_t Below[] = {0, 1, 0};
  EXPECT_EQ(C.check(Below).message(), "b: 0 is not within 1 to 8; prepare the "
                                      "graph with wider bounds");
  EXPECT_EQ(C.check({Good, 2}).message(),
            "variables: 2 values for 3; give one for each");
}

// As a NaN, and the first failure is the one that is told.
TEST_F(DimTest, FormulasRememberTheirFirstFailure) {
  EXPECT_TRUE(C.status().ok());
  Dim Bad = T / (B - 1) + T * B;
  EXPECT_FALSE(Bad.valid());
  EXPECT_EQ(toText(Bad), "invalid");
  EXPECT_FALSE((1 + min(T % X, Bad)).valid());
  EXPECT_NE(C.status().message().find("(t) / (b - 1)"), std::string::npos);
  EXPECT_EQ(failure(C.add(T, Bad)), "operand: invalid; ask "
                                    "DimContext::status() for the operation "
                                    "that made it");
  EXPECT_FALSE((T + Dim()).valid());
  EXPECT_FALSE((Dim() + 1).valid());
}

TEST_F(DimTest, GraphsDoNotMix) {
  DimContext Other;
  Dim Foreign = *Other.variable("t", {1, 3000});
  EXPECT_EQ(failure(C.add(T, Foreign)),
            "t: of another graph; use the dimensions of the graph that is "
            "being built");
  EXPECT_FALSE((T + Foreign).valid());
  EXPECT_FALSE(C.status().ok());
}

TEST_F(DimTest, TextIsExact) {
  Dim E = 4 * B * ((T + 1) / 2) - 3 * B + X % 5 - 2;
  EXPECT_EQ(toText(E), "4*b*floordiv(t + 1, 2) - 3*b + mod(x, 5) - 2");
  EXPECT_EQ(toSource(E), "4*b*((t + 1) / 2) - 3*b + kpack_mod(x, 5) - 2");
  EXPECT_EQ(toSource(T * B / (T + B)), "((b*t) / (b + t))");
  EXPECT_EQ(toText(min(min(T, X), 100)), toText(min(min(X, 100), T)));
  EXPECT_EQ(toText(-1 * T), "-t");
  EXPECT_EQ(toText(C.constant(-7)), "-7");
}

TEST_F(DimTest, PowersOfTwo) {
  const Dim Results[] = {X / 8, X % 8, X / 9, X % 9, X / T, (X / 8) * 2};
  DimProgram P = DimProgram::of(Results);
  EXPECT_EQ(P.places(), 6U);
  std::vector<int64_t> Kept(P.places());
  const int64_t Values[] = {1, 7, -50};
  P.run(Values, Kept.data());
  EXPECT_EQ(Kept, (std::vector<int64_t>{-7, 6, -6, 4, -8, -14}));
}

// One program for all sizes of a graph: what they share is computed once.
TEST_F(DimTest, CommonSubexpressionsAreComputedOnce) {
  Dim Half = (T + 1) / 2;
  const Dim Results[] = {Half, 4 * B * Half, Half + B, T, C.constant(3)};
  DimProgram P = DimProgram::of(Results);
  EXPECT_EQ(P.results(), 5U);
  EXPECT_EQ(P.places(), 5U) << "the first result is what they share";
  int Divisions = 0;
  for (DimProgram::Instruction I : P.instructions())
    Divisions += I.Code == DimProgram::Op::ShiftRight;
  EXPECT_EQ(Divisions, 1);
  const int64_t Values[] = {3, 9, 0};
  int64_t Kept[5] = {};
  P.run(Values, Kept);
  EXPECT_EQ(Kept[0], 5);
  EXPECT_EQ(Kept[1], 60);
  EXPECT_EQ(Kept[2], 8);
  EXPECT_EQ(Kept[3], 9);
  EXPECT_EQ(Kept[4], 3);
}

} // namespace
