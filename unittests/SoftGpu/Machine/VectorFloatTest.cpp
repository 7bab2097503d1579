//===- VectorFloatTest.cpp - tests of arithmetic of f32 and f64 -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations against the host's scalar arithmetic in each rounding mode, with
// the rules for NaNs, denormals and output modifiers written out again here;
// all variants must agree bit for bit.
//
//===----------------------------------------------------------------------===//
#include "FloatFixture.h"
#include <algorithm>
#include <cfenv>
#include <climits>
#include <cmath>

using namespace kpack::softgpu;

namespace {

constexpr uint32_t Nan32 = 0xffc00000;
constexpr uint64_t Nan64 = 0xfff8000000000000;

template <class Bits> constexpr Bits Default = Bits(Nan32);
template <> constexpr uint64_t Default<uint64_t> = Nan64;

template <class Bits>
using FloatOf = std::conditional_t<sizeof(Bits) == 4, float, double>;

/// Scalar arithmetic of the host in a rounding mode, not to be folded.
template <class T, class Op> T rounded(unsigned Mode, Op Operation) {
  static constexpr int Modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
                                  FE_TOWARDZERO};
  std::fesetround(Modes[Mode]);
  const volatile T Result = Operation();
  std::fesetround(FE_TONEAREST);
  return Result;
}

template <class Bits> Bits flush(Bits B) {
  constexpr Bits Exponent =
      sizeof(Bits) == 4 ? Bits(0x7f800000) : Bits(0x7ff0000000000000);
  constexpr Bits Sign = Bits(1) << (8 * sizeof(Bits) - 1);
  return (B & Exponent) == 0 ? B & Sign : B;
}

class VectorFloat : public FloatFixture {
protected:
  template <class Bits> void set(unsigned Operand, unsigned Lane, Bits Value) {
    if constexpr (sizeof(Bits) == 4)
      v(Operand, Lane) = Value;
    else
      setV64(2 * Operand, Value, Lane);
  }
  template <class Bits> Bits get(unsigned Operand, unsigned Lane) {
    if constexpr (sizeof(Bits) == 4)
      return v(Operand, Lane);
    else
      return v64(2 * Operand, Lane);
  }
  template <class Bits> static const std::vector<Bits> &specials() {
    if constexpr (sizeof(Bits) == 4)
      return specials32();
    else
      return specials64();
  }

  /// All pairs of specials and random patterns: v1, v2 (v[2:3], v[4:5]) and
  /// the result in v0 (v[0:1]); a third source in v3 (v[6:7]).
  template <class Bits, class Reference>
  void each(const char *Text, Reference Expected, unsigned Sources = 2,
            size_t RandomCount = 4000) {
    auto I = parse(Text);
    ASSERT_TRUE(I);
    std::vector<std::array<Bits, 3>> Rows;
    std::mt19937_64 Random(11);
    const auto &S = specials<Bits>();
    for (Bits A : S)
      for (size_t N = 0; N < (Sources > 1 ? S.size() : 1); ++N)
        Rows.push_back({A, S[N], S[Random() % S.size()]});
    if (Sources == 3)
      for (size_t N = 0; N < 20000; ++N)
        Rows.push_back({S[Random() % S.size()], S[Random() % S.size()],
                        S[Random() % S.size()]});
    for (size_t N = 0; N < RandomCount; ++N) {
      const Bits A = Bits(Random());
      // Exponents close to each other make cancellation likely.
      constexpr Bits Fraction = (Bits(1) << (sizeof(Bits) == 4 ? 23 : 52)) - 1;
      const Bits B = (A & ~Fraction) | (Bits(Random()) & Fraction);
      Rows.push_back({A, N & 1 ? B : Bits(Random()), Bits(Random())});
    }
    for (size_t Begin = 0; Begin < Rows.size(); Begin += W.Lanes) {
      const size_t Count = std::min<size_t>(W.Lanes, Rows.size() - Begin);
      for (size_t L = 0; L < Count; ++L)
        for (unsigned N = 0; N < 3; ++N)
          set<Bits>(N + 1, L, Rows[Begin + L][N]);
      ASSERT_NO_FATAL_FAILURE(inAll(*I));
      for (size_t L = 0; L < Count; ++L) {
        const auto [A, B, C] = Rows[Begin + L];
        ASSERT_EQ(get<Bits>(0, L), Bits(Expected(A, B, C)))
            << Text << std::hex << ": " << A << ", " << B << ", " << C;
      }
    }
  }

  /// The first NaN of the sources, else the default.
  template <class Bits>
  static Bits propagateNan(std::initializer_list<Bits> Sources) {
    for (Bits S : Sources)
      if (isNan(S))
        return quiet(S);
    return Default<Bits>;
  }
  template <class Bits>
  static Bits finish(FloatOf<Bits> R, std::initializer_list<Bits> Sources) {
    return std::isnan(R) ? propagateNan<Bits>(Sources) : std::bit_cast<Bits>(R);
  }
  /// The same of an fma: an invalid product comes before the addend.
  template <class Bits>
  static Bits finishFma(FloatOf<Bits> R, Bits A, Bits B, Bits C) {
    const auto X = toFloat(A), Y = toFloat(B);
    const bool Invalid = (X == 0 && std::isinf(Y)) || (Y == 0 && std::isinf(X));
    return Invalid ? Default<Bits> : finish<Bits>(R, {A, B, C});
  }

  template <class Bits>
  void arithmetic(const char *Add, const char *Mul, const char *Fma) {
    for (uint8_t Mode = 0; Mode < 4; ++Mode) {
      W.Mode.Round32 = sizeof(Bits) == 4 ? Mode : 0;
      W.Mode.Round1664 = sizeof(Bits) == 8 ? Mode : 0;
      each<Bits>(Add, [=](Bits A, Bits B, Bits) {
        using T = FloatOf<Bits>;
        const volatile T X = toFloat(A), Y = toFloat(B);
        return finish<Bits>(rounded<T>(Mode, [&] { return X + Y; }), {A, B});
      });
      each<Bits>(Mul, [=](Bits A, Bits B, Bits) {
        using T = FloatOf<Bits>;
        const volatile T X = toFloat(A), Y = toFloat(B);
        return finish<Bits>(rounded<T>(Mode, [&] { return X * Y; }), {A, B});
      });
      each<Bits>(
          Fma,
          [=](Bits A, Bits B, Bits C) {
            using T = FloatOf<Bits>;
            const volatile T X = toFloat(A), Y = toFloat(B), Z = toFloat(C);
            return finishFma<Bits>(
                rounded<T>(Mode, [&] { return std::fma(X, Y, Z); }), A, B, C);
          },
          3);
    }
  }
};

TEST_F(VectorFloat, SumsAndProductsInAllRoundingModes) {
  arithmetic<uint32_t>("v_add_f32_e32 v0, v1, v2", "v_mul_f32_e32 v0, v1, v2",
                       "v_fma_f32 v0, v1, v2, v3");
  arithmetic<uint64_t>("v_add_f64 v[0:1], v[2:3], v[4:5]",
                       "v_mul_f64 v[0:1], v[2:3], v[4:5]",
                       "v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]");
}

TEST_F(VectorFloat, OtherSpellings) {
  // 2.5 * 4 + 1 and so on, by hand.
  const struct {
    const char *Target, *Text;
    float Expected;
  } Rows[] = {
      {"gfx90a", "v_sub_f32_e32 v0, v1, v2", -1.5f},
      {"gfx90a", "v_subrev_f32_e32 v0, v1, v2", 1.5f},
      {"gfx90a", "v_fmac_f32_e32 v0, v1, v2", 11.0f},
      {"gfx90a", "v_mac_f32_e32 v0, v1, v2", 11.0f},
      {"gfx90a", "v_mad_f32 v0, v1, v2, -v3", 18.0f},
      {"gfx90a", "v_madak_f32 v0, v1, v2, 0x42280000", 52.0f},
      {"gfx90a", "v_madmk_f32 v0, v1, 0x42280000, v2", 109.0f},
      {"gfx90a", "v_mad_legacy_f32 v0, v1, v2, v3", 2.0f},
      {"gfx1030", "v_fmaak_f32 v0, v1, v2, 0x42280000", 52.0f},
      {"gfx1030", "v_fmamk_f32 v0, v1, 0x42280000, v2", 109.0f},
      {"gfx1030", "v_fma_legacy_f32 v0, v1, v2, v3", 2.0f},
      {"gfx1030", "v_fmac_legacy_f32_e64 v0, v1, v2", 11.0f},
      {"gfx1100", "v_mul_dx9_zero_f32_e32 v0, v1, v2", 10.0f},
      {"gfx1100", "v_fmac_dx9_zero_f32_e32 v0, v1, v2", 11.0f},
      {"gfx1201", "v_fma_dx9_zero_f32 v0, v1, v2, |v3|", 18.0f},
      {"gfx1100", "v_sub_f32_e64 v0, |v3|, -v2", 12.0f},
      {"gfx90a", "v_add_f32_e32 v0, 0x42280000, v2", 46.0f},
      {"gfx90a", "v_add_f32_e32 v0, 0.5, v2", 4.5f},
      {"gfx90a", "v_cubeid_f32 v0, v1, v2, v3", 5.0f},
      {"gfx90a", "v_cubesc_f32 v0, v1, v2, v3", -2.5f},
      {"gfx90a", "v_cubetc_f32 v0, v1, v2, v3", -4.0f},
      {"gfx90a", "v_cubema_f32 v0, v1, v2, v3", -16.0f},
  };
  for (const auto &R : Rows) {
    use(R.Target);
    fill(0, bits(1.0f));
    fill(1, bits(2.5f));
    fill(2, bits(4.0f));
    fill(3, bits(-8.0f));
    inAll(R.Text);
    EXPECT_EQ(v(0, 31), bits(R.Expected)) << R.Text;
  }
}

TEST_F(VectorFloat, CubeFaces) {
  // Direction and: face, s, t, twice the major axis (ISA manual).
  const struct {
    float X, Y, Z, Id, Sc, Tc, Ma;
  } Rows[] = {
      {4, 1, 2, 0, -2, -1, 8}, {-4, 1, 2, 1, 2, -1, -8},
      {1, 4, 2, 2, 1, 2, 8},   {1, -4, 2, 3, 1, -2, -8},
      {1, 2, 4, 4, 1, -2, 8},  {1, 2, -4, 5, -1, -2, -8},
      {4, 4, 4, 4, 4, -4, 8},  {4, 4, 1, 2, 4, 1, 8},
  };
  for (const auto &R : Rows) {
    fill(1, bits(R.X));
    fill(2, bits(R.Y));
    fill(3, bits(R.Z));
    inAll("v_cubeid_f32 v4, v1, v2, v3");
    inAll("v_cubesc_f32 v5, v1, v2, v3");
    inAll("v_cubetc_f32 v6, v1, v2, v3");
    inAll("v_cubema_f32 v7, v1, v2, v3");
    EXPECT_EQ(v(4, 5), bits(R.Id)) << R.X << "," << R.Y << "," << R.Z;
    EXPECT_EQ(v(5, 5), bits(R.Sc)) << R.X << "," << R.Y << "," << R.Z;
    EXPECT_EQ(v(6, 5), bits(R.Tc)) << R.X << "," << R.Y << "," << R.Z;
    EXPECT_EQ(v(7, 5), bits(R.Ma)) << R.X << "," << R.Y << "," << R.Z;
  }
}

TEST_F(VectorFloat, LegacyMultiplyOfZeroIsZero) {
  each<uint32_t>(
      "v_mul_legacy_f32_e32 v0, v1, v2", [](uint32_t A, uint32_t B, uint32_t) {
        const float X = toFloat(A), Y = toFloat(B);
        return X == 0 || Y == 0 ? 0u : finish<uint32_t>(X * Y, {A, B});
      });
  use("gfx1030");
  each<uint32_t>(
      "v_mullit_f32 v0, v1, v2, v3",
      [](uint32_t A, uint32_t B, uint32_t C) {
        const float X = toFloat(A), Y = toFloat(B), Z = toFloat(C);
        if (std::isnan(Y) || Y <= -0x1.fffffep127f || !(Z > 0))
          return 0xff7fffffu;
        return X == 0 || Y == 0 ? 0u : finish<uint32_t>(X * Y, {A, B});
      },
      3);
  use("gfx1201");
  each<uint32_t>(
      "v_fma_dx9_zero_f32 v0, v1, v2, v3",
      [](uint32_t A, uint32_t B, uint32_t C) {
        A = flush(A), B = flush(B), C = flush(C);
        const float X = toFloat(A), Y = toFloat(B), Z = toFloat(C);
        if (X == 0 || Y == 0)
          return finish<uint32_t>(0.0f + Z, {C});
        // Tiny after rounding: compare with the exact result in f64.
        const float R = std::fma(X, Y, Z);
        const double Wide =
            std::fabs(std::fma(double(X), double(Y), double(Z)));
        if (Wide < 0x1.ffffffp-127)
          return std::signbit(R) ? 0x80000000u : 0u;
        return flush(finish<uint32_t>(R, {A, B, C}));
      },
      3);
}

TEST_F(VectorFloat, DenormalsOfSumsAreFlushed) {
  for (uint8_t Mode = 0; Mode < 3; ++Mode) {
    W.Mode.Denorm32 = Mode;
    each<uint32_t>(
        "v_add_f32_e32 v0, v1, v2", [=](uint32_t A, uint32_t B, uint32_t) {
          if (!(Mode & 1))
            A = flush(A), B = flush(B);
          // Sums that are denormal are exact.
          const auto R = finish<uint32_t>(toFloat(A) + toFloat(B), {A, B});
          return Mode & 2 ? R : flush(R);
        });
    W.Mode.Denorm32 = 3;
    W.Mode.Denorm1664 = Mode;
    each<uint64_t>("v_add_f64 v[0:1], v[2:3], v[4:5]",
                   [=](uint64_t A, uint64_t B, uint64_t) {
                     if (!(Mode & 1))
                       A = flush(A), B = flush(B);
                     const auto R =
                         finish<uint64_t>(toFloat(A) + toFloat(B), {A, B});
                     return Mode & 2 ? R : flush(R);
                   });
    W.Mode.Denorm1664 = 3;
  }
}

TEST_F(VectorFloat, TinyAfterRounding) {
  // (1 - 2^-24) * 2^-126 has 24 bits and is tiny, although the nearest number
  // with denormals is 2^-126. 2^-126 - 2^-172 rounds to 2^-126 with 24 bits.
  W.Mode.Denorm32 = 1;
  fill(1, 0x3f7fffff); // 1 - 2^-24
  fill(2, 0x00800000);
  inAll("v_mul_f32_e32 v0, v1, v2");
  EXPECT_EQ(v(0), 0u);
  fill(3, 0x80000001);
  inAll("v_fma_f32 v0, v1, v2, v3");
  EXPECT_EQ(v(0), 0u);
  fill(1, 0x34000000); // 2^-23
  fill(2, 0x80000001); // -2^-149
  fill(3, 0x00800000);
  inAll("v_fma_f32 v0, v1, v2, v3"); // 2^-126 - 2^-172
  EXPECT_EQ(v(0), 0x00800000u);
  W.Mode.Denorm32 = 3;
  fill(1, 0x3f7fffff);
  fill(2, 0x00800000);
  inAll("v_mul_f32_e32 v0, v1, v2");
  EXPECT_EQ(v(0), 0x00800000u) << "rounded as a denormal";
}

TEST_F(VectorFloat, MultiplyAddsWithTwoRoundings) {
  each<uint32_t>(
      "v_mad_f32 v0, v1, v2, v3",
      [](uint32_t A, uint32_t B, uint32_t C) {
        A = flush(A), B = flush(B), C = flush(C);
        const volatile float X = toFloat(A), Y = toFloat(B), Z = toFloat(C);
        volatile float P = X * Y;
        if (std::fabs(double(X) * double(Y)) < 0x1.ffffffp-127)
          P = std::copysign(0.0f, P);
        const volatile float R = P + Z;
        return flush(finishFma<uint32_t>(R, A, B, C));
      },
      3);
}

/// The manuals' V_MIN_F32 and V_MAX_F32.
uint32_t minMax(bool Max, bool Ieee, bool FirstOfTwo, uint32_t A, uint32_t B) {
  auto Nan = [](uint32_t X) { return (X & 0x7fffffff) > 0x7f800000; };
  auto Signalling = [&](uint32_t X) { return Nan(X) && !(X & 0x00400000); };
  if (Ieee && Signalling(A))
    return A | 0x00400000;
  if (Ieee && Signalling(B))
    return B | 0x00400000;
  if (Nan(A) && Nan(B))
    return FirstOfTwo ? A : B;
  if (Nan(A) || Nan(B))
    return Nan(A) ? B : A;
  const float X = std::bit_cast<float>(A), Y = std::bit_cast<float>(B);
  if (X == 0 && Y == 0)
    return Max ? A & B : A | B; // zeros differ in the sign only
  return (Max ? X > Y : X < Y) ? A : B;
}

TEST_F(VectorFloat, MinimaAndMaxima) {
  for (const char *Target : {"gfx90a", "gfx1030", "gfx1100"}) {
    use(Target);
    const bool First = Isa.isGfx11Plus();
    for (bool Ieee : {false, true}) {
      W.Mode.Ieee = Ieee;
      each<uint32_t>("v_min_f32_e32 v0, v1, v2",
                     [=](uint32_t A, uint32_t B, uint32_t) {
                       return minMax(false, Ieee, First, A, B);
                     });
      each<uint32_t>("v_max_f32_e32 v0, v1, v2",
                     [=](uint32_t A, uint32_t B, uint32_t) {
                       return minMax(true, Ieee, First, A, B);
                     });
      each<uint32_t>(
          "v_max3_f32 v0, v1, v2, v3",
          [=](uint32_t A, uint32_t B, uint32_t C) {
            return minMax(true, Ieee, First, minMax(true, Ieee, First, A, B),
                          C);
          },
          3);
    }
  }
  W.Mode.Ieee = true;
  each<uint32_t>(
      "v_minmax_f32 v0, v1, v2, v3",
      [](uint32_t A, uint32_t B, uint32_t C) {
        return minMax(true, true, true, minMax(false, true, true, A, B), C);
      },
      3);
  each<uint32_t>(
      "v_maxmin_f32 v0, v1, v2, v3",
      [](uint32_t A, uint32_t B, uint32_t C) {
        return minMax(false, true, true, minMax(true, true, true, A, B), C);
      },
      3);
  each<uint32_t>(
      "v_med3_f32 v0, v1, v2, v3",
      [](uint32_t A, uint32_t B, uint32_t C) {
        if (isNan(A) || isNan(B) || isNan(C))
          return minMax(false, true, true, minMax(false, true, true, A, B), C);
        // Sort by value and sign.
        std::array<uint32_t, 3> S{A, B, C};
        std::sort(S.begin(), S.end(), [](uint32_t L, uint32_t R) {
          const float X = toFloat(L), Y = toFloat(R);
          return X != Y ? X < Y : L > R;
        });
        return S[1];
      },
      3);
}

TEST_F(VectorFloat, NumbersAndPropagationOfGfx12) {
  use("gfx1201");
  auto Number = [](bool Max, uint32_t A, uint32_t B) {
    if (isNan(A) && isNan(B))
      return quiet(A);
    return minMax(Max, false, true, A, B);
  };
  auto Propagate = [](bool Max, uint32_t A, uint32_t B) {
    if (isNan(A) || isNan(B))
      return quiet(isNan(A) ? A : B);
    return minMax(Max, false, true, A, B);
  };
  each<uint32_t>(
      "v_min_num_f32_e32 v0, v1, v2",
      [=](uint32_t A, uint32_t B, uint32_t) { return Number(false, A, B); });
  each<uint32_t>(
      "v_maxmin_num_f32 v0, v1, v2, v3",
      [=](uint32_t A, uint32_t B, uint32_t C) {
        return Number(false, Number(true, A, B), C);
      },
      3);
  each<uint32_t>(
      "v_maximum_f32 v0, v1, v2",
      [=](uint32_t A, uint32_t B, uint32_t) { return Propagate(true, A, B); });
  each<uint32_t>(
      "v_minimum3_f32 v0, v1, v2, v3",
      [=](uint32_t A, uint32_t B, uint32_t C) {
        return Propagate(false, Propagate(false, A, B), C);
      },
      3);
  each<uint32_t>(
      "v_minimummaximum_f32 v0, v1, v2, v3",
      [=](uint32_t A, uint32_t B, uint32_t C) {
        return Propagate(true, Propagate(false, A, B), C);
      },
      3);
  each<uint64_t>("v_max_num_f64_e32 v[0:1], v[2:3], v[4:5]",
                 [](uint64_t A, uint64_t B, uint64_t) {
                   if (isNan(A))
                     return isNan(B) ? quiet(A) : B;
                   if (isNan(B))
                     return A;
                   const double X = toFloat(A), Y = toFloat(B);
                   if (X == 0 && Y == 0)
                     return A & B;
                   return X > Y ? A : B;
                 });
}

TEST_F(VectorFloat, RoundingToIntegers) {
  const struct {
    const char *Text32, *Text64;
    double (*Function)(double);
  } Rows[] = {
      {"v_trunc_f32_e32 v0, v1", "v_trunc_f64_e32 v[0:1], v[2:3]", std::trunc},
      {"v_ceil_f32_e32 v0, v1", "v_ceil_f64_e32 v[0:1], v[2:3]", std::ceil},
      {"v_floor_f32_e32 v0, v1", "v_floor_f64_e32 v[0:1], v[2:3]", std::floor},
      {"v_rndne_f32_e32 v0, v1", "v_rndne_f64_e32 v[0:1], v[2:3]",
       std::nearbyint},
  };
  for (const auto &R : Rows)
    for (uint8_t Mode : {0, 1, 3}) {
      W.Mode.Round32 = W.Mode.Round1664 = Mode; // without effect
      each<uint32_t>(
          R.Text32,
          [&](uint32_t A, uint32_t, uint32_t) {
            return finish<uint32_t>(float(R.Function(toFloat(A))), {A});
          },
          1);
      each<uint64_t>(
          R.Text64,
          [&](uint64_t A, uint64_t, uint64_t) {
            return finish<uint64_t>(R.Function(toFloat(A)), {A});
          },
          1);
    }
}

TEST_F(VectorFloat, Fractions) {
  for (uint8_t Mode = 0; Mode < 4; ++Mode) {
    W.Mode.Round32 = Mode;
    each<uint32_t>(
        "v_fract_f32_e32 v0, v1",
        [=](uint32_t A, uint32_t, uint32_t) {
          const volatile float X = toFloat(A);
          if (std::isinf(X))
            return Nan32;
          const float F = std::floor(X);
          const float R = rounded<float>(Mode, [&] { return X - F; });
          if (R == 0)
            return 0u;
          return finish<uint32_t>(R >= 1 ? 0x1.fffffep-1f : R, {A});
        },
        1);
  }
  W.Mode.Round32 = 0;
  each<uint64_t>(
      "v_fract_f64_e32 v[0:1], v[2:3]",
      [](uint64_t A, uint64_t, uint64_t) {
        const double X = toFloat(A);
        if (std::isinf(X))
          return Nan64;
        const double R = X - std::floor(X);
        return finish<uint64_t>(R >= 1 ? 0x1.fffffffffffffp-1 : R, {A});
      },
      1);
}

TEST_F(VectorFloat, Exponents) {
  each<uint32_t>(
      "v_frexp_mant_f32_e32 v0, v1",
      [](uint32_t A, uint32_t, uint32_t) {
        int E;
        const float X = toFloat(A);
        return finish<uint32_t>(std::isfinite(X) ? std::frexp(X, &E) : X, {A});
      },
      1);
  each<uint64_t>(
      "v_frexp_mant_f64_e32 v[0:1], v[2:3]",
      [](uint64_t A, uint64_t, uint64_t) {
        int E;
        const double X = toFloat(A);
        return finish<uint64_t>(std::isfinite(X) ? std::frexp(X, &E) : X, {A});
      },
      1);
  each<uint32_t>(
      "v_frexp_exp_i32_f32_e32 v0, v1",
      [](uint32_t A, uint32_t, uint32_t) {
        int E = 0;
        if (std::isfinite(toFloat(A)))
          std::frexp(toFloat(A), &E);
        return uint32_t(E);
      },
      1);
  for (uint64_t A : specials64()) {
    int E = 0;
    if (std::isfinite(toFloat(A)))
      std::frexp(toFloat(A), &E);
    for (unsigned L = 0; L < 64; ++L)
      setV64(2, A, L);
    inAll("v_frexp_exp_i32_f64_e32 v0, v[2:3]");
    EXPECT_EQ(int(v(0, 40)), E) << std::hex << A;
  }
}

TEST_F(VectorFloat, ScalingByPowersOfTwo) {
  const int Exponents[] = {0,    1,       -1,      23,   -24,   -149,
                           -150, 300,     -300,    2000, -2000, -1074,
                           -126, INT_MAX, INT_MIN, 127,  -1022, 64};
  for (uint8_t Mode = 0; Mode < 4; ++Mode) {
    W.Mode.Round32 = W.Mode.Round1664 = Mode;
    for (int E : Exponents) {
      fill(2, uint32_t(E));
      for (size_t N = 0; N < specials32().size(); ++N) {
        const uint32_t A = specials32()[N];
        v(1, N % 64) = A;
        inAll("v_ldexp_f32 v0, v1, v2");
        const volatile float X = toFloat(A);
        const float R = rounded<float>(Mode, [&] { return std::ldexp(X, E); });
        ASSERT_EQ(v(0, N % 64), finish<uint32_t>(R, {A}))
            << std::hex << A << std::dec << ", " << E;
      }
      fill(6, uint32_t(E));
      for (size_t N = 0; N < specials64().size(); ++N) {
        const uint64_t A = specials64()[N];
        setV64(2, A, N % 64);
        inAll("v_ldexp_f64 v[0:1], -v[2:3], v6");
        const volatile double X = -toFloat(A);
        const double R =
            rounded<double>(Mode, [&] { return std::ldexp(X, E); });
        ASSERT_EQ(v64(0, N % 64), finish<uint64_t>(R, {A ^ uint64_t(1) << 63}))
            << std::hex << A << std::dec << ", " << E;
      }
    }
  }
}

TEST_F(VectorFloat, OutputModifiers) {
  const struct {
    const char *Target;
    bool Ieee;
    uint8_t Denorm;
    const char *Text;
    uint32_t A, B, Expected;
  } Rows[] = {
      // Ignored with the IEEE bit or output denormals, but not on gfx12.
      {"gfx90a", true, 0, "v_add_f32_e64 v0, v1, v2 mul:2", 0x3f800000,
       0x3f800000, 0x40000000},
      {"gfx90a", false, 3, "v_add_f32_e64 v0, v1, v2 mul:2", 0x3f800000,
       0x3f800000, 0x40000000},
      {"gfx90a", false, 0, "v_add_f32_e64 v0, v1, v2 mul:2", 0x3f800000,
       0x3f800000, 0x40800000},
      {"gfx90a", false, 1, "v_add_f32_e64 v0, v1, v2 mul:4", 0x3f800000,
       0x3f800000, 0x41000000},
      {"gfx1100", false, 0, "v_add_f32_e64 v0, v1, v2 div:2", 0x3f800000,
       0x3f800000, 0x3f800000},
      {"gfx1201", true, 3, "v_add_f32_e64 v0, v1, v2 mul:2", 0x3f800000,
       0x3f800000, 0x40800000},
      // -0 becomes +0; a halved smallest number keeps its sign.
      {"gfx90a", false, 0, "v_add_f32_e64 v0, v1, v2 mul:2", 0x80000000,
       0x80000000, 0},
      {"gfx90a", false, 0, "v_add_f32_e64 v0, v1, v2 div:2", 0x80800000,
       0x80000000, 0x80000000},
      {"gfx90a", false, 0, "v_max_f32_e64 v0, v1, v2 mul:4", 0x7f000000,
       0x3f800000, 0x7f800000},
      // Clamping: to [+0, 1], NaN is 0.
      {"gfx90a", true, 3, "v_add_f32_e64 v0, v1, v2 clamp", 0x40000000,
       0x3f800000, 0x3f800000},
      {"gfx90a", true, 3, "v_add_f32_e64 v0, v1, v2 clamp", 0xc0000000,
       0x3f800000, 0},
      {"gfx90a", true, 3, "v_mul_f32_e64 v0, v1, v2 clamp", 0x80000000,
       0x3f800000, 0},
      {"gfx90a", true, 3, "v_add_f32_e64 v0, v1, v2 clamp", 0x7fc00001,
       0x3f800000, 0},
      {"gfx90a", true, 3, "v_add_f32_e64 v0, v1, v2 clamp", 0x3e800000,
       0x3e800000, 0x3f000000},
      {"gfx90a", false, 0, "v_add_f32_e64 v0, v1, v2 clamp mul:2", 0x3e800000,
       0x3e000000, 0x3f400000},
  };
  for (const auto &R : Rows) {
    use(R.Target);
    W.Mode.Ieee = R.Ieee;
    W.Mode.Denorm32 = R.Denorm;
    fill(1, R.A);
    fill(2, R.B);
    inAll(R.Text);
    EXPECT_EQ(v(0, 3), R.Expected)
        << R.Target << " " << R.Text << std::hex << " " << R.A << ", " << R.B;
  }
  use("gfx90a");
  W.Mode.Dx10Clamp = false;
  fill(1, 0x7fc00001);
  inAll("v_add_f32_e64 v0, v1, v1 clamp");
  EXPECT_EQ(v(0), 0x7fc00001u);
  // Overflow by scaling is rounded as any other.
  W.Mode.Ieee = false;
  W.Mode.Denorm32 = 0;
  W.Mode.Round32 = 3;
  fill(1, 0x7f000000);
  inAll("v_mul_f32_e64 v0, v1, 1.0 mul:4");
  EXPECT_EQ(v(0), 0x7f7fffffu);
}

TEST_F(VectorFloat, NansWithoutIeeeStaySignalling) {
  W.Mode.Ieee = false;
  fill(1, 0x7f800001);
  fill(2, 0x7fc00002);
  inAll("v_add_f32_e32 v0, v1, v2");
  EXPECT_EQ(v(0), 0x7f800001u);
  W.Mode.Ieee = true;
  inAll("v_add_f32_e32 v0, v1, v2");
  EXPECT_EQ(v(0), 0x7fc00001u);
}

TEST_F(VectorFloat, MasksAndLanes) {
  for (const char *Target : {"gfx90a", "gfx1100"}) {
    use(Target);
    fill(0, 77);
    for (unsigned L = 0; L < 64; ++L)
      v(1, L) = bits(float(L));
    W.setExec(0xf0000005u);
    inAll("v_add_f32_e32 v0, 1.0, v1");
    for (unsigned L = 0; L < 64; ++L)
      EXPECT_EQ(v(0, L),
                L < 32 && (0xf0000005u >> L & 1) ? bits(float(L + 1)) : 77u);
    W.setExec(W.allLanes());
    inAll("v_add_f32_dpp v0, v1, v1 row_shr:1 row_mask:0xf bank_mask:0xf "
          "bound_ctrl:0");
    EXPECT_EQ(v(0, 5), bits(9.0f));
    EXPECT_EQ(v(0, 16), bits(16.0f)) << "no source: 0 + 16";
  }
  use("gfx1100", /*Wave64=*/true);
  for (unsigned L = 0; L < 64; ++L)
    setV64(2, bits(double(L)), L);
  inAll("v_add_f64 v[0:1], v[2:3], 0.5");
  EXPECT_EQ(v64(0, 63), bits(63.5));
  // The high half of an f64 literal.
  inAll("v_add_f64 v[0:1], v[2:3], 0x40200000");
  EXPECT_EQ(v64(0, 2), bits(10.0));
}

TEST_F(VectorFloat, RefusesWhatHasNoSemantics) {
  EXPECT_NE(refusal("v_add_f32_e64 v0, v1, v2 op_sel:[1,0,0]"), "");
  EXPECT_NE(refusal("v_exp_legacy_f32_e32 v0, v1"), "");
  EXPECT_EQ(refusal("v_add_f32_e64 v0, v1, v2 clamp"), "");
}

} // namespace
