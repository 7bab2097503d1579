//===- VectorFloat16Test.cpp - tests of arithmetic of f16 -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference has numbers as integers of 2^-48, where all sums and products
// of two f16 (and a third) are exact, and looks for the halves next to them in
// a sorted list of all. Modifiers and special values: worked out by hand.
//
//===----------------------------------------------------------------------===//
#include "WaveFixture.h"
#include <algorithm>
#include <functional>

using namespace kpack::softgpu;

namespace {

using Wide = __int128;

/// A finite half in units of 2^-48.
Wide exact(uint32_t Half) {
  const int Exponent = Half >> 10 & 31;
  const Wide Mantissa = (Half & 0x3ff) | (Exponent ? 0x400 : 0);
  const Wide Magnitude = Mantissa << (24 + (Exponent ? Exponent - 1 : 0));
  return Half & 0x8000 ? -Magnitude : Magnitude;
}

/// Halves are multiples of 2^-24, their products of 2^-48.
Wide exactProduct(uint32_t A, uint32_t B) {
  return (exact(A) >> 24) * (exact(B) >> 24);
}

/// \p Value to a half by MODE's rounding. \p ZeroSign: of an exact zero.
uint32_t rounded(Wide Value, unsigned Rounding, bool ZeroSign) {
  if (Value == 0)
    return ZeroSign ? 0x8000 : 0;
  const bool Negative = Value < 0;
  const Wide Magnitude = Negative ? -Value : Value;
  // The largest half that is not above it; 0x7c00 stands for 2^16.
  unsigned Low = 0, High = 0x7c00;
  auto At = [](unsigned H) { return H == 0x7c00 ? Wide(1) << 64 : exact(H); };
  while (Low + 1 < High) {
    const unsigned Middle = (Low + High) / 2;
    (At(Middle) <= Magnitude ? Low : High) = Middle;
  }
  if (Magnitude >= At(0x7c00)) {
    const bool Infinite = Rounding == 0 || Rounding == (Negative ? 2u : 1u);
    return (Negative ? 0x8000 : 0) | (Infinite ? 0x7c00 : 0x7bff);
  }
  const Wide Below = Magnitude - At(Low), Above = At(Low + 1) - Magnitude;
  unsigned Result = Low;
  if (Below != 0)
    switch (Rounding) {
    case 0:
      Result = Below > Above || (Below == Above && (Low & 1)) ? Low + 1 : Low;
      break;
    case 1:
      Result = Negative ? Low : Low + 1;
      break;
    case 2:
      Result = Negative ? Low + 1 : Low;
      break;
    }
  return (Negative ? 0x8000 : 0) | Result;
}

const std::vector<uint32_t> Numbers = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x0003, 0x01ff, 0x03ff, 0x83ff, 0x0400,
    0x0401, 0x1000, 0x1401, 0x1801, 0x2c01, 0x3555, 0x3800, 0x3bff, 0x3c00,
    0x3c01, 0xbc00, 0xbc01, 0x3dff, 0x3e00, 0x4000, 0x4248, 0xc3ff, 0x5801,
    0x63ff, 0x6400, 0x6401, 0x6bff, 0x7800, 0x7bfe, 0x7bff, 0xfbff, 0xf801};

class HalfTest : public WaveFixture {
protected:
  /// Runs \p Text on all pairs or triples of Numbers in v1, v2, v3, and
  /// compares the low halves of v0 with \p Expected(A, B, C, Rounding).
  void sweep(const char *Text, unsigned Sources,
             const std::function<uint32_t(uint32_t, uint32_t, uint32_t,
                                          unsigned)> &Expected) {
    for (unsigned Rounding = 0; Rounding < 4; ++Rounding) {
      W.Mode.Round1664 = uint8_t(Rounding);
      std::vector<std::array<uint32_t, 3>> Todo;
      for (uint32_t A : Numbers)
        for (uint32_t B : Numbers)
          for (uint32_t C : Sources == 3 ? Numbers : std::vector<uint32_t>{0})
            Todo.push_back({A, B, C});
      for (size_t First = 0; First < Todo.size(); First += W.Lanes) {
        const unsigned Count =
            unsigned(std::min<size_t>(W.Lanes, Todo.size() - First));
        for (unsigned Lane = 0; Lane < Count; ++Lane)
          for (unsigned N = 0; N < 3; ++N)
            v(1 + N, Lane) = 0xdead0000 | Todo[First + Lane][N];
        run(Text);
        for (unsigned Lane = 0; Lane < Count; ++Lane) {
          const auto &T = Todo[First + Lane];
          ASSERT_EQ(v(0, Lane) & 0xffff, Expected(T[0], T[1], T[2], Rounding))
              << Text << std::hex << " " << T[0] << " " << T[1] << " " << T[2]
              << " rounding " << Rounding;
        }
      }
    }
  }

  /// The low half of v0 after \p Text on one value in each of v1, v2, v3.
  uint32_t one(const char *Text, uint32_t A, uint32_t B = 0, uint32_t C = 0) {
    fill(0, 0x55555555);
    fill(1, A);
    fill(2, B);
    fill(3, C);
    run(Text);
    return v(0) & 0xffff;
  }
  uint32_t whole(const char *Text, uint32_t A, uint32_t B = 0, uint32_t C = 0) {
    one(Text, A, B, C);
    return v(0);
  }
};

bool signsDiffer(uint32_t A, uint32_t B) { return (A ^ B) & 0x8000; }
/// Sign of a sum that is zero.
bool zeroSign(bool A, bool B, bool ExactZeros, unsigned Rounding) {
  return ExactZeros && A == B ? A : Rounding == 2;
}
uint32_t expectedSum(uint32_t A, uint32_t B, unsigned Rounding) {
  const bool Zeros = !((A | B) & 0x7fff);
  return rounded(exact(A) + exact(B), Rounding,
                 zeroSign(A >> 15, B >> 15, Zeros, Rounding));
}
uint32_t expectedProduct(uint32_t A, uint32_t B, unsigned Rounding) {
  return rounded(exactProduct(A, B), Rounding, signsDiffer(A, B));
}
uint32_t expectedFma(uint32_t A, uint32_t B, uint32_t C, unsigned Rounding) {
  const bool Zeros = (!(A & 0x7fff) || !(B & 0x7fff)) && !(C & 0x7fff);
  return rounded(exactProduct(A, B) + exact(C), Rounding,
                 zeroSign(signsDiffer(A, B), C >> 15, Zeros, Rounding));
}

} // namespace

TEST_F(HalfTest, SumsAndProducts) {
  for (const char *Target : {"gfx90a", "gfx1100"}) {
    use(Target);
    sweep("v_add_f16_e32 v0, v1, v2", 2,
          [](uint32_t A, uint32_t B, uint32_t, unsigned R) {
            return expectedSum(A, B, R);
          });
    sweep("v_sub_f16_e32 v0, v1, v2", 2,
          [](uint32_t A, uint32_t B, uint32_t, unsigned R) {
            return expectedSum(A, B ^ 0x8000, R);
          });
    sweep("v_subrev_f16_e32 v0, v1, v2", 2,
          [](uint32_t A, uint32_t B, uint32_t, unsigned R) {
            return expectedSum(B, A ^ 0x8000, R);
          });
    sweep("v_mul_f16_e32 v0, v1, v2", 2,
          [](uint32_t A, uint32_t B, uint32_t, unsigned R) {
            return expectedProduct(A, B, R);
          });
  }
}

TEST_F(HalfTest, FusedIsRoundedOnce) {
  use("gfx1100");
  sweep("v_fma_f16 v0, v1, v2, v3", 3, expectedFma);
  sweep("v_fma_f16 v0, -v1, v2, |v3|", 3,
        [](uint32_t A, uint32_t B, uint32_t C, unsigned R) {
          return expectedFma(A ^ 0x8000, B, C & 0x7fff, R);
        });
  // 0x3c01 * 0x1000 + 1 is just above the tie 1 + 2^-11.
  W.Mode.Round1664 = 0;
  EXPECT_EQ(one("v_fma_f16 v0, v1, v2, v3", 0x3c01, 0x1000, 0x3c00), 0x3c01u);
  EXPECT_EQ(one("v_fma_f16 v0, v1, v2, v3", 0x3c00, 0x1000, 0x3c00), 0x3c00u);
}

TEST_F(HalfTest, UnfusedIsRoundedTwice) {
  use("gfx90a");
  sweep("v_mad_f16 v0, v1, v2, v3", 3,
        [](uint32_t A, uint32_t B, uint32_t C, unsigned R) -> uint32_t {
          const uint32_t P = expectedProduct(A, B, R);
          if ((P & 0x7fff) == 0x7c00)
            return P; // C is finite
          return expectedSum(P, C, R);
        });
}

TEST_F(HalfTest, Accumulating) {
  use("gfx1030");
  fill(0, 0xabcd3c00);
  fill(1, 0x4000);
  fill(2, 0x4200);
  run("v_fmac_f16_e32 v0, v1, v2");
  EXPECT_EQ(v(0), 0xabcd4700u); // 7, the other half stays
  run("v_fmaak_f16 v0, v1, v2, 0x4400");
  EXPECT_EQ(v(0), 0xabcd4900u); // 10
  run("v_fmamk_f16 v0, v1, 0x4400, v2");
  EXPECT_EQ(v(0), 0xabcd4980u); // 11
  use("gfx90a");
  fill(0, 0xabcd3c00);
  fill(1, 0x4000);
  fill(2, 0x4200);
  run("v_mac_f16_e32 v0, v1, v2");
  EXPECT_EQ(v(0), 0x00004700u); // gfx9 zeroes it
  fill(0, 0xabcd3c00);
  run("v_fma_f16 v0, v1, v2, v1");
  EXPECT_EQ(v(0), 0xabcd4800u); // but not here
  fill(0, 0xabcd3c00);
  run("v_fma_legacy_f16 v0, v1, v2, v1");
  EXPECT_EQ(v(0), 0x00004800u);
}

TEST_F(HalfTest, DenormalModes) {
  use("gfx90a");
  W.Mode.Denorm1664 = 0;
  EXPECT_EQ(one("v_add_f16_e32 v0, v1, v2", 0x0001, 0x0002), 0u);
  EXPECT_EQ(one("v_mul_f16_e32 v0, v1, v2", 0x8400, 0x3800), 0x8000u);
  W.Mode.Denorm1664 = 1; // sources only
  EXPECT_EQ(one("v_mul_f16_e32 v0, v1, v2", 0x0200, 0x4400), 0x0800u);
  EXPECT_EQ(one("v_mul_f16_e32 v0, v1, v2", 0x0200, 0x3c00), 0u);
  W.Mode.Denorm1664 = 2; // results only
  EXPECT_EQ(one("v_mul_f16_e32 v0, v1, v2", 0x0400, 0x3800), 0x0200u);
  EXPECT_EQ(one("v_mul_f16_e32 v0, v1, v2", 0x0200, 0x3c00), 0u);
}

TEST_F(HalfTest, OutputModifiers) {
  use("gfx1100");
  EXPECT_EQ(one("v_add_f16_e64 v0, v1, v2 clamp", 0x3c00, 0x3c00), 0x3c00u);
  EXPECT_EQ(one("v_add_f16_e64 v0, v1, v2 clamp", 0xbc00, 0x3800), 0u);
  EXPECT_EQ(one("v_add_f16_e64 v0, v1, v2 clamp", 0x7e00, 0x3800), 0u);
  W.Mode.Denorm1664 = 0;
  W.Mode.Ieee = false;
  EXPECT_EQ(one("v_add_f16_e64 v0, v1, v2 mul:2", 0x3c00, 0x4000), 0x4600u);
  EXPECT_EQ(one("v_add_f16_e64 v0, v1, v2 mul:4", 0x7800, 0), 0x7c00u);
  EXPECT_EQ(one("v_add_f16_e64 v0, v1, v2 div:2", 0x0400, 0), 0u);
  W.Mode.Ieee = true;
  EXPECT_EQ(one("v_add_f16_e64 v0, v1, v2 mul:2", 0x3c00, 0x4000), 0x4200u);
}

TEST_F(HalfTest, HalvesOfRegisters) {
  use("gfx1100");
  fill(0, 0x11112222);
  fill(1, 0x40003c00); // 2, 1
  fill(2, 0x44004200); // 4, 3
  run("v_add_f16 v0, v1, v2 op_sel:[1,0,1]");
  EXPECT_EQ(v(0), 0x45002222u);
  run("v_add_f16_e32 v0.l, v1.l, v2.h");
  EXPECT_EQ(v(0), 0x45004500u);
  run("v_mul_f16_e32 v0.h, v1.h, v2.h");
  EXPECT_EQ(v(0), 0x48004500u);
  fill(0, 0);
  W.setExec(0x2);
  run("v_mul_f16_e32 v0.l, 2.0, v2.l");
  EXPECT_EQ(v(0, 0), 0u);
  EXPECT_EQ(v(0, 1), 0x4600u);
  use("gfx90a");
  fill(1, 0x40003c00);
  fill(2, 0x44004200);
  fill(0, 0x11112222);
  run("v_add_f16_sdwa v0, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE "
      "src0_sel:WORD_1 src1_sel:WORD_0");
  EXPECT_EQ(v(0), 0x45002222u);
  v(1, 1) = 0x4200;
  run("v_add_f16_dpp v0, v1, v2 quad_perm:[1,1,1,1] row_mask:0xf "
      "bank_mask:0xf");
  EXPECT_EQ(v(0, 3) & 0xffff, 0x4600u);
}

TEST_F(HalfTest, NansAreQuietedAndPropagated) {
  use("gfx1100");
  EXPECT_EQ(one("v_add_f16_e32 v0, v1, v2", 0x7d01, 0x7e02), 0x7f01u);
  EXPECT_EQ(one("v_add_f16_e32 v0, v1, v2", 0x3c00, 0xfe02), 0xfe02u);
  EXPECT_EQ(one("v_add_f16_e32 v0, v1, v2", 0x7c00, 0xfc00), 0xfe00u);
  EXPECT_EQ(one("v_fma_f16 v0, v1, v2, v3", 0x7c00, 0, 0x3c00), 0xfe00u);
  EXPECT_EQ(one("v_fma_f16 v0, v1, v2, v3", 0x7c00, 0x3c00, 0x7bff), 0x7c00u);
}

TEST_F(HalfTest, MinimaAndMaximaOfHalves) {
  use("gfx1100");
  W.Mode.Ieee = false;
  EXPECT_EQ(one("v_min_f16_e32 v0, v1, v2", 0x3c00, 0xc000), 0xc000u);
  EXPECT_EQ(one("v_max_f16_e32 v0, v1, v2", 0x8000, 0x0000), 0x0000u);
  EXPECT_EQ(one("v_max_f16_e32 v0, v1, v2", 0x0001, 0x8001), 0x0001u);
  EXPECT_EQ(one("v_min_f16_e32 v0, v1, v2", 0x7e01, 0x3c00), 0x3c00u);
  EXPECT_EQ(one("v_min3_f16 v0, v1, v2, v3", 0x4000, 0x3c00, 0x4200), 0x3c00u);
  EXPECT_EQ(one("v_max3_f16 v0, v1, v2, v3", 0x4000, 0x3c00, 0x4200), 0x4200u);
  EXPECT_EQ(one("v_med3_f16 v0, v1, v2, v3", 0x4000, 0x3c00, 0x4200), 0x4000u);
  // min(max)..: v_minmax is max(min(a, b), c).
  EXPECT_EQ(one("v_minmax_f16 v0, v1, v2, v3", 0x4000, 0x3c00, 0x3e00),
            0x3e00u);
  EXPECT_EQ(one("v_maxmin_f16 v0, v1, v2, v3", 0x4000, 0x3c00, 0x3e00),
            0x3e00u);
  use("gfx1201");
  EXPECT_EQ(one("v_min_num_f16_e32 v0, v1, v2", 0x7e01, 0x3c00), 0x3c00u);
  EXPECT_EQ(one("v_minimum_f16 v0, v1, v2", 0x3c00, 0x7d01), 0x7f01u);
  EXPECT_EQ(one("v_maximum3_f16 v0, v1, v2, v3", 0x3c00, 0x4000, 0x3e00),
            0x4000u);
}

TEST_F(HalfTest, RoundingToIntegers) {
  use("gfx90a");
  struct Row {
    uint32_t Source, Trunc, Ceil, Floor, Rndne, Fract;
  };
  const Row Rows[] = {
      {0x4100, 0x4000, 0x4200, 0x4000, 0x4000, 0x3800}, // 2.5
      {0xc100, 0xc000, 0xc000, 0xc200, 0xc000, 0x3800}, // -2.5
      {0x3800, 0x0000, 0x3c00, 0x0000, 0x0000, 0x3800}, // 0.5
      {0x8001, 0x8000, 0x8000, 0xbc00, 0x8000, 0x3bff}, // -2^-24
      {0x6401, 0x6401, 0x6401, 0x6401, 0x6401, 0x0000}, // 1025
      {0x8000, 0x8000, 0x8000, 0x8000, 0x8000, 0x0000},
  };
  for (const Row &R : Rows) {
    EXPECT_EQ(one("v_trunc_f16_e32 v0, v1", R.Source), R.Trunc) << R.Source;
    EXPECT_EQ(one("v_ceil_f16_e32 v0, v1", R.Source), R.Ceil) << R.Source;
    EXPECT_EQ(one("v_floor_f16_e32 v0, v1", R.Source), R.Floor) << R.Source;
    EXPECT_EQ(one("v_rndne_f16_e32 v0, v1", R.Source), R.Rndne) << R.Source;
    EXPECT_EQ(one("v_fract_f16_e32 v0, v1", R.Source), R.Fract) << R.Source;
  }
}

TEST_F(HalfTest, Exponents) {
  use("gfx90a");
  EXPECT_EQ(one("v_frexp_mant_f16_e32 v0, v1", 0x4600), 0x3a00u); // 6 = .75 * 8
  EXPECT_EQ(one("v_frexp_exp_i16_f16_e32 v0, v1", 0x4600), 3u);
  EXPECT_EQ(one("v_frexp_mant_f16_e32 v0, v1", 0x8003), 0xba00u);
  EXPECT_EQ(one("v_frexp_exp_i16_f16_e32 v0, v1", 0x8003), 0xffeau); // -22
  EXPECT_EQ(one("v_frexp_exp_i16_f16_e32 v0, v1", 0x7c00), 0u);
  EXPECT_EQ(one("v_frexp_exp_i16_f16_e32 v0, v1", 0), 0u);
  EXPECT_EQ(one("v_ldexp_f16_e32 v0, v1, v2", 0x3e00, 3), 0x4a00u); // 12
  EXPECT_EQ(one("v_ldexp_f16_e32 v0, v1, v2", 0x3c00, 0xffe8), 0x0001u);
  EXPECT_EQ(one("v_ldexp_f16_e32 v0, v1, v2", 0x3c00, 0xffe7), 0x0000u);
  EXPECT_EQ(one("v_ldexp_f16_e32 v0, v1, v2", 0x3c01, 0xffe7), 0x0001u);
  EXPECT_EQ(one("v_ldexp_f16_e32 v0, v1, v2", 0x0001, 0x7fff), 0x7c00u);
  EXPECT_EQ(one("v_ldexp_f16_e32 v0, v1, v2", 0xfbff, 0x8000), 0x8000u);
}

TEST_F(HalfTest, DivisionAndRoots) {
  use("gfx90a");
  EXPECT_EQ(one("v_rcp_f16_e32 v0, v1", 0x4000), 0x3800u);
  EXPECT_EQ(one("v_rcp_f16_e32 v0, v1", 0x4200), 0x3555u);
  EXPECT_EQ(one("v_rcp_f16_e32 v0, v1", 0x8000), 0xfc00u);
  EXPECT_EQ(one("v_rcp_f16_e32 v0, v1", 0x7bff), 0x0100u);
  EXPECT_EQ(one("v_sqrt_f16_e32 v0, v1", 0x4000), 0x3da8u);
  EXPECT_EQ(one("v_sqrt_f16_e32 v0, v1", 0xbc00), 0xfe00u);
  EXPECT_EQ(one("v_rsq_f16_e32 v0, v1", 0x4400), 0x3800u);
  EXPECT_EQ(one("v_rsq_f16_e32 v0, v1", 0x0000), 0x7c00u);
  EXPECT_EQ(one("v_exp_f16_e32 v0, v1", 0x4200), 0x4800u);
  EXPECT_EQ(one("v_exp_f16_e32 v0, v1", 0xcc00), 0x0100u); // 2^-16
  EXPECT_EQ(one("v_log_f16_e32 v0, v1", 0x4800), 0x4200u);
  EXPECT_EQ(one("v_log_f16_e32 v0, v1", 0x0001), 0xce00u); // -24
  EXPECT_EQ(one("v_log_f16_e32 v0, v1", 0x0000), 0xfc00u);
  EXPECT_EQ(one("v_sin_f16_e32 v0, v1", 0x3400), 0x3c00u); // a quarter
  EXPECT_EQ(one("v_sin_f16_e32 v0, v1", 0x3800), 0x0000u);
  EXPECT_EQ(one("v_sin_f16_e32 v0, v1", 0x3000), 0x39a8u); // sqrt(1/2)
  EXPECT_EQ(one("v_cos_f16_e32 v0, v1", 0x3800), 0xbc00u);
  EXPECT_EQ(one("v_cos_f16_e32 v0, v1", 0x7c00), 0xfe00u);
  const char *Fixup = "v_div_fixup_f16 v0, v1, v2, v3";
  EXPECT_EQ(one(Fixup, 0x3800, 0xc000, 0x3c00), 0xb800u);
  EXPECT_EQ(one(Fixup, 0x1234, 0x0000, 0x8000), 0xfe00u);
  EXPECT_EQ(one(Fixup, 0x1234, 0x0000, 0xbc00), 0xfc00u);
  EXPECT_EQ(one(Fixup, 0x1234, 0xfc00, 0x3c00), 0x8000u);
  EXPECT_EQ(one(Fixup, 0x1234, 0x7c00, 0xfc00), 0xfe00u);
  EXPECT_EQ(one(Fixup, 0x1234, 0x7d01, 0x7c02), 0x7e02u);
  EXPECT_EQ(one(Fixup, 0x1234, 0x7d01, 0x3c00), 0x7f01u);
}

TEST_F(HalfTest, PseudoScalars) {
  use("gfx1201");
  W.setExec(0);
  s(1) = 0x4400; // 4
  run("v_s_rcp_f16 s0, s1");
  EXPECT_EQ(s(0), 0x3400u);
  run("v_s_rsq_f16 s0, s1");
  EXPECT_EQ(s(0), 0x3800u);
  run("v_s_sqrt_f16 s0, s1 mul:2");
  EXPECT_EQ(s(0), 0x4400u);
  run("v_s_exp_f16 s0, -s1");
  EXPECT_EQ(s(0), 0x2c00u);
  run("v_s_log_f16 s0, s1 clamp");
  EXPECT_EQ(s(0), 0x3c00u);
}

TEST_F(HalfTest, MixedPrecisionProducts) {
  for (const char *Target : {"gfx90a", "gfx1030", "gfx1100", "gfx1201"}) {
    use(Target);
    // f32 sources unless op_sel_hi says f16.
    EXPECT_EQ(whole("v_fma_mix_f32 v0, v1, v2, v3", bits(3.0f), bits(5.0f),
                    bits(0.25f)),
              bits(15.25f));
    EXPECT_EQ(whole("v_fma_mix_f32 v0, v1, -v2, |v3| op_sel:[1,0,0] "
                    "op_sel_hi:[1,1,0]",
                    0x40001234, 0x4200, bits(-1.5f)),
              bits(-4.5f));
    EXPECT_EQ(whole("v_fma_mixlo_f16 v0, v1, v2, v3 op_sel_hi:[1,1,1]", 0x4000,
                    0x4200, 0x3c00),
              0x55554700u);
    EXPECT_EQ(whole("v_fma_mixhi_f16 v0, v1, v2, v3 op_sel_hi:[1,1,1]", 0x4000,
                    0x4200, 0x3c00),
              0x47005555u);
    EXPECT_EQ(whole("v_fma_mixlo_f16 v0, v1, v2, 1.0 op_sel_hi:[0,0,1] clamp",
                    bits(2.0f), bits(3.0f)),
              0x55553c00u);
    EXPECT_EQ(
        whole("v_pack_b32_f16 v0, v1, -v2 op_sel:[1,0,0]", 0x12345678, 0x3c00),
        0xbc001234u);
  }
}

TEST_F(HalfTest, PackedOperations) {
  use("gfx90a");
  const uint32_t A = 0x40003c00, B = 0x44004200, C = 0x38003400;
  EXPECT_EQ(whole("v_pk_add_f16 v0, v1, v2", A, B), 0x46004400u);
  EXPECT_EQ(whole("v_pk_mul_f16 v0, v1, v2", A, B), 0x48004200u);
  EXPECT_EQ(whole("v_pk_fma_f16 v0, v1, v2, v3", A, B, C), 0x48404280u);
  EXPECT_EQ(whole("v_pk_add_f16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,0]", A, B),
            0x44004500u);
  EXPECT_EQ(whole("v_pk_add_f16 v0, v1, v2 neg_lo:[1,0] neg_hi:[0,1]", A, B),
            0xc0004000u);
  EXPECT_EQ(whole("v_pk_mul_f16 v0, v1, v2 clamp", A, 0x34003800), 0x38003800u);
  EXPECT_EQ(whole("v_pk_add_f16 v0, v1, 1.0 op_sel_hi:[1,0]", A, 0),
            0x42004000u);
  EXPECT_EQ(whole("v_pk_min_f16 v0, v1, v2", 0x3c004400, B), 0x3c004200u);
  EXPECT_EQ(whole("v_pk_max_f16 v0, v1, v2", 0x3c004400, B), 0x44004400u);
  fill(0, C);
  fill(1, A);
  fill(2, B);
  run("v_pk_fmac_f16_e32 v0, v1, v2");
  EXPECT_EQ(v(0), 0x48404280u);
  use("gfx1201");
  EXPECT_EQ(whole("v_pk_min_num_f16 v0, v1, v2", 0x7e004400, B), 0x44004200u);
  EXPECT_EQ(whole("v_pk_minimum_f16 v0, v1, v2", 0x7e004400, B), 0x7e004200u);
  EXPECT_EQ(whole("v_pk_maximum_f16 v0, v1, v2", 0x3c004400, B), 0x44004400u);
}

TEST_F(HalfTest, UnsupportedModifiersAreRefused) {
  EXPECT_NE(refusal("v_interp_p2_f16 v0, v1, attr0.x, v2"), "");
  EXPECT_NE(refusal("v_pk_add_f16 v0, v1, v2 mul:2"), "");
  EXPECT_NE(refusal("v_fma_mix_f32 v0, v1, v2, v3 mul:2"), "");
}
