//===- VectorPackedTest.cpp - tests of packed f32 and dot products --------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results worked out by hand, or in plain integers. Those of gfx1100's float
// dot products that no exact arithmetic gives were captured on one
// (ROCm/rocm-systems issue 12056).
//
//===----------------------------------------------------------------------===//
#include "WaveFixture.h"
#include <algorithm>
#include <random>

using namespace kpack::softgpu;

namespace {

class PackedTest : public WaveFixture {
protected:
  void pair(unsigned Register, float Low, float High) {
    fill(Register, bits(Low));
    fill(Register + 1, bits(High));
  }
  void expectPair(const char *Text, float Low, float High) {
    fill(0, 0x12345678);
    fill(1, 0x12345678);
    run(Text);
    EXPECT_EQ(v(0, 5), bits(Low)) << Text;
    EXPECT_EQ(v(1, 5), bits(High)) << Text;
  }
  /// v0 of \p Text on v1, v2, v3.
  uint32_t dot(const std::string &Text, uint32_t A, uint32_t B, uint32_t C) {
    fill(0, C);
    fill(1, A);
    fill(2, B);
    fill(3, C);
    run(Text.c_str());
    return v(0);
  }
  bool faults(const char *Text) {
    execute(Text);
    const bool Result = W.Failure.has_value();
    W.Failure.reset();
    W.Status = Wave::State::Running;
    return Result;
  }
};

/// The elements of a dword, by multiplication and division.
std::vector<int64_t> elements(uint32_t Row, unsigned Bits, bool Signed) {
  std::vector<int64_t> R;
  uint64_t Rest = Row;
  const uint64_t Range = uint64_t(1) << Bits;
  for (unsigned N = 0; N < 32 / Bits; ++N, Rest /= Range) {
    int64_t V = int64_t(Rest % Range);
    R.push_back(Signed && V >= int64_t(Range / 2) ? V - int64_t(Range) : V);
  }
  return R;
}

} // namespace

TEST_F(PackedTest, PackedSingles) {
  for (const char *Target : {"gfx90a", "gfx942"}) {
    use(Target);
    pair(2, 2, 3);
    pair(4, 5, 7);
    pair(6, 11, 13);
    s(8) = bits(100.0f);
    s(9) = bits(1000.0f);
    expectPair("v_pk_add_f32 v[0:1], v[2:3], v[4:5]", 7, 10);
    expectPair("v_pk_mul_f32 v[0:1], v[2:3], v[4:5]", 10, 21);
    expectPair("v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]", 21, 34);
    expectPair("v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7] op_sel:[1,0,0] "
               "op_sel_hi:[0,0,1]",
               26, 23);
    expectPair("v_pk_add_f32 v[0:1], v[2:3], v[4:5] neg_lo:[1,0] neg_hi:[0,1]",
               3, -4);
    expectPair("v_pk_mul_f32 v[0:1], v[2:3], s[8:9]", 200, 3000);
    expectPair("v_pk_mul_f32 v[0:1], v[2:3], s[8:9] op_sel_hi:[1,0]", 200, 300);
    expectPair("v_pk_mul_f32 v[0:1], v[2:3], 4.0 op_sel_hi:[1,0]", 8, 12);
    expectPair("v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[1,0]", 3, 5);
    expectPair("v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[0,1]", 2, 7);
    expectPair("v_pk_mov_b32 v[0:1], s[8:9], v[4:5] op_sel:[1,1]", 1000, 7);
    // The high half of a constant is not known, but that of 0.
    EXPECT_TRUE(faults("v_pk_mul_f32 v[0:1], v[2:3], 4.0"));
    expectPair("v_pk_add_f32 v[0:1], v[2:3], 0 neg_lo:[1,1] neg_hi:[1,1]", -2,
               -3);
  }
}

TEST_F(PackedTest, SinglesFollowMode) {
  pair(2, 0x1p-100f, 1.0f);
  pair(4, 0x1p-40f, 0x1p-24f * 1.5f);
  expectPair("v_pk_mul_f32 v[0:1], v[2:3], v[4:5]", 0x1p-140f, 0x1p-24f * 1.5f);
  W.Mode.Denorm32 = 0;
  expectPair("v_pk_mul_f32 v[0:1], v[2:3], v[4:5]", 0.0f, 0x1p-24f * 1.5f);
  W.Mode.Denorm32 = 3;
  pair(2, 1.0f, 1.0f);
  pair(4, 0x1p-30f, -0x1p-30f);
  W.Mode.Round32 = 1;
  expectPair("v_pk_add_f32 v[0:1], v[2:3], v[4:5]", 1.0f + 0x1p-23f, 1.0f);
  W.Mode.Round32 = 2;
  expectPair("v_pk_add_f32 v[0:1], v[2:3], v[4:5]", 1.0f, 1.0f - 0x1p-24f);
  W.Mode.Round32 = 0;
  pair(4, 5.0f, -3.0f);
  expectPair("v_pk_add_f32 v[0:1], v[2:3], v[4:5] clamp", 1.0f, 0.0f);
  // Sources are read before the result is written; exec is kept.
  pair(0, 2.0f, 3.0f);
  W.setExec(~uint64_t(1));
  run("v_pk_mul_f32 v[0:1], v[0:1], v[0:1] op_sel:[0,1] op_sel_hi:[1,0]");
  EXPECT_EQ(v(0, 0), bits(2.0f));
  EXPECT_EQ(v(0, 1), bits(6.0f));
  EXPECT_EQ(v(1, 1), bits(6.0f));
}

TEST_F(PackedTest, IntegerDotProducts) {
  struct Row {
    const char *Target, *Mnemonic;
    unsigned Bits;
    bool Signed;
  };
  const Row Rows[] = {{"gfx90a", "v_dot2_i32_i16", 16, true},
                      {"gfx1030", "v_dot2_u32_u16", 16, false},
                      {"gfx90a", "v_dot4_i32_i8", 8, true},
                      {"gfx1100", "v_dot4_u32_u8", 8, false},
                      {"gfx1030", "v_dot8_i32_i4", 4, true},
                      {"gfx1201", "v_dot8_u32_u4", 4, false}};
  std::mt19937 Random(7);
  for (const Row &R : Rows) {
    use(R.Target);
    for (unsigned N = 0; N < 40; ++N) {
      const uint32_t A = N < 2 ? 0xffffffff : uint32_t(Random());
      const uint32_t B = N == 0 ? 0xffffffff : uint32_t(Random());
      const uint32_t C = N % 4 == 0 ? 0x7fffffff : uint32_t(Random());
      int64_t Sum = R.Signed ? int64_t(int32_t(C)) : int64_t(C);
      const auto EA = elements(A, R.Bits, R.Signed);
      const auto EB = elements(B, R.Bits, R.Signed);
      for (size_t K = 0; K < EA.size(); ++K)
        Sum += EA[K] * EB[K];
      const std::string Text = std::string(R.Mnemonic) + " v0, v1, v2, v3";
      EXPECT_EQ(dot(Text, A, B, C), uint32_t(uint64_t(Sum))) << Text;
      const int64_t Least = R.Signed ? -2147483648LL : 0;
      const int64_t Most = R.Signed ? 2147483647LL : 4294967295LL;
      EXPECT_EQ(dot(Text + " clamp", A, B, C),
                uint32_t(uint64_t(std::clamp(Sum, Least, Most))))
          << Text;
    }
  }
}

TEST_F(PackedTest, DotProductsOfMixedSigns) {
  for (const char *Target : {"gfx1100", "gfx1201"}) {
    use(Target);
    const std::string Dot = "v_dot4_i32_iu8 v0, v1, v2, v3";
    // 255 or -1, by 2, four times.
    EXPECT_EQ(dot(Dot, 0xffffffff, 0x02020202, 5), 2045u);
    EXPECT_EQ(dot(Dot + " neg_lo:[1,0,0]", 0xffffffff, 0x02020202, 5),
              uint32_t(-3));
    EXPECT_EQ(dot(Dot + " neg_lo:[0,1,0]", 0x02020202, 0xffffffff, 5),
              uint32_t(-3));
    EXPECT_EQ(dot(Dot + " neg_lo:[1,1,0]", 0xffffffff, 0x80808080, 0), 512u);
    EXPECT_EQ(dot(Dot + " clamp", 0xffffffff, 0xffffffff, 0x7ffffff0),
              0x7fffffffu);
    EXPECT_EQ(dot("v_dot8_i32_iu4 v0, v1, v2, v3 neg_lo:[1,0,0]", 0xffffffff,
                  0xffffffff, 0),
              uint32_t(-120));
    EXPECT_TRUE(faults("v_dot4_i32_iu8 v0, v1, v2, v3 neg_lo:[0,0,1]"));
  }
}

TEST_F(PackedTest, AccumulatingDotProducts) {
  EXPECT_EQ(dot("v_dot4c_i32_i8_e32 v0, v1, v2", 0x01fe03fc, 0x05050505, 100),
            90u); // (1 - 2 + 3 - 4) * 5
  EXPECT_EQ(dot("v_dot2c_i32_i16_e32 v0, v1, v2", 0xfffe0003, 0x000a0064, 1),
            281u);
  EXPECT_EQ(dot("v_dot8c_i32_i4_e32 v0, v1, v2", 0x1111111f, 0x22222222, 1),
            13u);
  EXPECT_EQ(
      dot("v_dot2c_f32_f16_e32 v0, v1, v2", 0x42004000, 0x45004400, bits(0.5f)),
      bits(23.5f)); // 2 * 4 + 3 * 5
}

TEST_F(PackedTest, DotProductsOfHalves) {
  // 2 * 4 + 3 * 5 + 1/2, with signs.
  for (const char *Target : {"gfx90a", "gfx942", "gfx1030", "gfx1201"}) {
    use(Target);
    const std::string Dot = "v_dot2_f32_f16 v0, v1, v2, v3";
    const uint32_t A = 0x42004000, B = 0x45004400, C = bits(0.5f);
    EXPECT_EQ(dot(Dot, A, B, C), bits(23.5f));
    EXPECT_EQ(dot(Dot + " neg_lo:[1,0,0]", A, B, C), bits(7.5f));
    EXPECT_EQ(dot(Dot + " neg_hi:[0,1,0]", A, B, C), bits(-6.5f));
    EXPECT_EQ(dot(Dot + " clamp", A, B, C), bits(1.0f));
    EXPECT_EQ(dot(Dot + " op_sel:[1,0,0]", A, B, C), bits(27.5f));
    EXPECT_TRUE(faults("v_dot2_f32_f16 v0, v1, v2, v3 neg_lo:[0,0,1]"));
    // Denormals: flushed by gfx90a only.
    EXPECT_EQ(dot(Dot, 0x00000001, 0x3c003c00, 0),
              Isa.Isa == Family::Gfx90a ? 0u : bits(0x1p-24f));
  }
}

TEST_F(PackedTest, HalvesOfGfx11) {
  use("gfx1100");
  const std::string Half = "v_dot2_f32_f16 v0, v1, v2, v3";
  const std::string Brain = "v_dot2_f32_bf16 v0, v1, v2, v3";
  EXPECT_EQ(dot(Half, 0x42004000, 0x45004400, bits(0.5f)), bits(23.5f));
  EXPECT_EQ(dot(Brain, 0x40404000, 0x40a04080, bits(0.5f)), bits(23.5f));
  // Captured: 3 * 8 + 4 * 8 - 1, 1 - 1 + 1, 1 + 1 - 2, 2 + 1 - 2.
  EXPECT_EQ(dot(Half, 0x48004200, 0x44004800, 0xbf800000), 0x425c0001u);
  EXPECT_EQ(dot(Half, 0x3c00bc00, 0x3c003c00, 0x3f800000), 0x3f7fffffu);
  EXPECT_EQ(dot(Half, 0x3c003c00, 0x3c003c00, 0xc0000000), 0x34000000u);
  EXPECT_EQ(dot(Half, 0x3c004000, 0x3c003c00, 0xc0000000), 0x3f800002u);
  EXPECT_EQ(dot(Half, 0x00000001, 0x3c008001, 0), 0xa7880000u);
  EXPECT_EQ(dot(Half, 0x3c007c00, 0x3c000000, 0x7fc12345), 0xffc00000u);
  EXPECT_EQ(dot(Brain, 0x00000700, 0x3f803f80, 0), 0x07000000u);
  EXPECT_EQ(dot(Brain, 0x00000001, 0x3f804980, 0), 0u);
  EXPECT_EQ(dot(Brain, 0x49b3fce2, 0x573a122b, 0x246a3c33), 0x61820e00u);
  EXPECT_EQ(dot("v_dot2acc_f32_f16_e32 v0, v1, v2", 0x48004200, 0x44004800,
                0xbf800000),
            0x425c0001u);
}

TEST_F(PackedTest, DotProductsWithNarrowResults) {
  for (const char *Target : {"gfx1100", "gfx1201"}) {
    use(Target);
    // 2 * 4 + 3 * 5 + 1, or + 2 from the upper half.
    const uint32_t A = 0x42004000, B = 0x45004400, C = 0x40003c00;
    EXPECT_EQ(dot("v_dot2_f16_f16 v0, v1, v2, v3", A, B, C), 0x40004e00u);
    EXPECT_EQ(dot("v_dot2_f16_f16 v0, v1, v2, v3 op_sel:[0,0,1,1]", A, B, C),
              0x4e403c00u);
    EXPECT_EQ(dot("v_dot2_bf16_bf16 v0, v1, v2, v3", 0x40404000, 0x40a04080,
                  0x12343f80),
              0x123441c0u);
    EXPECT_EQ(dot("v_dot2_f16_f16 v0, v1, v2, v3", 0x7e007e00, B, C) & 0xffff,
              0xfe3du);
    EXPECT_TRUE(faults("v_dot2_f16_f16 v0, -v1, v2, v3"));
  }
}

TEST_F(PackedTest, DotProductsOfSmallFloats) {
  use("gfx1201");
  // fp8: 1, 2, 3, 4; bf8: 1, 1, 2, 2.
  const uint32_t Fp8 = 0x48444038, Bf8 = 0x40403c3c;
  const std::string Tail = " v0, v1, v2, v3";
  EXPECT_EQ(dot("v_dot4_f32_fp8_bf8" + Tail, Fp8, Bf8, bits(0.5f)),
            bits(17.5f));
  EXPECT_EQ(dot("v_dot4_f32_bf8_fp8" + Tail, Bf8, Fp8, bits(0.5f)),
            bits(17.5f));
  EXPECT_EQ(dot("v_dot4_f32_fp8_fp8" + Tail, Fp8, Fp8, 0), bits(30.0f));
  EXPECT_EQ(dot("v_dot4_f32_bf8_bf8" + Tail, Bf8, Bf8, 0), bits(10.0f));
  EXPECT_EQ(dot("v_dot4_f32_fp8_fp8" + Tail + " neg_lo:[0,0,1] neg_hi:[0,0,1]",
                Fp8, Fp8, bits(-2.0f)),
            bits(28.0f));
  // NaN of fp8; the largest numbers.
  EXPECT_EQ(dot("v_dot4_f32_fp8_fp8" + Tail, 0x7f, Fp8, 0), 0xffc00a3du);
  EXPECT_EQ(dot("v_dot4_f32_fp8_fp8" + Tail, 0x7e, 0x7e, 0),
            bits(448.0f * 448.0f));
  EXPECT_EQ(dot("v_dot4_f32_bf8_bf8" + Tail, 0x7c, 0x3c, 0), 0x7f800000u);
}
