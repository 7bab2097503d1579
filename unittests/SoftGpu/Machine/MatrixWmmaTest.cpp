//===- MatrixWmmaTest.cpp - tests of WMMA and sparse instructions ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As MatrixTest.cpp: small integers against a triple loop, registers by the
// mappings that AMD's matrix instruction calculator prints, each written down
// for its instruction. Sparse A is random pairs of each four.
//
//===----------------------------------------------------------------------===//
#include "MatrixTestSupport.h"

using namespace kpack::softgpu;

namespace {

/// Where an element stands: lane, and number in the lane.
struct Slot {
  unsigned Lane, Element;
};

struct WmmaCase {
  const char *Target;
  bool Wave64;
  const char *Mnemonic;
  Format A, B, D;
  unsigned K;
  Slot (*Source)(unsigned I, unsigned K);
};

Slot gfx11Source(unsigned I, unsigned K) { return {I, K}; }
Slot halves32(unsigned I, unsigned K) {
  return {16 * (K / 4 % 2) + I, 2 * (2 * (K / 8) + K / 2 % 2) + K % 2};
}
Slot halves64(unsigned I, unsigned K) {
  return {32 * (K / 8 % 2) + 16 * (K / 4 % 2) + I, 2 * (K / 2 % 2) + K % 2};
}
Slot bytes32(unsigned I, unsigned K) { return {16 * (K / 8) + I, K % 8}; }
Slot bytes64(unsigned I, unsigned K) {
  return {32 * (K / 4 % 2) + 16 * (K / 8 % 2) + I, K % 4};
}
Slot nibbles(unsigned I, unsigned K) { return {16 * (K / 8) + I, K % 8}; }
Slot longNibbles32(unsigned I, unsigned K) {
  return {16 * (K / 16) + I, 8 * (K / 8 % 2) + K % 8};
}
Slot longNibbles64(unsigned I, unsigned K) {
  return {32 * (K / 8 % 2) + 16 * (K / 16 % 2) + I, K % 8};
}

#define BOTH(Target, Name, A, B, D, K, S32, S64)                               \
  {Target, false, Name, Format::A, Format::B, Format::D, K, S32}, {            \
    Target, true, Name, Format::A, Format::B, Format::D, K, S64                \
  }
const WmmaCase Cases[] = {
    BOTH("gfx1100", "v_wmma_f32_16x16x16_f16", F16, F16, F32, 16, gfx11Source,
         gfx11Source),
    BOTH("gfx1100", "v_wmma_f32_16x16x16_bf16", Bf16, Bf16, F32, 16,
         gfx11Source, gfx11Source),
    BOTH("gfx1100", "v_wmma_f16_16x16x16_f16", F16, F16, F16, 16, gfx11Source,
         gfx11Source),
    BOTH("gfx1100", "v_wmma_bf16_16x16x16_bf16", Bf16, Bf16, Bf16, 16,
         gfx11Source, gfx11Source),
    BOTH("gfx1100", "v_wmma_i32_16x16x16_iu8", I8, I8, I8, 16, gfx11Source,
         gfx11Source),
    BOTH("gfx1100", "v_wmma_i32_16x16x16_iu4", I4, I4, I8, 16, gfx11Source,
         gfx11Source),
    BOTH("gfx1201", "v_wmma_f32_16x16x16_f16", F16, F16, F32, 16, halves32,
         halves64),
    BOTH("gfx1201", "v_wmma_f32_16x16x16_bf16", Bf16, Bf16, F32, 16, halves32,
         halves64),
    BOTH("gfx1201", "v_wmma_f16_16x16x16_f16", F16, F16, F16, 16, halves32,
         halves64),
    BOTH("gfx1201", "v_wmma_bf16_16x16x16_bf16", Bf16, Bf16, Bf16, 16, halves32,
         halves64),
    BOTH("gfx1201", "v_wmma_i32_16x16x16_iu8", I8, I8, I8, 16, bytes32,
         bytes64),
    BOTH("gfx1201", "v_wmma_i32_16x16x16_iu4", I4, I4, I8, 16, nibbles,
         nibbles),
    BOTH("gfx1201", "v_wmma_i32_16x16x32_iu4", I4, I4, I8, 32, longNibbles32,
         longNibbles64),
    BOTH("gfx1201", "v_wmma_f32_16x16x16_fp8_fp8", Fp8, Fp8, F32, 16, bytes32,
         bytes64),
    BOTH("gfx1201", "v_wmma_f32_16x16x16_fp8_bf8", Fp8, Bf8, F32, 16, bytes32,
         bytes64),
    BOTH("gfx1201", "v_wmma_f32_16x16x16_bf8_fp8", Bf8, Fp8, F32, 16, bytes32,
         bytes64),
    BOTH("gfx1201", "v_wmma_f32_16x16x16_bf8_bf8", Bf8, Bf8, F32, 16, bytes32,
         bytes64),
};

/// Where a group of four is stored.
struct StoredGroup {
  unsigned Lane, Element, Bit;
};

/// Sparse: where group Four of a row is, its first stored element and the bit
/// of its first index; where B is; index sets a register has.
struct SparseCase {
  const char *Target;
  bool Wave64;
  const char *Mnemonic;
  Format A, B, D;
  unsigned M, K;
  StoredGroup (*Sparse)(unsigned I, unsigned Four);
  Slot (*Dense)(unsigned J, unsigned K);
  unsigned SetBits;
};

template <unsigned M> StoredGroup smfmacHalves(unsigned I, unsigned Four) {
  return {M * (Four / 2) + I, 2 * (Four % 2), 4 * (Four % 2)};
}
template <unsigned M> Slot smfmacHalvesB(unsigned J, unsigned K) {
  return {M * (K / 8) + J, K % 8};
}
template <unsigned M> StoredGroup smfmacBytes(unsigned I, unsigned Four) {
  return {M * (Four / 4) + I, 2 * (Four % 4), 4 * (Four % 4)};
}
template <unsigned M> Slot smfmacBytesB(unsigned J, unsigned K) {
  return {M * (K / 16) + J, K % 16};
}
StoredGroup swHalves32(unsigned I, unsigned Four) {
  return {16 * (Four / 2 % 2) + I, 2 * (2 * (Four / 4) + Four % 2),
          8 * (Four / 4) + 4 * (Four % 2)};
}
Slot swHalves32B(unsigned J, unsigned K) {
  return {16 * (K / 8 % 2) + J, 2 * (4 * (K / 16) + K / 2 % 4) + K % 2};
}
StoredGroup swHalves64(unsigned I, unsigned Four) {
  return {16 * (Four / 2) + I, 2 * (Four % 2), 4 * (Four % 2)};
}
Slot swHalves64B(unsigned J, unsigned K) { return {16 * (K / 8) + J, K % 8}; }
StoredGroup swBytes32(unsigned I, unsigned Four) {
  return {16 * (Four / 4) + I, 2 * (Four % 4), 4 * (Four % 4)};
}
Slot swBytes32B(unsigned J, unsigned K) { return {16 * (K / 16) + J, K % 16}; }
StoredGroup swBytes64(unsigned I, unsigned Four) {
  return {32 * (Four / 2 % 2) + 16 * (Four / 4) + I, 2 * (Four % 2),
          4 * (Four % 2)};
}
Slot swBytes64B(unsigned J, unsigned K) {
  return {32 * (K / 8 % 2) + 16 * (K / 16) + J, K % 8};
}
StoredGroup swLong32(unsigned I, unsigned Four) {
  return {16 * (Four / 8) + I, 2 * (Four % 8), 4 * (Four % 8)};
}
Slot swLong32B(unsigned J, unsigned K) { return {16 * (K / 32) + J, K % 32}; }
StoredGroup swLong64(unsigned I, unsigned Four) {
  return {32 * (Four / 4 % 2) + 16 * (Four / 8) + I, 2 * (Four % 4),
          4 * (Four % 4)};
}
Slot swLong64B(unsigned J, unsigned K) {
  return {32 * (K / 16 % 2) + 16 * (K / 32) + J, K % 16};
}

const SparseCase SparseCases[] = {
    {"gfx942", true, "v_smfmac_f32_16x16x32_f16", Format::F16, Format::F16,
     Format::F32, 16, 32, smfmacHalves<16>, smfmacHalvesB<16>, 8},
    {"gfx942", true, "v_smfmac_f32_32x32x16_f16", Format::F16, Format::F16,
     Format::F32, 32, 16, smfmacHalves<32>, smfmacHalvesB<32>, 8},
    {"gfx942", true, "v_smfmac_f32_16x16x32_bf16", Format::Bf16, Format::Bf16,
     Format::F32, 16, 32, smfmacHalves<16>, smfmacHalvesB<16>, 8},
    {"gfx942", true, "v_smfmac_f32_32x32x16_bf16", Format::Bf16, Format::Bf16,
     Format::F32, 32, 16, smfmacHalves<32>, smfmacHalvesB<32>, 8},
    {"gfx942", true, "v_smfmac_i32_16x16x64_i8", Format::I8, Format::I8,
     Format::I8, 16, 64, smfmacBytes<16>, smfmacBytesB<16>, 16},
    {"gfx942", true, "v_smfmac_i32_32x32x32_i8", Format::I8, Format::I8,
     Format::I8, 32, 32, smfmacBytes<32>, smfmacBytesB<32>, 16},
    {"gfx942", true, "v_smfmac_f32_16x16x64_bf8_fp8", Format::Bf8Fnuz,
     Format::Fp8Fnuz, Format::F32, 16, 64, smfmacBytes<16>, smfmacBytesB<16>,
     16},
    {"gfx942", true, "v_smfmac_f32_16x16x64_fp8_fp8", Format::Fp8Fnuz,
     Format::Fp8Fnuz, Format::F32, 16, 64, smfmacBytes<16>, smfmacBytesB<16>,
     16},
    {"gfx942", true, "v_smfmac_f32_32x32x32_fp8_bf8", Format::Fp8Fnuz,
     Format::Bf8Fnuz, Format::F32, 32, 32, smfmacBytes<32>, smfmacBytesB<32>,
     16},
    {"gfx942", true, "v_smfmac_f32_32x32x32_bf8_bf8", Format::Bf8Fnuz,
     Format::Bf8Fnuz, Format::F32, 32, 32, smfmacBytes<32>, smfmacBytesB<32>,
     16},
    {"gfx1201", false, "v_swmmac_f32_16x16x32_f16", Format::F16, Format::F16,
     Format::F32, 16, 32, swHalves32, swHalves32B, 16},
    {"gfx1201", true, "v_swmmac_f32_16x16x32_f16", Format::F16, Format::F16,
     Format::F32, 16, 32, swHalves64, swHalves64B, 8},
    {"gfx1201", false, "v_swmmac_f32_16x16x32_bf16", Format::Bf16, Format::Bf16,
     Format::F32, 16, 32, swHalves32, swHalves32B, 16},
    {"gfx1201", false, "v_swmmac_f16_16x16x32_f16", Format::F16, Format::F16,
     Format::F16, 16, 32, swHalves32, swHalves32B, 16},
    {"gfx1201", true, "v_swmmac_f16_16x16x32_f16", Format::F16, Format::F16,
     Format::F16, 16, 32, swHalves64, swHalves64B, 8},
    {"gfx1201", false, "v_swmmac_bf16_16x16x32_bf16", Format::Bf16,
     Format::Bf16, Format::Bf16, 16, 32, swHalves32, swHalves32B, 16},
    {"gfx1201", false, "v_swmmac_i32_16x16x32_iu8", Format::I8, Format::I8,
     Format::I8, 16, 32, swBytes32, swBytes32B, 16},
    {"gfx1201", true, "v_swmmac_i32_16x16x32_iu8", Format::I8, Format::I8,
     Format::I8, 16, 32, swBytes64, swBytes64B, 8},
    {"gfx1201", false, "v_swmmac_f32_16x16x32_fp8_bf8", Format::Fp8,
     Format::Bf8, Format::F32, 16, 32, swBytes32, swBytes32B, 16},
    {"gfx1201", true, "v_swmmac_f32_16x16x32_bf8_fp8", Format::Bf8, Format::Fp8,
     Format::F32, 16, 32, swBytes64, swBytes64B, 8},
    {"gfx1201", false, "v_swmmac_i32_16x16x32_iu4", Format::I4, Format::I4,
     Format::I8, 16, 32, swBytes32, swBytes32B, 16},
    {"gfx1201", true, "v_swmmac_i32_16x16x32_iu4", Format::I4, Format::I4,
     Format::I8, 16, 32, swBytes32, swBytes64B, 16},
    {"gfx1201", false, "v_swmmac_i32_16x16x64_iu4", Format::I4, Format::I4,
     Format::I8, 16, 64, swLong32, swLong32B, 32},
    {"gfx1201", true, "v_swmmac_i32_16x16x64_iu4", Format::I4, Format::I4,
     Format::I8, 16, 64, swLong64, swLong64B, 16},
};

std::string registers(unsigned First, unsigned Count) {
  if (Count == 1)
    return "v" + std::to_string(First);
  return "v[" + std::to_string(First) + ":" +
         std::to_string(First + Count - 1) + "]";
}

class WmmaTest : public MatrixFixture {
protected:
  /// Format::I8 for a result means i32.
  static unsigned wide(Format D) { return D == Format::I8 ? 32 : bitsOf(D); }
  static uint64_t encodeResult(Format D, int X) {
    return D == Format::I8 ? uint32_t(X) : encode(D, X);
  }
  static bool isInteger(Format A) { return A == Format::I8 || A == Format::I4; }

  /// 16x16 results.
  Slot resultAt(unsigned I, unsigned J) const {
    const bool Wave64 = W.Lanes == 64;
    if (Isa.isGfx12Plus())
      return Wave64 ? Slot{32 * (I / 4 % 2) + 16 * (I / 8) + J, I % 4}
                    : Slot{16 * (I / 8) + J, I % 8};
    return Wave64 ? Slot{16 * I % 64 + J, I / 4} : Slot{16 * I % 32 + J, I / 2};
  }
  /// Registers of \p Elements of \p Bits over the wave.
  unsigned dwords(unsigned Elements, unsigned Bits) const {
    return std::max(1u, Elements * Bits / 32 / W.Lanes);
  }

  /// \p High: gfx11's upper halves of C and D.
  void check(const WmmaCase &C, bool High) {
    use(C.Target, C.Wave64);
    SCOPED_TRACE(testing::Message() << C.Target << " " << W.Lanes << " "
                                    << C.Mnemonic << " high " << High);
    const bool Gfx12 = Isa.isGfx12Plus();
    const unsigned Bits = bitsOf(C.A), Wide = wide(C.D);
    const unsigned In = Gfx12 ? dwords(16 * C.K, Bits) : C.K * Bits / 32;
    const unsigned Out = dwords(256, Gfx12 ? Wide : 32);
    // gfx11's 16-bit results stand in every other half.
    const unsigned Step = !Gfx12 && Wide == 16 ? 2 : 1;
    int A[16][32], B[16][32], Addend[16][16];
    // gfx11 is off by a unit where signs differ: SumsOfGfx11.
    const bool OneSign = !Gfx12 && !isInteger(C.A);
    auto Number = [&](int Limit) {
      const int X = small(Limit);
      return OneSign ? std::abs(X) : X;
    };
    for (unsigned R = 100; R < 108; ++R)
      fill(R, 0xabcd1234);
    for (unsigned I = 0; I < 16; ++I) {
      for (unsigned K = 0; K < C.K; ++K) {
        A[I][K] = Number(4);
        B[I][K] = Number(4);
        const Slot S = C.Source(I, K);
        for (unsigned Copy = S.Lane; Copy < (Gfx12 ? S.Lane + 1 : W.Lanes);
             Copy += 16) {
          put(0, Copy, S.Element, Bits, encode(C.A, A[I][K]));
          put(20, Copy, S.Element, Bits, encode(C.B, B[I][K]));
        }
      }
      for (unsigned J = 0; J < 16; ++J) {
        Addend[I][J] = Number(100);
        const Slot S = resultAt(I, J);
        put(60, S.Lane, S.Element * Step + High, Wide,
            encodeResult(C.D, Addend[I][J]));
      }
    }
    std::string Text = std::string(C.Mnemonic) + " " + registers(100, Out) +
                       ", " + registers(0, In) + ", " + registers(20, In) +
                       ", " + registers(60, Out);
    if (High)
      Text += " op_sel:[0,0,1]";
    if (isInteger(C.A))
      Text += " neg_lo:[1,1,0]";
    W.setExec(3); // not consulted
    run(Text.c_str());
    for (unsigned I = 0; I < 16; ++I)
      for (unsigned J = 0; J < 16; ++J) {
        int Sum = Addend[I][J];
        for (unsigned K = 0; K < C.K; ++K)
          Sum += A[I][K] * B[J][K];
        const Slot S = resultAt(I, J);
        ASSERT_EQ(get(100, S.Lane, S.Element * Step + High, Wide),
                  encodeResult(C.D, Sum))
            << I << ", " << J;
        if (Step == 2)
          ASSERT_EQ(get(100, S.Lane, S.Element * Step + !High, Wide),
                    High ? 0x1234u : 0xabcdu);
      }
  }

  void check(const SparseCase &C, unsigned Set) {
    use(C.Target, C.Wave64);
    SCOPED_TRACE(testing::Message()
                 << W.Lanes << " " << C.Mnemonic << " set " << Set);
    const unsigned Bits = bitsOf(C.A), Wide = wide(C.D);
    const bool Gfx12 = Isa.isGfx12Plus();
    std::vector<std::vector<int>> A(C.M, std::vector<int>(C.K)), B = A;
    auto ResultAt = [&](unsigned I, unsigned J) -> Slot {
      if (Gfx12)
        return resultAt(I, J);
      return C.M == 16 ? Slot{16 * (I / 4) + J, I % 4}
                       : Slot{32 * (I / 4 % 2) + J, 4 * (I / 8) + I % 4};
    };
    std::vector<std::vector<int>> Addend(C.M, std::vector<int>(C.M));
    for (unsigned Lane = 0; Lane < 64; ++Lane)
      v(60, Lane) = uint32_t(Random());
    for (unsigned I = 0; I < C.M; ++I) {
      for (unsigned Four = 0; Four < C.K / 4; ++Four) {
        const StoredGroup G = C.Sparse(I, Four);
        const unsigned First = Random() % 3,
                       Second = First + 1 + Random() % (3 - First);
        put(60, G.Lane, (Set * C.SetBits + G.Bit) / 4, 4, First | Second << 2);
        for (unsigned V = 0; V < 2; ++V) {
          const int X = small();
          A[I][4 * Four + (V ? Second : First)] = X;
          put(0, G.Lane, G.Element + V, Bits, encode(C.A, X));
        }
      }
      for (unsigned K = 0; K < C.K; ++K) {
        B[I][K] = small();
        const Slot S = C.Dense(I, K);
        put(20, S.Lane, S.Element, Bits, encode(C.B, B[I][K]));
      }
      for (unsigned J = 0; J < C.M; ++J) {
        Addend[I][J] = small(100);
        const Slot S = ResultAt(I, J);
        put(100, S.Lane, S.Element, Wide, encodeResult(C.D, Addend[I][J]));
      }
    }
    std::string Text = std::string(C.Mnemonic) + " " +
                       registers(100, dwords(C.M * C.M, Wide)) + ", " +
                       registers(0, dwords(C.M * C.K / 2, Bits)) + ", " +
                       registers(20, dwords(C.M * C.K, Bits)) + ", v60";
    if (Set)
      Text += (Gfx12 ? " index_key:" : " abid:") + std::to_string(Set);
    if (Gfx12 && isInteger(C.A))
      Text += " neg_lo:[1,1,0]";
    run(Text.c_str());
    for (unsigned I = 0; I < C.M; ++I)
      for (unsigned J = 0; J < C.M; ++J) {
        int Sum = Addend[I][J];
        for (unsigned K = 0; K < C.K; ++K)
          Sum += A[I][K] * B[J][K];
        const Slot S = ResultAt(I, J);
        ASSERT_EQ(get(100, S.Lane, S.Element, Wide), encodeResult(C.D, Sum))
            << I << ", " << J;
      }
  }

  /// One element of wave32: the first products of a row and a column.
  uint32_t dot(const char *Text, std::vector<uint16_t> A,
               std::vector<uint16_t> B, uint32_t C) {
    for (unsigned R = 0; R < 128; ++R)
      fill(R, 0);
    for (unsigned K = 0; K < A.size(); ++K) {
      put(0, 0, K, 16, A[K]);
      put(20, 0, K, 16, B[K]);
    }
    v(60) = C;
    run(Text);
    return v(100);
  }
};

const char *Gfx11F32 =
    "v_wmma_f32_16x16x16_f16 v[100:107], v[0:7], v[20:27], v[60:67]";
const char *Gfx12F32 =
    "v_wmma_f32_16x16x16_f16 v[100:107], v[0:3], v[20:23], v[60:67]";

} // namespace

TEST_F(WmmaTest, DenseProductsAreRight) {
  for (const WmmaCase &C : Cases) {
    check(C, false);
    if (C.Target == std::string("gfx1100") && wide(C.D) == 16)
      check(C, true);
  }
}

TEST_F(WmmaTest, SparseProductsAreRight) {
  for (const SparseCase &C : SparseCases)
    for (unsigned Set = 0; Set < 32 / C.SetBits; ++Set)
      check(C, Set);
}

TEST_F(WmmaTest, SparseWithCbszTakesTheFirstSet) {
  use("gfx942");
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    v(60, Lane) = 0xeeee4444; // first set: elements 0 and 1; others: 2 and 3
  for (unsigned R = 0; R < 4; ++R) {
    fill(R, 0x3c003c00);
    fill(20 + R, R % 2 ? 0 : 0x3c003c00); // B is 1, 1, 0, 0...
  }
  run("v_smfmac_f32_16x16x32_f16 v[100:103], v[0:1], v[20:23], v60 cbsz:1 "
      "abid:2");
  EXPECT_EQ(v(100), bits(16.0f));
  fill(100, 0);
  run("v_smfmac_f32_16x16x32_f16 v[100:103], v[0:1], v[20:23], v60 abid:2");
  EXPECT_EQ(v(100), bits(0.0f));
}

TEST_F(WmmaTest, SignsAndConstants) {
  auto Uniform = [&](const std::string &Text, uint32_t A, uint32_t B,
                     uint32_t C) {
    for (unsigned R = 0; R < 8; ++R) {
      fill(R, A);
      fill(20 + R, B);
      fill(60 + R, C);
    }
    fill(100, 0);
    run(Text.c_str());
    return v(100);
  };
  // Even elements of A are 2, odd ones 3; B is 1.
  const uint32_t A = 0x42004000, B = 0x3c003c00;
  use("gfx1201");
  const std::string Wmma = Gfx12F32;
  EXPECT_EQ(Uniform(Wmma, A, B, bits(-5.0f)), bits(35.0f));
  EXPECT_EQ(Uniform(Wmma + " neg_lo:[1,0,0]", A, B, 0), bits(8.0f));
  EXPECT_EQ(Uniform(Wmma + " neg_hi:[1,0,0]", A, B, 0), bits(-8.0f));
  EXPECT_EQ(Uniform(Wmma + " neg_lo:[0,1,1] neg_hi:[0,1,0]", A, B, bits(7.0f)),
            bits(-47.0f));
  EXPECT_EQ(Uniform(Wmma + " neg_hi:[0,0,1]", A, B, bits(-5.0f)), bits(45.0f));
  EXPECT_EQ(Uniform("v_wmma_f32_16x16x16_f16 v[100:107], v[0:3], v[20:23], "
                    "-4.0",
                    A, B, 0),
            bits(36.0f));
  use("gfx1100");
  EXPECT_EQ(Uniform(std::string(Gfx11F32) + " neg_lo:[1,0,0] neg_hi:[1,0,0]", A,
                    B, 0x80000000),
            bits(-40.0f));
  EXPECT_EQ(Uniform("v_wmma_f16_16x16x16_f16 v[100:107], v[0:7], v[20:27], 2.0",
                    A, B, 0),
            0x5140u); // 42
  EXPECT_EQ(Uniform("v_wmma_bf16_16x16x16_bf16 v[100:107], v[0:7], v[20:27], "
                    "2.0",
                    0x3f803f80, 0x3f803f80, 0),
            0x4190u); // 18
  // Signedness of each source; saturation.
  const std::string Bytes =
      "v_wmma_i32_16x16x16_iu8 v[100:107], v[0:3], v[20:23], v[60:67]";
  EXPECT_EQ(Uniform(Bytes, 0xffffffff, 0x02020202, 0), 16u * 510);
  EXPECT_EQ(Uniform(Bytes + " neg_lo:[1,0,0]", 0xffffffff, 0x02020202, 0),
            uint32_t(-32));
  EXPECT_EQ(Uniform(Bytes + " neg_lo:[0,1,0]", 0x02020202, 0xffffffff, 0),
            uint32_t(-32));
  EXPECT_EQ(Uniform(Bytes, 0xffffffff, 0xffffffff, 0x7fffff00),
            0x7fffff00u + 16 * 65025);
  EXPECT_EQ(Uniform(Bytes + " clamp", 0xffffffff, 0xffffffff, 0x7fffff00),
            0x7fffffffu);
}

TEST_F(WmmaTest, SumsOfGfx11) {
  use("gfx1100");
  // 2^-12 and 1.25 * 2^-12: 5 units of 2^-26 above 1. A product of -0 is a unit
  // less: the tie then goes to the even neighbour.
  EXPECT_EQ(dot(Gfx11F32, {0x0c00}, {0x0d00}, bits(1.0f)),
            bits(1.0f + 0x1p-23f));
  EXPECT_EQ(dot(Gfx11F32, {0x0c00, 0x8000}, {0x0d00, 0x3c00}, bits(1.0f)),
            bits(1.0f));
  // As captured on a gfx1100 (rocm-systems issue 12056): 3 * 8 + 4 * 8 - 1,
  // 1 - 1 + 1 and 1 + 1 - 2.
  EXPECT_EQ(dot(Gfx11F32, {0x4200, 0x4800}, {0x4800, 0x4400}, bits(-1.0f)),
            0x425c0001u);
  EXPECT_EQ(dot(Gfx11F32, {0xbc00, 0x3c00}, {0x3c00, 0x3c00}, bits(1.0f)),
            0x3f7fffffu);
  EXPECT_EQ(dot(Gfx11F32, {0x3c00, 0x3c00}, {0x3c00, 0x3c00}, bits(-2.0f)),
            0x34000000u);
  // Each pair is a step: 2^24 + 1 + 1 is exact, 2^24 + 1 is not.
  EXPECT_EQ(dot(Gfx11F32, {0x3c00, 0x3c00}, {0x3c00, 0x3c00}, bits(0x1p24f)),
            bits(0x1p24f + 2));
  EXPECT_EQ(
      dot(Gfx11F32, {0x3c00, 0, 0x3c00}, {0x3c00, 0, 0x3c00}, bits(0x1p24f)),
      bits(0x1p24f));
  // f16 denormals count, f32 ones are flushed.
  EXPECT_EQ(dot(Gfx11F32, {1}, {0x3c00}, 0), bits(0x1p-24f));
  EXPECT_EQ(dot(Gfx11F32, {0}, {0}, 1), 0u);
  // NaN and infinities.
  EXPECT_EQ(dot(Gfx11F32, {0x7e01}, {0x3c00}, 0x7fc00000), 0xffc00a3du);
  EXPECT_EQ(dot(Gfx11F32, {0x7c00}, {0}, 0), 0xffc00000u);
  EXPECT_EQ(dot(Gfx11F32, {0x3c00}, {0x3c00}, 0x7f800005), 0x7fc00005u);
  EXPECT_EQ(dot(Gfx11F32, {0xfc00}, {0x3c00}, 0), 0xff800000u);
}

TEST_F(WmmaTest, SumsOfGfx12) {
  use("gfx1201");
  EXPECT_EQ(dot(Gfx12F32, {0x0c00}, {0x0d00}, bits(1.0f)),
            bits(1.0f + 0x1p-23f));
  // -0 does not count; -2^-30 takes the sum of its pair down to the grid.
  EXPECT_EQ(dot(Gfx12F32, {0x0c00, 0x8000}, {0x0d00, 0x3c00}, bits(1.0f)),
            bits(1.0f + 0x1p-23f));
  EXPECT_EQ(dot(Gfx12F32, {0x0c00, 0x8040}, {0x0d00, 0x0400}, bits(1.0f)),
            bits(1.0f));
  // Four products are a step.
  EXPECT_EQ(
      dot(Gfx12F32, {0x3c00, 0, 0x3c00}, {0x3c00, 0, 0x3c00}, bits(0x1p24f)),
      bits(0x1p24f + 2));
  EXPECT_EQ(dot(Gfx12F32, {0}, {0}, 1), 1u); // denormals are kept
  EXPECT_EQ(dot(Gfx12F32, {0x7e01}, {0x3c00}, 0), 0xffc00a3du);
}

TEST_F(WmmaTest, InvalidOperandsAreRefused) {
  EXPECT_NE(refusal("v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7] "
                    "clamp"),
            "");
  EXPECT_NE(refusal("v_swmmac_f32_16x16x32_fp8_fp8 v[0:7], v[8:9], v[10:13], "
                    "v14 neg_lo:[1,0,0]"),
            "");
  // Registers of the other wave size.
  use("gfx1100", /*Wave64=*/true);
  execute(Gfx11F32);
  ASSERT_TRUE(W.Failure);
  use("gfx1201");
  execute("v_wmma_i32_16x16x16_iu8 v[0:7], v[8:9], v[10:11], v[0:7] "
          "neg_lo:[0,0,1]");
  ASSERT_TRUE(W.Failure);
}
