//===- DirectTest.cpp - tests of DIRECT and kind REFERENCE ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bodies of both kernels as C++ of this program, over random cases, each
// operation and each layout. KPACK_CONV_CASES and KPACK_CONV_SEED make it more
// of them, and others.
//
//===----------------------------------------------------------------------===//
#include "ConvCase.h"

#include "kpack/ConvBuilder/Lower.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <set>

using namespace kpack;
using namespace kpack::conv;

namespace {

unsigned numberFrom(const char *Variable, unsigned Otherwise) {
  const char *Text = std::getenv(Variable);
  return Text ? static_cast<unsigned>(std::strtoul(Text, nullptr, 10))
              : Otherwise;
}

/// Few threads: most results are few.
Algorithm makeAlgorithm(Kind Which) {
  Algorithm Algo;
  Algo.kind = Which;
  Algo.block_size = 4;
  return Algo;
}

/// What the kernel makes of the case's result.
TensorBytes computed(const ConvCase &Case, Kind Which) {
  std::vector<TensorBytes> Own = Case.Memory;
  Result<Lowered> Kernel = lower(Case.Sig, makeAlgorithm(Which),
                                 Case.Form == Fp8Form::Fnuz ? "gfx942" : "cpu");
  EXPECT_TRUE(Kernel.ok()) << Kernel.status().message();
  Result<KernelLaunch> Launch =
      launchOf(Case.Sig, *Kernel, Case.P, Case.args(Own));
  EXPECT_TRUE(Launch.ok()) << Launch.status().message();
  if (!Launch)
    return {};
  runNatively(*Kernel, *Launch);
  return Own[Case.result()];
}

void check(const ConvCase &Case) {
  std::vector<TensorBytes> Expected = Case.expected();
  for (Kind Which : {Kind::DIRECT, Kind::REFERENCE})
    ASSERT_EQ(Case.compare(Expected, computed(Case, Which)), "")
        << nameOf(Which);
}

TEST(DirectTest, RandomCasesMatchTheReference) {
  unsigned Seed = numberFrom("KPACK_CONV_SEED", 1);
  unsigned Count = numberFrom("KPACK_CONV_CASES", 3000);
  std::printf("seed %u, %u cases\n", Seed, Count);
  RandomCase Random(Seed);
  // Which choices have met: (factor, choice) of the first nine factors, which
  // every case has in one order: direction, dimensions, three layouts, integer
  // or not, three types.
  std::set<std::array<int, 4>> Pairs;
  for (unsigned I = 0; I < Count; ++I) {
    ConvCase Case = Random.next();
    ASSERT_TRUE(Case.fill(Seed + I)) << Case.text();
    const std::vector<int> &Choices = Random.choices();
    for (int A = 0; A < 9; ++A)
      for (int B = A + 1; B < 9; ++B)
        Pairs.insert({A, Choices[size_t(A)], B, Choices[size_t(B)]});
    ASSERT_NO_FATAL_FAILURE(check(Case)) << "case " << I;
  }
  // 3, 3, 5, 4, 5, 4, 5, 5, 5 choices; an integer has 2 types for each tensor.
  // Each of 36 pairs of factors: the sum of their products.
  size_t All = 0;
  constexpr int Sizes[] = {3, 3, 5, 4, 5, 4, 5, 5, 5};
  for (int A = 0; A < 9; ++A)
    for (int B = A + 1; B < 9; ++B)
      All += static_cast<size_t>(Sizes[A] * Sizes[B]);
  // The types 3 to 5 are not those of integers.
  All -= 3 * 3;
  if (Count >= 3000) {
    EXPECT_EQ(Pairs.size(), All);
  }
}

/// A small case in which only one thing is special.
ConvCase smallCase(ConvDirection Direction, DataType Type) {
  ConvCase Case;
  Case.Sig.spatial_dim = 2;
  Case.Sig.direction = Direction;
  Case.Sig.data_type = Type;
  Case.P.groups = 2, Case.P.batch = 2, Case.P.c = 3, Case.P.k = 2;
  Case.P.image = {5, 4};
  Case.P.filter = {3, 2};
  Case.P.stride = {2, 1};
  Case.P.pad = {{1, 0}, {0, 1}};
  return Case;
}

Tensor &resultOf(Signature &Sig) {
  return Sig.direction == ConvDirection::FORWARD         ? Sig.output
         : Sig.direction == ConvDirection::BACKWARD_DATA ? Sig.input
                                                         : Sig.weight;
}

void addOperands(Operation &Op) {
  for (unsigned I = 0; I < auxiliaryCount(Op.elementwise_operation); ++I)
    Op.auxiliary_operand_configs.push({.data_type = DataType::FP32});
}

TEST(DirectTest, OperationsOnResultsMatchTheReference) {
  constexpr DataType Floats[] = {DataType::FP32, DataType::FP16, DataType::BF16,
                                 DataType::FP8};
  unsigned Seen = 0;
  for (size_t I = 0; I < EnumCount<ElementwiseOperation>; ++I) {
    auto Op = static_cast<ElementwiseOperation>(I);
    for (unsigned D = 0; D < 3; ++D)
      for (DataType Type : Floats) {
        if (isQuantised(Op))
          continue;
        ConvCase Case = smallCase(static_cast<ConvDirection>(D), Type);
        Operation &Its = resultOf(Case.Sig).operation.make();
        Its.elementwise_operation = Op;
        Its.chain = {ElementwiseOperation::TANH, ElementwiseOperation::SCALE,
                     ElementwiseOperation::ELU, ElementwiseOperation::SIGMOID};
        addOperands(Its);
        Case.Sig = resolveSignature(Case.Sig);
        Case.Numbers = argsFor(Case.Sig);
        TensorArgs *Numbers[] = {&Case.Numbers.input, &Case.Numbers.weight,
                                 &Case.Numbers.output};
        Numbers[Case.result()]->params = exactNumbers(Op);
        ASSERT_TRUE(Case.fill(static_cast<unsigned>(I)));
        ASSERT_EQ(Case.compareNearly(computed(Case, Kind::DIRECT), {{}, 4}), "")
            << nameOf(Op);
        ++Seen;
      }
  }
  EXPECT_EQ(Seen, 29U * 3 * 4);
}

TEST(DirectTest, QuantisedOperationsMatchTheReference) {
  unsigned Seen = 0;
  for (size_t I = 0; I < EnumCount<ElementwiseOperation>; ++I) {
    auto Op = static_cast<ElementwiseOperation>(I);
    if (!isQuantised(Op))
      continue;
    for (DataType Type : {DataType::I8, DataType::U8})
      for (size_t A = 0; A < EnumCount<ElementwiseOperation>; ++A) {
        auto Activation = static_cast<ElementwiseOperation>(A);
        if (!isUnary(Activation))
          continue;
        ConvCase Case = smallCase(ConvDirection::FORWARD, Type);
        Operation &Its = Case.Sig.output.operation.make();
        Its.elementwise_operation = Op;
        Its.activation = Activation;
        addOperands(Its);
        Case.Sig = resolveSignature(Case.Sig);
        Case.Numbers = argsFor(Case.Sig);
        Case.Numbers.output.params.a = 25; // some are beyond the ends
        ASSERT_TRUE(Case.fill(static_cast<unsigned>(I * 64 + A)));
        ASSERT_EQ(Case.compareNearly(computed(Case, Kind::DIRECT), {{}, 4}), "")
            << nameOf(Op) << " " << nameOf(Activation);
        ++Seen;
      }
  }
  EXPECT_EQ(Seen, 6U * 2 * 17);
}

TEST(DirectTest, RuntimeOperationsMatchTheReference) {
  for (size_t I = 0; I < EnumCount<ElementwiseOperation>; ++I) {
    auto Op = static_cast<ElementwiseOperation>(I);
    if (!isUnary(Op))
      continue;
    ConvCase Case = smallCase(ConvDirection::FORWARD, DataType::FP32);
    Case.Sig.output.operation = Operation{
        .elementwise_operation = ElementwiseOperation::DYNAMIC_UNARY_OP};
    Case.Sig = resolveSignature(Case.Sig);
    Case.Numbers = argsFor(Case.Sig);
    Case.Numbers.output.params.dynamic = Op;
    Case.Numbers.output.params.a = -0.75f;
    Case.Numbers.output.params.c = 3;
    ASSERT_TRUE(Case.fill(static_cast<unsigned>(I)));
    ASSERT_EQ(Case.compareNearly(computed(Case, Kind::DIRECT), {{}, 4}), "")
        << nameOf(Op);
  }
}

/// Each layout of a dimension beside each of the others: 300 triples, in each
/// direction.
TEST(DirectTest, TriplesOfLayoutsMatchTheReference) {
  RandomCase Random(7);
  unsigned Seen = 0;
  auto Fits = [](size_t I, Role TensorRole, int Dims) {
    const LayoutFacts &Facts = factsOf(static_cast<TensorLayout>(I));
    return Facts.Of == TensorRole && Facts.SpatialDim == Dims;
  };
  for (int Dims = 1; Dims <= 3; ++Dims)
    for (size_t In = 1; In < EnumCount<TensorLayout>; ++In)
      for (size_t Weight = 1; Weight < EnumCount<TensorLayout>; ++Weight)
        for (size_t Out = 1; Out < EnumCount<TensorLayout>; ++Out) {
          if (!Fits(In, Role::Input, Dims) ||
              !Fits(Weight, Role::Weight, Dims) ||
              !Fits(Out, Role::Output, Dims))
            continue;
          ConvCase Case;
          Case.Sig.spatial_dim = Dims;
          Case.Sig.data_type = DataType::FP32;
          Case.Sig.direction = static_cast<ConvDirection>(Seen % 3);
          Case.Sig.input.config.layout = static_cast<TensorLayout>(In);
          Case.Sig.weight.config.layout = static_cast<TensorLayout>(Weight);
          Case.Sig.output.config.layout = static_cast<TensorLayout>(Out);
          Case.Sig = resolveSignature(Case.Sig);
          Case.Numbers = argsFor(Case.Sig);
          Case.P.groups = 2, Case.P.batch = 2, Case.P.c = 2, Case.P.k = 3;
          for (int D = 0; D < Dims; ++D) {
            Case.P.image.push(3 + D);
            Case.P.filter.push(1 + D % 2 + 1);
          }
          auto Set = [&](Strides &Target, size_t Layout) {
            auto Its = static_cast<TensorLayout>(Layout);
            if (factsOf(Its).Strided)
              Target = Random.stridesFor(Its, Case.P, Case.Sig);
          };
          Set(Case.P.input_strides, In);
          Set(Case.P.weight_strides, Weight);
          Set(Case.P.output_strides, Out);
          for (unsigned D = 0; D < 3; ++D, ++Seen) {
            Case.Sig.direction = static_cast<ConvDirection>(D);
            ASSERT_TRUE(Case.fill(Seen)) << Case.text();
            ASSERT_NO_FATAL_FAILURE(check(Case));
          }
        }
  EXPECT_EQ(Seen, 900U);
}

/// Numbers that are rounded: elements may be off by the computed bound, which
/// notices a product that is missing.
TEST(DirectTest, RandomNumbersAreWithinTheBound) {
  for (unsigned D = 0; D < 3; ++D)
    for (DataType Type : {DataType::FP32, DataType::FP16, DataType::BF16,
                          DataType::FP8, DataType::BF8, DataType::I8}) {
      ConvCase Case = smallCase(static_cast<ConvDirection>(D), Type);
      Case.Sig = resolveSignature(Case.Sig);
      Case.Numbers = argsFor(Case.Sig);
      ASSERT_TRUE(Case.fill(D, TestNumbers::Random));
      Tolerance By = boundOf(Case.Sig, Case.P, /*IsMatrix=*/false);
      TensorBytes Right = computed(Case, Kind::DIRECT);
      EXPECT_EQ(Case.compareNearly(Right, By), "");
      if (Type != DataType::FP32)
        continue;
      setElement(Type, Case.Form, Right.data(), 3,
                 elementAt(Type, Case.Form, Right.data(), 3) + 1e-4);
      EXPECT_NE(Case.compareNearly(Right, By).find("element 3 is"),
                std::string::npos);
    }
}

/// Each operation of a result and of an operand, whose errors are in the bound.
TEST(DirectTest, RandomNumbersThroughOperations) {
  for (size_t I = 0; I < EnumCount<ElementwiseOperation>; ++I) {
    auto Op = static_cast<ElementwiseOperation>(I);
    for (bool IsResult : {true, false}) {
      if (isQuantised(Op) || (!IsResult && !isForOperands(Op)))
        continue;
      ConvCase Case = smallCase(ConvDirection::FORWARD, DataType::FP32);
      Operation &Its = IsResult ? Case.Sig.output.operation.make()
                                : Case.Sig.input.operation.make();
      Its = {.elementwise_operation = Op};
      if (Op == ElementwiseOperation::UNARY_COMBINED_OP)
        Its.chain = {ElementwiseOperation::TANH, ElementwiseOperation::RELU};
      for (unsigned A = 0; A < auxiliaryCount(Op); ++A)
        Its.auxiliary_operand_configs.push({.data_type = DataType::FP16});
      Case.Sig = resolveSignature(Case.Sig);
      Case.Numbers = argsFor(Case.Sig);
      ASSERT_TRUE(Case.fill(7, TestNumbers::Random));
      EXPECT_EQ(Case.compareNearly(computed(Case, Kind::DIRECT),
                                   boundOf(Case.Sig, Case.P, false)),
                "")
          << nameOf(Op);
    }
  }
}

TEST(DirectTest, InvalidProblemsAreRefused) {
  ConvCase Case = smallCase(ConvDirection::FORWARD, DataType::FP32);
  Case.Sig = resolveSignature(Case.Sig);
  Result<Lowered> Kernel =
      lower(Case.Sig, makeAlgorithm(Kind::DIRECT), "gfx90a");
  ASSERT_TRUE(Kernel.ok());
  auto Message = [&](Problem P) {
    Result<KernelLaunch> Launch = launchOf(Case.Sig, *Kernel, P, {});
    return Launch ? "" : Launch.status().message();
  };
  EXPECT_EQ(Message(Case.P), "");
  Problem P = Case.P;
  P.image = {5};
  EXPECT_EQ(Message(P), "problem: has not 2 spatial dimensions; give as many "
                        "sizes as signature.spatial_dim says");
  P = Case.P;
  P.c = 0;
  EXPECT_EQ(Message(P), "problem: the input has no elements; sizes are 1 at "
                        "least, and the filter fits into the padded image");
  P = Case.P;
  P.image = {1 << 30, 1 << 30};
  EXPECT_EQ(Message(P), "problem: the input has more than 2^48 elements");
  P = Case.P;
  P.image = {1 << 20, 1 << 20};
  EXPECT_EQ(Message(P), "problem: channels times positions of the result are "
                        "1099511627776; DIRECT has up to 2147483647 of them");
  Case.Sig.input.config.layout = TensorLayout::G_NHW_C_strided;
  EXPECT_EQ(Message(Case.P), "input: needs 5 strides, one for each letter of "
                             "its layout");
  Algorithm Algo;
  EXPECT_EQ(lower(Case.Sig, Algo, "gfx90a").status().message(),
            "algorithm.kind: AUTO has no kernel; REFERENCE, DIRECT, "
            "IMPLICIT_GEMM and DEPTHWISE have");
}

} // namespace
