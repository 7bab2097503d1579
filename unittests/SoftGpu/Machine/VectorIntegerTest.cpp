//===- VectorIntegerTest.cpp - tests of 32- and 64-bit integers -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formulas here are wide or bit by bit where the interpreter's are narrow or
// by words.
//
//===----------------------------------------------------------------------===//
#include "LaneRows.h"
#include <algorithm>

using namespace kpack::softgpu;

namespace {

using U = uint64_t;
using Wide = __int128;

constexpr Wide Low32 = 0xffffffff;
Wide u32(U X) { return Wide(X & 0xffffffff); }
Wide i32(U X) { return u32(X) - (X & 0x80000000 ? Low32 + 1 : 0); }
Wide u24(U X) { return Wide(X % (1 << 24)); }
Wide i24(U X) { return u24(X) - (X & 0x800000 ? 1 << 24 : 0); }
Wide u16(U X) { return Wide(X % 65536); }
Wide i16(U X) { return u16(X) - (X & 0x8000 ? 65536 : 0); }
Wide i64(U X) { return Wide(int64_t(X)); }
U cut(Wide X) { return U(X); }
U clampTo(Wide X, Wide Least, Wide Greatest) {
  return cut(std::min(std::max(X, Least), Greatest));
}
U clampU32(Wide X) { return clampTo(X, 0, Low32); }
U clampI32(Wide X) { return clampTo(X, -(Low32 + 1) / 2, Low32 / 2); }

/// Result bit N is Bit(N).
template <class F> U build(unsigned Bits, F Bit) {
  U R = 0;
  for (unsigned N = 0; N < Bits; ++N)
    R |= U(Bit(N) ? 1 : 0) << N;
  return R;
}
bool bit(U X, int N) { return N >= 0 && N < 64 && (X >> N & 1); }
bool bit32(U X, int N) { return N < 32 && bit(X, N); }
U extractByte(U X, unsigned N) { return X >> 8 * N & 0xff; }
U absDiff(U X, U Y) { return std::max(X, Y) - std::min(X, Y); }
U median(Wide X, Wide Y, Wide Z) {
  Wide All[] = {X, Y, Z};
  std::sort(All, All + 3);
  return cut(All[1]);
}
U sadBytes(U X, U Y, bool Masked) {
  U Sum = 0;
  for (unsigned N = 0; N < 4; ++N)
    if (!Masked || extractByte(Y, N) != 0)
      Sum += absDiff(extractByte(X, N), extractByte(Y, N));
  return Sum;
}
U quadSad(U X, U Y, U Z, bool Masked) {
  U R = 0;
  for (int N = 3; N >= 0; --N)
    R = R << 16 | ((sadBytes(X >> 8 * N, Y, Masked) + (Z >> 16 * N)) & 0xffff);
  return R;
}
U firstSet(U X, bool FromTop) {
  for (unsigned N = 0; N < 32; ++N)
    if (bit(X, FromTop ? 31 - int(N) : int(N)))
      return N;
  return 0xffffffff;
}
U signRun(U X) {
  for (unsigned N = 1; N < 32; ++N)
    if (bit(X, 31 - int(N)) != bit(X, 31))
      return N;
  return 0xffffffff;
}
U permByte(U X, U Y, U Select) {
  const U Bytes[] = {extractByte(Y, 0), extractByte(Y, 1), extractByte(Y, 2),
                     extractByte(Y, 3), extractByte(X, 0), extractByte(X, 1),
                     extractByte(X, 2), extractByte(X, 3)};
  if (Select < 8)
    return Bytes[Select];
  if (Select < 12)
    return Bytes[(Select - 8) * 2 + 1] >= 0x80 ? 0xff : 0;
  return Select == 12 ? 0 : 0xff;
}

const LaneRow Arithmetic[] = {
    {"v_add_u32_e32 v10, v2, v4",
     [](U A, U B, U, U) { return cut(u32(A) + u32(B)); }},
    {"v_add_nc_u32_e64 v10, v2, v4 clamp",
     [](U A, U B, U, U) { return clampU32(u32(A) + u32(B)); }},
    {"v_sub_u32_e32 v10, v2, v4",
     [](U A, U B, U, U) { return cut(u32(A) - u32(B)); }},
    {"v_sub_nc_u32_e64 v10, v2, v4 clamp",
     [](U A, U B, U, U) { return clampU32(u32(A) - u32(B)); }},
    {"v_subrev_u32_e32 v10, v2, v4",
     [](U A, U B, U, U) { return cut(u32(B) - u32(A)); }},
    {"v_subrev_nc_u32_e64 v10, v2, v4 clamp",
     [](U A, U B, U, U) { return clampU32(u32(B) - u32(A)); }},
    {"v_add_i32 v10, v2, v4",
     [](U A, U B, U, U) { return cut(i32(A) + i32(B)); }},
    {"v_add_nc_i32 v10, v2, v4 clamp",
     [](U A, U B, U, U) { return clampI32(i32(A) + i32(B)); }},
    {"v_sub_i32 v10, v2, v4",
     [](U A, U B, U, U) { return cut(i32(A) - i32(B)); }},
    {"v_sub_nc_i32 v10, v2, v4 clamp",
     [](U A, U B, U, U) { return clampI32(i32(A) - i32(B)); }},
    {"v_mul_u32_u24_e32 v10, v2, v4",
     [](U A, U B, U, U) { return cut(u24(A) * u24(B)); }},
    {"v_mul_u32_u24_e64 v10, v2, v4 clamp",
     [](U A, U B, U, U) { return clampU32(u24(A) * u24(B)); }},
    {"v_mul_i32_i24_e32 v10, v2, v4",
     [](U A, U B, U, U) { return cut(i24(A) * i24(B)); }},
    {"v_mul_hi_u32_u24_e32 v10, v2, v4",
     [](U A, U B, U, U) { return cut(u24(A) * u24(B) >> 32); }},
    {"v_mul_hi_i32_i24_e32 v10, v2, v4",
     [](U A, U B, U, U) { return cut(i24(A) * i24(B) >> 32); }},
    {"v_mad_u32_u24 v10, v2, v4, v6",
     [](U A, U B, U C, U) { return cut(u24(A) * u24(B) + u32(C)); }},
    {"v_mad_u32_u24 v10, v2, v4, v6 clamp",
     [](U A, U B, U C, U) { return clampU32(u24(A) * u24(B) + u32(C)); }},
    {"v_mad_i32_i24 v10, v2, v4, v6",
     [](U A, U B, U C, U) { return cut(i24(A) * i24(B) + i32(C)); }},
    {"v_mad_i32_i24 v10, v2, v4, v6 clamp",
     [](U A, U B, U C, U) { return clampI32(i24(A) * i24(B) + i32(C)); }},
    {"v_mad_u32_u16 v10, v2, v4, v6",
     [](U A, U B, U C, U) { return cut(u16(A) * u16(B) + u32(C)); }},
    {"v_mad_u32_u16 v10, v2, v4, v6 op_sel:[1,0,0,0]",
     [](U A, U B, U C, U) { return cut(u16(A >> 16) * u16(B) + u32(C)); }},
    {"v_mad_i32_i16 v10, v2, v4, v6 op_sel:[0,1,0,0]",
     [](U A, U B, U C, U) { return cut(i16(A) * i16(B >> 16) + i32(C)); }},
    {"v_mul_lo_u32 v10, v2, v4",
     [](U A, U B, U, U) { return cut(u32(A) * u32(B)); }},
    {"v_mul_hi_u32 v10, v2, v4",
     [](U A, U B, U, U) { return cut(u32(A) * u32(B) >> 32); }},
    {"v_mul_hi_i32 v10, v2, v4",
     [](U A, U B, U, U) { return cut(i32(A) * i32(B) >> 32); }},
    {"v_add3_u32 v10, v2, v4, v6",
     [](U A, U B, U C, U) { return cut(u32(A) + u32(B) + u32(C)); }},
    {"v_add_lshl_u32 v10, v2, v4, v6",
     [](U A, U B, U C, U) { return cut((u32(A) + u32(B)) << C % 32); }},
    {"v_lshl_add_u32 v10, v2, v4, v6",
     [](U A, U B, U C, U) { return cut((u32(A) << B % 32) + u32(C)); }},
    {"v_lshl_add_u64 v[10:11], v[2:3], v4, v[6:7]",
     [](U A, U B, U C, U) { return A * (U(1) << B % 8) + C; }, 64},
    {"v_xad_u32 v10, v2, v4, v6",
     [](U A, U B, U C, U) { return cut(u32(A ^ B) + u32(C)); }},
};

const LaneRow Order[] = {
    {"v_min_u32_e32 v10, v2, v4",
     [](U A, U B, U, U) { return cut(std::min(u32(A), u32(B))); }},
    {"v_min_i32_e32 v10, v2, v4",
     [](U A, U B, U, U) { return cut(std::min(i32(A), i32(B))); }},
    {"v_max_u32_e32 v10, v2, v4",
     [](U A, U B, U, U) { return cut(std::max(u32(A), u32(B))); }},
    {"v_max_i32_e32 v10, v2, v4",
     [](U A, U B, U, U) { return cut(std::max(i32(A), i32(B))); }},
    {"v_min3_u32 v10, v2, v4, v6",
     [](U A, U B, U C, U) { return cut(std::min({u32(A), u32(B), u32(C)})); }},
    {"v_min3_i32 v10, v2, v4, v6",
     [](U A, U B, U C, U) { return cut(std::min({i32(A), i32(B), i32(C)})); }},
    {"v_max3_u32 v10, v2, v4, v6",
     [](U A, U B, U C, U) { return cut(std::max({u32(A), u32(B), u32(C)})); }},
    {"v_max3_i32 v10, v2, v4, v6",
     [](U A, U B, U C, U) { return cut(std::max({i32(A), i32(B), i32(C)})); }},
    {"v_med3_u32 v10, v2, v4, v6",
     [](U A, U B, U C, U) { return median(u32(A), u32(B), u32(C)); }},
    {"v_med3_i32 v10, v2, v4, v6",
     [](U A, U B, U C, U) { return median(i32(A), i32(B), i32(C)); }},
    {"v_minmax_u32 v10, v2, v4, v6",
     [](U A, U B, U C, U) {
       return cut(std::max(std::min(u32(A), u32(B)), u32(C)));
     }},
    {"v_minmax_i32 v10, v2, v4, v6",
     [](U A, U B, U C, U) {
       return cut(std::max(std::min(i32(A), i32(B)), i32(C)));
     }},
    {"v_maxmin_u32 v10, v2, v4, v6",
     [](U A, U B, U C, U) {
       return cut(std::min(std::max(u32(A), u32(B)), u32(C)));
     }},
    {"v_maxmin_i32 v10, v2, v4, v6",
     [](U A, U B, U C, U) {
       return cut(std::min(std::max(i32(A), i32(B)), i32(C)));
     }},
};

const LaneRow Bits[] = {
    {"v_mov_b32_e32 v10, v2", [](U A, U, U, U) { return A; }},
    {"v_mov_b64_e32 v[10:11], v[2:3]", [](U A, U, U, U) { return A; }, 64},
    {"v_not_b32_e32 v10, v2", [](U A, U, U, U) { return cut(Low32 - u32(A)); }},
    {"v_and_b32_e32 v10, v2, v4",
     [](U A, U B, U, U) {
       return build(32, [&](int N) { return bit(A, N) && bit(B, N); });
     }},
    {"v_or_b32_e32 v10, v2, v4",
     [](U A, U B, U, U) {
       return build(32, [&](int N) { return bit(A, N) || bit(B, N); });
     }},
    {"v_xor_b32_e32 v10, v2, v4",
     [](U A, U B, U, U) {
       return build(32, [&](int N) { return bit(A, N) != bit(B, N); });
     }},
    {"v_xnor_b32_e32 v10, v2, v4",
     [](U A, U B, U, U) {
       return build(32, [&](int N) { return bit(A, N) == bit(B, N); });
     }},
    {"v_or3_b32 v10, v2, v4, v6",
     [](U A, U B, U C, U) {
       return build(32,
                    [&](int N) { return bit(A, N) || bit(B, N) || bit(C, N); });
     }},
    {"v_xor3_b32 v10, v2, v4, v6",
     [](U A, U B, U C, U) {
       return build(32, [&](int N) {
         return (bit(A, N) + bit(B, N) + bit(C, N)) % 2 == 1;
       });
     }},
    {"v_and_or_b32 v10, v2, v4, v6",
     [](U A, U B, U C, U) {
       return build(
           32, [&](int N) { return (bit(A, N) && bit(B, N)) || bit(C, N); });
     }},
    {"v_lshl_or_b32 v10, v2, v4, v6",
     [](U A, U B, U C, U) {
       return build(
           32, [&](int N) { return bit(A, N - int(B % 32)) || bit(C, N); });
     }},
    {"v_lshlrev_b32_e32 v10, v2, v4",
     [](U A, U B, U, U) {
       return build(32, [&](int N) { return bit(B, N - int(A % 32)); });
     }},
    {"v_lshrrev_b32_e32 v10, v2, v4",
     [](U A, U B, U, U) {
       return build(32, [&](int N) { return bit32(B, N + int(A % 32)); });
     }},
    {"v_ashrrev_i32_e32 v10, v2, v4",
     [](U A, U B, U, U) {
       return build(
           32, [&](int N) { return bit(B, std::min(31, N + int(A % 32))); });
     }},
    {"v_lshlrev_b64 v[10:11], v2, v[4:5]",
     [](U A, U B, U, U) {
       return build(64, [&](int N) { return bit(B, N - int(A % 64)); });
     },
     64},
    {"v_lshrrev_b64 v[10:11], v2, v[4:5]",
     [](U A, U B, U, U) {
       return build(64, [&](int N) { return bit(B, N + int(A % 64)); });
     },
     64},
    {"v_ashrrev_i64 v[10:11], v2, v[4:5]",
     [](U A, U B, U, U) {
       return build(
           64, [&](int N) { return bit(B, std::min(63, N + int(A % 64))); });
     },
     64},
    {"v_bfe_u32 v10, v2, v4, v6",
     [](U A, U B, U C, U) {
       return build(32, [&](unsigned N) {
         return N < C % 32 && bit32(A, int(N + B % 32));
       });
     }},
    {"v_bfe_i32 v10, v2, v4, v6",
     [](U A, U B, U C, U) {
       return build(32, [&](int N) {
         const int Last = int(C % 32) - 1;
         return Last >= 0 &&
                bit(A, std::min(31, std::min(N, Last) + int(B % 32)));
       });
     }},
    {"v_bfi_b32 v10, v2, v4, v6",
     [](U A, U B, U C, U) {
       return build(32,
                    [&](int N) { return bit(A, N) ? bit(B, N) : bit(C, N); });
     }},
    {"v_bfm_b32 v10, v2, v4",
     [](U A, U B, U, U) {
       return build(
           32, [&](unsigned N) { return N >= B % 32 && N - B % 32 < A % 32; });
     }},
    {"v_alignbit_b32 v10, v2, v4, v6",
     [](U A, U B, U C, U) {
       return build(32, [&](unsigned N) {
         const int From = int(N + C % 32);
         return From < 32 ? bit(B, From) : bit(A, From - 32);
       });
     }},
    {"v_alignbit_b32 v10, v2, v4, v6.h",
     [](U A, U B, U C, U) {
       return build(32, [&](unsigned N) {
         const int From = int(N + (C >> 16) % 32);
         return From < 32 ? bit(B, From) : bit(A, From - 32);
       });
     }},
    {"v_alignbyte_b32 v10, v2, v4, v6",
     [](U A, U B, U C, U) {
       U R = 0;
       for (unsigned N = 0; N < 4; ++N) {
         const unsigned From = N + C % 4;
         R |= (From < 4 ? extractByte(B, From) : extractByte(A, From - 4))
              << 8 * N;
       }
       return R;
     }},
    {"v_perm_b32 v10, v2, v4, v6",
     [](U A, U B, U C, U) {
       U R = 0;
       for (unsigned N = 0; N < 4; ++N)
         R |= permByte(A, B, extractByte(C, N)) << 8 * N;
       return R;
     }},
    {"v_bfrev_b32_e32 v10, v2",
     [](U A, U, U, U) {
       return build(32, [&](int N) { return bit(A, 31 - N); });
     }},
    {"v_bcnt_u32_b32 v10, v2, v4",
     [](U A, U B, U, U) {
       for (int N = 0; N < 32; ++N)
         B += bit(A, N);
       return B;
     }},
    {"v_ffbh_u32_e32 v10, v2", [](U A, U, U, U) { return firstSet(A, true); }},
    {"v_clz_i32_u32_e32 v10, v2",
     [](U A, U, U, U) { return firstSet(A, true); }},
    {"v_ffbl_b32_e32 v10, v2", [](U A, U, U, U) { return firstSet(A, false); }},
    {"v_ctz_i32_b32_e32 v10, v2",
     [](U A, U, U, U) { return firstSet(A, false); }},
    {"v_ffbh_i32_e32 v10, v2", [](U A, U, U, U) { return signRun(A); }},
    {"v_cls_i32_e32 v10, v2", [](U A, U, U, U) { return signRun(A); }},
};

const LaneRow ByteSums[] = {
    {"v_lerp_u8 v10, v2, v4, v6",
     [](U A, U B, U C, U) {
       U R = 0;
       for (unsigned N = 0; N < 4; ++N)
         R |=
             (extractByte(A, N) + extractByte(B, N) + extractByte(C, N) % 2) / 2
             << 8 * N;
       return R;
     }},
    {"v_sad_u8 v10, v2, v4, v6",
     [](U A, U B, U C, U) { return sadBytes(A, B, false) + C; }},
    {"v_sad_u8 v10, v2, v4, v6 clamp",
     [](U A, U B, U C, U) {
       return clampU32(Wide(sadBytes(A, B, false)) + u32(C));
     }},
    {"v_msad_u8 v10, v2, v4, v6",
     [](U A, U B, U C, U) { return sadBytes(A, B, true) + C; }},
    {"v_sad_hi_u8 v10, v2, v4, v6",
     [](U A, U B, U C, U) { return sadBytes(A, B, false) * 65536 + C; }},
    {"v_sad_u16 v10, v2, v4, v6",
     [](U A, U B, U C, U) {
       return absDiff(U(u16(A)), U(u16(B))) +
              absDiff(U(u16(A >> 16)), U(u16(B >> 16))) + C;
     }},
    {"v_sad_u32 v10, v2, v4, v6",
     [](U A, U B, U C, U) { return absDiff(U(u32(A)), U(u32(B))) + C; }},
    {"v_qsad_pk_u16_u8 v[10:11], v[2:3], v4, v[6:7]",
     [](U A, U B, U C, U) { return quadSad(A, B, C, false); }, 64},
    {"v_mqsad_pk_u16_u8 v[10:11], v[2:3], v4, v[6:7]",
     [](U A, U B, U C, U) { return quadSad(A, B, C, true); }, 64},
};

class VectorIntegerTest : public LaneRowTest {
protected:
  void checkAll(llvm::ArrayRef<LaneRow> Rows) {
    for (const LaneRow &Row : Rows)
      check(Row);
    use("gfx1100");
    for (const LaneRow &Row : Rows)
      check(Row);
  }
};

TEST_F(VectorIntegerTest, Arithmetic) { checkAll(Arithmetic); }
TEST_F(VectorIntegerTest, MinimaMaximaAndMedians) { checkAll(Order); }
TEST_F(VectorIntegerTest, BitOperations) { checkAll(Bits); }
TEST_F(VectorIntegerTest, SumsOfByteDifferences) { checkAll(ByteSums); }

TEST_F(VectorIntegerTest, ScalarAndConstantSources) {
  s(5) = 7;
  s(6) = 9;
  check({"v_add_u32_e32 v10, s5, v4",
         [](U, U B, U, U) { return cut(7 + u32(B)); }});
  check({"v_add_u32_e32 v10, -16, v4",
         [](U, U B, U, U) { return cut(u32(B) - 16); }});
  check({"v_add_u32_e32 v10, 0x12345678, v4",
         [](U, U B, U, U) { return cut(u32(B) + 0x12345678); }});
  check({"v_add_u32_e64 v10, v2, 1.0",
         [](U A, U, U, U) { return cut(u32(A) + 0x3f800000); }});
  check({"v_lshlrev_b64 v[10:11], 1, s[5:6]",
         [](U, U, U, U) { return 2 * (U(9) << 32 | 7); }, 64});
  // 64-bit signed operands: constants are extended.
  check(
      {"v_ashrrev_i64 v[10:11], 0, -3", [](U, U, U, U) { return U(-3); }, 64});
  check({"v_lshlrev_b64 v[10:11], 0, 0x80000000",
         [](U, U, U, U) { return U(0x80000000); }, 64});
  W.Scc = true;
  check({"v_add_u32_e64 v10, v2, src_scc",
         [](U A, U, U, U) { return cut(u32(A) + 1); }});
}

TEST_F(VectorIntegerTest, ResultMayOverwriteASource) {
  W.setExec(0xf);
  for (unsigned Lane = 0; Lane < 64; ++Lane) {
    setV64(0, 0x100000001 * Lane, Lane);
    setV64(2, 0x0000000100000002, Lane);
  }
  run("v_lshl_add_u64 v[1:2], v[0:1], 1, v[2:3]");
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    EXPECT_EQ(v64(1, Lane), Lane < 4
                                ? 0x200000002 * U(Lane) + 0x0000000100000002
                                : (U(2) << 32 | Lane))
        << Lane;
}

TEST_F(VectorIntegerTest, CarryOut) {
  use("gfx90a");
  fill(2, 0xffffffff);
  fill(4, 1);
  v(4, 3) = 0;
  W.setScalar64(20, ~U(0));
  W.setExec(0x8000000000000019);
  run("v_add_co_u32_e64 v10, s[20:21], v2, v4");
  EXPECT_EQ(W.scalar64(20), 0x8000000000000011u) << "inactive lanes are 0";
  EXPECT_EQ(v(10, 0), 0u);
  EXPECT_EQ(v(10, 3), 0xffffffffu);
  EXPECT_EQ(v(10, 1), 0u) << "not active";

  W.setExec(~U(0));
  W.setScalar64(VccLo, 0x10); // carry into lane 4
  run("v_addc_co_u32_e32 v10, vcc, v2, v4, vcc");
  EXPECT_EQ(v(10, 4), 1u);
  EXPECT_EQ(v(10, 5), 0u);
  EXPECT_EQ(v(10, 3), 0xffffffffu);
  EXPECT_EQ(W.vcc(), ~U(8));
}

TEST_F(VectorIntegerTest, Borrows) {
  for (auto [Text, Lane, Value, Vcc] :
       std::initializer_list<std::tuple<const char *, unsigned, uint32_t, U>>{
           // Lane 0: 5 and 5, lane 1: 5 and 6, lane 2: 6 and 5; all borrow in.
           {"v_sub_co_u32_e32 v10, vcc, v2, v4", 1, ~0u, 0b010},
           {"v_subrev_co_u32_e32 v10, vcc, v2, v4", 2, ~0u, 0b100},
           {"v_subb_co_u32_e32 v10, vcc, v2, v4, vcc", 0, ~0u, 0b011},
           {"v_subbrev_co_u32_e32 v10, vcc, v2, v4, vcc", 0, ~0u, 0b101},
           {"v_subb_co_u32_e32 v10, vcc, v2, v4, vcc", 2, 0, 0b011},
       }) {
    use("gfx90a");
    W.setExec(7);
    fill(2, 5);
    fill(4, 5);
    v(4, 1) = 6;
    v(2, 2) = 6;
    W.setScalar64(VccLo, ~U(0));
    run(Text);
    EXPECT_EQ(v(10, Lane), Value) << Text;
    EXPECT_EQ(W.vcc(), Vcc) << Text;
  }
}

TEST_F(VectorIntegerTest, ClampOfCarries) {
  struct Row {
    const char *Text;
    uint32_t A, B, CarryIn, Result;
    bool CarryOut;
  };
  for (const Row &R : {
           Row{"v_add_co_u32_e64 v10, vcc, v2, v4 clamp", ~0u, 1, 0, ~0u, true},
           {"v_add_co_u32_e64 v10, vcc, v2, v4 clamp", 7, 5, 0, 12, false},
           {"v_addc_co_u32_e64 v10, vcc, v2, v4, s[8:9] clamp", ~0u, 0, 1, ~0u,
            true},
           {"v_sub_co_u32_e64 v10, vcc, v2, v4 clamp", 5, 7, 0, 0, true},
           {"v_sub_co_u32_e64 v10, vcc, v2, v4 clamp", 7, 5, 0, 2, false},
           {"v_subrev_co_u32_e64 v10, vcc, v2, v4 clamp", 5, 7, 0, 2, false},
           {"v_subbrev_co_u32_e64 v10, vcc, v2, v4, s[8:9] clamp", 7, 7, 1, 0,
            true},
       }) {
    SCOPED_TRACE(R.Text);
    use("gfx90a");
    v(2) = R.A, v(4) = R.B;
    s(8) = R.CarryIn;
    run(R.Text);
    EXPECT_EQ(v(10), R.Result);
    EXPECT_EQ(W.vcc() & 1, uint64_t(R.CarryOut));
  }
}

TEST_F(VectorIntegerTest, CarriesOfWave32) {
  use("gfx1100");
  fill(2, 0x80000000);
  fill(4, 0x80000000);
  s(VccHi) = 0x1234;
  s(VccLo) = 2;
  run("v_add_co_ci_u32_e32 v10, vcc_lo, v2, v4, vcc_lo");
  EXPECT_EQ(s(VccLo), 0xffffffffu);
  EXPECT_EQ(s(VccHi), 0x1234u) << "not part of a wave32 mask";
  EXPECT_EQ(v(10, 0), 0u);
  EXPECT_EQ(v(10, 1), 1u);
  run("v_sub_co_ci_u32_e64 v10, s8, v2, v4, s9");
  EXPECT_EQ(s(8), 0u);
  run("v_add_co_u32 v10, null, v2, v4");
  EXPECT_EQ(v(10, 0), 0u);
}

TEST_F(VectorIntegerTest, MultiplyAddOf64Bits) {
  const std::pair<const char *, bool> Texts[] = {
      {"v_mad_u64_u32 v[10:11], vcc, v2, v4, v[6:7]", false},
      {"v_mad_co_u64_u32 v[10:11], vcc, v2, v4, v[6:7]", false},
      {"v_mad_i64_i32 v[10:11], vcc, v2, v4, v[6:7]", true},
      {"v_mad_co_i64_i32 v[10:11], vcc, v2, v4, v[6:7]", true}};
  for (auto [Text, Signed] : Texts)
    for (unsigned Round = 0; Round < 6; ++Round) {
      use("gfx90a");
      fillSources(Round);
      W.setExec(SomeLanes);
      run(Text);
      for (unsigned Lane = 0; Lane < 64; ++Lane) {
        if (!(SomeLanes >> Lane & 1)) {
          EXPECT_FALSE(bit(W.vcc(), int(Lane))) << Text;
          continue;
        }
        const U A = v(2, Lane), B = v(4, Lane), C = v64(6, Lane);
        const Wide Exact =
            Signed ? i32(A) * i32(B) + i64(C) : u32(A) * u32(B) + Wide(C);
        EXPECT_EQ(v64(10, Lane), U(Exact)) << Text << " lane " << Lane;
        EXPECT_EQ(bit(W.vcc(), int(Lane)), bool(Exact >> 64 & 1)) << Text;
      }
    }
}

TEST_F(VectorIntegerTest, MaskedBitCounts) {
  fill(2, 0xf0f0f0f3);
  fill(4, 100);
  run("v_mbcnt_lo_u32_b32 v10, v2, v4");
  run("v_mbcnt_hi_u32_b32 v11, v2, v4");
  for (unsigned Lane = 0; Lane < 64; ++Lane) {
    unsigned Low = 100, High = 100;
    for (unsigned N = 0; N < Lane && N < 32; ++N)
      Low += bit(0xf0f0f0f3, int(N));
    for (unsigned N = 32; N < Lane; ++N)
      High += bit(0xf0f0f0f3, int(N - 32));
    EXPECT_EQ(v(10, Lane), Low) << Lane;
    EXPECT_EQ(v(11, Lane), High) << Lane;
  }
}

TEST_F(VectorIntegerTest, ConditionalMask) {
  fill(2, 0x40000000);
  fill(4, 0x80000005);
  W.setScalar64(VccLo, 0x2);
  run("v_cndmask_b32_e32 v10, v2, v4, vcc");
  EXPECT_EQ(v(10, 0), 0x40000000u);
  EXPECT_EQ(v(10, 1), 0x80000005u);
  W.setScalar64(8, 0x8000000000000000);
  run("v_cndmask_b32_e64 v10, -v2, |v4|, s[8:9]");
  EXPECT_EQ(v(10, 0), 0xc0000000u);
  EXPECT_EQ(v(10, 63), 0x00000005u);
  W.setScalar64(8, 0x2);
  run("v_cndmask_b32_e64 v10, 0, -1, s[8:9]");
  EXPECT_EQ(v(10, 0), 0u);
  EXPECT_EQ(v(10, 1), 0xffffffffu);
}

TEST_F(VectorIntegerTest, MaskedQuadSadOf128Bits) {
  setV64(2, 0x0807060504030201);
  v(4) = 0x00000105; // two bytes of the reference count
  for (unsigned N = 0; N < 4; ++N)
    v(20 + N) = 1000 * N;
  run("v_mqsad_u32_u8 v[10:13], v[2:3], v4, v[20:23]");
  // |b[n] - 5| + |b[n+1] - 1| for b = 1, 2, 3...
  EXPECT_EQ(v(10), 4u + 1);
  EXPECT_EQ(v(11), 1000u + 3 + 2);
  EXPECT_EQ(v(12), 2000u + 2 + 3);
  EXPECT_EQ(v(13), 3000u + 1 + 4);
}

TEST_F(VectorIntegerTest, UnsupportedModifiersAreRefused) {
  EXPECT_NE(refusal("v_and_b32_e64 v10, v2, v4 clamp"), "");
  EXPECT_NE(refusal("v_add3_u32 v10, v2, v4, v6 clamp"), "");
  EXPECT_NE(refusal("v_add_u32_e64 v10, v2, v4 mul:2"), "");
  EXPECT_NE(refusal("v_add_u32_e64 v10, -v2, v4"), "");
  EXPECT_NE(refusal("v_min3_u32 v10, v2, v4, v6 op_sel:[1,0,0,0]"), "");
  EXPECT_NE(refusal("v_screen_partition_4se_b32_e32 v10, v2"), "");
}

} // namespace
