//===- VectorInteger16Test.cpp - tests of 16-bit integer operations -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every row names what becomes of the other half of the destination: Zeroed,
// Kept. gfx9 differs from gfx10 and up.
//
//===----------------------------------------------------------------------===//
#include "LaneRows.h"
#include <algorithm>

using namespace kpack::softgpu;

namespace {

using U = uint64_t;

int u16(U X) { return int(X & 0xffff); }
int i16(U X) { return u16(X) - (X & 0x8000 ? 65536 : 0); }
U cut(long X) { return U(X) & 0xffff; }
U clampU(long X) { return U(std::clamp(X, 0L, 65535L)); }
U clampI(long X) { return cut(std::clamp(X, -32768L, 32767L)); }
long median(long X, long Y, long Z) {
  long All[] = {X, Y, Z};
  std::sort(All, All + 3);
  return All[1];
}
long product(int X, int Y) { return long(X) * Y; }

/// A formula of the low half, and what the high half becomes.
LaneFormula zeroed(LaneFormula Low) { return Low; }
LaneFormula kept(LaneFormula Low) {
  return [Low](U A, U B, U C, U Old) {
    return Low(A, B, C, Old) | (Old & 0xffff0000);
  };
}
/// A formula of the high half; the low one is kept.
LaneFormula high(LaneFormula Low) {
  return [Low](U A, U B, U C, U Old) {
    return Low(A, B, C, Old) << 16 | (Old & 0xffff);
  };
}
/// A formula of each half.
LaneFormula both(LaneFormula Half) {
  return [Half](U A, U B, U C, U Old) {
    return Half(A & 0xffff, B & 0xffff, C & 0xffff, Old) |
           Half(A >> 16 & 0xffff, B >> 16 & 0xffff, C >> 16 & 0xffff, Old)
               << 16;
  };
}

class VectorInteger16Test : public LaneRowTest {};

U add(U A, U B, U, U) { return cut(u16(A) + u16(B)); }
U sub(U A, U B, U, U) { return cut(u16(A) - u16(B)); }
U subrev(U A, U B, U, U) { return cut(u16(B) - u16(A)); }
U mul(U A, U B, U, U) { return cut(product(u16(A), u16(B))); }
U madU(U A, U B, U C, U) { return cut(product(u16(A), u16(B)) + u16(C)); }
U shl(U A, U B, U, U) { return cut(product(u16(B), 1 << A % 16)); }
U shr(U A, U B, U, U) { return cut(u16(B) / (1 << A % 16)); }
U sar(U A, U B, U, U) {
  // Rounds down.
  const int Divisor = 1 << A % 16;
  return cut((i16(B) - (((i16(B) % Divisor) + Divisor) % Divisor)) / Divisor);
}
U minU(U A, U B, U, U) { return cut(std::min(u16(A), u16(B))); }
U maxU(U A, U B, U, U) { return cut(std::max(u16(A), u16(B))); }
U minI(U A, U B, U, U) { return cut(std::min(i16(A), i16(B))); }
U maxI(U A, U B, U, U) { return cut(std::max(i16(A), i16(B))); }
U min3I(U A, U B, U C, U) { return minI(minI(A, B, 0, 0), C, 0, 0); }
U max3I(U A, U B, U C, U) { return maxI(maxI(A, B, 0, 0), C, 0, 0); }
U min3U(U A, U B, U C, U) { return minU(minU(A, B, 0, 0), C, 0, 0); }
U max3U(U A, U B, U C, U) { return maxU(maxU(A, B, 0, 0), C, 0, 0); }
U med3U(U A, U B, U C, U) { return cut(median(u16(A), u16(B), u16(C))); }
U med3I(U A, U B, U C, U) { return cut(median(i16(A), i16(B), i16(C))); }
U addClampU(U A, U B, U, U) { return clampU(u16(A) + u16(B)); }
U addClampI(U A, U B, U, U) { return clampI(i16(A) + i16(B)); }
U subClampU(U A, U B, U, U) { return clampU(u16(A) - u16(B)); }
U subClampI(U A, U B, U, U) { return clampI(i16(A) - i16(B)); }
U madClampU(U A, U B, U C, U) {
  return clampU(product(u16(A), u16(B)) + u16(C));
}
U madClampI(U A, U B, U C, U) {
  return clampI(product(i16(A), i16(B)) + i16(C));
}

TEST_F(VectorInteger16Test, OperationsOfGfx9) {
  use("gfx90a");
  const LaneRow Rows[] = {
      {"v_add_u16_e32 v10, v2, v4", zeroed(add)},
      {"v_add_u16_e64 v10, v2, v4 clamp", zeroed(addClampU)},
      {"v_sub_u16_e32 v10, v2, v4", zeroed(sub)},
      {"v_sub_u16_e64 v10, v2, v4 clamp", zeroed(subClampU)},
      {"v_subrev_u16_e32 v10, v2, v4", zeroed(subrev)},
      {"v_mul_lo_u16_e32 v10, v2, v4", zeroed(mul)},
      {"v_lshlrev_b16_e32 v10, v2, v4", zeroed(shl)},
      {"v_lshrrev_b16_e32 v10, v2, v4", zeroed(shr)},
      {"v_ashrrev_i16_e32 v10, v2, v4", zeroed(sar)},
      {"v_min_u16_e32 v10, v2, v4", zeroed(minU)},
      {"v_max_u16_e32 v10, v2, v4", zeroed(maxU)},
      {"v_min_i16_e32 v10, v2, v4", zeroed(minI)},
      {"v_max_i16_e32 v10, v2, v4", zeroed(maxI)},
      {"v_mad_legacy_u16 v10, v2, v4, v6", zeroed(madU)},
      {"v_mad_legacy_i16 v10, v2, v4, v6", zeroed(madU)},
      {"v_mad_u16 v10, v2, v4, v6", kept(madU)},
      {"v_mad_u16 v10, v2, v4, v6 clamp", kept(madClampU)},
      {"v_mad_i16 v10, v2, v4, v6 clamp", kept(madClampI)},
      {"v_mad_u16 v10, v2, v4, v6 op_sel:[0,0,0,1]", high(madU)},
      {"v_mad_u16 v10, v2, v4, v6 op_sel:[1,0,1,0]",
       kept([](U A, U B, U C, U) { return madU(A >> 16, B, C >> 16, 0); })},
      {"v_add_i16 v10, v2, v4", kept(add)},
      {"v_add_i16 v10, v2, v4 clamp", kept(addClampI)},
      {"v_sub_i16 v10, v2, v4 op_sel:[0,1,1]",
       high([](U A, U B, U, U) { return sub(A, B >> 16, 0, 0); })},
      {"v_min3_i16 v10, v2, v4, v6", kept(min3I)},
      {"v_max3_i16 v10, v2, v4, v6", kept(max3I)},
      {"v_min3_u16 v10, v2, v4, v6", kept(min3U)},
      {"v_max3_u16 v10, v2, v4, v6", kept(max3U)},
      {"v_med3_u16 v10, v2, v4, v6", kept(med3U)},
      {"v_med3_i16 v10, v2, v4, v6", kept(med3I)},
      {"v_sat_pk_u8_i16_e32 v10, v2", kept([](U A, U, U, U) {
         return U(std::clamp(i16(A), 0, 255)) |
                U(std::clamp(i16(A >> 16), 0, 255)) << 8;
       })},
  };
  for (const LaneRow &Row : Rows)
    check(Row);
}

TEST_F(VectorInteger16Test, OperationsOfGfx10AndUp) {
  const LaneRow Rows[] = {
      {"v_add_nc_u16 v10, v2, v4", kept(add)},
      {"v_add_nc_u16 v10, v2, v4 clamp", kept(addClampU)},
      {"v_add_nc_u16 v10, v2, v4 op_sel:[1,1,1]",
       high([](U A, U B, U, U) { return add(A >> 16, B >> 16, 0, 0); })},
      {"v_add_nc_i16 v10, v2, v4 clamp", kept(addClampI)},
      {"v_sub_nc_u16 v10, v2, v4", kept(sub)},
      {"v_sub_nc_i16 v10, v2, v4 clamp", kept(subClampI)},
      {"v_mul_lo_u16 v10, v2, v4", kept(mul)},
      {"v_mul_lo_u16 v10, v2, v4 op_sel:[0,0,1]", high(mul)},
      {"v_lshlrev_b16 v10, v2, v4", kept(shl)},
      {"v_ashrrev_i16 v10, v2, v4", kept(sar)},
      {"v_mad_u16 v10, v2, v4, v6", kept(madU)},
      {"v_med3_i16 v10, v2, v4, v6", kept(med3I)},
      {"v_mov_b16_e32 v10.l, v2.l", kept([](U A, U, U, U) { return cut(A); })},
      {"v_mov_b16_e32 v10.h, v2.l", high([](U A, U, U, U) { return cut(A); })},
      {"v_mov_b16_e64 v10.l, v2.h op_sel:[1,0]",
       kept([](U A, U, U, U) { return cut(A >> 16); })},
      {"v_not_b16_e32 v10.l, v2.h",
       kept([](U A, U, U, U) { return 0xffff - cut(A >> 16); })},
      {"v_and_b16 v10.l, v2.l, v4.h",
       kept([](U A, U B, U, U) { return A & (B >> 16) & 0xffff; })},
      {"v_or_b16 v10.h, v2.l, v4.h",
       high([](U A, U B, U, U) { return cut(A) | cut(B >> 16); })},
      {"v_xor_b16 v10.l, v2.h, v4.h",
       kept([](U A, U B, U, U) { return cut((A ^ B) >> 16); })},
      {"v_mad_u16 v10.h, v2.l, v4.l, v6.l op_sel:[0,0,0,1]", high(madU)},
  };
  for (const char *Processor : {"gfx1030", "gfx1100"}) {
    use(Processor);
    for (const LaneRow &Row : Rows)
      check(Row);
  }
}

TEST_F(VectorInteger16Test, PackedOperations) {
  const LaneRow Rows[] = {
      {"v_pk_add_u16 v10, v2, v4", both(add)},
      {"v_pk_add_u16 v10, v2, v4 clamp", both(addClampU)},
      {"v_pk_add_i16 v10, v2, v4 clamp", both(addClampI)},
      {"v_pk_sub_u16 v10, v2, v4 clamp", both(subClampU)},
      {"v_pk_sub_i16 v10, v2, v4 clamp", both(subClampI)},
      {"v_pk_sub_i16 v10, v2, v4", both(sub)},
      {"v_pk_mad_u16 v10, v2, v4, v6", both(madU)},
      {"v_pk_mad_i16 v10, v2, v4, v6 clamp", both(madClampI)},
      {"v_pk_mul_lo_u16 v10, v2, v4", both(mul)},
      {"v_pk_min_u16 v10, v2, v4", both(minU)},
      {"v_pk_max_u16 v10, v2, v4", both(maxU)},
      {"v_pk_min_i16 v10, v2, v4", both(minI)},
      {"v_pk_max_i16 v10, v2, v4", both(maxI)},
      {"v_pk_lshlrev_b16 v10, v2, v4", both(shl)},
      {"v_pk_lshrrev_b16 v10, v2, v4", both(shr)},
      {"v_pk_ashrrev_i16 v10, v2, v4", both(sar)},
      // The high result from A's low half and B's high half.
      {"v_pk_sub_u16 v10, v2, v4 op_sel:[0,1] op_sel_hi:[0,1]",
       [](U A, U B, U, U) {
         return sub(A, B >> 16, 0, 0) | sub(A, B >> 16, 0, 0) << 16;
       }},
      // An inline constant is a 32-bit number.
      {"v_pk_add_u16 v10, v2, 3",
       [](U A, U, U, U) { return cut(u16(A) + 3) | (A & 0xffff0000); }},
      {"v_pk_add_u16 v10, v2, 3 op_sel_hi:[1,0]",
       both([](U A, U, U, U) { return cut(u16(A) + 3); })},
      {"v_pk_add_u16 v10, v2, -1",
       both([](U A, U, U, U) { return cut(u16(A) - 1); })},
  };
  for (const char *Processor : {"gfx90a", "gfx1100"}) {
    use(Processor);
    for (const LaneRow &Row : Rows)
      check(Row);
  }
}

TEST_F(VectorInteger16Test, ConditionalMaskAndSwap) {
  use("gfx1100");
  fill(2, 0x11112222);
  fill(4, 0x33334444);
  fill(10, 0xaaaabbbb);
  s(8) = 2;
  run("v_cndmask_b16 v10.h, v2.l, v4.h, s8");
  EXPECT_EQ(v(10, 0), 0x2222bbbbu);
  EXPECT_EQ(v(10, 1), 0x3333bbbbu);
  run("v_cndmask_b16 v10.l, -v2.l, v4.l, s8");
  EXPECT_EQ(v(10, 0), 0x2222a222u);
  EXPECT_EQ(v(10, 1), 0x33334444u);
  W.setExec(1);
  run("v_swap_b16 v2.l, v4.h");
  EXPECT_EQ(v(2, 0), 0x11113333u);
  EXPECT_EQ(v(4, 0), 0x22224444u);
  EXPECT_EQ(v(2, 1), 0x11112222u);
}

TEST_F(VectorInteger16Test, UnsupportedModifiersAreRefused) {
  EXPECT_NE(refusal("v_pk_min_u16 v10, v2, v4 clamp"), "");
  EXPECT_NE(refusal("v_pk_add_u16 v10, v2, v4 neg_lo:[1,0]"), "");
  EXPECT_NE(refusal("v_min_u16_e64 v10, v2, v4 mul:2"), "");
  EXPECT_NE(refusal("v_max3_i16 v10, v2, v4, v6 clamp"), "");
}

} // namespace
