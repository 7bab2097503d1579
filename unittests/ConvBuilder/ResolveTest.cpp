//===- ResolveTest.cpp - tests of completed algorithms --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What resolve() chooses, and what holds whatever it is given: a result is
// resolved to itself, nothing that was given is another value afterwards, and
// it is valid or the report says why not.
//
//===----------------------------------------------------------------------===//
#include "RandomAlgorithm.h"

#include "kpack/ConvBuilder/ResolveAlgorithm.h"
#include "kpack/ConvBuilder/Text.h"

#include <gtest/gtest.h>

using namespace kpack::conv;

namespace {

std::string resolved(std::string_view Sig, std::string_view Algo,
                     const char *Gpu) {
  Signature S;
  Algorithm A;
  EXPECT_FALSE(parseText(Sig, S).failed()) << Sig;
  EXPECT_FALSE(parseText(Algo, A).failed()) << Algo;
  Resolved R = resolve(S, A, Gpu);
  return std::string(R.ok() ? textOf(R.Algo).view() : R.Why.view());
}

TEST(ResolveTest, EmptyAlgorithmGetsDefaults) {
  EXPECT_EQ(
      resolved("{spatial_dim=2,data_type=FP16}", "{}", "gfx942"),
      "{kind=IMPLICIT_GEMM,isa=MFMA,block_size=256,tile={m=128,n=128,k=32},"
      "wave={waves={m=2,n=2,k=1},instr={m=32,n=32,k=8}},"
      "a={k_pack=8,load_vector=8,lds_vector=8,lds_pad=8},"
      "b={k_pack=8,load_vector=8,lds_vector=8,lds_pad=8},"
      "c={store_vector=8,shuffle={m=1,n=1}},pipeline={version=V3},"
      "split={k_batch=1,groups_merge=1},padding={m=1,n=1,k=1}}");
  EXPECT_EQ(
      resolved("{spatial_dim=3,data_type=FP32}", "{}", "gfx1030"),
      "{kind=IMPLICIT_GEMM,isa=VALU,block_size=256,tile={m=64,n=64,k=16},"
      "a={k_pack=4,load_vector=4,lds_vector=4,lds_pad=4},"
      "b={k_pack=4,load_vector=4,lds_vector=4,lds_pad=4},c={store_vector=4},"
      "pipeline={},split={k_batch=1,groups_merge=1},"
      "thread={m1=4,n1=4,k_per_thread=1,m1_xs=[8,2],n1_xs=[8,2]},"
      "padding={m=1,n=1,k=1}}");
  EXPECT_EQ(resolved("{spatial_dim=2,data_type=FP8}", "{}", "gfx90a"),
            "{kind=DIRECT,isa=VALU,block_size=256}");
}

/// Kind and isa.
std::string chosen(const Signature &Sig, const char *Gpu) {
  Resolved R = resolve(Sig, {}, Gpu);
  EXPECT_TRUE(R.ok()) << R.Why.view();
  return std::string(nameOf(R.Algo.kind)) + " " +
         std::string(nameOf(R.Algo.isa));
}

TEST(ResolveTest, InstructionsByTypeAndProcessor) {
  auto Choice = [](DataType Type, const char *Gpu) {
    return chosen({.spatial_dim = 2, .data_type = Type}, Gpu);
  };
  EXPECT_EQ(Choice(DataType::FP32, "gfx908"), "IMPLICIT_GEMM MFMA");
  EXPECT_EQ(Choice(DataType::FP32, "gfx1100"), "IMPLICIT_GEMM VALU");
  EXPECT_EQ(Choice(DataType::FP16, "gfx906"), "IMPLICIT_GEMM DOT");
  EXPECT_EQ(Choice(DataType::FP16, "gfx1201"), "IMPLICIT_GEMM WMMA");
  EXPECT_EQ(Choice(DataType::BF16, "gfx906"), "IMPLICIT_GEMM VALU");
  EXPECT_EQ(Choice(DataType::FP8, "gfx942"), "IMPLICIT_GEMM MFMA");
  EXPECT_EQ(Choice(DataType::FP8, "gfx1201"), "IMPLICIT_GEMM WMMA");
  EXPECT_EQ(Choice(DataType::FP8, "gfx1100"), "DIRECT VALU");
  EXPECT_EQ(Choice(DataType::I8, "gfx90a"), "IMPLICIT_GEMM MFMA");
  EXPECT_EQ(Choice(DataType::U8, "gfx90a"), "IMPLICIT_GEMM MFMA");
  EXPECT_EQ(Choice(DataType::U8, "gfx1030"), "IMPLICIT_GEMM DOT");
  EXPECT_EQ(Choice(DataType::U8, "gfx1100"), "IMPLICIT_GEMM WMMA");
  EXPECT_EQ(chosen({.spatial_dim = 1,
                    .data_type = DataType::FP16,
                    .accumulation_data_type = DataType::FP64},
                   "gfx942"),
            "DIRECT VALU");
  // Of both signs at once, gfx1030 has no instruction.
  for (auto [Gpu, Chosen] : {std::pair("gfx942", "IMPLICIT_GEMM MFMA"),
                             std::pair("gfx1030", "IMPLICIT_GEMM VALU")})
    EXPECT_EQ(chosen({.spatial_dim = 1,
                      .data_type = DataType::I8,
                      .weight = {.config = {.data_type = DataType::U8}}},
                     Gpu),
              Chosen);
}

TEST(ResolveTest, MissingFieldsFollowGivenOnes) {
  auto With = [](const char *Algo) {
    Algorithm A;
    EXPECT_FALSE(parseText(Algo, A).failed()) << Algo;
    Resolved R =
        resolve({.spatial_dim = 2, .data_type = DataType::FP16}, A, "gfx942");
    EXPECT_TRUE(R.ok()) << R.Why.view();
    return R.Algo;
  };
  EXPECT_EQ(With("{tile={m=16,n=64}}").wave->instr, (MNK{16, 16, 16}));
  EXPECT_EQ(With("{block_size=64}").kind, Kind::IMPLICIT_GEMM);
  EXPECT_EQ(With("{block_size=64}").wave->waves, (MNK{1, 1, 1}));
  EXPECT_EQ(With("{wave={waves={m=4,n=1}}}").tile->m, 128);
  EXPECT_EQ(With("{thread={m1=2}}").isa, Isa::DOT);
  EXPECT_EQ(With("{specialization=ODD_C}").a->load_vector, 1);
  EXPECT_EQ(With("{a={direct_to_lds=1}}").a->load_vector, 2);
  EXPECT_EQ(With("{depthwise={}}").kind, Kind::DEPTHWISE);
  EXPECT_EQ(With("{c={cluster={mw=64,nw=4}}}").c->store_vector, 8);
}

TEST(ResolveTest, AcceptsDescriptorsOfCk) {
  // As descriptors of CK's builder have them: clusters, orders, vectors and
  // all.
  auto With = [](std::string_view Direction, const char *Gpu,
                 std::string_view Algo) {
    Signature Sig;
    Algorithm A;
    std::string Text = "{spatial_dim=2,data_type=FP16,direction=";
    EXPECT_FALSE(parseText((Text += Direction) + "}", Sig).failed()) << Text;
    TextError Error = parseText(Algo, A);
    EXPECT_FALSE(Error.failed()) << Error.Message.view();
    Resolved R = resolve(Sig, A, Gpu);
    EXPECT_TRUE(R.ok()) << R.Why.view();
  };
  With("FORWARD", "gfx942",
       "{kind=IMPLICIT_GEMM,isa=MFMA,block_size=256,tile={m=128,n=128,k=32},"
       "wave={waves={m=2,n=2,k=1},instr={m=32,n=32}},"
       "a={k_pack=8,load_vector=8,lds_vector=8,vector_dim=2,lds_pad=8,"
       "cluster={k0=4,mn=64,k1=1},cluster_order=[1,0,2],access_order=[1,0,2]},"
       "b={k_pack=8,load_vector=8,lds_vector=8,vector_dim=2,lds_pad=8,"
       "cluster={k0=4,mn=64,k1=1},cluster_order=[1,0,2],access_order=[1,0,2]},"
       "c={store_vector=8,shuffle={m=1,n=1},"
       "cluster={mb=1,mw=32,nb=1,nw=8},through_lds=1},pipeline={stages=1},"
       "padding={m=1,n=1,k=1}}");
  With("BACKWARD_WEIGHT", "gfx90a",
       "{kind=IMPLICIT_GEMM,isa=MFMA,block_size=64,tile={m=64,n=64,k=32},"
       "wave={waves={m=1,n=1,k=1},instr={m=32,n=32}},"
       "a={k_pack=8,load_vector=8,lds_vector=8,vector_dim=2,"
       "cluster={k0=4,mn=16,k1=1,kb=1},cluster_order=[0,3,1,2],"
       "access_order=[0,2,1,3]},"
       "b={k_pack=8,load_vector=8,lds_vector=8,vector_dim=2,"
       "cluster={k0=4,mn=16,k1=1,kb=1},cluster_order=[0,3,1,2],"
       "access_order=[0,2,1,3]},"
       "c={store_vector=4,shuffle={m=1,n=1},"
       "cluster={mb=1,mw=16,nb=1,nw=4},through_lds=1}}");
  With("FORWARD", "gfx1100",
       "{kind=IMPLICIT_GEMM,isa=WMMA,block_size=128,tile={m=64,n=64,k=32},"
       "wave={waves={m=2,n=2,k=1},instr={m=16,n=16}},"
       "a={k_pack=8,load_vector=8,lds_vector=8,vector_dim=2,lds_pad=8,"
       "cluster={k0=4,mn=32,k1=1},cluster_order=[1,0,2],access_order=[1,0,2]},"
       "b={k_pack=8,load_vector=8,lds_vector=8,vector_dim=2,lds_pad=8,"
       "cluster={k0=4,mn=32,k1=1},cluster_order=[1,0,2],access_order=[1,0,2]},"
       "c={store_vector=8,shuffle={m=1,n=1},"
       "cluster={mb=1,mw=32,nb=1,nw=4},through_lds=1},"
       "pipeline={version=V1,stages=1}}");
  With("FORWARD", "gfx1030",
       "{kind=IMPLICIT_GEMM,isa=DOT,block_size=256,tile={m=128,n=128,k=32},"
       "thread={m1=4,n1=4,k_per_thread=2,k0=16,k1=2,m1_xs=[8,2],n1_xs=[8,2]},"
       "c={store_vector=4,vector_dim=5,access_order=[0,1,2,3,4,5]}}");
}

TEST(ResolveTest, MissingFieldsFollowTheProblem) {
  Signature Sig{.spatial_dim = 2, .data_type = DataType::FP16};
  auto Resolution = [&](const Problem &P) {
    Resolved R = resolve(Sig, {}, "gfx942", P);
    EXPECT_TRUE(R.ok()) << R.Why.view();
    return R.Algo;
  };
  Problem P{.c = 3, .k = 64, .image = {56, 56}, .filter = {7, 7}};
  EXPECT_EQ(Resolution(P).a->load_vector, 1);
  EXPECT_EQ(Resolution(P).c->store_vector, 8);
  EXPECT_EQ(Resolution(P).tile->n, 64);
  EXPECT_TRUE(Resolution(P).padding->k);
  P.c = 64;
  EXPECT_EQ(Resolution(P).a->load_vector, 8);
  EXPECT_FALSE(Resolution(P).padding->k);
  P.k_batch = 4;
  EXPECT_EQ(Resolution(P).split->k_batch, 4);
  EXPECT_TRUE(Resolution(P).split->two_stage); // results are FP16
  P = {.groups = 64, .c = 1, .k = 1, .image = {56, 56}, .filter = {3, 3}};
  EXPECT_EQ(Resolution(P).kind, Kind::DEPTHWISE);
  EXPECT_EQ(Resolution(P).depthwise->tile, (HW{16, 32}));
  EXPECT_EQ(Resolution(P).depthwise->nbatch, 1);
  P.batch = 32; // images share the threads of a tile that 7 x 7 fill
  P.image = {9, 9};
  EXPECT_EQ(Resolution(P).depthwise->tile, (HW{8, 8}));
  EXPECT_EQ(Resolution(P).depthwise->nbatch, 8);
  P.image = {400, 400}; // of which a tile of 16 x 32 reads 136 x 216
  P.filter = {16, 16};
  P.stride = {5, 5};
  P.dilation = {4, 4};
  EXPECT_EQ(Resolution(P).depthwise->tile, (HW{2, 32}));
  P = {.batch = 512, .c = 512, .k = 64, .image = {128, 128}, .filter = {1, 1}};
  EXPECT_TRUE(Resolution(P).split->index64);
}

/// Whether all that \p Given has is in \p Now, too.
template <typename T> bool isKept(const T &Given, const T &Now);

template <typename T>
bool isKept(const Optional<T> &Given, const Optional<T> &Now) {
  return !Given || (Now && isKept(*Given, *Now));
}
template <typename T, unsigned N>
bool isKept(const List<T, N> &Given, const List<T, N> &Now) {
  return Given.empty() || Given == Now;
}
template <typename T> bool isKept(const T &Given, const T &Now) {
  if constexpr (Fielded<T>) {
    bool All = true;
    forEachField<T>([&](auto Member, const Field &) {
      All = All && isKept(Given.*Member, Now.*Member);
    });
    return All;
  } else {
    return Given == T{} || Given == Now;
  }
}

TEST(ResolveTest, RandomAlgorithmsResolveOrAreRefused) {
  RandomAlgorithm Random(7);
  unsigned Valid = 0;
  for (int I = 0; I < 4000; ++I) {
    Signature Sig = Random.signature();
    Algorithm Partial = Random.partial();
    std::string_view Gpu = ProcessorNames[Random.below(8)];
    Resolved R = resolve(Sig, Partial, Gpu);
    SCOPED_TRACE(std::string(Gpu) + " " + std::string(textOf(Sig).view()) +
                 " " + std::string(textOf(Partial).view()) + "\n" +
                 std::string(textOf(R.Algo).view()));
    ASSERT_TRUE(isKept(Partial, R.Algo));
    Resolved Again = resolve(R.Sig, R.Algo, Gpu);
    ASSERT_EQ(Again.Algo, R.Algo) << textOf(Again.Algo).view();
    ASSERT_EQ(validate(Sig, R.Algo, Gpu).ok() || !R.ok(), true);
    Valid += R.ok();
    // What is completed lacks nothing.
    if (R.ok()) {
      ASSERT_FALSE(R.Why.has("A1"));
    }
  }
  // Not all of what is thrown together, but enough to mean something.
  EXPECT_GT(Valid, 1000u);
}

TEST(ResolveTest, EveryRandomSignatureResolves) {
  // Where nothing is given, there is always an algorithm.
  RandomAlgorithm Random(8);
  for (int I = 0; I < 2000; ++I) {
    Signature Sig = Random.signature();
    std::string_view Gpu = ProcessorNames[Random.below(8)];
    Resolved R = resolve(Sig, {}, Gpu);
    ASSERT_TRUE(R.ok()) << Gpu << " " << textOf(Sig).view() << "\n"
                        << textOf(R.Algo).view() << "\n"
                        << R.Why.view();
    Problem P = Random.problem(Sig);
    R = resolve(Sig, {}, Gpu, P);
    ASSERT_TRUE(R.ok()) << Gpu << " " << textOf(Sig).view() << "\n"
                        << textOf(P).view() << "\n"
                        << textOf(R.Algo).view() << "\n"
                        << R.Why.view();
  }
}

TEST(ResolveTest, NoProcessorLeavesTheAlgorithmUnchanged) {
  Algorithm Partial{.kind = Kind::IMPLICIT_GEMM, .tile = {96, 128, 32}};
  Resolved R = resolve({.spatial_dim = 2, .data_type = DataType::FP16}, Partial,
                       Target());
  EXPECT_TRUE(R.ok()) << R.Why.view();
  EXPECT_EQ(R.Algo, Partial);
}

} // namespace
