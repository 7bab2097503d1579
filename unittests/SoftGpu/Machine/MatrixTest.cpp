//===- MatrixTest.cpp - tests of MFMA of gfx90a and gfx942 ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small integers, whose products and sums are exact in any order, against a
// plain triple loop: registers are filled and read by the mapping of lane and
// register to element that AMD's matrix instruction calculator documents (the
// interpreter goes the other way). Roundings were worked out by hand.
//
//===----------------------------------------------------------------------===//
#include "MatrixTestSupport.h"

using namespace kpack::softgpu;

namespace {

struct MfmaCase {
  const char *Gfx90a; ///< mnemonics; null: that target does not have it
  const char *Gfx942;
  Format A, B;
  unsigned M, K, Blocks; ///< N is M
};

const MfmaCase Cases[] = {
    {"v_mfma_f32_32x32x1f32", "v_mfma_f32_32x32x1_2b_f32", Format::F32,
     Format::F32, 32, 1, 2},
    {"v_mfma_f32_16x16x1f32", "v_mfma_f32_16x16x1_4b_f32", Format::F32,
     Format::F32, 16, 1, 4},
    {"v_mfma_f32_4x4x1f32", "v_mfma_f32_4x4x1_16b_f32", Format::F32,
     Format::F32, 4, 1, 16},
    {"v_mfma_f32_32x32x2f32", "v_mfma_f32_32x32x2_f32", Format::F32,
     Format::F32, 32, 2, 1},
    {"v_mfma_f32_16x16x4f32", "v_mfma_f32_16x16x4_f32", Format::F32,
     Format::F32, 16, 4, 1},
    {nullptr, "v_mfma_f32_16x16x8_xf32", Format::F32, Format::F32, 16, 8, 1},
    {nullptr, "v_mfma_f32_32x32x4_xf32", Format::F32, Format::F32, 32, 4, 1},
    {"v_mfma_f32_32x32x4f16", "v_mfma_f32_32x32x4_2b_f16", Format::F16,
     Format::F16, 32, 4, 2},
    {"v_mfma_f32_16x16x4f16", "v_mfma_f32_16x16x4_4b_f16", Format::F16,
     Format::F16, 16, 4, 4},
    {"v_mfma_f32_4x4x4f16", "v_mfma_f32_4x4x4_16b_f16", Format::F16,
     Format::F16, 4, 4, 16},
    {"v_mfma_f32_32x32x8f16", "v_mfma_f32_32x32x8_f16", Format::F16,
     Format::F16, 32, 8, 1},
    {"v_mfma_f32_16x16x16f16", "v_mfma_f32_16x16x16_f16", Format::F16,
     Format::F16, 16, 16, 1},
    {"v_mfma_f32_32x32x4bf16_1k", "v_mfma_f32_32x32x4_2b_bf16", Format::Bf16,
     Format::Bf16, 32, 4, 2},
    {"v_mfma_f32_16x16x4bf16_1k", "v_mfma_f32_16x16x4_4b_bf16", Format::Bf16,
     Format::Bf16, 16, 4, 4},
    {"v_mfma_f32_4x4x4bf16_1k", "v_mfma_f32_4x4x4_16b_bf16", Format::Bf16,
     Format::Bf16, 4, 4, 16},
    {"v_mfma_f32_32x32x8bf16_1k", "v_mfma_f32_32x32x8_bf16", Format::Bf16,
     Format::Bf16, 32, 8, 1},
    {"v_mfma_f32_16x16x16bf16_1k", "v_mfma_f32_16x16x16_bf16", Format::Bf16,
     Format::Bf16, 16, 16, 1},
    {"v_mfma_f32_32x32x2bf16", nullptr, Format::Bf16, Format::Bf16, 32, 2, 2},
    {"v_mfma_f32_16x16x2bf16", nullptr, Format::Bf16, Format::Bf16, 16, 2, 4},
    {"v_mfma_f32_4x4x2bf16", nullptr, Format::Bf16, Format::Bf16, 4, 2, 16},
    {"v_mfma_f32_32x32x4bf16", nullptr, Format::Bf16, Format::Bf16, 32, 4, 1},
    {"v_mfma_f32_16x16x8bf16", nullptr, Format::Bf16, Format::Bf16, 16, 8, 1},
    {nullptr, "v_mfma_f32_16x16x32_bf8_bf8", Format::Bf8Fnuz, Format::Bf8Fnuz,
     16, 32, 1},
    {nullptr, "v_mfma_f32_16x16x32_bf8_fp8", Format::Bf8Fnuz, Format::Fp8Fnuz,
     16, 32, 1},
    {nullptr, "v_mfma_f32_16x16x32_fp8_bf8", Format::Fp8Fnuz, Format::Bf8Fnuz,
     16, 32, 1},
    {nullptr, "v_mfma_f32_16x16x32_fp8_fp8", Format::Fp8Fnuz, Format::Fp8Fnuz,
     16, 32, 1},
    {nullptr, "v_mfma_f32_32x32x16_bf8_bf8", Format::Bf8Fnuz, Format::Bf8Fnuz,
     32, 16, 1},
    {nullptr, "v_mfma_f32_32x32x16_bf8_fp8", Format::Bf8Fnuz, Format::Fp8Fnuz,
     32, 16, 1},
    {nullptr, "v_mfma_f32_32x32x16_fp8_bf8", Format::Fp8Fnuz, Format::Bf8Fnuz,
     32, 16, 1},
    {nullptr, "v_mfma_f32_32x32x16_fp8_fp8", Format::Fp8Fnuz, Format::Fp8Fnuz,
     32, 16, 1},
    {"v_mfma_f64_16x16x4f64", "v_mfma_f64_16x16x4_f64", Format::F64,
     Format::F64, 16, 4, 1},
    {"v_mfma_f64_4x4x4f64", "v_mfma_f64_4x4x4_4b_f64", Format::F64, Format::F64,
     4, 4, 4},
    {"v_mfma_i32_32x32x4i8", "v_mfma_i32_32x32x4_2b_i8", Format::I8, Format::I8,
     32, 4, 2},
    {"v_mfma_i32_16x16x4i8", "v_mfma_i32_16x16x4_4b_i8", Format::I8, Format::I8,
     16, 4, 4},
    {"v_mfma_i32_4x4x4i8", "v_mfma_i32_4x4x4_16b_i8", Format::I8, Format::I8, 4,
     4, 16},
    {"v_mfma_i32_32x32x8i8", nullptr, Format::I8, Format::I8, 32, 8, 1},
    {"v_mfma_i32_16x16x16i8", nullptr, Format::I8, Format::I8, 16, 16, 1},
    {nullptr, "v_mfma_i32_32x32x16_i8", Format::I8, Format::I8, 32, 16, 1},
    {nullptr, "v_mfma_i32_16x16x32_i8", Format::I8, Format::I8, 16, 32, 1},
};

/// Row or column, k and block of an element.
struct Source {
  unsigned Index, K, Block;
};

struct Result {
  unsigned I, J, Block;
};

Source sourceAt(const MfmaCase &C, unsigned Lane, unsigned Element) {
  if (C.M == 4 && C.A == Format::F64)
    return {Lane % 4, Lane / 16, Lane / 4 % 4};
  if (C.M == 4)
    return {Lane % 4, Element, Lane / 4};
  if (C.Blocks > 1)
    return {Lane % C.M, Element, Lane / C.M};
  unsigned InLane = C.K * C.M / 64;
  return {Lane % C.M, InLane * (Lane / C.M) + Element, 0};
}

Result resultAt(const MfmaCase &C, unsigned Lane, unsigned Element) {
  if (C.A == Format::F64)
    return C.M == 4 ? Result{Lane / 16, Lane % 4, Lane / 4 % 4}
                    : Result{Lane / 16 + 4 * Element, Lane % 16, 0};
  if (C.M == 32)
    return {8 * (Element / 4) % 32 + 4 * (Lane / 32) + Element % 4, Lane % 32,
            Element / 16};
  if (C.M == 16)
    return {4 * (Lane / 16) + Element % 4, Lane % 16, Element / 4};
  return {Element % 4, Lane % 4, Lane / 4};
}

/// How the sources of a multiplication are picked and where they stand.
struct Variant {
  unsigned Cbsz = 0, Abid = 0, Blgp = 0;
  bool Acc = false;             ///< AccVGPRs
  const char *Addend = nullptr; ///< inline constant
  double AddendValue = 0;
};

class MfmaTest : public MatrixFixture {
protected:
  static std::string registers(bool Acc, unsigned First, unsigned Count) {
    std::string R = Acc ? "a" : "v";
    if (Count == 1)
      return R + std::to_string(First);
    return R + "[" + std::to_string(First) + ":" +
           std::to_string(First + Count - 1) + "]";
  }

  /// The lane of B that \p Lane is given (ISA manual, table of BLGP).
  static unsigned given(unsigned Lane, unsigned Blgp) {
    static const unsigned Group[8][4] = {
        {0, 1, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}, {1, 2, 3, 0},
        {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}};
    return Group[Blgp][Lane / 16] * 16 + Lane % 16;
  }

  void check(const char *Mnemonic, const MfmaCase &C, const Variant &V) {
    SCOPED_TRACE(testing::Message()
                 << Mnemonic << " cbsz " << V.Cbsz << " abid " << V.Abid
                 << " blgp " << V.Blgp << " acc " << V.Acc);
    const bool Double = C.A == Format::F64;
    const bool Integer = C.A == Format::I8;
    const unsigned Bits = bitsOf(C.A), Wide = Double ? 64 : 32;
    const unsigned InLane = C.M * C.K * C.Blocks / 64;
    const unsigned OutLane = C.M * C.M * C.Blocks / 64;
    const unsigned InDwords = InLane * Bits / 32;
    const unsigned OutDwords = OutLane * Wide / 32;
    const unsigned Base = V.Acc ? FirstAccVgpr : 0;

    std::vector<int> A(C.Blocks * C.M * C.K), B(A.size());
    std::vector<int> Addend(C.Blocks * C.M * C.M);
    auto At = [&](const Source &S) {
      return (S.Block * C.M + S.Index) * C.K + S.K;
    };
    for (int &X : A)
      X = small();
    for (int &X : B)
      X = small();
    for (int &X : Addend)
      X = V.Addend ? int(V.AddendValue) : small(100);
    auto Encode32 = [&](int X) -> uint64_t {
      return Double    ? encode(Format::F64, X)
             : Integer ? uint32_t(X)
                       : encode(Format::F32, X);
    };
    for (unsigned Lane = 0; Lane < 64; ++Lane) {
      for (unsigned E = 0; E < InLane; ++E) {
        Source S = sourceAt(C, Lane, E);
        put(Base, Lane, E, Bits, encode(C.A, A[At(S)]));
        put(Base + 20, Lane, E, Bits, encode(C.B, B[At(S)]));
      }
      for (unsigned E = 0; E < OutLane; ++E) {
        Result R = resultAt(C, Lane, E);
        put(Base + 60, Lane, E, Wide,
            Encode32(Addend[(R.Block * C.M + R.I) * C.M + R.J]));
      }
    }

    std::string Text =
        std::string(Mnemonic) + " " + registers(V.Acc, 100, OutDwords) + ", " +
        registers(V.Acc, 0, InDwords) + ", " + registers(V.Acc, 20, InDwords) +
        ", " +
        (V.Addend ? std::string(V.Addend) : registers(V.Acc, 60, OutDwords));
    if (V.Cbsz)
      Text += " cbsz:" + std::to_string(V.Cbsz);
    if (V.Abid)
      Text += " abid:" + std::to_string(V.Abid);
    if (V.Blgp)
      Text += " blgp:" + std::to_string(V.Blgp);
    W.setExec(0x5); // not consulted
    run(Text.c_str());

    // B as the unit sees it.
    std::vector<int> Seen(B.size());
    for (unsigned Lane = 0; Lane < 64; ++Lane)
      for (unsigned E = 0; E < InLane; ++E)
        Seen[At(sourceAt(C, Lane, E))] =
            B[At(sourceAt(C, given(Lane, V.Blgp), E))];
    const unsigned Shared = 1u << V.Cbsz;
    for (unsigned Lane = 0; Lane < 64; ++Lane)
      for (unsigned E = 0; E < OutLane; ++E) {
        Result R = resultAt(C, Lane, E);
        unsigned BlockA = R.Block / Shared * Shared + V.Abid;
        if (V.Cbsz == 0)
          BlockA = R.Block;
        int Sum = Addend[(R.Block * C.M + R.I) * C.M + R.J];
        for (unsigned K = 0; K < C.K; ++K)
          Sum += A[At({R.I, K, BlockA})] * Seen[At({R.J, K, R.Block})];
        ASSERT_EQ(get(Base + 100, Lane, E, Wide), Encode32(Sum))
            << "D[" << R.I << "][" << R.J << "] of block " << R.Block;
      }
  }

  void checkAll(const Variant &V, bool BroadcastOnly) {
    for (const MfmaCase &C : Cases)
      for (const char *Target : {"gfx90a", "gfx942"}) {
        const char *Name = Target[4] == '0' ? C.Gfx90a : C.Gfx942;
        if (!Name || (BroadcastOnly && (C.Blocks < 2 || C.A == Format::F64)) ||
            1u << V.Cbsz > C.Blocks)
          continue;
        use(Target);
        check(Name, C, V);
      }
  }

  /// All of A, of B and of C the same; the one value of D.
  uint32_t uniform(const char *Text, uint32_t A, uint32_t B, uint32_t C) {
    for (unsigned R = 0; R < 32; ++R) {
      fill(R, A);
      fill(32 + R, B);
      fill(64 + R, C);
    }
    run(Text);
    for (unsigned Lane = 1; Lane < 64; ++Lane)
      EXPECT_EQ(v(96, Lane), v(96, 0));
    return v(96);
  }

  /// Products of A's and B's pairs of halves in k order, one element: row 0 of
  /// A and column 0 of B of a 16x16x16 matrix; all else is zero.
  uint32_t dot(const char *Mnemonic, std::vector<uint16_t> A,
               std::vector<uint16_t> B, uint32_t C) {
    for (unsigned R = 0; R < 128; ++R)
      fill(R, 0);
    for (unsigned K = 0; K < A.size(); ++K) {
      put(0, K / 4 * 16, K % 4, 16, A[K]);
      put(32, K / 4 * 16, K % 4, 16, B[K]);
    }
    v(64) = C;
    run((std::string(Mnemonic) + " v[96:99], v[0:1], v[32:33], v[64:67]")
            .c_str());
    return v(96);
  }
};

} // namespace

TEST_F(MfmaTest, ProductsInVgprs) { checkAll({}, false); }

TEST_F(MfmaTest, ProductsInAccVgprs) {
  Variant V;
  V.Acc = true;
  checkAll(V, false);
}

TEST_F(MfmaTest, InlineConstantAddend) {
  Variant V;
  V.Addend = "0";
  checkAll(V, false);
  V.Addend = "-4.0";
  V.AddendValue = -4;
  for (const MfmaCase &C : Cases)
    if (C.A != Format::I8 && C.Gfx942) {
      use("gfx942");
      check(C.Gfx942, C, V);
    }
}

TEST_F(MfmaTest, BroadcastOfA) {
  for (unsigned Cbsz = 1; Cbsz <= 4; ++Cbsz)
    for (unsigned Abid = 0; Abid < 1u << Cbsz; ++Abid) {
      Variant V;
      V.Cbsz = Cbsz;
      V.Abid = Abid;
      checkAll(V, true);
    }
}

TEST_F(MfmaTest, PermutationOfB) {
  for (unsigned Blgp = 1; Blgp < 8; ++Blgp) {
    Variant V;
    V.Blgp = Blgp;
    checkAll(V, true);
    V.Cbsz = 1;
    V.Abid = 1;
    checkAll(V, true);
  }
}

TEST_F(MfmaTest, NegationOfDoubles) {
  use("gfx942");
  const char *Base =
      "v_mfma_f64_16x16x4_f64 v[96:103], v[0:1], v[32:33], v[64:71]";
  for (unsigned Neg = 0; Neg < 8; ++Neg) {
    for (unsigned R = 0; R < 8; R += 2)
      for (unsigned Lane = 0; Lane < 64; ++Lane) {
        setV64(R, bits(3.0), Lane);
        setV64(32 + R, bits(5.0), Lane);
        setV64(64 + R, bits(7.0), Lane);
      }
    std::string Text = Base;
    if (Neg)
      Text += " neg:[" + std::to_string(Neg & 1) + "," +
              std::to_string(Neg >> 1 & 1) + "," + std::to_string(Neg >> 2) +
              "]";
    run(Text.c_str());
    double Product = (Neg & 1 ? -3.0 : 3.0) * (Neg & 2 ? -5.0 : 5.0);
    EXPECT_EQ(v64(96, 17), bits(4 * Product + (Neg & 4 ? -7.0 : 7.0))) << Neg;
  }
}

TEST_F(MfmaTest, IntegerSumsWrap) {
  const char *Text = "v_mfma_i32_16x16x16i8 v[96:99], v0, v32, v[64:67]";
  // 16 * 127 * 127 over the largest addend.
  EXPECT_EQ(uniform(Text, 0x7f7f7f7f, 0x7f7f7f7f, 0x7fffffff),
            0x7fffffffu + 258064u);
  EXPECT_EQ(uniform(Text, 0x80808080, 0x7f7f7f7f, 0), uint32_t(-260096));
}

TEST_F(MfmaTest, FusedSinglePrecision) {
  for (const char *Target : {"gfx90a", "gfx942"}) {
    use(Target);
    const char *Text =
        Isa.Isa == Family::Gfx90a
            ? "v_mfma_f32_32x32x1f32 v[96:127], v0, v32, v[64:95]"
            : "v_mfma_f32_32x32x1_2b_f32 v[96:127], v0, v32, "
              "v[64:95]";
    // (1 + 2^-12)^2 - 1 is 2^-11 + 2^-24: lost where the product is rounded.
    EXPECT_EQ(uniform(Text, bits(1.0f + 0x1p-12f), bits(1.0f + 0x1p-12f),
                      bits(-1.0f)),
              bits(0x1p-11f + 0x1p-24f));
    // Denormals are kept, whatever MODE says.
    W.Mode.Denorm32 = 0;
    EXPECT_EQ(uniform(Text, bits(0x1p-100f), bits(0x1p-40f), 0),
              bits(0x1p-140f));
    EXPECT_EQ(uniform(Text, bits(0x1p-140f), bits(1.0f), 0), bits(0x1p-140f));
    // NaNs: the first source's, quieted; an invalid product.
    EXPECT_EQ(uniform(Text, 0x7f800001, 0x7fc00002, 0x7fc00003), 0x7fc00001u);
    EXPECT_EQ(uniform(Text, bits(1.0f), bits(1.0f), 0xff800005), 0xffc00005u);
    EXPECT_EQ(uniform(Text, 0x7f800000, 0, bits(1.0f)), 0xffc00000u);
  }
}

TEST_F(MfmaTest, HalvesOfGfx90a) {
  use("gfx90a");
  const char *Name = "v_mfma_f32_16x16x16f16";
  const uint16_t One = 0x3c00;
  // Groups of four are added before C: 2^24 + 4 is a float, 2^24 + 1 is not.
  EXPECT_EQ(
      dot(Name, {One, One, One, One}, {One, One, One, One}, bits(0x1p24f)),
      bits(0x1p24f + 4));
  // 2^22 and seven times 31/128, rounded to halves in each sum: see the pairs.
  const uint16_t Part = 0x33c0; // 31/128
  EXPECT_EQ(dot(Name, {0x6800, Part, Part, Part, Part, Part, Part, Part},
                {0x6800, One, One, One, One, One, One, One}, 0),
            bits(4194304.0f + 1.5f));
  // Denormals: of a source, of a result.
  EXPECT_EQ(dot(Name, {0x0001}, {One}, 0), 0u);
  EXPECT_EQ(dot(Name, {0}, {0}, 0x80000001), 0u);
  EXPECT_EQ(dot(Name, {0x0400}, {0x0400}, 0), bits(0x1p-28f));
  const char *Brain = "v_mfma_f32_16x16x16bf16_1k";
  EXPECT_EQ(dot(Brain, {0x2000}, {0x1f80}, 0), bits(0x1p-63f * 0x1p-64f) & 0u);
  EXPECT_EQ(dot(Brain, {0x2000}, {0x2000}, 0), bits(0x1p-126f));
}

TEST_F(MfmaTest, HalvesOfGfx942) {
  use("gfx942");
  const char *Name = "v_mfma_f32_16x16x16_f16";
  const uint16_t One = 0x3c00, Part = 0x33c0;
  // Each product is cut to 24 bits below the largest, 2^22: to quarters.
  EXPECT_EQ(dot(Name, {0x6800, Part, Part, Part, Part, Part, Part, Part},
                {0x6800, One, One, One, One, One, One, One}, 0),
            bits(4194304.0f));
  // The next eight are a step of their own: 8 * 31/128 is added to the sum.
  std::vector<uint16_t> A(16, Part), B(16, One);
  A[0] = B[0] = 0x6800;
  EXPECT_EQ(dot(Name, A, B, 0), bits(4194304.0f + 2.0f));
  EXPECT_EQ(dot(Name, {0x0001}, {One}, 0), bits(0x1p-24f));
  EXPECT_EQ(dot(Name, {0x0001}, {0x0001}, 0x00000001), bits(0x1p-48f));
  EXPECT_EQ(dot(Name, {One}, {One}, bits(-1.0f)), 0u);
  EXPECT_EQ(dot(Name, {0x7c00}, {One}, 0), 0x7f800000u);
  EXPECT_EQ(dot(Name, {0x7c00, 0xfc00}, {One, One}, 0), 0xffc00000u);
  const char *Brain = "v_mfma_f32_16x16x16_bf16";
  EXPECT_EQ(dot(Brain, {0x2000}, {0x1f80}, 0), bits(0x1p-127f));
  // A product of 2^128 is infinite even if another takes it back.
  EXPECT_EQ(dot(Brain, {0x5f80, 0x5f80}, {0x5f80, 0xdf00}, 0), 0x7f800000u);
}

TEST_F(MfmaTest, Xf32DropsLowBits) {
  use("gfx942");
  const char *Text = "v_mfma_f32_16x16x8_xf32 v[96:99], v[0:1], v[32:33], 0";
  EXPECT_EQ(uniform(Text, bits(1.0f + 0x1p-10f + 0x1p-11f), bits(1.0f), 0),
            bits(8 * (1.0f + 0x1p-10f)));
}

TEST_F(MfmaTest, FnuzProductsAreRight) {
  use("gfx942");
  const char *Text =
      "v_mfma_f32_16x16x32_fp8_bf8 v[96:99], v[0:1], v[32:33], 0";
  // Largest and smallest numbers: fp8 240 and 2^-10, bf8 57344 and 2^-17.
  EXPECT_EQ(uniform(Text, 0x7f7f7f7f, 0x7f7f7f7f, 0),
            bits(32 * 240.0f * 57344.0f));
  EXPECT_EQ(uniform(Text, 0x01010101, 0x01010101, 0), bits(32 * 0x1p-27f));
  EXPECT_EQ(uniform(Text, 0x80808080, 0x40404040, 0) & 0x7fc00000, 0x7fc00000u);
}

TEST_F(MfmaTest, InvalidOperandsAreRefused) {
  EXPECT_NE(refusal("v_mfma_f64_16x16x4f64 v[0:7], v[0:1], v[2:3], v[8:15] "
                    "cbsz:1"),
            "");
  EXPECT_NE(refusal("v_mfma_f32_32x32x8_f16 v[0:15], v[0:1], v[2:3], v[0:15] "
                    "blgp:1"),
            "");
  // A block that does not exist.
  execute("v_mfma_f32_32x32x1f32 a[0:31], v0, v1, a[0:31] cbsz:2");
  ASSERT_TRUE(W.Failure);
  EXPECT_EQ(W.Failure->What, Fault::Kind::UnknownInstruction);
  use("gfx90a");
  execute("v_mfma_f32_32x32x1f32 a[0:15], v0, v1, a[0:31]");
  ASSERT_TRUE(W.Failure);
}
