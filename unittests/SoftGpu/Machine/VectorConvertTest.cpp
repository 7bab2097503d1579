//===- VectorConvertTest.cpp - tests of conversions between formats -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions against plain C++ in f64 and against searches of all values of a
// small format; all variants must agree bit for bit.
//
//===----------------------------------------------------------------------===//
#include "FloatFixture.h"
#include <cfenv>
#include <cmath>
#include <functional>
#include <map>

using namespace kpack::softgpu;

namespace {

class VectorConvert : public FloatFixture {
protected:
  /// Lanes of v1 from \p Values (and v2 the next ones), v0 by \p Text, each
  /// lane against \p Expected.
  void each32(const char *Text, const std::vector<uint32_t> &Values,
              const std::function<uint32_t(uint32_t)> &Expected,
              uint32_t Mask = 0xffffffff) {
    auto I = parse(Text);
    ASSERT_TRUE(I);
    for (size_t Begin = 0; Begin < Values.size(); Begin += W.Lanes) {
      const size_t Count = std::min<size_t>(W.Lanes, Values.size() - Begin);
      for (size_t L = 0; L < Count; ++L)
        v(1, L) = Values[Begin + L];
      ASSERT_NO_FATAL_FAILURE(inAll(*I));
      for (size_t L = 0; L < Count; ++L)
        ASSERT_EQ(v(0, L) & Mask, Expected(Values[Begin + L]) & Mask)
            << Text << " of " << std::hex << Values[Begin + L];
    }
  }

  /// Specials and random patterns, many of moderate size.
  static std::vector<uint32_t> singles(size_t Count = 20000) {
    std::vector<uint32_t> V = specials32();
    for (float F :
         {0.25f,    0.49999997f, 0.5f,      0.75f,    1.5f,     2.5f,
          3.5f,     254.5f,      255.5f,    256.0f,   32767.5f, 32768.0f,
          65503.9f, 65504.0f,    65519.99f, 65520.0f, 65535.5f, 447.0f,
          448.0f,   464.0f,      464.1f,    240.0f,   247.9f,   248.0f,
          57344.0f, 61440.0f}) {
      V.push_back(bits(F));
      V.push_back(bits(-F));
    }
    std::mt19937 Random(7);
    while (V.size() < Count) {
      const uint32_t R = Random();
      V.push_back(R);
      V.push_back((R & 0x80ffffff) | (0x30 + (R >> 20 & 0x1f)) << 24);
    }
    return V;
  }

  static uint32_t saturate(double X, double Low, double High) {
    if (std::isnan(X))
      return 0;
    return uint32_t(int64_t(std::trunc(std::fmax(Low, std::fmin(High, X)))));
  }
};

/// Value of a format with an exponent and mantissa, by definition.
double valueOf(uint32_t Code, int Mantissa, int Bias) {
  const int Field = int(Code >> Mantissa);
  const double M = Code & ((1u << Mantissa) - 1);
  const double One = 1u << Mantissa;
  return Field ? std::ldexp(1 + M / One, Field - Bias)
               : std::ldexp(M / One, 1 - Bias);
}

/// The code below \p Largest + 1 whose value is nearest to X >= 0, ties to
/// even codes; Largest + 1 is what overflows. Other modes: 1 up, 2 down.
uint32_t search(double X, int Mantissa, int Bias, uint32_t Largest,
                int Rounding = 0) {
  uint32_t Low = 0, High = Largest + 1;
  while (High - Low > 1) {
    const uint32_t Middle = (Low + High) / 2;
    (valueOf(Middle, Mantissa, Bias) <= X ? Low : High) = Middle;
  }
  const double Below = X - valueOf(Low, Mantissa, Bias);
  const double Above = valueOf(High, Mantissa, Bias) - X;
  if (Below == 0 || Rounding == 2)
    return Low;
  if (Rounding == 1)
    return High;
  if (Below != Above)
    return Below < Above ? Low : High;
  return Low & 1 ? High : Low;
}

TEST_F(VectorConvert, SinglesToIntegersSaturate) {
  const auto Values = singles();
  auto Double = [](uint32_t B) { return double(toFloat(B)); };
  for (const char *Target : {"gfx90a", "gfx1030"}) {
    use(Target);
    each32("v_cvt_i32_f32_e32 v0, v1", Values, [&](uint32_t B) {
      return saturate(Double(B), -0x1p31, 0x1p31 - 1);
    });
    each32("v_cvt_u32_f32_e32 v0, v1", Values,
           [&](uint32_t B) { return saturate(Double(B), 0, 0x1p32 - 1); });
    each32("v_cvt_flr_i32_f32_e32 v0, v1", Values, [&](uint32_t B) {
      return saturate(std::floor(Double(B)), -0x1p31, 0x1p31 - 1);
    });
    each32("v_cvt_rpi_i32_f32_e32 v0, v1", Values, [&](uint32_t B) {
      return saturate(std::floor(Double(B) + 0.5), -0x1p31, 0x1p31 - 1);
    });
    each32("v_cvt_u32_f32_e64 v0, -v1", Values,
           [&](uint32_t B) { return saturate(-Double(B), 0, 0x1p32 - 1); });
    each32("v_cvt_i32_f32_e64 v0, -|v1|", Values, [&](uint32_t B) {
      return saturate(-std::fabs(Double(B)), -0x1p31, 0x1p31 - 1);
    });
  }
  use("gfx1201");
  each32("v_cvt_floor_i32_f32_e32 v0, v1", Values, [&](uint32_t B) {
    if (isNan(B))
      return B >> 31 ? 0x80000000u : 0x7fffffffu;
    return saturate(std::floor(Double(B)), -0x1p31, 0x1p31 - 1);
  });
  each32("v_cvt_i32_f32_e32 v0, v1", Values,
         [&](uint32_t B) { return saturate(Double(B), -0x1p31, 0x1p31 - 1); });
}

TEST_F(VectorConvert, DoublesToIntegersAndSingles) {
  std::vector<uint64_t> Values = specials64();
  for (double D : {2147483647.5, -2147483648.5, 4294967295.5, 0.99, -0.99,
                   16777217.0, 0x1.000001p0, 0x1.0000010000001p0, 0x1p-149,
                   0x1.8p-150, 0x1p-150, 0x1.fffffffp-127, 0x1.ffffffp127})
    Values.push_back(bits(D));
  std::mt19937_64 Random(5);
  while (Values.size() < 4000) {
    const uint64_t R = Random();
    Values.push_back(R);
    Values.push_back((R & 0x800fffffffffffff) | (0x360 + (R >> 52 & 0x11f))
                                                    << 52);
  }
  static constexpr int Modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
                                  FE_TOWARDZERO};
  for (size_t Begin = 0; Begin + 64 <= Values.size(); Begin += 64) {
    for (unsigned L = 0; L < 64; ++L)
      setV64(2, Values[Begin + L], L);
    inAll("v_cvt_i32_f64_e32 v4, v[2:3]");
    inAll("v_cvt_u32_f64_e32 v5, v[2:3]");
    for (unsigned Mode = 0; Mode < 4; ++Mode) {
      W.Mode.Round32 = uint8_t(Mode);
      inAll(Mode == 0   ? "v_cvt_f32_f64_e32 v6, v[2:3]"
            : Mode == 1 ? "v_cvt_f32_f64_e32 v7, v[2:3]"
            : Mode == 2 ? "v_cvt_f32_f64_e32 v8, v[2:3]"
                        : "v_cvt_f32_f64_e32 v9, v[2:3]");
    }
    W.Mode.Round32 = 0;
    for (unsigned L = 0; L < 64; ++L) {
      const uint64_t B = Values[Begin + L];
      const double D = toFloat(B);
      ASSERT_EQ(v(4, L), saturate(D, -0x1p31, 0x1p31 - 1)) << std::hex << B;
      ASSERT_EQ(v(5, L), saturate(D, 0, 0x1p32 - 1)) << std::hex << B;
      for (unsigned Mode = 0; Mode < 4; ++Mode) {
        std::fesetround(Modes[Mode]);
        const volatile double Source = D;
        const volatile float Rounded = float(Source);
        std::fesetround(FE_TONEAREST);
        ASSERT_EQ(v(6 + Mode, L), bits(Rounded)) << Mode << std::hex << B;
      }
    }
  }
}

TEST_F(VectorConvert, IntegersToFloats) {
  std::vector<uint32_t> Values;
  for (uint32_t V : {0u, 1u, 255u, 256u, 0x00fffffeu, 0x00ffffffu, 0x01000001u,
                     0x01000003u, 0x7fffffffu, 0x80000000u, 0x80000001u,
                     0xfffffeffu, 0xffffff7fu, 0xffffff80u, 0xffffffffu})
    Values.push_back(V);
  std::mt19937 Random(3);
  while (Values.size() < 5000)
    Values.push_back(Random() >> Random() % 20);
  static constexpr int Modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
                                  FE_TOWARDZERO};
  for (unsigned Mode = 0; Mode < 4; ++Mode) {
    W.Mode.Round32 = uint8_t(Mode);
    auto Rounded = [&](double Exact) {
      std::fesetround(Modes[Mode]);
      const volatile double Source = Exact;
      const volatile float R = float(Source);
      std::fesetround(FE_TONEAREST);
      return bits(R);
    };
    each32("v_cvt_f32_i32_e32 v0, v1", Values,
           [&](uint32_t V) { return Rounded(int32_t(V)); });
    each32("v_cvt_f32_u32_e32 v0, v1", Values,
           [&](uint32_t V) { return Rounded(V); });
    each32("v_cvt_f32_ubyte0_e32 v0, v1", Values,
           [&](uint32_t V) { return bits(float(V & 0xff)); });
    each32("v_cvt_f32_ubyte3_e32 v0, v1", Values,
           [&](uint32_t V) { return bits(float(V >> 24)); });
  }
  W.Mode.Round32 = 0;
  each32("v_cvt_off_f32_i4_e32 v0, v1", Values, [](uint32_t V) {
    const int N = int(V & 15);
    return bits(float(N < 8 ? N : N - 16) / 16);
  });
  for (uint32_t V : Values) {
    fill(1, V);
    inAll("v_cvt_f64_i32_e32 v[2:3], v1");
    inAll("v_cvt_f64_u32_e32 v[4:5], v1");
    ASSERT_EQ(v64(2, 17), bits(double(int32_t(V))));
    ASSERT_EQ(v64(4, 63), bits(double(V)));
  }
}

TEST_F(VectorConvert, HalvesAndSingles) {
  // Every half to f32, denormals kept and flushed.
  std::vector<uint32_t> Halves(65536);
  for (uint32_t H = 0; H < 65536; ++H)
    Halves[H] = H;
  auto Widened = [](uint32_t H, bool Flush) {
    const uint32_t Magnitude = H & 0x7fff, Sign = (H & 0x8000) << 16;
    if (Magnitude > 0x7c00)
      return Sign | 0x7fc00000 | (Magnitude & 0x3ff) << 13;
    if (Magnitude == 0x7c00)
      return Sign | 0x7f800000;
    if (Flush && Magnitude < 0x400)
      return Sign;
    return Sign | bits(float(valueOf(Magnitude, 10, 15)));
  };
  each32("v_cvt_f32_f16_e32 v0, v1", Halves,
         [&](uint32_t H) { return Widened(H, false); });
  W.Mode.Denorm1664 = 2;
  each32("v_cvt_f32_f16_e32 v0, v1", Halves,
         [&](uint32_t H) { return Widened(H, true); });
  W.Mode.Denorm1664 = 3;
  // And back, in all rounding modes.
  std::vector<uint32_t> Values = singles();
  for (uint32_t H = 0; H < 0x7c00; H += 37) {
    const double A = valueOf(H, 10, 15), B = valueOf(H + 1, 10, 15);
    for (double D : {A, (A + B) / 2, (3 * A + B) / 4, (A + 3 * B) / 4})
      Values.push_back(bits(float(D)) | (H & 1) << 31);
  }
  for (int Mode = 0; Mode < 4; ++Mode) {
    W.Mode.Round1664 = uint8_t(Mode);
    each32(
        "v_cvt_f16_f32_e32 v0, v1", Values,
        [&](uint32_t B) -> uint32_t {
          const uint32_t Sign = B >> 16 & 0x8000;
          const double X = std::fabs(double(toFloat(B)));
          if (std::isnan(X))
            return Sign | 0x7e00 | (B >> 13 & 0x3ff);
          if (std::isinf(X))
            return Sign | 0x7c00;
          const bool Away = Mode == (Sign ? 2 : 1);
          const int Search = Mode == 0 ? 0 : Away ? 1 : 2;
          return Sign | search(X, 10, 15, 0x7bff, Search);
        },
        0xffff);
  }
  W.Mode.Round1664 = 0;
  // 0x387fefff rounds to the smallest normal half only as a denormal.
  W.Mode.Denorm1664 = 1;
  each32(
      "v_cvt_f16_f32_e32 v0, v1",
      {0x33800000, 0xb8000000, 0x387fefff, 0x387ff000, 0x387fffff, 0x38800000},
      [](uint32_t B) -> uint32_t {
        const std::map<uint32_t, uint32_t> Expected = {
            {0x33800000, 0},     {0xb8000000, 0x8000}, {0x387fefff, 0},
            {0x387ff000, 0x400}, {0x387fffff, 0x400},  {0x38800000, 0x400}};
        return Expected.at(B);
      },
      0xffff);
}

TEST_F(VectorConvert, PackedResults) {
  const auto Values = singles(6000);
  for (size_t N = 0; N + 1 < Values.size(); N += 2) {
    fill(1, Values[N]);
    fill(2, Values[N + 1]);
    const double A = toFloat(Values[N]), B = toFloat(Values[N + 1]);
    inAll("v_cvt_pknorm_i16_f32 v3, v1, v2");
    inAll("v_cvt_pknorm_u16_f32 v4, v1, v2");
    inAll("v_cvt_pkrtz_f16_f32 v5, v1, v2");
    auto Snorm = [](double X) {
      return saturate(std::nearbyint(X * 32767), -32767, 32767) & 0xffff;
    };
    auto Unorm = [](double X) {
      return saturate(std::nearbyint(X * 65535), 0, 65535);
    };
    ASSERT_EQ(v(3, 9), Snorm(A) | Snorm(B) << 16) << A << ", " << B;
    ASSERT_EQ(v(4, 9), Unorm(A) | Unorm(B) << 16) << A << ", " << B;
    auto ToZero = [](uint32_t Bits) -> uint32_t {
      const double X = std::fabs(double(toFloat(Bits)));
      const uint32_t Sign = Bits >> 16 & 0x8000;
      if (std::isnan(X))
        return Sign | 0x7e00 | (Bits >> 13 & 0x3ff);
      return Sign | (std::isinf(X) ? 0x7c00 : search(X, 10, 15, 0x7bff, 2));
    };
    ASSERT_EQ(v(5, 9), ToZero(Values[N]) | ToZero(Values[N + 1]) << 16);
  }
  fill(1, uint32_t(-40000));
  fill(2, 40000);
  inAll("v_cvt_pk_i16_i32 v3, v1, v2");
  EXPECT_EQ(v(3), 0x7fff8000u);
  inAll("v_cvt_pk_u16_u32 v3, v1, v2");
  EXPECT_EQ(v(3), 0x9c40ffffu);
  use("gfx1100");
  fill(1, bits(-1.9f));
  fill(2, bits(70000.0f));
  inAll("v_cvt_pk_i16_f32 v3, v1, v2");
  EXPECT_EQ(v(3), 0x7fffffffu);
  inAll("v_cvt_pk_u16_f32 v3, v1, v2");
  EXPECT_EQ(v(3), 0xffff0000u);
}

TEST_F(VectorConvert, ByteIntoWord) {
  fill(3, 0x11223344);
  const struct {
    float Value;
    uint32_t Byte, Expected;
    uint8_t Rounding;
  } Rows[] = {
      {1.5f, 0, 0x11223302, 0},  {2.5f, 1, 0x11220244, 0},
      {2.5f, 5, 0x11220344, 1},  {300.0f, 2, 0x11ff3344, 0},
      {-3.0f, 3, 0x00223344, 0}, {2.9f, 0, 0x11223302, 3},
      {NAN, 0, 0x11223300, 0},   {254.5f, 3, 0xfe223344, 0},
  };
  for (const auto &R : Rows) {
    W.Mode.Round32 = R.Rounding;
    fill(1, bits(R.Value));
    fill(2, R.Byte);
    inAll("v_cvt_pk_u8_f32 v0, v1, v2, v3");
    EXPECT_EQ(v(0, 33), R.Expected) << R.Value;
  }
}

TEST_F(VectorConvert, SixteenBitIntegers) {
  std::vector<uint32_t> All(65536);
  for (uint32_t N = 0; N < 65536; ++N)
    All[N] = N;
  auto HalfOf = [](double X) -> uint32_t {
    const uint32_t Code = search(std::fabs(X), 10, 15, 0x7bff);
    return Code | (std::signbit(X) ? 0x8000 : 0);
  };
  each32(
      "v_cvt_f16_u16_e32 v0, v1", All, [&](uint32_t V) { return HalfOf(V); },
      0xffff);
  each32(
      "v_cvt_f16_i16_e32 v0, v1", All,
      [&](uint32_t V) { return HalfOf(int16_t(V)); }, 0xffff);
  auto Value = [](uint32_t H) -> double {
    const uint32_t M = H & 0x7fff;
    const double X = M > 0x7c00    ? NAN
                     : M == 0x7c00 ? INFINITY
                                   : valueOf(M, 10, 15);
    return H & 0x8000 ? -X : X;
  };
  each32(
      "v_cvt_i16_f16_e32 v0, v1", All,
      [&](uint32_t H) { return saturate(Value(H), -32768, 32767); }, 0xffff);
  each32(
      "v_cvt_u16_f16_e32 v0, v1", All,
      [&](uint32_t H) { return saturate(Value(H), 0, 65535); }, 0xffff);
  each32(
      "v_cvt_norm_i16_f16_e32 v0, v1", All,
      [&](uint32_t H) {
        return saturate(std::nearbyint(Value(H) * 32767), -32767, 32767);
      },
      0xffff);
  each32(
      "v_cvt_norm_u16_f16_e32 v0, v1", All,
      [&](uint32_t H) {
        return saturate(std::nearbyint(Value(H) * 65535), 0, 65535);
      },
      0xffff);
  use("gfx1100");
  each32("v_cvt_i32_i16_e32 v0, v1", All,
         [](uint32_t V) { return uint32_t(int32_t(int16_t(V))); });
  each32("v_cvt_u32_u16_e32 v0, v1", All, [](uint32_t V) { return V; });
}

struct SmallFormat {
  const char *Target;
  const char *Name; ///< in mnemonics
  int Mantissa, Bias;
  uint32_t Largest, Overflow, Infinity, Nan; ///< Infinity 0: none
};

constexpr SmallFormat SmallFormats[] = {
    {"gfx942", "fp8", 3, 8, 0x7f, 0x80, 0, 0x80},
    {"gfx942", "bf8", 2, 16, 0x7f, 0x80, 0, 0x80},
    {"gfx1201", "fp8", 3, 7, 0x7e, 0x7f, 0, 0xff},
    {"gfx1201", "bf8", 2, 15, 0x7b, 0x7c, 0x7c, 0xfe},
};

TEST_F(VectorConvert, EightBitFloats) {
  for (const SmallFormat &F : SmallFormats) {
    use(F.Target);
    const bool Fnuz = F.Overflow == 0x80;
    const std::string Name = F.Name;
    std::vector<uint32_t> Codes(256);
    for (uint32_t C = 0; C < 256; ++C)
      Codes[C] = C | 0x5a00;
    each32(("v_cvt_f32_" + Name + "_e32 v0, v1").c_str(), Codes,
           [&](uint32_t C) -> uint32_t {
             const uint32_t M = C & 0x7f, Sign = (C & 0x80) << 24;
             if (Fnuz ? (C & 0xff) == 0x80 : M > F.Largest && M != F.Infinity)
               return 0xffc00000;
             if (F.Infinity && M == F.Infinity)
               return Sign | 0x7f800000;
             return Sign | bits(float(valueOf(M, F.Mantissa, F.Bias)));
           });
    auto Encoded = [&](uint32_t B) -> uint32_t {
      const double X = std::fabs(double(toFloat(B)));
      if (std::isnan(X))
        return F.Nan;
      uint32_t C = F.Largest + 1;
      if (!std::isinf(X))
        C = search(X, F.Mantissa, F.Bias, F.Largest);
      C = C > F.Largest ? F.Overflow : C;
      return C | (Fnuz && C == 0 ? 0 : B >> 24 & 0x80);
    };
    auto Values = singles(4000);
    for (uint32_t C = 0; C <= F.Largest; ++C) {
      const double A = valueOf(C, F.Mantissa, F.Bias);
      const double B = valueOf(C + 1, F.Mantissa, F.Bias);
      Values.push_back(bits(float((A + B) / 2)));
      Values.push_back(bits(float((A + B) / 2)) + 1);
      Values.push_back((bits(float((A + B) / 2)) - 1) | 0x80000000);
    }
    fill(0, 0x12345678);
    each32(("v_cvt_pk_" + Name + "_f32 v0, v1, 1.0 op_sel:[0,0,1]").c_str(),
           Values, [&](uint32_t B) {
             return 0x5678 | Encoded(B) << 16 | Encoded(0x3f800000) << 24;
           });
    fill(0, 0x12345678);
    each32(("v_cvt_pk_" + Name + "_f32 v0, 1.0, v1").c_str(), Values,
           [&](uint32_t B) {
             return 0x12340000 | Encoded(0x3f800000) | Encoded(B) << 8;
           });
    // Stochastic: without random bits the result is cut off; with all of them
    // anything above a representable value goes up.
    std::vector<uint32_t> Normal;
    for (uint32_t C = 1u << F.Mantissa; C < F.Largest; ++C) {
      Normal.push_back(bits(float(valueOf(C, F.Mantissa, F.Bias))));
      Normal.push_back(Normal.back() + 0x10000);
    }
    fill(0, 0);
    fill(2, 0);
    each32(("v_cvt_sr_" + Name + "_f32 v0, v1, v2").c_str(), Normal,
           [&](uint32_t B) {
             return search(toFloat(B), F.Mantissa, F.Bias, F.Largest, 2);
           });
    fill(2, 0xffffffff);
    each32(("v_cvt_sr_" + Name + "_f32 v0, v1, v2").c_str(), Normal,
           [&](uint32_t B) {
             return search(toFloat(B), F.Mantissa, F.Bias, F.Largest, 1);
           });
  }
}

TEST_F(VectorConvert, EightBitSelectors) {
  use("gfx942");
  fill(1, 0x40304838); // FNUZ 1.0 is 0x40, 0.25: 0x30, 2.0: 0x48, 0.5: 0x38
  inAll("v_cvt_f32_fp8_sdwa v0, v1 src0_sel:BYTE_1");
  EXPECT_EQ(v(0), bits(2.0f));
  inAll("v_cvt_pk_f32_fp8_sdwa v[2:3], v1 src0_sel:WORD_1");
  EXPECT_EQ(v(2), bits(0.25f));
  EXPECT_EQ(v(3), bits(1.0f));
  fill(0, 0x01020304);
  fill(1, bits(1.0f));
  inAll("v_cvt_sr_fp8_f32 v0, v1, 0 op_sel:[0,0,0,1]");
  EXPECT_EQ(v(0), 0x01400304u);
  inAll("v_cvt_sr_fp8_f32 v0, v1, 0 op_sel:[0,0,1,1]");
  EXPECT_EQ(v(0), 0x40400304u);
  use("gfx1201");
  fill(1, 0x38284030); // OCP 1.0 is 0x38, 0.25: 0x28, 2.0: 0x40, 0.5: 0x30
  inAll("v_cvt_f32_fp8_e64 v0, v1 byte_sel:1");
  EXPECT_EQ(v(0), bits(2.0f));
  inAll("v_cvt_pk_f32_fp8_e64 v[2:3], v1 op_sel:[1,0]");
  EXPECT_EQ(v(2), bits(0.25f));
  EXPECT_EQ(v(3), bits(1.0f));
  fill(0, 0x01020304);
  fill(1, bits(1.0f));
  inAll("v_cvt_sr_fp8_f32 v0, v1, 0 byte_sel:2");
  EXPECT_EQ(v(0), 0x01380304u);
}

TEST_F(VectorConvert, SinglesToDoubles) {
  std::vector<uint32_t> Values = singles(3000);
  for (size_t N = 0; N + 64 <= Values.size(); N += 64) {
    for (unsigned L = 0; L < 64; ++L)
      v(1, L) = Values[N + L];
    inAll("v_cvt_f64_f32_e32 v[2:3], v1");
    W.Mode.Denorm32 = 2;
    inAll("v_cvt_f64_f32_e64 v[4:5], -v1");
    W.Mode.Denorm32 = 3;
    for (unsigned L = 0; L < 64; ++L) {
      const uint32_t B = Values[N + L];
      const uint64_t Nan = uint64_t(B >> 31) << 63 | 0x7ff8000000000000 |
                           uint64_t(B & 0x7fffff) << 29;
      const bool Tiny = (B & 0x7f800000) == 0;
      ASSERT_EQ(v64(2, L), isNan(B) ? Nan : bits(double(toFloat(B))));
      const double Flushed = Tiny ? std::copysign(0.0, toFloat(B)) : toFloat(B);
      ASSERT_EQ(v64(4, L), isNan(B) ? Nan ^ uint64_t(1) << 63 : bits(-Flushed));
    }
  }
}

TEST_F(VectorConvert, InactiveLanesAndRefusals) {
  fill(0, 77);
  fill(1, bits(3.0f));
  W.setExec(0x5);
  inAll("v_cvt_i32_f32_e32 v0, v1");
  EXPECT_EQ(v(0, 0), 3u);
  EXPECT_EQ(v(0, 1), 77u);
  EXPECT_EQ(v(0, 2), 3u);
  EXPECT_EQ(v(0, 63), 77u);
  EXPECT_NE(refusal("v_cvt_pkaccum_u8_f32 v0, v1, v2"), "");
  EXPECT_NE(refusal("v_cvt_pk_i16_i32 v0, v1, v2 clamp"), "");
  EXPECT_EQ(refusal("v_cvt_pk_i16_i32 v0, v1, v2"), "");
}

} // namespace
