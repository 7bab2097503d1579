//===- ScalarTest.cpp - tests of scalar instructions ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row an operation and a case: registers before, result and SCC after,
// worked out by hand from the ISA manuals.
//
//===----------------------------------------------------------------------===//
#include "WaveFixture.h"

using namespace kpack::softgpu;

namespace {

constexpr int Keep = -1; ///< SCC stays as it was

class Scalar : public WaveFixture {
protected:
  uint64_t s64(unsigned Register) { return W.scalar64(Register); }
};

//===- 32-bit operations --------------------------------------------------===//

/// s0 = operation(s1, s2), with SCC before; s0 is 0x5555aaaa before.
struct Row32 {
  const char *Operation;
  uint32_t A, B;
  uint32_t Result;
  int Scc;
  bool Before = false;
};

const Row32 Binary32[] = {
    {"s_add_u32", 0xffffffff, 2, 1, 1},
    {"s_add_u32", 0x7fffffff, 1, 0x80000000, 0, true},
    {"s_add_co_u32", 0xffffffff, 1, 0, 1},
    {"s_sub_u32", 1, 2, 0xffffffff, 1},
    {"s_sub_u32", 2, 2, 0, 0, true},
    {"s_sub_co_u32", 0, 1, 0xffffffff, 1},
    {"s_addc_u32", 0xffffffff, 0, 0, 1, true},
    {"s_addc_u32", 0xffffffff, 0, 0xffffffff, 0, false},
    {"s_addc_u32", 0xffffffff, 0xffffffff, 0xffffffff, 1, true},
    {"s_add_co_ci_u32", 1, 2, 4, 0, true},
    {"s_subb_u32", 0, 0, 0xffffffff, 1, true},
    {"s_subb_u32", 5, 5, 0, 0, false},
    {"s_subb_u32", 0, 0xffffffff, 0, 1, true},
    {"s_sub_co_ci_u32", 5, 3, 1, 0, true},
    {"s_add_i32", 0x7fffffff, 1, 0x80000000, 1},
    {"s_add_i32", 0xffffffff, 1, 0, 0, true},
    {"s_add_co_i32", 0x80000000, 0x80000000, 0, 1},
    {"s_sub_i32", 0x80000000, 1, 0x7fffffff, 1},
    {"s_sub_i32", 3, 5, 0xfffffffe, 0, true},
    {"s_sub_co_i32", 0, 0x80000000, 0x80000000, 1},
    {"s_mul_i32", 0xffffffff, 3, 0xfffffffd, Keep, true},
    {"s_mul_hi_u32", 0xffffffff, 0xffffffff, 0xfffffffe, Keep, true},
    {"s_mul_hi_i32", 0xffffffff, 0xffffffff, 0, Keep},
    {"s_mul_hi_i32", 0x80000000, 2, 0xffffffff, Keep},
    {"s_min_i32", 0xffffffff, 1, 0xffffffff, 1},
    {"s_min_i32", 1, 0xffffffff, 0xffffffff, 0, true},
    {"s_min_u32", 0xffffffff, 1, 1, 0, true},
    {"s_max_i32", 0xffffffff, 1, 1, 0, true},
    {"s_max_u32", 0xffffffff, 1, 0xffffffff, 1},
    {"s_absdiff_i32", 3, 10, 7, 1},
    {"s_absdiff_i32", 10, 10, 0, 0, true},
    {"s_absdiff_i32", 0x80000000, 0, 0x80000000, 1},
    {"s_lshl1_add_u32", 0x80000000, 5, 5, 1},
    {"s_lshl2_add_u32", 3, 5, 17, 0, true},
    {"s_lshl3_add_u32", 3, 0xfffffff0, 8, 1},
    {"s_lshl4_add_u32", 0x0fffffff, 0xf, 0xffffffff, 0, true},
    {"s_and_b32", 0xff00ff00, 0x0ff00ff0, 0x0f000f00, 1},
    {"s_and_b32", 0xf0, 0x0f, 0, 0, true},
    {"s_or_b32", 0xf0, 0x0f, 0xff, 1},
    {"s_xor_b32", 0xff, 0xff, 0, 0, true},
    {"s_andn2_b32", 0xff, 0x0f, 0xf0, 1},
    {"s_and_not1_b32", 0xff, 0xff, 0, 0, true},
    {"s_orn2_b32", 0, 0xfffffff0, 0xf, 1},
    {"s_or_not1_b32", 0, 0xffffffff, 0, 0, true},
    {"s_nand_b32", 0xffffffff, 0xffffffff, 0, 0, true},
    {"s_nor_b32", 0xf, 0xf0, 0xffffff00, 1},
    {"s_xnor_b32", 0xff, 0xf0, 0xfffffff0, 1},
    {"s_lshl_b32", 3, 33, 6, 1},
    {"s_lshl_b32", 0x80000000, 1, 0, 0, true},
    {"s_lshr_b32", 0x80000000, 31, 1, 1},
    {"s_ashr_i32", 0x80000000, 31, 0xffffffff, 1},
    {"s_bfe_u32", 0x12345678, 8 | 12 << 16, 0x456, 1},
    {"s_bfe_u32", 0x12345678, 8, 0, 0, true},
    {"s_bfe_u32", 0xf0000000, 28 | 32 << 16, 0xf, 1},
    {"s_bfe_i32", 0x00000800, 8 | 4 << 16, 0xfffffff8, 1},
    {"s_bfe_i32", 0x00000700, 8 | 4 << 16, 7, 1},
    {"s_bfe_i32", 0xf0000000, 28 | 16 << 16, 0xffffffff, 1},
    {"s_bfm_b32", 5, 4, 0x1f0, Keep},
    {"s_bfm_b32", 32, 4, 0, Keep, true},
    {"s_pack_ll_b32_b16", 0x11112222, 0x33334444, 0x44442222, Keep},
    {"s_pack_lh_b32_b16", 0x11112222, 0x33334444, 0x33332222, Keep},
    {"s_pack_hl_b32_b16", 0x11112222, 0x33334444, 0x44441111, Keep},
    {"s_pack_hh_b32_b16", 0x11112222, 0x33334444, 0x33331111, Keep},
    {"s_cselect_b32", 1, 2, 1, 1, true},
    {"s_cselect_b32", 1, 2, 2, 0, false},
};

const Row32 Unary32[] = {
    {"s_mov_b32", 7, 0, 7, Keep, true},
    {"s_cmov_b32", 7, 0, 7, Keep, true},
    {"s_cmov_b32", 7, 0, 0x5555aaaa, Keep, false},
    {"s_not_b32", 0xffffffff, 0, 0, 0, true},
    {"s_wqm_b32", 0x00800012, 0, 0x00f000ff, 1},
    {"s_quadmask_b32", 0x00800012, 0, 0x23, 1},
    {"s_brev_b32", 0x00000003, 0, 0xc0000000, Keep},
    {"s_bcnt0_i32_b32", 0xffffffff, 0, 0, 0, true},
    {"s_bcnt1_i32_b32", 0xf000000f, 0, 8, 1},
    {"s_ff0_i32_b32", 0x0000000f, 0, 4, Keep},
    {"s_ff0_i32_b32", 0xffffffff, 0, 0xffffffff, Keep},
    {"s_ff1_i32_b32", 0x00000050, 0, 4, Keep},
    {"s_ctz_i32_b32", 0, 0, 0xffffffff, Keep},
    {"s_flbit_i32_b32", 0x00010000, 0, 15, Keep},
    {"s_clz_i32_u32", 0, 0, 0xffffffff, Keep},
    {"s_flbit_i32", 0x40000000, 0, 1, Keep},
    {"s_flbit_i32", 0xffff0000, 0, 16, Keep},
    {"s_cls_i32", 0xffffffff, 0, 0xffffffff, Keep},
    {"s_cls_i32", 0, 0, 0xffffffff, Keep},
    {"s_sext_i32_i8", 0x12345680, 0, 0xffffff80, Keep},
    {"s_sext_i32_i16", 0x12345680, 0, 0x5680, Keep},
    {"s_abs_i32", 0xfffffffb, 0, 5, 1},
    {"s_abs_i32", 0x80000000, 0, 0x80000000, 1},
    {"s_abs_i32", 0, 0, 0, 0, true},
    // 0x5555aaaa before.
    {"s_bitset0_b32", 33, 0, 0x5555aaa8, Keep},
    {"s_bitset1_b32", 0, 0, 0x5555aaab, Keep},
};

TEST_F(Scalar, Binary32) {
  for (const Row32 &R : Binary32) {
    s(0) = 0x5555aaaa, s(1) = R.A, s(2) = R.B, W.Scc = R.Before;
    run((std::string(R.Operation) + " s0, s1, s2").c_str());
    EXPECT_EQ(s(0), R.Result) << R.Operation << " " << R.A << " " << R.B;
    EXPECT_EQ(W.Scc, R.Scc == Keep ? R.Before : bool(R.Scc))
        << R.Operation << " " << R.A << " " << R.B;
    // The destination may be a source.
    s(1) = R.A, W.Scc = R.Before;
    run((std::string(R.Operation) + " s1, s1, s2").c_str());
    EXPECT_EQ(s(1), R.Result) << R.Operation;
  }
}

TEST_F(Scalar, Unary32) {
  for (const Row32 &R : Unary32) {
    s(0) = 0x5555aaaa, s(1) = R.A, W.Scc = R.Before;
    run((std::string(R.Operation) + " s0, s1").c_str());
    EXPECT_EQ(s(0), R.Result) << R.Operation << " " << R.A;
    EXPECT_EQ(W.Scc, R.Scc == Keep ? R.Before : bool(R.Scc))
        << R.Operation << " " << R.A;
  }
}

//===- 64-bit operations --------------------------------------------------===//

struct Row64 {
  const char *Text; ///< s[0:1] is the result, s[2:3] = A, s[4:5] = B
  uint64_t A, B;
  uint64_t Result;
  int Scc;
  bool Before = false;
};

const Row64 Rows64[] = {
    {"s_and_b64 s[0:1], s[2:3], s[4:5]", ~0ull, 1ull << 40, 1ull << 40, 1},
    {"s_andn2_b64 s[0:1], s[2:3], s[4:5]", ~0ull, ~0ull, 0, 0, true},
    {"s_and_not1_b64 s[0:1], s[2:3], s[4:5]", 3, 1, 2, 1},
    {"s_orn2_b64 s[0:1], s[2:3], s[4:5]", 0, ~1ull, 1, 1},
    {"s_or_b64 s[0:1], s[2:3], s[4:5]", 1ull << 63, 1, 1ull << 63 | 1, 1},
    {"s_xor_b64 s[0:1], s[2:3], s[4:5]", 5, 5, 0, 0, true},
    {"s_nand_b64 s[0:1], s[2:3], s[4:5]", ~0ull, 1, ~1ull, 1},
    {"s_nor_b64 s[0:1], s[2:3], s[4:5]", ~0ull, 1, 0, 0, true},
    {"s_xnor_b64 s[0:1], s[2:3], s[4:5]", 1, 1, ~0ull, 1},
    {"s_not_b64 s[0:1], s[2:3]", 1, 0, ~1ull, 1},
    {"s_lshl_b64 s[0:1], s[2:3], s4", 1, 65, 2, 1},
    {"s_lshl_b64 s[0:1], s[2:3], s4", 1, 40, 1ull << 40, 1},
    {"s_lshr_b64 s[0:1], s[2:3], s4", 1ull << 63, 63, 1, 1},
    {"s_ashr_i64 s[0:1], s[2:3], s4", 1ull << 63, 63, ~0ull, 1},
    {"s_bfe_u64 s[0:1], s[2:3], s4", 0x123456789abcdef0, 32 | 16 << 16, 0x5678,
     1},
    {"s_bfe_i64 s[0:1], s[2:3], s4", 0x800000000, 32 | 4 << 16, ~7ull, 1},
    {"s_bfe_u64 s[0:1], s[2:3], s4", ~0ull, 0, 0, 0, true},
    {"s_bfm_b64 s[0:1], s2, s4", 3, 40, 7ull << 40, Keep},
    {"s_brev_b64 s[0:1], s[2:3]", 1, 0, 1ull << 63, Keep},
    {"s_wqm_b64 s[0:1], s[2:3]", 1ull << 62, 0, 0xfull << 60, 1},
    {"s_quadmask_b64 s[0:1], s[2:3]", 1ull << 62 | 1, 0, 0x8001, 1},
    {"s_mov_b64 s[0:1], 0x80000000", 0, 0, 0x80000000, Keep},
    {"s_mov_b64 s[0:1], -1", 0, 0, ~0ull, Keep},
    {"s_mov_b64 s[0:1], 1.0", 0, 0, 0x3ff0000000000000, Keep},
    {"s_ashr_i64 s[0:1], 0x80000000, s4", 0, 4, 0xfffffffff8000000, 1},
    {"s_cselect_b64 s[0:1], s[2:3], s[4:5]", 1, 2, 1, 1, true},
    {"s_cselect_b64 s[0:1], s[2:3], s[4:5]", 1, 2, 2, 0, false},
    {"s_bitreplicate_b64_b32 s[0:1], s2", 0x80000005, 0, 0xc000000000000033,
     Keep},
    {"s_bitset1_b64 s[0:1], s2", 40, 0, 0x5555aaaaull | 1ull << 40, Keep},
    {"s_bitset0_b64 s[0:1], s2", 65, 0, 0x5555aaa8, Keep},
    {"s_add_nc_u64 s[0:1], s[2:3], s[4:5]", ~0ull, 2, 1, Keep, true},
    {"s_sub_nc_u64 s[0:1], s[2:3], s[4:5]", 0, 1, ~0ull, Keep},
    {"s_mul_u64 s[0:1], s[2:3], s[4:5]", 1ull << 33, 1ull << 30 | 3,
     1ull << 63 | 3ull << 33, Keep},
};

TEST_F(Scalar, Operations64) {
  for (const Row64 &R : Rows64) {
    W.setScalar64(0, 0x5555aaaa);
    W.setScalar64(2, R.A);
    W.setScalar64(4, R.B);
    W.Scc = R.Before;
    run(R.Text);
    EXPECT_EQ(s64(0), R.Result) << R.Text;
    EXPECT_EQ(W.Scc, R.Scc == Keep ? R.Before : bool(R.Scc)) << R.Text;
  }
}

TEST_F(Scalar, CountsOf64Bits) {
  struct Row {
    const char *Operation;
    uint64_t A;
    uint32_t Result;
  };
  const Row Rows[] = {
      {"s_bcnt0_i32_b64", 0xff, 56},     {"s_bcnt1_i32_b64", ~0ull, 64},
      {"s_ff0_i32_b64", ~0ull >> 8, 56}, {"s_ff1_i32_b64", 1ull << 40, 40},
      {"s_ctz_i32_b64", 0, ~0u},         {"s_flbit_i32_b64", 1, 63},
      {"s_clz_i32_u64", 1ull << 62, 1},  {"s_flbit_i32_i64", ~0ull << 32, 32},
      {"s_cls_i32_i64", ~0ull, ~0u},
  };
  for (const Row &R : Rows) {
    W.setScalar64(2, R.A);
    run((std::string(R.Operation) + " s0, s[2:3]").c_str());
    EXPECT_EQ(s(0), R.Result) << R.Operation;
  }
}

//===- Comparisons and immediates -----------------------------------------===//

TEST_F(Scalar, Comparisons) {
  struct Row {
    const char *Name;
    bool Less, Equal, Greater;
  };
  const Row Rows[] = {{"eq", false, true, false}, {"lg", true, false, true},
                      {"gt", false, false, true}, {"ge", false, true, true},
                      {"lt", true, false, false}, {"le", true, true, false}};
  for (const Row &R : Rows)
    for (const char *Type : {"i32", "u32"}) {
      std::string Name = "s_cmp_" + std::string(R.Name) + "_" + Type;
      // -1 is less than 1, 0xffffffff is greater.
      s(0) = 0xffffffff, s(1) = 1;
      run((Name + " s0, s1").c_str());
      EXPECT_EQ(W.Scc, *Type == 'i' ? R.Less : R.Greater) << Name;
      run((Name + " s1, s0").c_str());
      EXPECT_EQ(W.Scc, *Type == 'i' ? R.Greater : R.Less) << Name;
      run((Name + " s0, s0").c_str());
      EXPECT_EQ(W.Scc, R.Equal) << Name;
      // 16-bit immediates: sign-extended or zero-extended.
      std::string Short = "s_cmpk_" + std::string(R.Name) + "_" + Type;
      run((Short + " s0, 0xffff").c_str());
      EXPECT_EQ(W.Scc, *Type == 'i' ? R.Equal : R.Greater) << Short;
      s(0) = 0xffff;
      run((Short + " s0, 0xffff").c_str());
      EXPECT_EQ(W.Scc, *Type == 'i' ? R.Greater : R.Equal) << Short;
    }
  W.setScalar64(0, 1ull << 40);
  run("s_cmp_eq_u64 s[0:1], s[2:3]");
  EXPECT_FALSE(W.Scc);
  run("s_cmp_lg_u64 s[0:1], s[2:3]");
  EXPECT_TRUE(W.Scc);
  run("s_bitcmp1_b64 s[0:1], 40");
  EXPECT_TRUE(W.Scc);
  run("s_bitcmp0_b64 s[0:1], 40");
  EXPECT_FALSE(W.Scc);
  s(0) = 2;
  run("s_bitcmp0_b32 s0, 33");
  EXPECT_FALSE(W.Scc) << "bit 1";
  run("s_bitcmp1_b32 s1, 40");
  EXPECT_TRUE(W.Scc) << "bit 8";
}

TEST_F(Scalar, Immediates) {
  run("s_movk_i32 s0, 0xfffb");
  EXPECT_EQ(s(0), 0xfffffffbu);
  run("s_addk_i32 s0, 0x8000");
  EXPECT_EQ(s(0), 0xffff7ffbu);
  EXPECT_FALSE(W.Scc);
  s(0) = 0x80000000;
  run("s_addk_co_i32 s0, 0xffff");
  EXPECT_EQ(s(0), 0x7fffffffu);
  EXPECT_TRUE(W.Scc);
  s(0) = 5;
  run("s_mulk_i32 s0, 0xfffd");
  EXPECT_EQ(s(0), 0xfffffff1u);
  W.Scc = false;
  run("s_cmovk_i32 s0, 0xffff");
  EXPECT_EQ(s(0), 0xfffffff1u);
  W.Scc = true;
  run("s_cmovk_i32 s0, 0xffff");
  EXPECT_EQ(s(0), 0xffffffffu);
}

TEST_F(Scalar, SpecialSourcesAreRead) {
  W.Scc = true;
  run("s_add_u32 s0, s1, src_scc");
  EXPECT_EQ(s(0), 1u);
  run("s_mov_b64 s[0:1], src_shared_base");
  EXPECT_EQ(s64(0), SharedAperture);
  run("s_mov_b64 s[0:1], src_private_base");
  EXPECT_EQ(s64(0), PrivateAperture);
  use("gfx1100");
  s(3) = 9;
  run("s_add_u32 null, s3, s3");
  run("s_mov_b32 s0, null");
  EXPECT_EQ(s(0), 0u);
}

//===- Execution masks ----------------------------------------------------===//

TEST_F(Scalar, SaveExec) {
  struct Row {
    const char *Name;
    uint64_t Exec; ///< after, with EXEC 0xff00 and source 0x0ff0
  };
  const Row Rows[] = {
      {"and", 0x0f00},      {"or", 0xfff0},         {"xor", 0xf0f0},
      {"andn2", 0x00f0},    {"orn2", ~0xf000ull},   {"andn1", 0xf000},
      {"orn1", ~0x00f0ull}, {"nand", ~0x0f00ull},   {"nor", ~0xfff0ull},
      {"xnor", ~0xf0f0ull}, {"and_not1", 0x00f0},   {"or_not1", ~0xf000ull},
      {"and_not0", 0xf000}, {"or_not0", ~0x00f0ull}};
  for (const Row &R : Rows) {
    use("gfx90a");
    W.setExec(0xff00);
    W.setScalar64(2, 0x0ff0);
    run(("s_" + std::string(R.Name) + "_saveexec_b64 s[0:1], s[2:3]").c_str());
    EXPECT_EQ(s64(0), 0xff00u) << R.Name;
    EXPECT_EQ(W.exec(), R.Exec) << R.Name;
    EXPECT_TRUE(W.Scc);
    use("gfx1100");
    W.setExec(0xff00);
    s(ExecHi) = 0x1234;
    s(2) = 0x0ff0;
    run(("s_" + std::string(R.Name) + "_saveexec_b32 s0, s2").c_str());
    EXPECT_EQ(s(0), 0xff00u) << R.Name;
    EXPECT_EQ(W.exec(), uint32_t(R.Exec)) << R.Name;
    EXPECT_EQ(s(ExecHi), 0x1234u) << "the upper half is another register";
  }
  // The same register as source and destination; an empty result.
  W.setExec(0xf0);
  s(0) = 0x0f;
  run("s_and_saveexec_b32 s0, s0");
  EXPECT_EQ(s(0), 0xf0u);
  EXPECT_EQ(W.exec(), 0u);
  EXPECT_FALSE(W.Scc);
}

TEST_F(Scalar, WriteExec) {
  W.setExec(0xff00);
  W.setScalar64(2, 0x0ff0);
  run("s_andn1_wrexec_b64 s[0:1], s[2:3]"); // ~source & EXEC
  EXPECT_EQ(s64(0), 0xf000u);
  EXPECT_EQ(W.exec(), 0xf000u);
  W.setExec(0xff00);
  run("s_andn2_wrexec_b64 s[0:1], s[2:3]"); // source & ~EXEC
  EXPECT_EQ(s64(0), 0xf0u);
  EXPECT_EQ(W.exec(), 0xf0u);
  EXPECT_TRUE(W.Scc);
}

TEST_F(Scalar, RelativeMoves) {
  s(M0) = 3;
  s(8) = 77;
  run("s_movrels_b32 s0, s5");
  EXPECT_EQ(s(0), 77u);
  s(1) = 66;
  run("s_movreld_b32 s10, s1");
  EXPECT_EQ(s(13), 66u);
  W.setScalar64(24, 0x1122334455667788);
  s(M0) = 4;
  run("s_movrels_b64 s[0:1], s[20:21]");
  EXPECT_EQ(s64(0), 0x1122334455667788u);
  s(M0) = 2 | 5 << 16;
  s(32) = 99;
  run("s_movrelsd_2_b32 s40, s30");
  EXPECT_EQ(s(45), 99u);
  for (uint32_t Far : {200u, 0xffffffffu, 0x80000000u}) {
    use("gfx90a");
    s(M0) = Far;
    execute("s_movrels_b32 s0, s5");
    EXPECT_TRUE(W.Failure) << Far;
    use("gfx90a");
    s(M0) = Far;
    execute("s_movreld_b64 s[4:5], s[0:1]");
    EXPECT_TRUE(W.Failure) << Far;
  }
}

//===- Control ------------------------------------------------------------===//

TEST_F(Scalar, Branches) {
  constexpr uint64_t Next = 0x1008, Target = 0x1004 + 4 * 10;
  auto Taken = [&](const char *Text) {
    run(Text);
    EXPECT_TRUE(W.Pc == Next || W.Pc == Target) << Text;
    return W.Pc == Target;
  };
  EXPECT_TRUE(Taken("s_branch 10"));
  for (bool Scc : {false, true}) {
    W.Scc = Scc;
    EXPECT_EQ(Taken("s_cbranch_scc1 10"), Scc);
    EXPECT_EQ(Taken("s_cbranch_scc0 10"), !Scc);
  }
  for (uint32_t High : {0u, 1u}) {
    s(VccLo) = 0, s(VccHi) = High;
    EXPECT_EQ(Taken("s_cbranch_vccnz 10"), High == 1);
    EXPECT_EQ(Taken("s_cbranch_vccz 10"), High == 0);
    s(ExecLo) = 0, s(ExecHi) = High;
    EXPECT_EQ(Taken("s_cbranch_execnz 10"), High == 1);
    EXPECT_EQ(Taken("s_cbranch_execz 10"), High == 0);
  }
  // In wave32 the upper halves do not count.
  use("gfx1100");
  s(VccHi) = s(ExecHi) = 1;
  s(VccLo) = s(ExecLo) = 0;
  EXPECT_TRUE(Taken("s_cbranch_vccz 10"));
  EXPECT_TRUE(Taken("s_cbranch_execz 10"));
}

TEST_F(Scalar, CallsAndReturnsSetPc) {
  run("s_getpc_b64 s[0:1]");
  EXPECT_EQ(s64(0), 0x1008u);
  W.setScalar64(2, 0x123456780);
  run("s_setpc_b64 s[2:3]");
  EXPECT_EQ(W.Pc, 0x123456780u);
  run("s_swappc_b64 s[2:3], s[2:3]");
  EXPECT_EQ(W.Pc, 0x123456780u);
  EXPECT_EQ(s64(2), 0x1008u);
  run("s_call_b64 s[4:5], 65535");
  EXPECT_EQ(s64(4), 0x1008u);
  EXPECT_EQ(W.Pc, 0x1000u);
}

TEST_F(Scalar, EndsAndTraps) {
  run("s_endpgm");
  EXPECT_EQ(W.Status, Wave::State::Ended);
  use("gfx90a");
  run("s_sleep 1");
  EXPECT_EQ(W.Status, Wave::State::Yielded);
  use("gfx90a");
  run("s_trap 3");
  EXPECT_EQ(W.Status, Wave::State::Running);
  struct Row {
    const char *Text;
    Fault::Kind What;
  };
  const Row Rows[] = {
      {"s_trap 2", Fault::Kind::Trap},
      {"s_sethalt 1", Fault::Kind::Trap},
      {"s_code_end", Fault::Kind::Undecodable},
      {"s_sendmsg sendmsg(MSG_INTERRUPT)", Fault::Kind::UnknownInstruction},
      {"s_barrier_signal 1", Fault::Kind::UnknownInstruction},
      {"s_barrier_wait -2", Fault::Kind::UnknownInstruction}};
  for (const Row &R : Rows) {
    use("gfx1201");
    execute(R.Text);
    ASSERT_TRUE(W.Failure) << R.Text;
    EXPECT_EQ(W.Failure->What, R.What) << R.Text;
    EXPECT_EQ(W.Failure->Pc, 0x1000u);
    EXPECT_EQ(W.Failure->Instruction, R.Text);
    EXPECT_EQ(W.Status, Wave::State::Faulted);
  }
}

TEST_F(Scalar, BarriersCountWaves) {
  Group.LiveWaves = 2;
  run("s_barrier");
  EXPECT_EQ(W.Status, Wave::State::AtBarrier);
  EXPECT_FALSE(W.barrierPassed());
  EXPECT_EQ(Group.BarrierSignals, 1u);
  use("gfx1201");
  Group.LiveWaves = 2;
  run("s_barrier_signal -1");
  EXPECT_EQ(W.Status, Wave::State::Running);
  run("s_barrier_wait -1");
  EXPECT_EQ(W.Status, Wave::State::AtBarrier);
  EXPECT_FALSE(W.barrierPassed());
  Wave Other = W;
  Other.Status = Wave::State::Running;
  Other.signalBarrier();
  EXPECT_TRUE(W.barrierPassed());
  use("gfx1201");
  Group.LiveWaves = 2;
  run("s_barrier_signal_isfirst -1");
  EXPECT_TRUE(W.Scc);
  run("s_barrier_signal_isfirst -1");
  EXPECT_FALSE(W.Scc);
}

TEST_F(Scalar, WaitsAndHintsDoNothing) {
  for (const char *Text :
       {"s_waitcnt vmcnt(0) lgkmcnt(1)", "s_waitcnt_vscnt null, 0x0",
        "s_waitcnt_depctr depctr_va_vdst(0)", "s_wait_loadcnt_dscnt 0x0",
        "s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | "
        "instid1(VALU_DEP_2)",
        "s_wait_alu depctr_sa_sdst(0)", "s_clause 0x1", "s_nop 3",
        "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)", "s_dcache_inv",
        "s_version 119|UC_VERSION_W32_BIT", "s_setprio 3"}) {
    use("gfx1100");
    Wave Before = W;
    run(Text);
    EXPECT_EQ(std::memcmp(Before.Scalars, W.Scalars, sizeof W.Scalars), 0);
    EXPECT_EQ(W.Status, Wave::State::Running) << Text;
    EXPECT_EQ(W.Pc, 0x1008u) << Text;
  }
}

TEST_F(Scalar, GprIndexMode) {
  s(M0) = 0xabcdefff;
  s(0) = 0x105;
  run("s_set_gpr_idx_on s0, gpr_idx(SRC0,DST)");
  EXPECT_EQ(W.GprIndexMode & 15, 9);
  EXPECT_EQ(s(M0), 0xabcd9f05u);
  run("s_set_gpr_idx_mode gpr_idx(SRC1)");
  EXPECT_EQ(W.GprIndexMode & 15, 2);
  s(0) = 7;
  run("s_set_gpr_idx_idx s0");
  EXPECT_EQ(s(M0), 0xabcd2f07u);
  run("s_set_gpr_idx_off");
  EXPECT_EQ(W.GprIndexMode, 0);
}

//===- Hardware registers -------------------------------------------------===//

TEST_F(Scalar, ModeFieldsAreWritten) {
  run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0x4e");
  EXPECT_EQ(W.Mode.Round32, 2);
  EXPECT_EQ(W.Mode.Round1664, 3);
  EXPECT_EQ(W.Mode.Denorm32, 0);
  EXPECT_EQ(W.Mode.Denorm1664, 1);
  s(1) = 3;
  run("s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s1");
  EXPECT_EQ(W.Mode.Denorm32, 3);
  EXPECT_EQ(W.Mode.Round1664, 3) << "only the field changes";
  W.Mode.Dx10Clamp = false;
  run("s_getreg_b32 s0, hwreg(HW_REG_MODE)");
  EXPECT_EQ(s(0), 0x27eu);
  run("s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 2)");
  EXPECT_EQ(s(0), 3u);
  run("s_round_mode 0x6");
  EXPECT_EQ(W.Mode.Round32, 2);
  EXPECT_EQ(W.Mode.Round1664, 1);
  run("s_denorm_mode 12");
  EXPECT_EQ(W.Mode.Denorm32, 0);
  EXPECT_EQ(W.Mode.Denorm1664, 3);
}

TEST_F(Scalar, RegistersWithoutSemanticsAreFaults) {
  for (const char *Text : {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 9), 1",
                           "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1",
                           "s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS)",
                           "s_getreg_b32 s0, hwreg(HW_REG_LDS_ALLOC, 12, 9)",
                           "s_setreg_imm32_b32 hwreg(HW_REG_HW_ID), 1",
                           "s_getreg_b32 s0, hwreg(63, 31, 32)"}) {
    use("gfx90a");
    execute(Text);
    ASSERT_TRUE(W.Failure) << Text;
    EXPECT_EQ(W.Failure->What, Fault::Kind::UnknownInstruction) << Text;
  }
}

TEST_F(Scalar, HardwareRegistersAreReadable) {
  run("s_getreg_b32 s0, hwreg(HW_REG_SH_MEM_BASES, 16, 16)");
  EXPECT_EQ(s(0), uint32_t(SharedAperture >> 48));
  run("s_getreg_b32 s0, hwreg(HW_REG_SH_MEM_BASES, 0, 16)");
  EXPECT_EQ(s(0), uint32_t(PrivateAperture >> 48));
  use("gfx942");
  s(FlatScratchLo) = 5;
  run("s_getreg_b32 s0, hwreg(HW_REG_XCC_ID)");
  EXPECT_EQ(s(0), 0u);
  use("gfx1030");
  s(1) = 0xabcd1234;
  run("s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s1");
  EXPECT_EQ(s(FlatScratchLo), 0xabcd1234u);
  run("s_getreg_b32 s0, hwreg(HW_REG_FLAT_SCR_LO)");
  EXPECT_EQ(s(0), 0xabcd1234u);
  W.Index = 6;
  run("s_getreg_b32 s0, hwreg(HW_REG_HW_ID1, 8, 2)");
  EXPECT_EQ(s(0), 2u);
}

TEST_F(Scalar, ClocksDoNotRunBackwards) {
  run("s_memtime s[0:1]");
  run("s_memtime s[2:3]");
  EXPECT_LE(s64(0), s64(2));
  EXPECT_NE(s64(0), 0u);
  run("s_memrealtime s[0:1]");
  run("s_sendmsg_rtn_b64 s[2:3], sendmsg(MSG_RTN_GET_REALTIME)");
  EXPECT_LE(s64(0), s64(2));
  execute("s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_GET_DOORBELL)");
  EXPECT_TRUE(W.Failure);
}

//===- Memory -------------------------------------------------------------===//

class ScalarMemory : public Scalar {
protected:
  void SetUp() override {
    for (size_t N = 0; N < Data.size(); ++N)
      Data[N] = uint8_t(N * 3 + 0x81);
  }
  void prepare(const char *Processor) {
    use(Processor);
    Memory.add({base(), base() + Data.size(), false, "data"});
    W.setScalar64(2, base() + 64);
  }
  uint64_t base() const { return reinterpret_cast<uint64_t>(Data.data()); }
  uint32_t dword(size_t Offset) const {
    uint32_t Value;
    std::memcpy(&Value, Data.data() + Offset, 4);
    return Value;
  }
  alignas(64) std::array<uint8_t, 256> Data;
};

TEST_F(ScalarMemory, LoadsReadDwords) {
  struct Row {
    const char *Text;
    size_t Offset; ///< of the first dword
    unsigned Count;
  };
  const Row Rows[] = {
      {"s_load_dword s8, s[2:3], 0x4", 68, 1},
      {"s_load_dwordx2 s[8:9], s[2:3], s6", 72, 2},
      {"s_load_dwordx3 s[8:10], s[2:3], 0x0", 64, 3},
      {"s_load_dwordx4 s[8:11], s[2:3], s6 offset:0x10", 88, 4},
      {"s_load_dwordx8 s[8:15], s[2:3], 0x20", 96, 8},
      {"s_load_dwordx16 s[8:23], s[2:3], null", 64, 16},
      {"s_load_b32 s8, s[2:3], -0x10", 48, 1},
      {"s_load_b64 s[8:9], s[2:3], 0x7", 68, 2},
      {"s_load_b96 s[8:10], s[2:3], null offset:0x8", 72, 3},
      {"s_load_b128 s[8:11], s[2:3], 0x0", 64, 4},
      {"s_load_b256 s[8:15], s[2:3], 0x0", 64, 8},
      {"s_load_b512 s[8:23], s[2:3], 0x0", 64, 16},
  };
  for (const Row &R : Rows) {
    prepare("gfx1201");
    s(6) = 8;
    s(8 + R.Count) = 0xdeadbeef;
    run(R.Text);
    for (unsigned N = 0; N < R.Count; ++N)
      EXPECT_EQ(s(8 + N), dword(R.Offset + N * 4)) << R.Text;
    EXPECT_EQ(s(8 + R.Count), 0xdeadbeefu) << R.Text;
  }
}

TEST_F(ScalarMemory, SmallLoadsExtend) {
  prepare("gfx1201");
  Data[64] = 0x12, Data[65] = 0x88, Data[66] = 0x34, Data[67] = 0x97;
  run("s_load_u8 s0, s[2:3], 0x1");
  EXPECT_EQ(s(0), 0x88u);
  run("s_load_i8 s0, s[2:3], 0x1");
  EXPECT_EQ(s(0), 0xffffff88u);
  run("s_load_u16 s0, s[2:3], 0x2");
  EXPECT_EQ(s(0), 0x9734u);
  run("s_load_i16 s0, s[2:3], 0x2");
  EXPECT_EQ(s(0), 0xffff9734u);
}

TEST_F(ScalarMemory, OutsideOfTheMap) {
  for (const char *Text :
       {"s_load_dwordx2 s[8:9], s[2:3], 0xbc", "s_load_dword s8, s[2:3], -0x44",
        "s_load_dwordx16 s[8:23], s[4:5], 0x0"}) {
    prepare("gfx90a");
    execute(Text);
    ASSERT_TRUE(W.Failure) << Text;
    EXPECT_EQ(W.Failure->What, Fault::Kind::MemoryAccess);
    EXPECT_EQ(W.Failure->Lane, -1);
  }
}

TEST_F(ScalarMemory, BuffersAreBounded) {
  prepare("gfx90a");
  auto SetResource = [&](uint64_t Address, uint32_t Stride, uint32_t Records) {
    s(4) = uint32_t(Address);
    s(5) = uint32_t(Address >> 32) | Stride << 16;
    s(6) = Records;
    s(7) = 0;
  };
  SetResource(base(), 0, 16);
  run("s_buffer_load_dwordx4 s[8:11], s[4:7], 0x8");
  EXPECT_EQ(s(8), dword(8));
  EXPECT_EQ(s(9), dword(12));
  EXPECT_EQ(s(10), 0u);
  EXPECT_EQ(s(11), 0u);
  // With a stride, records are that large.
  SetResource(base(), 4, 5);
  s(0) = 16;
  run("s_buffer_load_dwordx2 s[8:9], s[4:7], s0");
  EXPECT_EQ(s(8), dword(16));
  EXPECT_EQ(s(9), 0u);
  // The last dword is only half inside.
  SetResource(base(), 0, 6);
  run("s_buffer_load_dwordx2 s[8:9], s[4:7], 0x0");
  EXPECT_EQ(s(8), dword(0));
  EXPECT_EQ(s(9), 0u);
  // Bounds that lie do not get around the memory map.
  SetResource(base(), 0, 0xffffffff);
  execute("s_buffer_load_dword s8, s[4:7], 0x100");
  EXPECT_TRUE(W.Failure);
}

} // namespace
