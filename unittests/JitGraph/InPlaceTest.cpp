//===- InPlaceTest.cpp - tests of kernels that overwrite an operand -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where it is right, that it is done and gives the same numbers; where a later
// element, a later node or somebody else needs the old one, that it is not. And
// that plans which say so without reason are refused.
//
//===----------------------------------------------------------------------===//
#include "ReplayCompare.h"
#include "TestPlan.h"
#include "TracedTest.h"

#include "JitGraph/Codegen/LowerGraph.h"
#include "graph-encoder/build.h"
#include "graph-vad/model.h"

#include <iostream>

using namespace kpack;
using namespace kpack::jit;

namespace {

class InPlaceTest : public TracedTest {
protected:
  /// A kernel an operation, or few; compared with the reference. How many of
  /// its buffers take the bytes of another one.
  size_t replaced(std::vector<std::vector<int64_t>> Calls = {{}},
                  bool Fuse = false) {
    Result<std::unique_ptr<Replay>> Prepared =
        prepareToCompare(std::move(G), Fuse);
    EXPECT_TRUE(Prepared.ok()) << Prepared.status().message();
    if (!Prepared)
      return 0;
    for (const std::vector<int64_t> &Values : Calls)
      compareWithReference(**Prepared, Values,
                           randomInputs((*Prepared)->plan().Ops, Values, 5));
    const GraphPlan &Plan = (*Prepared)->plan();
    size_t Count = 0, Texts = 0;
    for (const MemoryPlan::Place &P : Plan.Memory.Places)
      Count += P.Replaces != MemoryPlan::None;
    for (const GraphNode &N : Plan.Nodes) {
      std::string Name = " " + Plan.Kernels[N.Kernel].Name + "(";
      size_t Begin = Plan.Source.find(Name),
             End = Plan.Source.find("\n}", Begin);
      std::string Text = Plan.Source.substr(Begin, End - Begin);
      Texts += Text.find(" = b0;") != std::string::npos;
    }
    EXPECT_EQ(Texts, Count) << "kernels know which they are";
    return Count;
  }
};

TEST_F(InPlaceTest, ChainsOfOperations) {
  Dim T = *G.dims().variable("t", {1, 67});
  Tensor<float> X = input("x", {T, number(19)});
  // Two of the four are in the same bytes as the first, the last is an output.
  output(sqrt(abs(exp(X) * X)) + 1.0F);
  EXPECT_EQ(replaced({{67}, {1}, {13}}), 3U);
}

TEST_F(InPlaceTest, OneOfSeveralOperandsIsReused) {
  Tensor<float> X = input("x", {number(40)});
  Tensor<float> A = exp(X), B = abs(X);
  Tensor<float> C = A * B;
  output(C - B);
  output(C);
  EXPECT_EQ(replaced(), 0U) << "c is an output, b is read later";
}

TEST_F(InPlaceTest, OperandUsedTwiceIsReused) {
  Tensor<float> A = exp(input("x", {number(40)}));
  output(-(A * A));
  EXPECT_EQ(replaced(), 1U);
}

TEST_F(InPlaceTest, OperandReadLaterIsKept) {
  Tensor<float> A = exp(input("x", {number(40)}));
  Tensor<float> B = abs(A);
  output(B - A);
  EXPECT_EQ(replaced(), 0U);
}

TEST_F(InPlaceTest, OperandReadTransposedIsKept) {
  Tensor<float> A = exp(input("x", {number(8), number(8)}));
  output(-(A + transpose(A, 0, 1)));
  EXPECT_EQ(replaced(), 0U) << "elements that were written before";
}

TEST_F(InPlaceTest, OperandReadShiftedIsKept) {
  Tensor<float> A = exp(input("x", {number(100)}));
  output(-(A + pad(slice(A, 0, 0, 99), 0, 1, 0)));
  EXPECT_EQ(replaced(), 0U);
}

TEST_F(InPlaceTest, BroadcastOperandIsKept) {
  Tensor<float> A = exp(input("x", {number(1), number(8)}));
  output(-(expand(A, {8, 8}) * input("z", {number(8), number(8)})));
  EXPECT_EQ(replaced(), 0U);
}

TEST_F(InPlaceTest, OperandOfAnotherTypeIsKept) {
  Tensor<float> A = exp(input("x", {number(40)}));
  output(-cast<int32_t>(A));
  EXPECT_EQ(replaced(), 0U);
}

TEST_F(InPlaceTest, InputsOutputsAndWeightsAreKept) {
  Tensor<float> X = input("x", {number(4)});
  Tensor<float> Fixed = -constant(X, std::vector<float>{1, 2, 3, 4}, {4});
  Tensor<float> Out = exp(X);
  output(Out);
  output(-(Fixed * X));
  output(-(abs(Out) * 2.0F));
  // Only of the last line.
  EXPECT_EQ(replaced(), 1U);
}

TEST_F(InPlaceTest, OperandsOfReductionsAreKept) {
  Tensor<float> A = exp(input("x", {number(7), number(7)}));
  Tensor<float> W = input("w", {number(7), number(7)});
  output(-sum(A, 1, true));
  output(-max_of(exp(W), 1, true));
  EXPECT_EQ(replaced(), 0U);
}

// Columns at the end of a row are computed twice: a residual that is in the
// same bytes would be added twice.
TEST_F(InPlaceTest, ResidualOfAProductIsKept) {
  Dim T = *G.dims().variable("t", {1, 31});
  Tensor<float> X = input("x", {T, number(37)});
  Tensor<float> W = input("w", {number(37), number(37)});
  Tensor<float> A = exp(X);
  output(sum(A, 1));
  Tensor<float> B = matmul(X, W) + A;
  output(matmul(B, W));
  EXPECT_EQ(replaced({{31}, {2}}, true), 0U);
}

TEST_F(InPlaceTest, FusedKernelsReuseTheirInput) {
  Dim T = *G.dims().variable("t", {1, 31});
  Tensor<float> X = input("x", {T, number(37)});
  Tensor<float> W = input("w", {number(37), number(37)});
  // Its last reader: a kernel of three operations, which two others read.
  Tensor<float> A = matmul(X, W);
  output(sum(A, 0));
  Tensor<float> B = exp(A) * exp(-A);
  output(matmul(B, W));
  output(sum(B, 0));
  EXPECT_EQ(replaced({{31}, {2}, {1}}, true), 1U);
}

//===----------------------------------------------------------------------===//
// Plans that are refused
//===----------------------------------------------------------------------===//

/// a = exp(x), b = |a| in its bytes, the output b + 1; then changed.
Status changed(const std::function<void(GraphPlan &)> &Change) {
  OpGraph G;
  Tensor<float> X(
      &G, G.addInput({"x", ElementType::Float32, {G.dims().constant(100)}}));
  G.addOutput("y", (abs(exp(X)) + 1.0F).id());
  LowerOptions Options;
  Options.Fuse = false;
  Result<GraphPlan> Plan = lower(std::move(G), Options);
  EXPECT_TRUE(Plan.ok() && Plan->Pooled.size() == 2 &&
              Plan->Memory.Places[1].Replaces == 0);
  Change(*Plan);
  return compilePlan(std::move(*Plan), testConfig()).status();
}

TEST(InPlaceCheckTest, ReasonsAreNeeded) {
  EXPECT_TRUE(changed([](GraphPlan &) {}).ok());
  auto Refused = [](const std::function<void(GraphPlan &)> &Change) {
    Status S = changed(Change);
    EXPECT_EQ(S.code(), StatusCode::InvalidFormat);
    return S.message();
  };
  EXPECT_EQ(Refused([](GraphPlan &P) { P.Pooled[1].MayReplace.clear(); }),
            "%1: node 1 writes %2 into its bytes while it is still needed; "
            "plan again");
  EXPECT_EQ(Refused([](GraphPlan &P) {
              P.Memory.Places[1].Replaces = MemoryPlan::None;
            }),
            "%1: node 1 writes %2 into its bytes while it is still needed; "
            "plan again");
  // Lies about when a buffer is needed.
  EXPECT_EQ(Refused([](GraphPlan &P) { P.Pooled[0].Last = 0; }),
            "%1: is used by node 1, when other bytes may be there; prepare the "
            "graph again");
  EXPECT_EQ(Refused([](GraphPlan &P) {
              std::swap(P.Nodes[0], P.Nodes[1]);
              P.Pooled[0].First = 0;
              P.Pooled[1].First = 0;
              P.Pooled[1].MayReplace.clear();
              P.Memory.Places[1] = {512, MemoryPlan::None};
              P.Memory.Peak = 1024;
            }),
            "%1: is read by node 0 before one writes it; prepare the graph "
            "again");
  const char *NotInStep = "%2: takes the bytes of %1, which its node does not "
                          "read element by element; prepare the graph again";
  EXPECT_EQ(Refused([](GraphPlan &P) { P.Nodes[1].Buffers[1] = P.Inputs[0]; }),
            NotInStep);
  EXPECT_EQ(Refused([](GraphPlan &P) {
              GraphBuffer &B = P.Buffers[P.Nodes[1].Buffers[0]];
              B.Extents = {P.Ops.dims().constant(10),
                           P.Ops.dims().constant(10)};
              B.Strides = {10, 1};
            }),
            NotInStep);
  EXPECT_EQ(Refused([](GraphPlan &P) {
              P.Buffers[P.Nodes[1].Buffers[0]].Type = ElementType::Int32;
            }),
            NotInStep);
  EXPECT_EQ(Refused([](GraphPlan &P) {
              P.Memory.Places[0] = {0, 7};
              P.Pooled[0].MayReplace = {7};
            }),
            "%1: takes bytes that are not there; prepare the graph again");
}

//===----------------------------------------------------------------------===//
// What it is good for
//===----------------------------------------------------------------------===//

/// The pool with and without it, of what this prepares. Where kernels share
/// what can be shared, what is largest are operands of products.
template <typename Prepare>
void expectNotLarger(const char *Name, bool Fuse, Prepare Make) {
  PrepareConfig Config = testConfig();
  uint64_t With = 0, Without = 0;
  Config.lower = [&](OpGraph Ops) -> Result<GraphPlan> {
    LowerOptions Kernels;
    Kernels.Fuse = Fuse;
    Result<GraphPlan> Plan = lower(std::move(Ops), Kernels);
    EXPECT_TRUE(Plan.ok());
    With = Plan->Memory.Peak;
    for (PlanBuffer &B : Plan->Pooled)
      B.MayReplace.clear();
    Without = planMemory(Plan->Pooled)->Peak;
    return Status(StatusCode::InvalidArgument, "enough");
  };
  EXPECT_FALSE(Make(Config).ok());
  std::cout << Name << (Fuse ? "" : ", not fused") << ": " << With
            << " bytes in place of " << Without << "\n";
  EXPECT_LE(With, Without);
  EXPECT_GT(With, 0U);
}

TEST(InPlacePoolTest, PoolsOfExamples) {
  for (bool Fuse : {true, false}) {
    expectNotLarger("vad", Fuse, [](const PrepareConfig &Config) {
      constexpr auto D = InterfaceOf<vad::Vad>::positions();
      return graph<vad::Vad>(vad::Model(), vad::build)
          .prepare({.chunk = {D.streams, vad::Chunk},
                    .context = {D.streams, vad::Context},
                    .h = {D.streams, vad::States},
                    .c = {D.streams, vad::States}},
                   Config)
          .status();
    });
    expectNotLarger("encoder", Fuse, [](const PrepareConfig &Config) {
      constexpr auto D = InterfaceOf<encoder::Encoder>::positions();
      auto Encode =
          graph<encoder::Encoder>(encoder::Model(), encoder::build<float>);
      return Encode
          .prepare({.mel = {D.b, D.t, Encode.model().Mel}, .lengths = {D.b}},
                   Config)
          .status();
    });
  }
}

} // namespace
