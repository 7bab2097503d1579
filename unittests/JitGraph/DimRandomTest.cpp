//===- DimRandomTest.cpp - tests of random symbolic sizes -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random expressions are built twice: as Dims, whose normal form, bounds,
// programs and C++ are the code under test, and as trees that are evaluated as
// they were written, in 128 bits. Values are random within the variables'
// bounds, and at the bounds. A program's steps are watched: none may overflow.
//
//===----------------------------------------------------------------------===//
#include "JitGraph/Sizes/DimProgram.h"
#include "JitGraph/Sizes/DimText.h"
#include "kpack/JitGraph/Dim.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

__extension__ using Wide = __int128;

struct Tree {
  enum Kind {
    Number,
    Variable,
    Add,
    Sub,
    Mul,
    FloorDiv,
    CeilDiv,
    Mod,
    Min,
    Max
  };
  Kind What = Number;
  int64_t Value = 0; ///< or the variable's place
  std::vector<Tree> Operands;
};

Wide roundedDown(Wide A, Wide B) {
  Wide Q = A / B;
  return Q * B > A ? Q - 1 : Q;
}

Wide evaluate(const Tree &E, const std::vector<int64_t> &Values) {
  if (E.What == Tree::Number)
    return E.Value;
  if (E.What == Tree::Variable)
    return Values[E.Value];
  Wide A = evaluate(E.Operands[0], Values);
  Wide B = evaluate(E.Operands[1], Values);
  switch (E.What) {
  case Tree::Add:
    return A + B;
  case Tree::Sub:
    return A - B;
  case Tree::Mul:
    return A * B;
  case Tree::FloorDiv:
    return roundedDown(A, B);
  case Tree::CeilDiv:
    return -roundedDown(-A, B);
  case Tree::Mod:
    return A - B * roundedDown(A, B);
  case Tree::Min:
    return A < B ? A : B;
  default:
    return A < B ? B : A;
  }
}

Result<Dim> build(DimContext &C, const std::vector<Dim> &Variables,
                  const Tree &E) {
  if (E.What == Tree::Number)
    return C.constant(E.Value);
  if (E.What == Tree::Variable)
    return Variables[E.Value];
  Result<Dim> A = build(C, Variables, E.Operands[0]);
  Result<Dim> B = build(C, Variables, E.Operands[1]);
  if (!A || !B)
    return A ? B : A;
  switch (E.What) {
  case Tree::Add:
    return C.add(*A, *B);
  case Tree::Sub:
    return C.sub(*A, *B);
  case Tree::Mul:
    return C.mul(*A, *B);
  case Tree::FloorDiv:
    return C.floorDiv(*A, *B);
  case Tree::CeilDiv:
    return C.ceilDiv(*A, *B);
  case Tree::Mod:
    return C.mod(*A, *B);
  case Tree::Min:
    return C.min(*A, *B);
  default:
    return C.max(*A, *B);
  }
}

/// DimProgram::run(), which gives up instead of overflowing.
class WatchedRun {
public:
  WatchedRun(const DimProgram &P, const std::vector<int64_t> &Values)
      : Kept(P.places()) {
    for (DimProgram::Instruction I : P.instructions())
      step(I, Values);
  }

  std::vector<int64_t> Kept;
  bool HasOverflowed = false;
  size_t Deepest = 0;

private:
  using Op = DimProgram::Op;

  void push(Wide Value) {
    HasOverflowed |= Value != static_cast<int64_t>(Value);
    Stack.push_back(static_cast<int64_t>(Value));
    Deepest = std::max(Deepest, Stack.size());
  }
  Wide pop() {
    int64_t Value = Stack.back();
    Stack.pop_back();
    return Value;
  }

  void step(DimProgram::Instruction I, const std::vector<int64_t> &Values) {
    if (I.Code == Op::Push)
      return push(I.Value);
    if (I.Code == Op::Variable)
      return push(Values[I.Value]);
    if (I.Code == Op::Kept)
      return push(Kept[I.Value]);
    if (I.Code == Op::Keep) {
      Kept[I.Value] = static_cast<int64_t>(pop());
      return;
    }
    Wide B = I.Code >= Op::AddNumber ? Wide(I.Value) : pop();
    Wide A = pop();
    switch (I.Code) {
    case Op::Add:
    case Op::AddNumber:
      return push(A + B);
    case Op::Mul:
    case Op::MulNumber:
      return push(A * B);
    case Op::FloorDiv:
    case Op::FloorDivNumber:
      return push(roundedDown(A, B));
    case Op::Mod:
    case Op::ModNumber:
      return push(A - B * roundedDown(A, B));
    case Op::ShiftRight:
      return push(roundedDown(A, Wide(1) << int(B)));
    case Op::AndNumber:
      return push(A - (B + 1) * roundedDown(A, B + 1));
    case Op::Min:
      return push(A < B ? A : B);
    default:
      return push(A < B ? B : A);
    }
  }

  std::vector<int64_t> Stack;
};

class DimRandomTest : public testing::Test {
protected:
  int64_t number(int64_t Lo, int64_t Hi) {
    return std::uniform_int_distribution<int64_t>(Lo, Hi)(Random);
  }

  /// \p Largest: how far from zero bounds and numbers are.
  void variables(DimContext &C, int64_t Largest) {
    for (int I = 0; I < 4; ++I) {
      // Sizes, and now and then what is below zero.
      int64_t Lo = number(I == 3 ? -Largest : 0, Largest);
      int64_t Hi = number(Lo, Largest);
      Variables.push_back(*C.variable("v" + std::to_string(I), {Lo, Hi}));
    }
  }

  Tree tree(int Depth, int64_t Largest) {
    Tree E;
    if (Depth == 0 || number(0, 5) == 0) {
      E.What = number(0, 2) ? Tree::Variable : Tree::Number;
      E.Value = E.What == Tree::Variable ? number(0, 3)
                                         : number(-Largest / 4, Largest);
      return E;
    }
    E.What = static_cast<Tree::Kind>(number(Tree::Add, Tree::Max));
    E.Operands.push_back(tree(Depth - 1, Largest));
    E.Operands.push_back(tree(Depth - 1, Largest));
    bool Divides = E.What == Tree::FloorDiv || E.What == Tree::CeilDiv ||
                   E.What == Tree::Mod;
    // Divisors that are refused teach nothing: most are small numbers here.
    if (Divides && number(0, 3)) {
      E.Operands[1] = Tree();
      E.Operands[1].Value = number(1, 12);
    }
    return E;
  }

  std::vector<int64_t> values(const DimContext &C) {
    std::vector<int64_t> Values;
    int64_t Choice = number(0, 3);
    for (const DimVariable &V : C.variables())
      Values.push_back(Choice == 0   ? V.Range.Lo
                       : Choice == 1 ? V.Range.Hi
                                     : number(V.Range.Lo, V.Range.Hi));
    return Values;
  }

  std::mt19937_64 Random{1};
  std::vector<Dim> Variables;
};

// Bounds from a handful to all 64 bits.
TEST_F(DimRandomTest, ValuesMatchTheExpressionTree) {
  int Built = 0;
  int Refused = 0;
  for (int Round = 0; Round < 8000; ++Round) {
    DimContext C;
    Variables.clear();
    const int64_t Largest = int64_t(1) << number(2, Round % 4 ? 12 : 62);
    variables(C, Largest);
    Tree E = tree(4, Round % 4 ? 20 : Largest);
    Result<Dim> D = build(C, Variables, E);
    if (!D) {
      ++Refused;
      continue;
    }
    ++Built;
    DimProgram P = DimProgram::of({&*D, 1});
    std::vector<int64_t> Kept(P.places());
    for (int I = 0; I < 12; ++I) {
      std::vector<int64_t> Values = values(C);
      ASSERT_TRUE(C.check(Values).ok());
      Wide Value = evaluate(E, Values);
      P.run(Values.data(), Kept.data());
      ASSERT_TRUE(Wide(Kept[0]) == Value) << toText(*D);
      ASSERT_TRUE(D->range().contains(Kept[0]))
          << toText(*D) << " is " << Kept[0] << ", not within " << D->lo()
          << " to " << D->hi();
      WatchedRun Watched(P, Values);
      ASSERT_FALSE(Watched.HasOverflowed) << toText(*D);
      ASSERT_EQ(Watched.Kept[0], Kept[0]) << toText(*D);
      ASSERT_LE(Watched.Deepest, 4U) << toText(*D);
    }
  }
  EXPECT_GT(Built, 4000) << Refused << " were refused";
}

// What is proved holds at all values tried; and proofs are found.
TEST_F(DimRandomTest, ProofsHold) {
  int Equal = 0;
  int Less = 0;
  for (int Round = 0; Round < 6000; ++Round) {
    DimContext C;
    Variables.clear();
    variables(C, 40);
    Tree E = tree(2, 5);
    Tree F = tree(2, 5);
    Result<Dim> A = build(C, Variables, E);
    Result<Dim> B = build(C, Variables, F);
    if (!A || !B)
      continue;
    bool IsEqual = C.provablyEqual(*A, *B);
    bool IsLess = C.provablyLess(*A, *B);
    bool IsLessEqual = C.provablyLessEqual(*A, *B);
    ASSERT_TRUE(!IsEqual || IsLessEqual);
    ASSERT_TRUE(!IsLess || IsLessEqual);
    ASSERT_TRUE(IsEqual || !(*A == *B));
    Equal += IsEqual && E.What >= Tree::Add;
    Less += IsLess;
    for (int I = 0; I < 20; ++I) {
      std::vector<int64_t> Values = values(C);
      Wide ValueA = evaluate(E, Values);
      Wide ValueB = evaluate(F, Values);
      ASSERT_TRUE(!IsEqual || ValueA == ValueB) << toText(*A);
      ASSERT_TRUE(!IsLess || ValueA < ValueB)
          << toText(*A) << " < " << toText(*B);
      ASSERT_TRUE(!IsLessEqual || ValueA <= ValueB)
          << toText(*A) << " <= " << toText(*B);
    }
  }
  EXPECT_GT(Equal, 20);
  EXPECT_GT(Less, 500);
}

TEST_F(DimRandomTest, SubstitutionKeepsValues) {
  int Tried = 0;
  for (int Round = 0; Round < 2000; ++Round) {
    DimContext C;
    Variables.clear();
    variables(C, 40);
    Tree E = tree(3, 10);
    Result<Dim> D = build(C, Variables, E);
    std::vector<int64_t> Values = values(C);
    if (!D || Variables[1].isConstant())
      continue;
    std::pair<Dim, Dim> New[] = {{Variables[1], C.constant(Values[1])}};
    Result<Dim> Replaced = C.substitute(*D, New);
    ASSERT_TRUE(Replaced.ok()) << Replaced.status().message();
    int64_t Expected = valueOf(*D, Values);
    Values[1] = 12345; // is in it no more
    ASSERT_EQ(valueOf(*Replaced, Values), Expected)
        << toText(*D) << " became " << toText(*Replaced);
    ++Tried;
  }
  EXPECT_GT(Tried, 1000);
}

// The generated C++ is compiled with traps on overflow.
TEST_F(DimRandomTest, SourceHasTheSameValues) {
  const std::string Path =
      testing::TempDir() + "/kpack-dim-source-" + std::to_string(getpid());
  std::ofstream Source(Path + ".cpp");
  Source << "#include <cstdio>\n" << sourcePrelude("static");
  std::string Calls;
  int Count = 0;
  for (int Round = 0; Count < 300; ++Round) {
    DimContext C;
    Variables.clear();
    variables(C, Round % 2 ? 40 : int64_t(1) << 40);
    Tree E = tree(4, 20);
    Result<Dim> D = build(C, Variables, E);
    if (!D)
      continue;
    std::string Name = "f" + std::to_string(Count++);
    Source << "[[maybe_unused]] static long long " << Name
           << "(long long v0, long long v1, long long v2, long long v3) {\n"
           << "  (void)v0, (void)v1, (void)v2, (void)v3;\n  return "
           << toSource(*D) << ";\n}\n";
    for (int I = 0; I < 4; ++I) {
      std::vector<int64_t> Values = values(C);
      Calls += "  Wrong += " + Name + "(";
      for (size_t V = 0; V < Values.size(); ++V)
        Calls += (V ? ", " : "") + std::to_string(Values[V]) + "LL";
      Calls += ") != " + std::to_string(valueOf(*D, Values)) + "LL;\n";
    }
  }
  Source << "int main() {\n  int Wrong = 0;\n"
         << Calls << "  return Wrong ? 1 : 0;\n}\n";
  Source.close();
  const std::string Compile = std::string(JIT_GRAPH_TEST_COMPILER) +
                              " -w -std=c++17 -O0 -ftrapv -o " + Path + " " +
                              Path + ".cpp";
  ASSERT_EQ(std::system(Compile.c_str()), 0) << Path << ".cpp";
  EXPECT_EQ(std::system(Path.c_str()), 0) << Path << ".cpp";
  std::remove(Path.c_str());
  if (!HasFailure())
    std::remove((Path + ".cpp").c_str());
}

} // namespace
