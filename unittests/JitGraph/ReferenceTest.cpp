//===- ReferenceTest.cpp - tests of reference results of graphs -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How numbers are rounded, against conversions of the compiler, and what is no
// call of a graph. What nodes compute is in the tests of Ops.h.
//
//===----------------------------------------------------------------------===//
#include "GraphBench.h"

#include <bit>
#include <random>

using namespace kpack;
using namespace kpack::jit;

namespace {

TEST(ReferenceTest, RoundsToBFloat16) {
  std::mt19937 Random(1);
  for (int I = 0; I < 100000; ++I) {
    auto Bits = static_cast<uint32_t>(Random());
    // Some halfway between two.
    if (I % 4 == 0)
      Bits = (Bits & 0xffff0000) | 0x8000;
    auto Value = std::bit_cast<float>(Bits);
    if (!std::isfinite(Value))
      continue;
    uint32_t Even = (Bits + 0x7fff + (Bits >> 16 & 1)) & 0xffff0000;
    ASSERT_EQ(roundedTo(ElementType::BFloat16, double{Value}),
              double{std::bit_cast<float>(Even)})
        << Value;
  }
}

TEST(ReferenceTest, RoundsToFloat16) {
  auto Rounded = [](double V) { return roundedTo(ElementType::Float16, V); };
  // Every number of 10 digits and every middle between two, at each exponent
  // that there is.
  for (int Exponent = -24; Exponent < 16; ++Exponent) {
    double Unit = std::max(std::ldexp(1.0, Exponent - 10), 0x1p-24);
    double First = std::ldexp(1.0, Exponent);
    for (int64_t I = 0; First + static_cast<double>(I) * Unit < 2 * First;
         ++I) {
      double V = First + static_cast<double>(I) * Unit;
      double Next = V + Unit > 65504 ? INFINITY : V + Unit;
      bool IsEven = std::fmod(V / Unit, 2) == 0;
      ASSERT_EQ(Rounded(V), V);
      ASSERT_EQ(Rounded(-V), -V);
      ASSERT_EQ(Rounded(V + Unit / 2), IsEven ? V : Next) << V;
      ASSERT_EQ(Rounded(V + Unit * 0.49), V);
      ASSERT_EQ(Rounded(V + Unit * 0.51), Next);
    }
  }
  EXPECT_EQ(Rounded(0x1p-26), 0);
  EXPECT_EQ(Rounded(1e30), INFINITY);
  EXPECT_TRUE(std::isnan(Rounded(std::nan(""))));
}

TEST(ReferenceTest, RoundsToIntegers) {
  EXPECT_EQ(roundedTo(ElementType::Int32, 2147483648.0), -2147483648.0);
  EXPECT_EQ(roundedTo(ElementType::Int32, -2147483649.0), 2147483647.0);
  EXPECT_EQ(roundedTo(ElementType::Int32, -1.9), -1);
  EXPECT_EQ(roundedTo(ElementType::UInt8, -1), 255);
  EXPECT_EQ(roundedTo(ElementType::UInt8, 513), 1);
  EXPECT_EQ(roundedTo(ElementType::Int64, 0x1p63), -0x1p63);
  EXPECT_EQ(roundedTo(ElementType::Int32, std::nan("")), 0);
  EXPECT_EQ(roundedTo(ElementType::Bool, -0.25), 1);
  EXPECT_EQ(roundedTo(ElementType::Bool, 0), 0);
}

TEST(ReferenceTest, InvalidCallsAreRefused) {
  GraphBench B;
  Dim T = B.variable("t", 1, 5);
  Tensor<float> X = B.input<float>("x", {T, 2});
  B.output(X + 1);
  auto Said = [&](std::vector<int64_t> Values,
                  std::vector<ReferenceTensor> Inputs) {
    return evaluate(B.G, Values, Inputs).status().message();
  };
  ReferenceTensor Good = numbers(ElementType::Float32, {3, 2}, 1);
  EXPECT_EQ(Said({3}, {Good}), "");
  EXPECT_NE(Said({6}, {Good}).find("t: 6 is not within 1 to 5"),
            std::string::npos);
  EXPECT_EQ(Said({3}, {}), "inputs: 0 for 1; give each input");
  EXPECT_EQ(Said({2}, {Good}), "x: 6 elements of another shape; give 4");
  Good.Type = ElementType::Int32;
  EXPECT_EQ(Said({3}, {Good}),
            "x: elements are int32_t and not float; give those");
  matmul(X, X);
  EXPECT_EQ(Said({3}, {Good}), B.G.status().message());
}

} // namespace
