//===- VectorLaneTest.cpp - tests of moves between lanes ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "WaveFixture.h"

using namespace kpack::softgpu;

namespace {

constexpr uint32_t Untouched = 0x55555555;

class VectorLaneTest : public WaveFixture {
protected:
  /// Lane L of v2 is 100 + L, v1 is Untouched.
  void fillLanes() {
    for (unsigned Lane = 0; Lane < 64; ++Lane)
      v(2, Lane) = 100 + Lane;
    fill(1, Untouched);
  }
};

TEST_F(VectorLaneTest, ReadsAndWritesOneLane) {
  fillLanes();
  W.setExec(0);
  run("v_readlane_b32 s4, v2, 63");
  EXPECT_EQ(s(4), 163u) << "exec does not matter";
  s(5) = 64 + 3;
  run("v_readlane_b32 s4, v2, s5");
  EXPECT_EQ(s(4), 103u) << "modulo 64";
  s(M0) = 17;
  run("v_readlane_b32 s4, v2, m0");
  EXPECT_EQ(s(4), 117u);
  run("v_readfirstlane_b32 s4, v2");
  EXPECT_EQ(s(4), 100u) << "no lane is active";
  W.setExec(0xf000000000);
  run("v_readfirstlane_b32 s4, v2");
  EXPECT_EQ(s(4), 136u);
  run("v_writelane_b32 v1, s4, 2");
  EXPECT_EQ(v(1, 2), 136u);
  EXPECT_EQ(v(1, 36), Untouched);
  run("v_writelane_b32 v1, -7, m0");
  EXPECT_EQ(v(1, 17), uint32_t(-7));

  use("gfx1100");
  fillLanes();
  s(5) = 32 + 3;
  run("v_readlane_b32 s4, v2, s5");
  EXPECT_EQ(s(4), 103u) << "modulo 32";
  run("v_writelane_b32 v1, 9, s5");
  EXPECT_EQ(v(1, 3), 9u);
  EXPECT_EQ(v(1, 35), Untouched);
}

TEST_F(VectorLaneTest, PermuteRows) {
  use("gfx1030");
  fillLanes();
  s(4) = 0x76543210;
  s(5) = 0x0000000f;
  run("v_permlane16_b32 v1, v2, s4, s5");
  EXPECT_EQ(v(1, 3), 103u);
  EXPECT_EQ(v(1, 8), 115u);
  EXPECT_EQ(v(1, 9), 100u);
  EXPECT_EQ(v(1, 24), 131u);
  run("v_permlanex16_b32 v1, v2, s4, s5");
  EXPECT_EQ(v(1, 3), 119u);
  EXPECT_EQ(v(1, 24), 115u);
  EXPECT_EQ(v(1, 31), 100u);
  // Source and destination may be the same.
  run("v_permlanex16_b32 v2, v2, s4, s5");
  EXPECT_EQ(v(2, 0), 116u);
  EXPECT_EQ(v(2, 16), 100u);
}

TEST_F(VectorLaneTest, PermuteRowsWithInactiveLanes) {
  use("gfx1100");
  for (auto [Modifiers, Value] :
       {std::pair("", Untouched), std::pair(" op_sel:[0,1]", 0u),
        std::pair(" op_sel:[1,0]", 100u), std::pair(" op_sel:[1,1]", 100u)}) {
    fillLanes();
    W.setExec(0xfffffffe);
    run((std::string("v_permlane16_b32 v1, v2, 0, 0") + Modifiers).c_str());
    EXPECT_EQ(v(1, 0), Untouched) << Modifiers;
    EXPECT_EQ(v(1, 5), Value) << Modifiers;
    EXPECT_EQ(v(1, 20), 116u) << Modifiers;
  }
}

TEST_F(VectorLaneTest, PermuteByVector) {
  use("gfx1201");
  fillLanes();
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    v(3, Lane) = 0x70 + (15 - Lane % 16); // low four bits count
  run("v_permlane16_var_b32 v1, v2, v3");
  EXPECT_EQ(v(1, 2), 113u);
  EXPECT_EQ(v(1, 18), 129u);
  run("v_permlanex16_var_b32 v1, v2, v3");
  EXPECT_EQ(v(1, 2), 129u);
  EXPECT_EQ(v(1, 18), 113u);
}

TEST_F(VectorLaneTest, ExchangeHalves) {
  use("gfx1100", /*Wave64=*/true);
  fillLanes();
  W.setExec(0x1000000002);
  run("v_permlane64_b32_e32 v1, v2");
  EXPECT_EQ(v(1, 1), 133u) << "an inactive lane is read";
  EXPECT_EQ(v(1, 36), 104u);
  EXPECT_EQ(v(1, 0), Untouched);
  use("gfx1100");
  fillLanes();
  run("v_permlane64_b32_e32 v1, v2");
  EXPECT_EQ(v(1, 1), Untouched) << "no operation in wave32";
}

TEST_F(VectorLaneTest, RegistersNamedByM0) {
  use("gfx1030");
  for (unsigned R = 0; R < 256; ++R)
    fill(R, 1000 + R);
  W.setExec(0xffff);
  s(M0) = 10;
  run("v_movrels_b32_e32 v1, v2");
  EXPECT_EQ(v(1, 0), 1012u);
  EXPECT_EQ(v(1, 16), 1001u);
  run("v_movreld_b32_e32 v3, v4");
  EXPECT_EQ(v(13, 0), 1004u);
  run("v_movreld_b32_e32 v3, 5");
  EXPECT_EQ(v(13, 0), 5u);
  run("v_movrelsd_b32_e32 v20, v40");
  EXPECT_EQ(v(30, 0), 1050u);
  s(M0) = 3 | 7 << 16;
  run("v_movrelsd_2_b32_e32 v60, v70");
  EXPECT_EQ(v(67, 0), 1073u);
  run("v_swaprel_b32_e32 v80, v90");
  EXPECT_EQ(v(87, 0), 1093u);
  EXPECT_EQ(v(93, 0), 1087u);
  EXPECT_EQ(v(93, 16), 1093u);
  // Out of range: v0 is read, nothing is written.
  for (uint32_t Index : {0x100u, 0xffffffffu, 254u}) {
    s(M0) = Index;
    run("v_movrels_b32_e32 v1, v2");
    EXPECT_EQ(v(1, 0), 1000u) << Index;
    run("v_movreld_b32_e32 v2, v4");
    EXPECT_EQ(v(2, 0), 1002u) << Index;
    EXPECT_EQ(v(FirstAccVgpr, 0), 0u) << Index;
  }
}

TEST_F(VectorLaneTest, SwapAndAccumulators) {
  fill(1, 11);
  fill(2, 22);
  W.setExec(1);
  run("v_swap_b32 v1, v2");
  EXPECT_EQ(v(1, 0), 22u);
  EXPECT_EQ(v(2, 0), 11u);
  EXPECT_EQ(v(1, 1), 11u);
  run("v_accvgpr_write_b32 a5, v1");
  EXPECT_EQ(v(FirstAccVgpr + 5, 0), 22u);
  EXPECT_EQ(v(FirstAccVgpr + 5, 1), 0u);
  run("v_accvgpr_write_b32 a6, 1.0");
  EXPECT_EQ(v(FirstAccVgpr + 6, 0), 0x3f800000u);
  run("v_accvgpr_mov_b32 a7, a5");
  run("v_accvgpr_read_b32 v3, a7");
  EXPECT_EQ(v(3, 0), 22u);
}

TEST_F(VectorLaneTest, NoOperation) {
  fillLanes();
  run("v_nop");
  EXPECT_EQ(v(1, 0), Untouched);
  EXPECT_NE(refusal("v_illegal"), "");
}

TEST_F(VectorLaneTest, DualHalvesReadFirst) {
  use("gfx1100");
  fill(1, 11);
  fill(2, 22);
  fill(4, 5);
  s(VccLo) = 1;
  run("v_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v2, v1");
  EXPECT_EQ(v(1, 0), 22u);
  EXPECT_EQ(v(2, 0), 11u);
  run("v_dual_cndmask_b32 v3, v1, v2 :: v_dual_add_nc_u32 v4, v4, v1");
  EXPECT_EQ(v(3, 0), 11u);
  EXPECT_EQ(v(3, 1), 22u);
  EXPECT_EQ(v(4, 0), 27u);
  run("v_dual_mov_b32 v5, 7 :: v_dual_lshlrev_b32 v6, 3, v4");
  EXPECT_EQ(v(5, 0), 7u);
  EXPECT_EQ(v(6, 0), 216u);
}

TEST_F(VectorLaneTest, UnsupportedModifiersAreRefused) {
  EXPECT_NE(refusal("v_permlane64_b32_e32 v1, v2 clamp"), "");
  EXPECT_NE(refusal("v_readlane_b32 s4, v2, 3 op_sel:[1,0]"), "");
  EXPECT_NE(refusal("v_swap_b32 v1, v2 quad_perm:[0,0,0,0]"), "");
}

} // namespace
