//===- ScalarFloatTest.cpp - tests of scalar floating point ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That each scalar operation is the right one of the vector unit, with its
// operands in the right order and nothing but its destination changed. The
// arithmetic itself is tested in VectorFloatTest.cpp and its siblings.
//
//===----------------------------------------------------------------------===//
#include "WaveFixture.h"

using namespace kpack::softgpu;

namespace {

class ScalarFloat : public WaveFixture {
protected:
  void SetUp() override { use("gfx1201"); }
};

constexpr uint32_t QuietNan = 0x7fc00000;

TEST_F(ScalarFloat, SinglePrecision) {
  struct Row {
    const char *Operation; ///< of s0 = 10, from s1 and s2
    float A, B, Result;
  };
  const Row Rows[] = {
      {"s_add_f32 s0, s1, s2", 1.5f, -4.0f, -2.5f},
      {"s_sub_f32 s0, s1, s2", 1.5f, -4.0f, 5.5f},
      {"s_mul_f32 s0, s1, s2", 1.5f, -4.0f, -6.0f},
      {"s_min_num_f32 s0, s1, s2", 1.5f, -4.0f, -4.0f},
      {"s_max_num_f32 s0, s1, s2", 1.5f, -4.0f, 1.5f},
      {"s_minimum_f32 s0, s1, s2", 1.5f, -4.0f, -4.0f},
      {"s_maximum_f32 s0, s1, s2", 1.5f, -4.0f, 1.5f},
      {"s_fmac_f32 s0, s1, s2", 1.5f, -4.0f, 4.0f},
      {"s_fmaak_f32 s0, s1, s2, 0x42000000", 1.5f, -4.0f, 26.0f},
      {"s_fmamk_f32 s0, s1, 0x42000000, s2", 1.5f, -4.0f, 44.0f},
      {"s_add_f32 s0, 0.5, s2", 0, -4.0f, -3.5f},
      {"s_ceil_f32 s0, s1", -1.5f, 0, -1.0f},
      {"s_floor_f32 s0, s1", -1.5f, 0, -2.0f},
      {"s_trunc_f32 s0, s1", -1.75f, 0, -1.0f},
      {"s_rndne_f32 s0, s1", 2.5f, 0, 2.0f},
  };
  for (const Row &R : Rows) {
    W.Scc = true;
    W.setExec(0xf0);
    s(0) = bits(10.0f), s(1) = bits(R.A), s(2) = bits(R.B);
    run(R.Operation);
    EXPECT_EQ(s(0), bits(R.Result)) << R.Operation;
    EXPECT_EQ(W.exec(), 0xf0u);
    EXPECT_TRUE(W.Scc);
    EXPECT_EQ(s(1), bits(R.A));
  }
  // Without active lanes as well, and with the mode's rounding.
  W.setExec(0);
  W.Mode.Round32 = 1; // up
  s(1) = bits(1.0f), s(2) = bits(0x1p-30f);
  run("s_add_f32 s0, s1, s2");
  EXPECT_EQ(s(0), bits(0x1.000002p0f));
}

TEST_F(ScalarFloat, HalfPrecision) {
  struct Row {
    const char *Operation;
    uint32_t A, B, Result; ///< s0 = 0xffff4000 (2.0) before
  };
  const Row Rows[] = {
      {"s_add_f16 s0, s1, s2", 0xabcd3c00, 0x12344000, 0x4200}, // 1 + 2
      {"s_sub_f16 s0, s1, s2", 0x3c00, 0x4000, 0xbc00},
      {"s_mul_f16 s0, s1, s2", 0x3e00, 0x4000, 0x4200}, // 1.5 * 2
      {"s_fmac_f16 s0, s1, s2", 0x3c00, 0x3c00, 0x4200},
      {"s_min_num_f16 s0, s1, s2", 0x3c00, 0xbc00, 0xbc00},
      {"s_maximum_f16 s0, s1, s2", 0x3c00, 0xbc00, 0x3c00},
      {"s_floor_f16 s0, s1", 0xbe00, 0, 0xc000}, // -1.5
      {"s_cvt_f16_f32 s0, s1", 0x3fc00000, 0, 0x3e00},
  };
  for (const Row &R : Rows) {
    s(0) = 0xffff4000, s(1) = R.A, s(2) = R.B;
    run(R.Operation);
    EXPECT_EQ(s(0), R.Result) << R.Operation;
  }
}

TEST_F(ScalarFloat, Conversions) {
  s(1) = uint32_t(-7);
  run("s_cvt_f32_i32 s0, s1");
  EXPECT_EQ(s(0), bits(-7.0f));
  run("s_cvt_f32_u32 s0, s1");
  EXPECT_EQ(s(0), bits(0x1p32f));
  s(1) = bits(-2.75f);
  run("s_cvt_i32_f32 s0, s1");
  EXPECT_EQ(s(0), uint32_t(-2));
  run("s_cvt_u32_f32 s0, s1");
  EXPECT_EQ(s(0), 0u);
  s(1) = 0x3e00c400; // 1.5, -4
  run("s_cvt_f32_f16 s0, s1");
  EXPECT_EQ(s(0), bits(-4.0f));
  run("s_cvt_hi_f32_f16 s0, s1");
  EXPECT_EQ(s(0), bits(1.5f));
  s(1) = bits(1.5f), s(2) = bits(-4.0f);
  run("s_cvt_pk_rtz_f16_f32 s0, s1, s2");
  EXPECT_EQ(s(0), 0xc4003e00u);
}

TEST_F(ScalarFloat, Comparisons) {
  struct Row {
    const char *Name;
    bool Less, Equal, Greater, Unordered;
  };
  const Row Rows[] = {
      {"lt", 1, 0, 0, 0},  {"eq", 0, 1, 0, 0},  {"le", 1, 1, 0, 0},
      {"gt", 0, 0, 1, 0},  {"lg", 1, 0, 1, 0},  {"ge", 0, 1, 1, 0},
      {"o", 1, 1, 1, 0},   {"u", 0, 0, 0, 1},   {"nge", 1, 0, 0, 1},
      {"nlg", 0, 1, 0, 1}, {"ngt", 1, 1, 0, 1}, {"nle", 0, 0, 1, 1},
      {"neq", 1, 0, 1, 1}, {"nlt", 0, 1, 1, 1},
  };
  for (const Row &R : Rows) {
    auto Check = [&](const char *Type, uint32_t A, uint32_t B, bool Expected) {
      std::string Text = std::string("s_cmp_") + R.Name + Type + " s1, s2";
      s(1) = A, s(2) = B, W.Scc = !Expected;
      run(Text.c_str());
      EXPECT_EQ(W.Scc, Expected) << Text;
    };
    Check("_f32", bits(-1.0f), bits(2.0f), R.Less);
    Check("_f32", bits(0.0f), bits(-0.0f), R.Equal);
    Check("_f32", bits(3.0f), bits(2.0f), R.Greater);
    Check("_f32", QuietNan, bits(2.0f), R.Unordered);
    Check("_f16", 0xbc00, 0x4000, R.Less);
    Check("_f16", 0x0000, 0x8000, R.Equal);
    Check("_f16", 0x4200, 0x4000, R.Greater);
    Check("_f16", 0x4000, 0x7e00, R.Unordered);
  }
}

TEST_F(ScalarFloat, OlderTargetsHaveNoScalarFloat) {
  use("gfx90a");
  execute("s_add_f32 s0, s1, s2");
  ASSERT_TRUE(W.Failure);
  EXPECT_EQ(W.Failure->What, Fault::Kind::UnknownInstruction);
}

} // namespace
