//===- InterfaceTest.cpp - tests of interfaces of graphs ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is declared once, in each phase: how it is written, what is kept of it.
// What must not compile is in test/JitGraph/interface.test.
//
//===----------------------------------------------------------------------===//
#include "kpack/JitGraph/InterfaceOf.h"

#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

template <class P> struct Encoder {
  In<P, float> mel{};
  In<P, std::int32_t> lengths{};
  Out<P, float16> encoded{};
  Var<P, 1, 8> b{};
  Var<P, 1, 3000> t{};
};

template <class P> struct Smallest {
  In<P, bool> x{};
  Out<P, uint8_t> _y2{};
};

template <class P> struct Largest {
  Out<P, float> o{};
  In<P, float> a{}, b{}, c{}, d{}, e{}, f{}, g{}, h{}, i{}, j{}, k{}, l{}, m{},
      n{}, o1{}, p{};
  Var<P, 0, 1> v0{}, v1{}, v2{}, v3{}, v4{}, v5{}, v6{}, v7{}, v8{}, v9{},
      v10{}, v11{}, v12{}, v13{}, last{};
};

// In constant expressions, too.
static_assert(InterfaceOf<Encoder>::Count == 5);
static_assert(InterfaceOf<Encoder>::kind(2) == MemberKind::Out);
static_assert(InterfaceOf<Encoder>::positions().t.Place == 4);
static_assert(InterfaceOf<Largest>::Count == 32);

TEST(InterfaceTest, MembersAreFound) {
  using Members = InterfaceOf<Encoder>;
  const char *Expected[] = {"mel", "lengths", "encoded", "b", "t"};
  for (size_t I = 0; I < Members::Count; ++I)
    EXPECT_EQ(Members::name(I), Expected[I]);
  EXPECT_EQ(Members::countOf(MemberKind::In), 2U);
  EXPECT_EQ(Members::countOf(MemberKind::Out), 1U);
  EXPECT_EQ(Members::countOf(MemberKind::Var), 2U);
  EXPECT_EQ(InterfaceOf<Smallest>::Count, 2U);
  EXPECT_EQ(InterfaceOf<Smallest>::name(1), "_y2");
  EXPECT_EQ(InterfaceOf<Largest>::name(0), "o");
  EXPECT_EQ(InterfaceOf<Largest>::name(31), "last");
}

TEST(InterfaceTest, NamesOfUnknownCompilers) {
  using graph_detail::memberName;
  EXPECT_EQ(memberName("f() [Member = &X<Io>::Value.mel]"), "mel");
  EXPECT_EQ(memberName("f() [with const auto* Member = (& X<Io>::Value."
                       "Io<Names>::mel); S = T]"),
            "mel");
  for (const char *Odd :
       {"", "f", "f() [Member = 0x1234]", "f() [Member = &X[3]]",
        "f() [Member = &X.]", "f() [Member = &X.3]", "f() [Member = mel]"})
    EXPECT_EQ(memberName(Odd), "") << Odd;
}

TEST(InterfaceTest, LoopsOverMembers) {
  std::string Kinds;
  Encoder<Live> Io{};
  InterfaceOf<Encoder>::forEach(Io, [&]<typename M>(M &, size_t Place) {
    Kinds += std::to_string(Place) +
             (std::is_same_v<M, In<Live, float>> ? "!" : " ");
  });
  EXPECT_EQ(Kinds, "0!1 2 3 4 ");
  // What is written through one is in the struct.
  InterfaceOf<Encoder>::forEach(Io, []<typename M>(M &Member, size_t) {
    if constexpr (std::is_same_v<M, Var<Live, 1, 8>>)
      Member = M(7);
  });
  EXPECT_EQ(Io.b.value(), 7);
  EXPECT_EQ(Io.t.value(), 3000) << "the upper bound, before any call";
}

TEST(InterfaceTest, SpecHasShapesAndBounds) {
  constexpr Encoder<Names> D = InterfaceOf<Encoder>::positions();
  const Encoder<Spec> S{
      .mel = {D.b, 80, D.t}, .lengths = {8u}, .b = fixed(4), .t = {10, 1500}};
  ASSERT_EQ(S.mel.shape().size(), 3U);
  EXPECT_TRUE(S.mel.shape()[0].isVariable());
  EXPECT_EQ(S.mel.shape()[0].value(), 3) << "position of b";
  EXPECT_FALSE(S.mel.shape()[1].isVariable());
  EXPECT_EQ(S.mel.shape()[1].value(), 80);
  EXPECT_EQ(*S.b.range("b"), (DimRange{4, 4}));
  EXPECT_EQ(*S.t.range("t"), (DimRange{10, 1500}));
}

TEST(InterfaceTest, BoundsOfVariables) {
  using T = Var<Spec, 1, 3000>;
  EXPECT_EQ(*T().range("t"), (DimRange{1, 3000}));
  EXPECT_EQ(*T(at_most(5)).range("t"), (DimRange{1, 5}));
  EXPECT_EQ(*T(at_least(5)).range("t"), (DimRange{5, 3000}));
  EXPECT_EQ(T(1, 3001).range("t").status().message(),
            "t: bounds 1 to 3001 are not within 1 to 3000; narrow them, or "
            "widen those of the graph's Var");
  EXPECT_EQ(T(5, 4).range("t").status().message(),
            "t: bounds 5 to 4; give a lower bound that is not above the upper "
            "one");
  EXPECT_FALSE(T(fixed(0)).range("t").ok());
  using Zero = Var<Spec, 0, 10>;
  EXPECT_EQ(Zero(fixed(0)).range("z").status().message(),
            "z: fixed at 0; give it a size");
  EXPECT_TRUE(Zero(0, 1).range("z").ok());
}

TEST(InterfaceTest, TraceHasTensorsAndDims) {
  DimContext C;
  Encoder<Trace> Io{};
  Io.t = Var<Trace, 1, 3000>(*C.variable("t", Io.t.Ceiling));
  EXPECT_EQ((Io.t + 1) / 2, ceilDiv(Io.t, 2));
  Io.mel = In<Trace, float>(Tensor<float>(nullptr, 3));
  EXPECT_EQ(Io.mel.type(), ElementType::Float32);
  EXPECT_EQ(Io.encoded.assigned().id(), TensorRef::None);
  Io.encoded = Tensor<float16>(nullptr, 9);
  EXPECT_EQ(Io.encoded.assigned().id(), 9U);
  EXPECT_EQ(Io.encoded.assigned().type(), ElementType::Float16);
}

TEST(InterfaceTest, LiveHasElements) {
  std::vector<float> Memory(6);
  In<Live, float> Input{std::span<float>(Memory)};
  for (float &Element : Input)
    Element = 2;
  EXPECT_EQ(Memory.back(), 2);
  EXPECT_EQ(Input.size(), 6U);

  // 2 rows of 2 of 3.
  for (size_t I = 0; I < Memory.size(); ++I)
    Memory[I] = float(I);
  const int64_t Extents[] = {2, 2};
  const int64_t Strides[] = {3, 1};
  Out<Live, float> Output{View<const float>(Memory.data(), Extents, Strides)};
  EXPECT_EQ(Output(1, 1), 4);
  EXPECT_EQ(Output.size(), 4);
  EXPECT_FALSE(Output.isContiguous());
  const int64_t OneRow[] = {1, 3};
  EXPECT_TRUE(View<const float>(Memory.data(), OneRow, Strides).isContiguous());
}

TEST(InterfaceTest, BindKeepsUnboundMembers) {
  const Encoder<Bind> None{};
  EXPECT_FALSE(None.mel.isBound());
  EXPECT_FALSE(None.b.bound());
  std::vector<float> Audio(4);
  std::array<std::int32_t, 2> Lengths = {1, 2};
  const Encoder<Bind> Some{.mel = Audio, .lengths = Lengths, .t = 800u};
  EXPECT_EQ(Some.mel.data(), Audio.data());
  EXPECT_EQ(Some.mel.size(), 4U);
  EXPECT_EQ(Some.lengths.size(), 2U);
  EXPECT_EQ(Some.t.bound(), 800);
  EXPECT_FALSE(Some.b.bound());
  const Encoder<Bind> Pointer{.mel = Audio.data()};
  EXPECT_TRUE(Pointer.mel.isBound());
  EXPECT_FALSE(Pointer.mel.size()) << "nobody knows";
}

TEST(InterfaceTest, ElementTypesHaveNamesAndSizes) {
  EXPECT_EQ(ElementTypeOf<bfloat16>::Value, ElementType::BFloat16);
  EXPECT_EQ(nameOf(ElementType::Bool), "bool");
  EXPECT_EQ(sizeOf(ElementType::Int64), sizeof(int64_t));
  EXPECT_EQ(nameOf(ElementTypeOf<uint8_t>::Value), "uint8_t");
}

} // namespace
