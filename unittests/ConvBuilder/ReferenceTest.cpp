//===- ReferenceTest.cpp - tests of the CPU reference ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What everything else is compared with, compared with numbers that were worked
// out by hand, and with a second implementation that shares nothing with it:
// patches of the image as a matrix (im2col), products of matrices, and back.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Reference.h"
#include "kpack/ConvBuilder/ResolveSignature.h"
#include "kpack/ConvBuilder/TensorShape.h"
#include "kpack/ConvBuilder/Text.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <string>

using namespace kpack;
using namespace kpack::conv;

namespace {

using Numbers = std::vector<double>;

std::vector<char> getMemory(DataType Type, const Numbers &Values) {
  std::vector<char> Memory(Values.size() * bytesOf(Type) + 8);
  for (size_t I = 0; I < Values.size(); ++I)
    setElement(Type, Fp8Form::Ocp, Memory.data(), static_cast<long long>(I),
               Values[I]);
  return Memory;
}

/// The elements of the result, in the order of memory. Of the three tensors the
/// one that is the result has as many elements as it is given.
Numbers run(const std::string &SigText, const std::string &ProblemText,
            const Numbers &Input, const Numbers &Weight, const Numbers &Output,
            const std::vector<Numbers> &Auxiliary = {},
            const OpNumbers &With = {}) {
  Signature Sig;
  Problem P;
  EXPECT_FALSE(parseText("{" + SigText + "}", Sig).failed()) << SigText;
  EXPECT_FALSE(parseText("{" + ProblemText + "}", P).failed()) << ProblemText;
  Sig = resolveSignature(Sig);
  std::vector<char> Memory[] = {getMemory(Sig.input.config.data_type, Input),
                                getMemory(Sig.weight.config.data_type, Weight),
                                getMemory(Sig.output.config.data_type, Output)};
  Args A = argsFor(Sig);
  A.input.data = Memory[0].data();
  A.weight.data = Memory[1].data();
  A.output.data = Memory[2].data();
  for (TensorArgs *Each : {&A.input, &A.output}) {
    Each->params.a = With.a;
    Each->params.b = With.b;
  }
  std::vector<std::vector<char>> Operands;
  for (const Numbers &Each : Auxiliary)
    Operands.push_back(getMemory(DataType::FP32, Each));
  for (size_t I = 0; I < Operands.size(); ++I)
    A.output.auxiliary[I].data = Operands[I].data();
  Status Done = reference(Sig, P, A);
  EXPECT_TRUE(Done.ok()) << Done.message();
  int Which = Sig.direction == ConvDirection::FORWARD         ? 2
              : Sig.direction == ConvDirection::BACKWARD_DATA ? 0
                                                              : 1;
  const Numbers &Size = Which == 2 ? Output : Which == 0 ? Input : Weight;
  DataType Type = (Which == 2   ? Sig.output
                   : Which == 0 ? Sig.input
                                : Sig.weight)
                      .config.data_type;
  Numbers Values;
  for (size_t I = 0; I < Size.size(); ++I)
    Values.push_back(elementAt(Type, Fp8Form::Ocp, Memory[Which].data(),
                               static_cast<long long>(I)));
  return Values;
}

Numbers counted(int Last) {
  Numbers N(static_cast<size_t>(Last));
  std::iota(N.begin(), N.end(), 1);
  return N;
}

const std::string One = "spatial_dim=1,data_type=FP32";
const std::string Two = "spatial_dim=2,data_type=FP32";
const std::string Three = "spatial_dim=3,data_type=FP32";

/// Forward, one dimension, one channel, FP32.
Numbers forward1(const std::string &P, const Numbers &Input,
                 const Numbers &Weight, size_t Outputs) {
  return run(One,
             "c=1,k=1,image=[" + std::to_string(Input.size()) + "],filter=[" +
                 std::to_string(Weight.size()) + "]" + P,
             Input, Weight, Numbers(Outputs));
}

TEST(ReferenceTest, OneDimensionByHand) {
  EXPECT_EQ(forward1("", {1, 2, 3}, {1, 1}, 2), Numbers({3, 5}));
  EXPECT_EQ(forward1("", {1, 2, 3}, {1, -1}, 2), Numbers({-1, -1}));
  EXPECT_EQ(forward1(",pad=[{before=1,after=1}]", {1, 2, 3}, {1, 1}, 4),
            Numbers({1, 3, 5, 3}));
  EXPECT_EQ(forward1(",pad=[{before=1}]", {1, 2, 3}, {1, 1}, 3),
            Numbers({1, 3, 5}));
  EXPECT_EQ(forward1(",pad=[{after=1}]", {1, 2, 3}, {1, 1}, 3),
            Numbers({3, 5, 3}));
  EXPECT_EQ(forward1(",stride=[2]", {1, 2, 3, 4}, {1, 1}, 2), Numbers({3, 7}));
  EXPECT_EQ(forward1(",dilation=[2]", {1, 2, 3, 4}, {1, 10}, 2),
            Numbers({31, 42}));
  EXPECT_EQ(forward1(",stride=[2],pad=[{before=1}]", {1, 2, 3}, {1, 10}, 2),
            Numbers({10, 32}));
  EXPECT_EQ(forward1("", {1, 2, 3, 4, 5}, {1, 2, 3}, 3), Numbers({14, 20, 26}));
  EXPECT_EQ(forward1("", {1, 2, 3}, {4}, 3), Numbers({4, 8, 12}));
  EXPECT_EQ(run(One, "batch=2,c=1,k=1,image=[2],filter=[2]", {1, 2, 3, 4},
                {1, 1}, Numbers(2)),
            Numbers({3, 7}));
}

TEST(ReferenceTest, ChannelsAndGroupsByHand) {
  const std::string P = "c=2,k=1,image=[3],filter=[1]";
  EXPECT_EQ(run(One, P, counted(6), {10, 1}, Numbers(3)),
            Numbers({12, 34, 56}));
  EXPECT_EQ(run(One, "c=2,k=2,image=[3],filter=[1]", counted(6), {10, 1, 1, 10},
                Numbers(6)),
            Numbers({12, 21, 34, 43, 56, 65}));
  EXPECT_EQ(run(One, "c=2,k=1,image=[3],filter=[2]", counted(6), counted(4),
                Numbers(2)),
            Numbers({30, 50}));
  EXPECT_EQ(run(One, "groups=2,c=1,k=1,image=[2],filter=[1]", counted(4),
                {10, 100}, Numbers(4)),
            Numbers({10, 200, 30, 400}));
  EXPECT_EQ(run(One, "groups=2,c=1,k=2,image=[2],filter=[1]", counted(4),
                counted(4), Numbers(8)),
            Numbers({1, 2, 6, 8, 3, 6, 12, 16}));
}

/// The same numbers in other orders of memory.
TEST(ReferenceTest, LayoutsByHand) {
  auto Input = [](const std::string &Layout, const Numbers &X,
                  const std::string &Strides = "") {
    return run(One + ",input={config={layout=" + Layout +
                   "}},output={config={layout=NWGK}},weight={config={layout="
                   "GKXC}}",
               "c=2,k=2,image=[3],filter=[1]" + Strides, X, {10, 1, 1, 10},
               Numbers(6));
  };
  const Numbers Right = {12, 21, 34, 43, 56, 65};
  EXPECT_EQ(Input("NWGC", counted(6)), Right);
  EXPECT_EQ(Input("GNWC", counted(6)), Right);
  EXPECT_EQ(Input("GNCW", {1, 3, 5, 2, 4, 6}), Right);
  EXPECT_EQ(Input("NGCW", {1, 3, 5, 2, 4, 6}), Right);
  EXPECT_EQ(Input("G_NW_C_strided", {1, 3, 5, 0, 2, 4, 6},
                  ",input_strides=[9,9,1,4]"),
            Right);
  EXPECT_EQ(Input("G_NW_C_strided", {1, 0, 3, 2, 5, 4, 0, 6},
                  ",input_strides=[9,9,2,3]"),
            Right);
  auto Weight = [](const std::string &Layout, const Numbers &W,
                   const std::string &Strides = "") {
    return run(
        One + ",input={config={layout=NWGC}},weight={config={layout=" + Layout +
            "}}",
        "c=2,k=1,image=[3],filter=[2]" + Strides, counted(6), W, Numbers(2));
  };
  EXPECT_EQ(Weight("GKXC", counted(4)), Numbers({30, 50}));
  EXPECT_EQ(Weight("KXGC", counted(4)), Numbers({30, 50}));
  EXPECT_EQ(Weight("GKCX", {1, 3, 2, 4}), Numbers({30, 50}));
  EXPECT_EQ(
      Weight("G_K_X_C_strided", {1, 3, 0, 2, 4}, ",weight_strides=[9,9,1,3]"),
      Numbers({30, 50}));
  auto Output = [](const std::string &Layout) {
    return run(
        One + ",input={config={layout=NWGC}},output={config={layout=" + Layout +
            "}}",
        "c=2,k=2,image=[3],filter=[1]", counted(6), {10, 1, 1, 10}, Numbers(6));
  };
  EXPECT_EQ(Output("NWGK"), Right);
  EXPECT_EQ(Output("GNWK"), Right);
  EXPECT_EQ(Output("NGKW"), Numbers({12, 34, 56, 21, 43, 65}));
  EXPECT_EQ(Output("GNKW"), Numbers({12, 34, 56, 21, 43, 65}));
  EXPECT_EQ(run(One + ",input={config={layout=GNCW}},output={config={layout="
                      "NWGK}}",
                "groups=2,c=1,k=1,image=[2],filter=[1]", {1, 3, 2, 4},
                {10, 100}, Numbers(4)),
            Numbers({10, 200, 30, 400}));
}

TEST(ReferenceTest, MoreDimensionsByHand) {
  const std::string P = "c=1,k=1,image=[3,3],filter=";
  EXPECT_EQ(run(Two, P + "[2,2]", counted(9), {1, 1, 1, 1}, Numbers(4)),
            Numbers({12, 16, 24, 28}));
  EXPECT_EQ(run(Two, P + "[2,2]", counted(9), {1, 0, 0, 1}, Numbers(4)),
            Numbers({6, 8, 12, 14}));
  EXPECT_EQ(run(Two,
                P + "[3,3],stride=[2,2],pad=[{before=1,after=1},{before=1,"
                    "after=1}]",
                counted(9), Numbers(9, 1), Numbers(4)),
            Numbers({12, 16, 24, 28}));
  EXPECT_EQ(run(Two, P + "[2,2],pad=[{before=1},{}]", counted(9), Numbers(4, 1),
                Numbers(6)),
            Numbers({3, 5, 12, 16, 24, 28}));
  EXPECT_EQ(run(Two, P + "[2,2],dilation=[2,2]", counted(9), Numbers(4, 1),
                Numbers(1)),
            Numbers({20}));
  EXPECT_EQ(run(Two, P + "[1,1],stride=[2,1]", counted(9), {2}, Numbers(6)),
            Numbers({2, 4, 6, 14, 16, 18}));
  EXPECT_EQ(run(Two, P + "[1,3]", counted(9), {1, 1, 1}, Numbers(3)),
            Numbers({6, 15, 24}));
  EXPECT_EQ(run(Two, P + "[3,1]", counted(9), {1, 1, 1}, Numbers(3)),
            Numbers({12, 15, 18}));
  EXPECT_EQ(run(Two + ",input={config={layout=NGCHW}}",
                "c=2,k=1,image=[2,2],filter=[1,1]",
                {1, 2, 3, 4, 10, 20, 30, 40}, {1, 1}, Numbers(4)),
            Numbers({11, 22, 33, 44}));
  EXPECT_EQ(run(Two, "c=2,k=1,image=[2,2],filter=[1,1]",
                {1, 10, 2, 20, 3, 30, 4, 40}, {1, 1}, Numbers(4)),
            Numbers({11, 22, 33, 44}));
  const std::string Q = "c=1,k=1,image=[2,2,2],filter=";
  EXPECT_EQ(run(Three, Q + "[2,2,2]", counted(8), Numbers(8, 1), Numbers(1)),
            Numbers({36}));
  EXPECT_EQ(run(Three, Q + "[1,1,2]", counted(8), {1, 1}, Numbers(4)),
            Numbers({3, 7, 11, 15}));
  EXPECT_EQ(run(Three, Q + "[2,1,1]", counted(8), {1, 1}, Numbers(4)),
            Numbers({6, 8, 10, 12}));
  EXPECT_EQ(run(Three, Q + "[1,2,1]", counted(8), {1, 1}, Numbers(4)),
            Numbers({4, 6, 12, 14}));
  EXPECT_EQ(run(Three, Q + "[3,2,2],pad=[{before=1,after=1},{},{}]", counted(8),
                Numbers(12, 1), Numbers(2)),
            Numbers({36, 36}));
}

TEST(ReferenceTest, BackwardDataByHand) {
  const std::string Back = ",direction=BACKWARD_DATA";
  auto Data = [&](const std::string &P, size_t Image, const Numbers &Weight,
                  const Numbers &Output) {
    return run(One + Back,
               "c=1,k=1,image=[" + std::to_string(Image) + "],filter=[" +
                   std::to_string(Weight.size()) + "]" + P,
               Numbers(Image), Weight, Output);
  };
  EXPECT_EQ(Data("", 3, {3, 4}, {1, 2}), Numbers({3, 10, 8}));
  EXPECT_EQ(Data(",stride=[2]", 4, {3, 4}, {1, 2}), Numbers({3, 4, 6, 8}));
  EXPECT_EQ(Data(",stride=[2]", 3, {5}, {1, 2}), Numbers({5, 0, 10}));
  EXPECT_EQ(Data(",pad=[{before=1,after=1}]", 3, {10, 1}, {1, 2, 3, 4}),
            Numbers({21, 32, 43}));
  EXPECT_EQ(Data(",dilation=[2]", 3, {1, 2}, {7}), Numbers({7, 0, 14}));
  EXPECT_EQ(run(One + Back, "c=1,k=2,image=[1],filter=[1]", Numbers(1), {3, 5},
                {1, 2}),
            Numbers({13}));
  EXPECT_EQ(
      run(One + Back, "c=2,k=1,image=[1],filter=[1]", Numbers(2), {3, 5}, {2}),
      Numbers({6, 10}));
  EXPECT_EQ(run(Two + Back, "c=1,k=1,image=[2,2],filter=[2,2]", Numbers(4),
                counted(4), {2}),
            Numbers({2, 4, 6, 8}));
  EXPECT_EQ(run(Three + Back, "c=1,k=1,image=[1,1,2],filter=[1,1,2]",
                Numbers(2), {5, 6}, {1}),
            Numbers({5, 6}));
  EXPECT_EQ(run(One + Back, "groups=2,c=1,k=1,image=[1],filter=[1]", Numbers(2),
                {3, 4}, {1, 2}),
            Numbers({3, 8}));
}

TEST(ReferenceTest, BackwardWeightByHand) {
  const std::string Back = ",direction=BACKWARD_WEIGHT";
  auto Weight = [&](const std::string &P, const Numbers &Input, size_t Filter,
                    const Numbers &Output) {
    return run(One + Back,
               "c=1,k=1,image=[" + std::to_string(Input.size()) + "],filter=[" +
                   std::to_string(Filter) + "]" + P,
               Input, Numbers(Filter), Output);
  };
  EXPECT_EQ(Weight("", {1, 2, 3}, 2, {1, 1}), Numbers({3, 5}));
  EXPECT_EQ(Weight("", {1, 2, 3}, 2, {1, 10}), Numbers({21, 32}));
  EXPECT_EQ(Weight(",stride=[2]", {1, 2, 3, 4}, 2, {1, 10}), Numbers({31, 42}));
  EXPECT_EQ(Weight(",pad=[{before=1}]", {1, 2}, 2, {1, 10}), Numbers({10, 21}));
  EXPECT_EQ(Weight(",dilation=[2]", {1, 2, 3}, 2, {5}), Numbers({5, 15}));
  EXPECT_EQ(run(One + Back, "batch=2,c=1,k=1,image=[1],filter=[1]", {1, 2},
                Numbers(1), {3, 4}),
            Numbers({11}));
  EXPECT_EQ(run(One + Back, "c=2,k=2,image=[1],filter=[1]", {1, 2}, Numbers(4),
                {3, 4}),
            Numbers({3, 6, 4, 8}));
  EXPECT_EQ(run(One + Back, "groups=2,c=1,k=1,image=[1],filter=[1]", {1, 2},
                Numbers(2), {3, 4}),
            Numbers({3, 8}));
  EXPECT_EQ(run(Two + Back, "c=1,k=1,image=[2,2],filter=[2,2]", counted(4),
                Numbers(4), {2}),
            Numbers({2, 4, 6, 8}));
}

TEST(ReferenceTest, TypesByHand) {
  const std::string P = "c=1,k=1,image=[1],filter=[1]";
  auto Product = [&](const std::string &Sig, double X, double W) {
    return run("spatial_dim=1," + Sig, P, {X}, {W}, {0})[0];
  };
  EXPECT_EQ(Product("data_type=I8", 100, 2), 127);
  EXPECT_EQ(Product("data_type=I8", -100, 2), -128);
  EXPECT_EQ(Product("data_type=U8", 200, 2), 255);
  EXPECT_EQ(Product("data_type=I8,output={config={data_type=I32}}", -100, 100),
            -10000);
  auto As = [&](const std::string &Type, double X) {
    return Product("data_type=FP32,output={config={data_type=" + Type + "}}", X,
                   1);
  };
  EXPECT_EQ(As("FP16", 2049), 2048); // of two the even one
  EXPECT_EQ(As("FP16", 2051), 2052);
  EXPECT_EQ(As("FP16", 65519), 65504);
  EXPECT_EQ(As("FP16", -65520), -INFINITY);
  EXPECT_EQ(As("FP16", 0x1p-25), 0);
  EXPECT_EQ(As("FP16", 0x1.8p-25), 0x1p-24);
  EXPECT_EQ(As("BF16", 257), 256);
  EXPECT_EQ(As("BF16", 259), 260);
  EXPECT_EQ(As("FP8", 17), 16);
  EXPECT_EQ(As("FP8", 19), 20);
  EXPECT_EQ(As("FP8", 500), 448);
  EXPECT_EQ(As("BF8", 9), 8);
  EXPECT_EQ(As("BF8", 1e6), 57344);
  EXPECT_EQ(As("I8", 2.5), 2);
  EXPECT_EQ(As("I8", 3.5), 4);
}

/// Codes of both forms, from the tables of their definitions.
TEST(ReferenceTest, CodesOfSmallFloats) {
  auto Value = [](DataType Type, Fp8Form Form, unsigned char Code) {
    return elementAt(Type, Form, &Code, 0);
  };
  EXPECT_EQ(Value(DataType::FP8, Fp8Form::Ocp, 0x38), 1);
  EXPECT_EQ(Value(DataType::FP8, Fp8Form::Ocp, 0x7e), 448);
  EXPECT_EQ(Value(DataType::FP8, Fp8Form::Ocp, 0x01), 0x1p-9);
  EXPECT_TRUE(std::isnan(Value(DataType::FP8, Fp8Form::Ocp, 0x7f)));
  EXPECT_EQ(Value(DataType::FP8, Fp8Form::Fnuz, 0x40), 1);
  EXPECT_EQ(Value(DataType::FP8, Fp8Form::Fnuz, 0x7f), 240);
  EXPECT_TRUE(std::isnan(Value(DataType::FP8, Fp8Form::Fnuz, 0x80)));
  EXPECT_EQ(Value(DataType::BF8, Fp8Form::Ocp, 0x3c), 1);
  EXPECT_EQ(Value(DataType::BF8, Fp8Form::Ocp, 0x7c), INFINITY);
  EXPECT_EQ(Value(DataType::BF8, Fp8Form::Fnuz, 0x40), 1);
  EXPECT_EQ(Value(DataType::BF8, Fp8Form::Fnuz, 0x7f), 57344);
  // Each code of a number is its own nearest.
  for (DataType Type : {DataType::FP8, DataType::BF8})
    for (Fp8Form Form : {Fp8Form::Ocp, Fp8Form::Fnuz})
      for (int Code = 0; Code < 256; ++Code) {
        double Decoded = Value(Type, Form, static_cast<unsigned char>(Code));
        if (!std::isfinite(Decoded))
          continue;
        unsigned char Again = 0;
        setElement(Type, Form, &Again, 0, Decoded);
        EXPECT_EQ(Again, Code);
      }
}

TEST(ReferenceTest, OperationsByHand) {
  const std::string P = "c=1,k=1,image=[2],filter=[1]";
  auto With = [&](const std::string &Op, unsigned Operands, OpNumbers Given) {
    std::string Configs;
    for (unsigned I = 0; I < Operands; ++I)
      Configs += std::string(I ? "," : "") + "{layout=GC}";
    Numbers All[] = {{-5}, {1}};
    return run(One + ",output={operation={elementwise_operation=" + Op +
                   ",auxiliary_operand_configs=[" + Configs + "]}}",
               P, {1, 9}, {1}, Numbers(2), {All, All + Operands}, Given);
  };
  EXPECT_EQ(With("ADD_RELU_ADD", 2, {}), Numbers({1, 5}));
  EXPECT_EQ(With("ADD_CLAMP", 1, {-3, 2, 0}), Numbers({-3, 2}));
  EXPECT_EQ(With("BILINEAR", 1, {2, 3, 0}), Numbers({-13, 3}));
  EXPECT_EQ(With("SCALE", 0, {3, 0, 0}), Numbers({3, 27}));
  EXPECT_EQ(With("CLIPPED_RELU", 0, {2, 6, 0}), Numbers({2, 6}));
  // What is done when an operand is loaded is not done with zeros around it.
  EXPECT_EQ(run(One + ",input={operation={elementwise_operation=CLAMP}}",
                "c=1,k=1,image=[1],filter=[1],pad=[{before=1,after=1}]", {1},
                {1}, Numbers(3), {}, {4, 9, 0}),
            Numbers({0, 4, 0}));
}

TEST(ReferenceTest, IncompleteProblemsAreRefused) {
  Signature Sig =
      resolveSignature({.spatial_dim = 1,
                        .data_type = DataType::FP32,
                        .input = {.config = {TensorLayout::G_NW_C_strided}}});
  Problem P{.c = 1, .k = 1, .image = {1}, .filter = {2}};
  EXPECT_EQ(reference(Sig, P, {}).message(),
            "reference: a size of image, filter or output is below 1");
  P.filter = {1};
  EXPECT_EQ(reference(Sig, P, {}).message(),
            "reference: input: has 0 strides, its layout takes 4");
  P.image = {1, 1};
  EXPECT_EQ(reference(Sig, P, {}).message(),
            "reference: image and filter do not have the signature's "
            "dimensions");
}

//===----------------------------------------------------------------------===//
// The same by matrices
//===----------------------------------------------------------------------===//

struct Matrix {
  size_t Rows, Columns;
  Numbers Of;
  Matrix(size_t Rows, size_t Columns)
      : Rows(Rows), Columns(Columns), Of(Rows * Columns) {}
  double &at(size_t Row, size_t Column) { return Of[Row * Columns + Column]; }
};

Matrix transposed(Matrix A) {
  Matrix T(A.Columns, A.Rows);
  for (size_t I = 0; I < A.Rows; ++I)
    for (size_t J = 0; J < A.Columns; ++J)
      T.at(J, I) = A.at(I, J);
  return T;
}

Matrix product(Matrix A, Matrix B) {
  Matrix C(A.Rows, B.Columns);
  for (size_t I = 0; I < A.Rows; ++I)
    for (size_t J = 0; J < B.Columns; ++J)
      for (size_t K = 0; K < A.Columns; ++K)
        C.at(I, J) += A.at(I, K) * B.at(K, J);
  return C;
}

/// Where each entry of the matrix of patches is in an image [C][H][W]; below 0
/// where it is padding. Rows are positions of the output, columns (c, y, x).
std::vector<long long> patches(const Problem &P, long long OutH,
                               long long OutW) {
  std::vector<long long> Indices;
  for (long long H = 0; H < OutH; ++H)
    for (long long W = 0; W < OutW; ++W)
      for (int C = 0; C < P.c; ++C)
        for (int Y = 0; Y < P.filter[0]; ++Y)
          for (int X = 0; X < P.filter[1]; ++X) {
            long long Row =
                H * P.stride[0] + Y * P.dilation[0] - P.pad[0].before;
            long long Column =
                W * P.stride[1] + X * P.dilation[1] - P.pad[1].before;
            bool IsIn = Row >= 0 && Row < P.image[0] && Column >= 0 &&
                        Column < P.image[1];
            Indices.push_back(
                IsIn ? (C * P.image[0] + Row) * P.image[1] + Column : -1);
          }
  return Indices;
}

/// One image of one group; the result takes the place of its tensor.
void byMatrices(ConvDirection Direction, const Problem &P, Numbers &Image,
                Numbers &Filter, Numbers &Out) {
  long long OutH = outputSize(P, 0), OutW = outputSize(P, 1);
  std::vector<long long> Indices = patches(P, OutH, OutW);
  auto Positions = static_cast<size_t>(OutH * OutW);
  size_t Depth = Indices.size() / Positions,
         Channels = static_cast<size_t>(P.k);
  Matrix Patches(Positions, Depth), Weights(Channels, Depth),
      Output(Channels, Positions);
  Weights.Of = Filter;
  Output.Of = Out;
  for (size_t I = 0; I < Indices.size(); ++I)
    Patches.Of[I] = Indices[I] < 0 ? 0 : Image[static_cast<size_t>(Indices[I])];
  switch (Direction) {
  case ConvDirection::FORWARD:
    Out = product(Weights, transposed(Patches)).Of;
    return;
  case ConvDirection::BACKWARD_WEIGHT:
    Filter = product(Output, Patches).Of;
    return;
  case ConvDirection::BACKWARD_DATA:
    break;
  }
  Matrix Back = product(transposed(Output), Weights);
  Image.assign(Image.size(), 0);
  for (size_t I = 0; I < Indices.size(); ++I)
    if (Indices[I] >= 0)
      Image[static_cast<size_t>(Indices[I])] += Back.Of[I];
}

/// Without braces.
std::string inside(std::string_view Text) {
  return std::string(Text.substr(1, Text.size() - 2));
}

TEST(ReferenceTest, MatchesAMatrixProduct) {
  std::mt19937 Random(5);
  auto Below = [&](int End) {
    return std::uniform_int_distribution<int>(0, End - 1)(Random);
  };
  for (int Case = 0; Case < 300; ++Case) {
    Problem P{.c = 1 + Below(4), .k = 1 + Below(4)};
    for (int D = 0; D < 2; ++D) {
      P.filter.push(1 + Below(3));
      P.stride.push(1 + Below(3));
      P.dilation.push(1 + Below(2));
      P.pad.push({Below(3), Below(3)});
      P.image.push(5 + Below(4));
    }
    auto Direction = static_cast<ConvDirection>(Case % 3);
    auto Make = [&](long long Count) {
      Numbers N(static_cast<size_t>(Count));
      for (double &Each : N)
        Each = Below(5) - 2;
      return N;
    };
    Numbers Image = Make(P.c * P.image[0] * P.image[1]);
    Numbers Filter = Make(P.k * P.c * P.filter[0] * P.filter[1]);
    Numbers Out = Make(P.k * outputSize(P, 0) * outputSize(P, 1));
    Numbers Is = run(Two + ",direction=" + std::string(nameOf(Direction)) +
                         ",input={config={layout=NGCHW}}",
                     inside(textOf(P).view()), Image, Filter, Out);
    byMatrices(Direction, P, Image, Filter, Out);
    EXPECT_EQ(Is, Direction == ConvDirection::FORWARD         ? Out
                  : Direction == ConvDirection::BACKWARD_DATA ? Image
                                                              : Filter)
        << textOf(P).view();
  }
}

} // namespace
