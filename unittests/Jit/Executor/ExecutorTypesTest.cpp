//===- ExecutorTypesTest.cpp - tests of types of compiled functions -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Signatures that are wrong, in every way there is, and structures.
//
//===----------------------------------------------------------------------===//
#include "ExecutorFixture.h"

using namespace kpack;
using namespace kpack::jit::executortest;

struct Point {
  float X;
  double Y;
};
KPACK_JIT_TYPE(Point, X, Y)

namespace shapes {
struct Box {
  Point Low, High;
  char Tag[8];
};
// As many members as somebody may have.
struct Many {
  int A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T, U, V, W, X;
};
} // namespace shapes
KPACK_JIT_TYPE(shapes::Box, Low, High, Tag)
KPACK_JIT_TYPE(shapes::Many, A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q,
               R, S, T, U, V, W, X)

namespace {

class ExecutorTypesTest : public ExecutorTest {
protected:
  template <class Sig> Errc getDetail(const std::string &Text) {
    auto Compiled = ex::compile<Sig>({.text = Text, .entry = "f"}, how());
    return Compiled.status().detail();
  }
};

constexpr char PointText[] = "struct Point { float X; double Y; };\n";

TEST_F(ExecutorTypesTest, StructuresArePassed) {
  auto Sum = ex::compile<double(Point, const Point *)>(
      {.text = std::string(PointText) + "double f(Point a, const Point *b) {"
                                        "  return a.X + a.Y + b->X + b->Y; }",
       .entry = "f"},
      how());
  Point Two{3, 4};
  EXPECT_EQ(good(Sum)(Point{1, 2}, &Two), 10);
  auto Compiled = ex::compile<Point(shapes::Box *)>(
      {.text = std::string(PointText) +
               "namespace shapes { struct Box { Point Low, High; char Tag[8];"
               " }; }\nPoint f(shapes::Box *b) { b->Tag[7] = 'x';"
               "  return {b->High.X, b->Low.Y}; }",
       .entry = "f"},
      how());
  shapes::Box Box{{1, 2}, {3, 4}, {}};
  Point Corner = good(Compiled)(&Box);
  EXPECT_EQ(Corner.X, 3);
  EXPECT_EQ(Corner.Y, 2);
  EXPECT_EQ(Box.Tag[7], 'x');
}

TEST_F(ExecutorTypesTest, AllMembersAreCompared) {
  auto Compiled = ex::compile<int(shapes::Many *)>(
      {.text = "namespace shapes { struct Many { int A, B, C, D, E, F, G, H, "
               "I, J, K, L, M, N, O, P, Q, R, S, T, U, V, X, W; }; }\n"
               "int f(shapes::Many *m) { return m->X; }",
       .entry = "f"},
      how());
  EXPECT_EQ(Compiled.status().detail(), Errc::UnsupportedType);
  EXPECT_NE(
      Compiled.status().message().find("the place of shapes::Many::W is 88 "
                                       "in the program, and another one in "
                                       "the text"),
      std::string::npos)
      << Compiled.status().message();
}

TEST_F(ExecutorTypesTest, StructuresThatDiffer) {
  for (const char *Text :
       {"struct Point { double X; double Y; };",
        "struct Point { float X, Y; };", "struct Point { double Y; float X; };",
        "struct Point { float X; double Y, Z; };", "class Point;", "",
        "struct Point { float X; double Z; };"})
    EXPECT_EQ(
        getDetail<void(Point *)>(std::string(Text) + "\nvoid f(Point *p) {}"),
        std::string_view(Text).empty() ? Errc::CompileFailed
                                       : Errc::UnsupportedType)
        << Text;
}

// What the caller declares is int (int, float *).
TEST_F(ExecutorTypesTest, TwelveWrongSignatures) {
  for (const char *Text : {
           "long f(int, float *) { return 0; }",         // result
           "void f(int, float *) {}",                    // no result
           "unsigned f(int, float *) { return 0; }",     // its sign
           "int f() { return 0; }",                      // no arguments
           "int f(int) { return 0; }",                   // too few
           "int f(int, float *, int) { return 0; }",     // too many
           "int f(int, float *, int = 1) { return 0; }", // a default
           "int f(float *, int) { return 0; }",          // their order
           "int f(long, float *) { return 0; }",         // a width
           "int f(int, const float *) { return 0; }",    // constness
           "int f(int, double *) { return 0; }",         // what is pointed to
           "int f(int, float &) { return 0; }",          // a reference
           "int f(int, float *, ...) { return 0; }",     // more of anything
       })
    EXPECT_EQ((getDetail<int(int, float *)>(Text)), Errc::SignatureMismatch)
        << Text;
}

// Not among these: top-level const of an argument is none of the type.
TEST_F(ExecutorTypesTest, OverloadsAreChosenByType) {
  EXPECT_EQ(getDetail<int(int)>("int f(const int a) { return a; }"),
            Errc::None);
  const char *Two = "int f(int a) { return a; } double f(double a) {"
                    "  return -a; }";
  auto OfDouble =
      ex::compile<double(double)>({.text = Two, .entry = "f"}, how());
  EXPECT_EQ(good(OfDouble)(2), -2);
  EXPECT_EQ(getDetail<float(float)>(Two), Errc::SignatureMismatch);
}

TEST_F(ExecutorTypesTest, UnnamedNamespacesAreFine) {
  auto Compiled = ex::compile<int()>(
      {.text = "namespace { int f() { return 5; } }", .entry = "f"}, how());
  EXPECT_EQ(good(Compiled)(), 5);
}

const ex::Source SumOfSpan{.text = R"(
using namespace kpack::jit;
struct Point { float X; double Y; };
double f(Span<const float> all, RestrictSpan<Point> points,
         unsigned long at) {
  if (all.empty())
    return -1;
  double sum = all[at];
  for (float each : all)
    sum += each;
  for (Point &each : points)
    sum += each.X++;
  return sum + points.size();
}
)",
                           .entry = "f"};
using SumOfSpanSig = double(ex::Span<const float>, ex::RestrictSpan<Point>,
                            unsigned long);

TEST_F(ExecutorTypesTest, SpansArePassed) {
  auto Compiled = ex::compile<SumOfSpanSig>(SumOfSpan, how());
  std::vector<float> All = {1, 2, 3};
  Point Points[] = {{4, 0}, {5, 0}};
  EXPECT_EQ(good(Compiled)(All, Points, 1), 2 + 6 + 9 + 2);
  EXPECT_EQ(Points[1].X, 6);
  EXPECT_EQ(good(Compiled)({}, {}, 0), -1);
  EXPECT_STREQ(good(Compiled).program().type(0),
               "double (kpack::jit::Span<const float>, "
               "kpack::jit::RestrictSpan<Point>, unsigned long)");
  EXPECT_EQ(getDetail<void(ex::Span<float>)>(
                "void f(kpack::jit::Span<const float>) {}"),
            Errc::SignatureMismatch);
  EXPECT_EQ(
      getDetail<void(ex::Span<Point>)>("struct Point { float X, Y; };\n"
                                       "void f(kpack::jit::Span<Point>) {}"),
      Errc::UnsupportedType);
}

// With full checks an index that is outside ends the process; without, it is an
// address like any other.
TEST_F(ExecutorTypesTest, FullChecksLookAtIndices) {
  ex::Options Options = how();
  Options.checks = ex::Checks::Full;
  auto Compiled = ex::compile<SumOfSpanSig>(SumOfSpan, Options);
  std::vector<float> All = {1, 2, 3};
  EXPECT_EQ(good(Compiled)({All.data(), 2}, {}, 1), 5);
  EXPECT_DEATH(good(Compiled)({All.data(), 2}, {}, 2), "");
  Compiled = ex::compile<SumOfSpanSig>(SumOfSpan, how());
  EXPECT_EQ(good(Compiled)({All.data(), 2}, {}, 2), 6);
}

} // namespace
