//===- VectorDivideTest.cpp - tests of division, transcendentals ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's sequences for division against the host's IEEE division, over the
// whole range of operands; single steps against what GPUs were measured to do
// and the functional examples of the ISA manuals.
//
//===----------------------------------------------------------------------===//
#include "FloatFixture.h"
#include <cmath>

using namespace kpack::softgpu;

namespace {

class VectorDivide : public FloatFixture {
protected:
  using Sequence = std::vector<std::unique_ptr<Instruction>>;

  Sequence parseAll(std::initializer_list<const char *> Texts) {
    Sequence S;
    for (const char *Text : Texts)
      S.push_back(parse(Text));
    return S;
  }

  /// The quotient by IEEE 754, NaNs as V_DIV_FIXUP has them.
  template <class Bits> static Bits quotient(Bits Num, Bits Den) {
    if (isNan(Num))
      return quiet(Num);
    if (isNan(Den))
      return quiet(Den);
    const volatile auto N = toFloat(Num);
    const volatile auto D = toFloat(Den);
    const Bits Q = std::bit_cast<Bits>(N / D);
    return isNan(Q) ? (sizeof(Bits) == 4 ? Bits(0xffc00000)
                                         : Bits(0xfff8000000000000))
                    : Q;
  }

  /// The next operand of a division: all bits random, or near a limit.
  template <class Bits> static Bits operand(std::mt19937_64 &Random) {
    constexpr unsigned Mantissa = sizeof(Bits) == 4 ? 23 : 52;
    constexpr unsigned Exponents = sizeof(Bits) == 4 ? 256 : 2048;
    const uint64_t R = Random();
    Bits M = Bits(Random()) & ((Bits(1) << Mantissa) - 1);
    const Bits Sign = Bits(R & 1) << (8 * sizeof(Bits) - 1);
    unsigned Exponent = unsigned(R >> 8) % Exponents;
    switch (R >> 1 & 7) {
    case 0: // denormals of any length
      return Sign | M >> (R >> 32) % Mantissa;
    case 1:
      Exponent = unsigned(R >> 8) % 60;
      break;
    case 2:
      Exponent = Exponents - 1 - unsigned(R >> 8) % 8;
      break;
    case 3: // few bits: exact quotients and halfway cases
      M &= ~Bits(0) << (Mantissa - unsigned(R >> 32) % 14);
      break;
    case 4: // close to a power of two
      M = R >> 32 & 1 ? (Bits(1) << Mantissa) - 1 - (M & 3) : M & 3;
      break;
    default:
      break;
    }
    return Sign | Bits(Exponent) << Mantissa | M;
  }

  /// Fills lanes with operands, runs \p S in each variant, compares.
  template <class Bits>
  void compare(const Sequence &S, const std::vector<std::pair<Bits, Bits>> &P) {
    constexpr bool Wide = sizeof(Bits) == 8;
    std::vector<std::pair<const char *, std::vector<Handler>>> Sequences;
    for (const LaneVariant &Variant : Variants) {
      std::vector<Handler> Handlers;
      for (const auto &I : S) {
        ASSERT_TRUE(I);
        Handlers.push_back(findHandler(Variant, I->Mnemonic));
        ASSERT_TRUE(Handlers.back()) << I->Mnemonic;
      }
      Sequences.push_back({Variant.Name, Handlers});
    }
    for (size_t Begin = 0; Begin < P.size(); Begin += W.Lanes) {
      const unsigned Count = std::min<size_t>(W.Lanes, P.size() - Begin);
      for (const auto &[Name, Handlers] : Sequences) {
        for (unsigned L = 0; L < Count; ++L) {
          const auto [Num, Den] = P[Begin + L];
          if (Wide) {
            setV64(0, Num, L);
            setV64(2, Den, L);
          } else {
            v(0, L) = uint32_t(Num);
            v(1, L) = uint32_t(Den);
          }
        }
        for (size_t N = 0; N < S.size(); ++N)
          Handlers[N](W, *S[N]);
        for (unsigned L = 0; L < Count; ++L) {
          const auto [Num, Den] = P[Begin + L];
          const Bits Result = Wide ? Bits(v64(0, L)) : Bits(v(0, L));
          ASSERT_EQ(Result, quotient(Num, Den))
              << Name << ": " << std::hex << Num << " / " << Den;
        }
      }
    }
  }

  template <class Bits>
  std::vector<std::pair<Bits, Bits>>
  operands(size_t Count, const std::vector<Bits> &Specials) {
    std::vector<std::pair<Bits, Bits>> P;
    for (Bits Num : Specials)
      for (Bits Den : Specials)
        P.push_back({Num, Den});
    std::mt19937_64 Random(20240607);
    while (P.size() < Count) {
      const Bits Num = operand<Bits>(Random), Den = operand<Bits>(Random);
      P.push_back({Num, Den});
    }
    return P;
  }
};

// As llc prints "fdiv float" with denormals.
TEST_F(VectorDivide, SinglePrecisionQuotients) {
  const auto Pairs = operands<uint32_t>(300000, specials32());
  const Sequence Wave64 = parseAll(
      {"v_div_scale_f32 v2, s[4:5], v1, v1, v0", "v_rcp_f32_e32 v3, v2",
       "v_fma_f32 v4, -v2, v3, 1.0", "v_fmac_f32_e32 v3, v4, v3",
       "v_div_scale_f32 v4, vcc, v0, v1, v0", "v_mul_f32_e32 v5, v4, v3",
       "v_fma_f32 v6, -v2, v5, v4", "v_fmac_f32_e32 v5, v6, v3",
       "v_fma_f32 v2, -v2, v5, v4", "v_div_fmas_f32 v2, v2, v3, v5",
       "v_div_fixup_f32 v0, v2, v1, v0"});
  compare(Wave64, Pairs);
  use("gfx1100");
  const Sequence Wave32 = parseAll(
      {"v_div_scale_f32 v2, null, v1, v1, v0", "v_rcp_f32_e32 v3, v2",
       "v_fma_f32 v4, -v2, v3, 1.0", "v_fmac_f32_e32 v3, v4, v3",
       "v_div_scale_f32 v4, vcc_lo, v0, v1, v0", "v_mul_f32_e32 v5, v4, v3",
       "v_fma_f32 v6, -v2, v5, v4", "v_fmac_f32_e32 v5, v6, v3",
       "v_fma_f32 v2, -v2, v5, v4", "v_div_fmas_f32 v2, v2, v3, v5",
       "v_div_fixup_f32 v0, v2, v1, v0"});
  compare(Wave32, Pairs);
}

// As llc prints "fdiv double".
TEST_F(VectorDivide, DoublePrecisionQuotients) {
  const auto Pairs = operands<uint64_t>(300000, specials64());
  const Sequence Wave64 = parseAll(
      {"v_div_scale_f64 v[4:5], s[4:5], v[2:3], v[2:3], v[0:1]",
       "v_rcp_f64_e32 v[6:7], v[4:5]", "v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0",
       "v_fmac_f64_e32 v[6:7], v[6:7], v[8:9]",
       "v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0",
       "v_fmac_f64_e32 v[6:7], v[6:7], v[8:9]",
       "v_div_scale_f64 v[8:9], vcc, v[0:1], v[2:3], v[0:1]",
       "v_mul_f64 v[10:11], v[8:9], v[6:7]",
       "v_fma_f64 v[4:5], -v[4:5], v[10:11], v[8:9]",
       "v_div_fmas_f64 v[4:5], v[4:5], v[6:7], v[10:11]",
       "v_div_fixup_f64 v[0:1], v[4:5], v[2:3], v[0:1]"});
  compare(Wave64, Pairs);
  use("gfx1201");
  const Sequence Wave32 = parseAll(
      {"v_div_scale_f64 v[4:5], null, v[2:3], v[2:3], v[0:1]",
       "v_div_scale_f64 v[10:11], vcc_lo, v[0:1], v[2:3], v[0:1]",
       "v_rcp_f64_e32 v[6:7], v[4:5]", "v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0",
       "v_fma_f64 v[6:7], v[6:7], v[8:9], v[6:7]",
       "v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0",
       "v_fma_f64 v[6:7], v[6:7], v[8:9], v[6:7]",
       "v_mul_f64_e32 v[8:9], v[10:11], v[6:7]",
       "v_fma_f64 v[4:5], -v[4:5], v[8:9], v[10:11]",
       "v_div_fmas_f64 v[4:5], v[4:5], v[6:7], v[8:9]",
       "v_div_fixup_f64 v[0:1], v[4:5], v[2:3], v[0:1]"});
  compare(Wave32, Pairs);
}

// As llc prints "fdiv float" where denormals are flushed.
TEST_F(VectorDivide, SinglePrecisionQuotientsWithoutDenormals) {
  const Sequence Before =
      parseAll({"v_div_scale_f32 v2, s[4:5], v1, v1, v0",
                "v_rcp_f32_e32 v3, v2", "v_div_scale_f32 v4, vcc, v0, v1, v0"});
  const Sequence Inside =
      parseAll({"v_fma_f32 v5, -v2, v3, 1.0", "v_fmac_f32_e32 v3, v5, v3",
                "v_mul_f32_e32 v5, v4, v3", "v_fma_f32 v6, -v2, v5, v4",
                "v_fmac_f32_e32 v5, v6, v3", "v_fma_f32 v2, -v2, v5, v4"});
  const Sequence After = parseAll(
      {"v_div_fmas_f32 v2, v2, v3, v5", "v_div_fixup_f32 v0, v2, v1, v0"});
  auto Flush = [](uint32_t B) { return B & 0x7f800000 ? B : B & 0x80000000; };
  for (const auto &[Num, Den] : operands<uint32_t>(40000, specials32())) {
    fill(0, Num);
    fill(1, Den);
    W.Mode.Denorm32 = 0;
    for (const auto &I : Before)
      I->Execute(W, *I);
    W.Mode.Denorm32 = 3;
    for (const auto &I : Inside)
      I->Execute(W, *I);
    W.Mode.Denorm32 = 0;
    for (const auto &I : After)
      I->Execute(W, *I);
    ASSERT_EQ(v(0, 21), Flush(quotient(Flush(Num), Flush(Den))))
        << std::hex << Num << " / " << Den;
  }
}

TEST_F(VectorDivide, ScaleDecisions) {
  // Measured rules: value and VCC for the denominator and for the numerator.
  const float Tiny = 0x1p-126f, Huge = 0x1p127f;
  const struct {
    float Num, Den, ScaledDen, ScaledNum;
    bool Vcc;
  } Rows[] = {
      {6, 3, 3, 6, false},
      {0x1p96f, 1, 0x1p64f, 0x1p96f, true},
      {0x1p95f, 1, 1, 0x1p95f, false},
      {1, 0x1p-140f, 0x1p-76f, 1, true},
      {0x1p-60f, 0x1p-140f, 0x1p-76f, 0x1p4f, false},
      {0x1p100f, Huge, 0x1p63f, 0x1p36f, false},
      {1, Huge, 0x1p63f, 1, true},
      {0x1p-20f, 0x1p76f, 0x1p76f, 0x1p44f, true},
      {Tiny, 1, 1, 0x1p-62f, true},
      {0x1p-103f, 0x1p-30f, 0x1p34f, 0x1p-39f, false},
      {0x1p-102f, 0x1p-30f, 0x1p-30f, 0x1p-102f, false},
  };
  for (const auto &R : Rows) {
    fill(0, bits(R.Num));
    fill(1, bits(R.Den));
    W.setMask(VccLo, ~uint64_t(0));
    W.setExec(0xff00ff00ff00ff00);
    inAll("v_div_scale_f32 v2, vcc, v1, v1, v0");
    EXPECT_EQ(v(2, 8), bits(R.ScaledDen)) << R.Num << " / " << R.Den;
    EXPECT_EQ(W.vcc(), R.Vcc ? 0xff00ff00ff00ff00u : 0u);
    inAll("v_div_scale_f32 v2, s[10:11], v0, v1, v0");
    EXPECT_EQ(v(2, 63), bits(R.ScaledNum)) << R.Num << " / " << R.Den;
    EXPECT_EQ(v(2, 0), 0u) << "inactive";
    EXPECT_EQ(W.scalar64(10), R.Vcc ? 0xff00ff00ff00ff00u : 0u);
    W.setExec(~uint64_t(0));
  }
  for (auto [Num, Den] : {std::pair{1.0f, 0.0f}, {0.0f, 1.0f}}) {
    fill(0, bits(Num));
    fill(1, bits(Den));
    inAll("v_div_scale_f32 v2, vcc, v0, v1, v0");
    EXPECT_EQ(v(2), 0xffc00000u);
    EXPECT_EQ(W.vcc(), ~uint64_t(0));
  }
}

TEST_F(VectorDivide, FmasScalesByTheSizeOfTheAddend) {
  fill(0, bits(1.0f));
  fill(1, bits(2.0f));
  fill(2, bits(3.0f));
  W.setMask(VccLo, 0x5);
  inAll("v_div_fmas_f32 v4, v0, v0, v1");
  EXPECT_EQ(v(4, 0), bits(0x3p64f));
  EXPECT_EQ(v(4, 1), bits(3.0f));
  inAll("v_div_fmas_f32 v4, v1, v2, v0");
  EXPECT_EQ(v(4, 2), bits(0x7p-64f));
  EXPECT_EQ(v(4, 3), bits(7.0f));
  // Rounded once: 2^-85 * (1 + 2^-23) + 2^-130 is just above the middle of
  // two denormals after scaling; in two steps it would be the even one.
  fill(0, bits(0x1p-86f));
  fill(1, bits(0x1p-44f));
  fill(2, bits(0x1p-86f));
  W.setMask(VccLo, 1);
  inAll("v_div_fmas_f32 v4, v0, v1, v2");
  EXPECT_EQ(v(4, 0), 1u);
  fill(0, bits(0.0f));
  inAll("v_div_fmas_f32 v4, v0, v1, v2");
  EXPECT_EQ(v(4, 0), 0u);
  W.Mode.Round32 = 1;
  inAll("v_div_fmas_f32 v4, v0, v1, v2");
  EXPECT_EQ(v(4, 0), 1u);
}

TEST_F(VectorDivide, FixupOfSpecialOperands) {
  const float Inf = INFINITY;
  const struct {
    float Quotient, Den, Num;
    uint32_t Expected;
  } Rows[] = {
      {3, 2, 6, 0x40400000},      {-3, 2, 6, 0x40400000},
      {3, -2, 6, 0xc0400000},     {1, 0, 0, 0xffc00000},
      {1, Inf, -Inf, 0xffc00000}, {1, -0.0f, 5, 0xff800000},
      {1, 5, -Inf, 0xff800000},   {1, Inf, -5, 0x80000000},
      {1, -5, 0, 0x80000000},     {1, 0x1p127f, 0x1p-24f, 0},
      {NAN, 2, -6, 0xff800000},
  };
  for (const auto &R : Rows) {
    fill(0, bits(R.Quotient));
    fill(1, bits(R.Den));
    fill(2, bits(R.Num));
    inAll("v_div_fixup_f32 v3, v0, v1, v2");
    EXPECT_EQ(v(3, 12), R.Expected)
        << R.Quotient << ", " << R.Den << ", " << R.Num;
  }
}

// The functional examples of the RDNA3 ISA manual, and exact values.
TEST_F(VectorDivide, FunctionalExamples) {
  const struct {
    const char *Text;
    uint32_t Source, Expected;
  } Rows[] = {
      {"v_exp_f32_e32 v0, v1", 0xff800000, 0x00000000},
      {"v_exp_f32_e32 v0, v1", 0x80000000, 0x3f800000},
      {"v_exp_f32_e32 v0, v1", 0x7f800000, 0x7f800000},
      {"v_exp_f32_e32 v0, v1", 0x41200000, 0x44800000}, // 2^10
      {"v_exp_f32_e32 v0, v1", 0xc2fe0000, 0x00000000}, // 2^-127 is flushed
      {"v_log_f32_e32 v0, v1", 0xff800000, 0xffc00000},
      {"v_log_f32_e32 v0, v1", 0xbf800000, 0xffc00000},
      {"v_log_f32_e32 v0, v1", 0x80000000, 0xff800000},
      {"v_log_f32_e32 v0, v1", 0x00000000, 0xff800000},
      {"v_log_f32_e32 v0, v1", 0x3f800000, 0x00000000},
      {"v_log_f32_e32 v0, v1", 0x7f800000, 0x7f800000},
      {"v_log_f32_e32 v0, v1", 0x00400000, 0xff800000}, // a denormal
      {"v_log_f32_e32 v0, v1", 0x7fc00123, 0x7fc00123},
      {"v_rcp_f32_e32 v0, v1", 0xff800000, 0x80000000},
      {"v_rcp_f32_e32 v0, v1", 0xc0000000, 0xbf000000},
      {"v_rcp_f32_e32 v0, v1", 0x80000000, 0xff800000},
      {"v_rcp_f32_e32 v0, v1", 0x00000000, 0x7f800000},
      {"v_rcp_f32_e32 v0, v1", 0x7f800000, 0x00000000},
      {"v_rcp_f32_e32 v0, v1", 0x80400000, 0xff800000},
      {"v_rcp_f32_e32 v0, v1", 0xff000000, 0x80000000}, // 2^-127
      {"v_rcp_iflag_f32_e32 v0, v1", 0x40800000, 0x3e800000},
      {"v_rsq_f32_e32 v0, v1", 0xff800000, 0xffc00000},
      {"v_rsq_f32_e32 v0, v1", 0x80000000, 0xff800000},
      {"v_rsq_f32_e32 v0, v1", 0x00000000, 0x7f800000},
      {"v_rsq_f32_e32 v0, v1", 0x40800000, 0x3f000000},
      {"v_rsq_f32_e32 v0, v1", 0x7f800000, 0x00000000},
      {"v_sqrt_f32_e32 v0, v1", 0xff800000, 0xffc00000},
      {"v_sqrt_f32_e32 v0, v1", 0x80000000, 0x80000000},
      {"v_sqrt_f32_e32 v0, v1", 0x00000000, 0x00000000},
      {"v_sqrt_f32_e32 v0, v1", 0x40800000, 0x40000000},
      {"v_sqrt_f32_e32 v0, v1", 0x7f800000, 0x7f800000},
      {"v_sqrt_f32_e32 v0, v1", 0x00400000, 0x00000000},
      {"v_sin_f32_e32 v0, v1", 0xff800000, 0xffc00000},
      {"v_sin_f32_e32 v0, v1", 0xff7fffff, 0x00000000},
      {"v_sin_f32_e32 v0, v1", 0x80000000, 0x80000000},
      {"v_sin_f32_e32 v0, v1", 0x3e800000, 0x3f800000},
      {"v_sin_f32_e32 v0, v1", 0x7f800000, 0xffc00000},
      {"v_sin_f32_e32 v0, v1", 0x3f400000, 0xbf800000},
      {"v_cos_f32_e32 v0, v1", 0xff800000, 0xffc00000},
      {"v_cos_f32_e32 v0, v1", 0xff7fffff, 0x3f800000},
      {"v_cos_f32_e32 v0, v1", 0x80000000, 0x3f800000},
      {"v_cos_f32_e32 v0, v1", 0x3e800000, 0x00000000},
      {"v_cos_f32_e32 v0, v1", 0x7f800000, 0xffc00000},
      {"v_cos_f32_e32 v0, v1", 0xbf000000, 0xbf800000},
  };
  for (const auto &R : Rows)
    for (uint8_t Mode : {0, 2}) {
      W.Mode.Round32 = Mode; // without effect
      fill(1, R.Source);
      inAll(R.Text);
      EXPECT_EQ(v(0, 50), R.Expected)
          << R.Text << " of " << std::hex << R.Source;
    }
}

TEST_F(VectorDivide, ReciprocalsAndRootsAreRoundedCorrectly) {
  std::mt19937 Random(9);
  for (unsigned N = 0; N < 400; ++N) {
    for (unsigned L = 0; L < 64; ++L)
      v(1, L) = 0x00800000 + Random() % 0x7f000000;
    inAll("v_rcp_f32_e32 v2, v1");
    inAll("v_sqrt_f32_e32 v3, v1");
    inAll("v_rsq_f32_e32 v4, v1");
    for (unsigned L = 0; L < 64; ++L) {
      const long double X = toFloat(v(1, L));
      const float Rcp = float(1 / X);
      ASSERT_EQ(v(2, L), Rcp < 0x1p-126f ? 0 : bits(Rcp));
      ASSERT_EQ(v(3, L), bits(float(std::sqrt(X))));
      ASSERT_EQ(v(4, L), bits(float(1 / std::sqrt(X))));
    }
  }
  for (uint64_t B : specials64()) {
    for (unsigned L = 0; L < 64; ++L)
      setV64(2, B, L);
    inAll("v_rcp_f64_e32 v[4:5], v[2:3]");
    inAll("v_sqrt_f64_e32 v[6:7], v[2:3]");
    const double X = toFloat(B);
    const uint64_t Rcp = isNan(B) ? quiet(B) : bits(1 / X);
    EXPECT_EQ(v64(4, 7), Rcp) << std::hex << B;
    const uint64_t Sqrt = isNan(B) ? quiet(B)
                          : X < 0  ? 0xfff8000000000000
                                   : bits(std::sqrt(X));
    EXPECT_EQ(v64(6, 7), Sqrt) << std::hex << B;
  }
}

TEST_F(VectorDivide, TranscendentalFunctionsWithinOneUlp) {
  std::mt19937 Random(10);
  auto Close = [](uint32_t Result, long double Exact) {
    const float Nearest = float(Exact);
    return Result == bits(Nearest) ||
           Result == bits(std::nextafter(Nearest, 2 * Nearest)) ||
           Result == bits(std::nextafter(Nearest, 0.0f));
  };
  const long double TwoPi = 6.283185307179586476925286766559L;
  for (unsigned N = 0; N < 100; ++N) {
    for (unsigned L = 0; L < 64; ++L)
      v(1, L) = bits(float(int32_t(Random())) * 0x1p-25f);
    inAll("v_exp_f32_e32 v2, v1");
    inAll("v_sin_f32_e32 v3, v1");
    inAll("v_cos_f32_e32 v4, v1");
    inAll("v_log_f32_e64 v5, |v1|");
    for (unsigned L = 0; L < 64; ++L) {
      const long double X = toFloat(v(1, L));
      const long double Turn = X - std::nearbyint(X);
      ASSERT_TRUE(Close(v(2, L), std::exp2(X))) << double(X);
      ASSERT_TRUE(Close(v(3, L), std::sin(Turn * TwoPi))) << double(X);
      ASSERT_TRUE(Close(v(4, L), std::cos(Turn * TwoPi))) << double(X);
      ASSERT_TRUE(Close(v(5, L), std::log2(std::fabs(X)))) << double(X);
    }
  }
}

TEST_F(VectorDivide, PiecesOfTwoOverPi) {
  // Three pieces of 53 bits give 2 / pi to the precision of long double.
  setV64(2, bits(1.0));
  long double Sum = 0;
  const char *Texts[] = {"v_trig_preop_f64 v[0:1], v[2:3], 0",
                         "v_trig_preop_f64 v[0:1], v[2:3], 1",
                         "v_trig_preop_f64 v[0:1], v[2:3], 2"};
  for (const char *Text : Texts) {
    inAll(Text);
    Sum += toFloat(v64(0));
  }
  EXPECT_EQ(Sum, 0.636619772367581343075535053490057448L);
  // Larger sources drop as many bits as their exponent's field exceeds 1077.
  const unsigned __int128 Digits =
      (unsigned __int128)(0xa2f9836e4e441529) << 64 | 0xfc2757d1f534ddc0;
  for (int Field : {1000, 1077, 1078, 1079, 1080, 1100, 1123, 1150}) {
    const int Dropped = std::max(0, Field - 1077);
    setV64(2, uint64_t(Field) << 52);
    inAll(Texts[0]);
    const uint64_t Bits = uint64_t((Digits << Dropped) >> (128 - 53));
    EXPECT_EQ(toFloat(v64(0)), std::ldexp(double(Bits), -53 - Dropped))
        << Field;
  }
  // Near the largest exponents the piece is scaled by 2^128.
  setV64(2, bits(0x1p1000));
  inAll("v_trig_preop_f64 v[0:1], v[2:3], 0");
  const double Scaled = toFloat(v64(0));
  EXPECT_LT(Scaled, std::ldexp(1.0, 128 - (2023 - 1077)));
  EXPECT_GE(Scaled, std::ldexp(1.0, 128 - (2023 - 1077) - 53));
}

TEST_F(VectorDivide, PseudoScalars) {
  use("gfx1201");
  W.setExec(0);
  s(1) = bits(4.0f);
  inAll("v_s_rcp_f32 s0, s1");
  EXPECT_EQ(s(0), bits(0.25f));
  inAll("v_s_sqrt_f32 s0, s1");
  EXPECT_EQ(s(0), bits(2.0f));
  inAll("v_s_rsq_f32 s0, s1");
  EXPECT_EQ(s(0), bits(0.5f));
  inAll("v_s_exp_f32 s0, -s1");
  EXPECT_EQ(s(0), bits(0.0625f));
  inAll("v_s_log_f32 s0, s1");
  EXPECT_EQ(s(0), bits(2.0f));
  EXPECT_NE(refusal("v_s_log_f32 s0, s1 mul:2"), "");
}

} // namespace
