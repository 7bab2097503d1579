//===- LanesTest.cpp - tests of modifiers of vector operands --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DPP, SDWA, relative registers and constants, shown on moves and additions.
// Which lane reads which is written as the ISA manuals draw it.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Machine/Lanes/Lanes.h"
#include "WaveFixture.h"

#include <functional>

using namespace kpack::softgpu;

namespace {

constexpr uint32_t Untouched = 0x55555555;

class LanesTest : public WaveFixture {
protected:
  /// Lane L of v2 is 100 + L, v1 is Untouched.
  void fillLanes() {
    for (unsigned Lane = 0; Lane < 64; ++Lane)
      v(2, Lane) = 100 + Lane;
    fill(1, Untouched);
  }

  /// Moves v2 to v1. From(lane) is the lane read, negative where none is.
  void checkMove(const char *Dpp, const std::function<int(int)> &From) {
    fillLanes();
    W.setExec(W.allLanes());
    const std::string Move = std::string("v_mov_b32_dpp v1, v2 ") + Dpp;
    run((Move + " row_mask:0xf bank_mask:0xf").c_str());
    for (int Lane = 0; Lane < int(W.Lanes); ++Lane)
      EXPECT_EQ(v(1, Lane),
                From(Lane) < 0 ? Untouched : 100u + unsigned(From(Lane)))
          << Dpp << " lane " << Lane;
    fillLanes();
    run((Move + " row_mask:0xf bank_mask:0xf bound_ctrl:1").c_str());
    for (int Lane = 0; Lane < int(W.Lanes); ++Lane)
      EXPECT_EQ(v(1, Lane), From(Lane) < 0 ? 0 : 100u + unsigned(From(Lane)))
          << Dpp << " bound_ctrl lane " << Lane;
  }
};

TEST_F(LanesTest, DppOfGfx9) {
  checkMove("quad_perm:[3,0,2,1]", [](int L) {
    static constexpr int From[] = {3, 0, 2, 1};
    return L / 4 * 4 + From[L % 4];
  });
  checkMove("row_shl:3", [](int L) { return L % 16 + 3 < 16 ? L + 3 : -1; });
  checkMove("row_shr:5", [](int L) { return L % 16 >= 5 ? L - 5 : -1; });
  checkMove("row_ror:1", [](int L) { return L % 16 == 0 ? L + 15 : L - 1; });
  checkMove("wave_shl:1", [](int L) { return L == 63 ? -1 : L + 1; });
  checkMove("wave_shr:1", [](int L) { return L - 1; });
  checkMove("wave_rol:1", [](int L) { return (L + 1) % 64; });
  checkMove("wave_ror:1", [](int L) { return (L + 63) % 64; });
  checkMove("row_mirror", [](int L) { return L / 16 * 16 + 15 - L % 16; });
  checkMove("row_half_mirror", [](int L) { return L / 8 * 8 + 7 - L % 8; });
  checkMove("row_bcast:15", [](int L) { return L / 16 * 16 - 1; });
  checkMove("row_bcast:31", [](int L) { return L < 32 ? -1 : 31; });
  checkMove("row_newbcast:6", [](int L) { return L / 16 * 16 + 6; });
}

TEST_F(LanesTest, DppOfGfx10AndUp) {
  use("gfx1030");
  checkMove("row_share:9", [](int L) { return L / 16 * 16 + 9; });
  checkMove("row_xmask:5", [](int L) { return L ^ 5; });
  checkMove("row_shl:1", [](int L) { return L % 16 < 15 ? L + 1 : -1; });
  use("gfx1100", /*Wave64=*/true);
  checkMove("row_xmask:15", [](int L) { return L ^ 15; });
}

TEST_F(LanesTest, Dpp8ReadsZeroFromInactiveLanes) {
  use("gfx1100");
  fillLanes();
  W.setExec(0xfffffffd);
  run("v_mov_b32_dpp v1, v2 dpp8:[7,6,5,4,3,2,1,0]");
  EXPECT_EQ(v(1, 0), 107u);
  EXPECT_EQ(v(1, 1), Untouched);
  EXPECT_EQ(v(1, 6), 0u) << "lane 1 is inactive";
  EXPECT_EQ(v(1, 31), 124u);
  run("v_mov_b32_dpp v1, v2 dpp8:[7,6,5,4,3,2,1,0] fi:1");
  EXPECT_EQ(v(1, 6), 101u);
}

TEST_F(LanesTest, DppWithInactiveSources) {
  use("gfx1030");
  for (auto [Modifiers, Value] :
       {std::pair("", Untouched), std::pair(" bound_ctrl:1", 0u),
        std::pair(" fi:1", 100u), std::pair(" bound_ctrl:1 fi:1", 100u)}) {
    fillLanes();
    W.setExec(0xfffffffe);
    run((std::string("v_mov_b32_dpp v1, v2 row_shr:1 row_mask:0xf "
                     "bank_mask:0xf") +
         Modifiers)
            .c_str());
    EXPECT_EQ(v(1, 0), Untouched) << "not active";
    EXPECT_EQ(v(1, 1), Value) << Modifiers;
    EXPECT_EQ(v(1, 2), 101u) << Modifiers;
  }
}

TEST_F(LanesTest, DppMasksDisableRowsAndBanks) {
  fillLanes();
  run("v_mov_b32_dpp v1, v2 quad_perm:[0,1,2,3] row_mask:0xa bank_mask:0x6");
  for (unsigned Lane = 0; Lane < 64; ++Lane) {
    const unsigned Row = Lane / 16, Bank = Lane % 16 / 4;
    const bool Written = (Row == 1 || Row == 3) && (Bank == 1 || Bank == 2);
    EXPECT_EQ(v(1, Lane), Written ? 100 + Lane : Untouched) << Lane;
  }
}

TEST_F(LanesTest, DppIsOfSourceZeroOnly) {
  fillLanes();
  run("v_sub_u32_dpp v1, v2, v2 row_shl:1 row_mask:0xf bank_mask:0xf");
  EXPECT_EQ(v(1, 3), 1u);
  run("v_subrev_u32_dpp v1, v2, v2 row_shl:1 row_mask:0xf bank_mask:0xf");
  EXPECT_EQ(v(1, 3), ~0u);
  // The carry's operand comes first.
  fill(3, ~0u);
  W.setScalar64(VccLo, 0);
  run("v_add_co_u32_dpp v1, vcc, v2, v3 row_mirror row_mask:0x1 "
      "bank_mask:0xf");
  EXPECT_EQ(v(1, 2), 112u);
  EXPECT_EQ(W.vcc(), 0xffffu) << "other rows are masked";
  run("v_cndmask_b32_dpp v1, v2, v3, vcc row_newbcast:4 row_mask:0xf "
      "bank_mask:0xf");
  EXPECT_EQ(v(1, 0), ~0u);
  EXPECT_EQ(v(1, 20), 120u);
  use("gfx1100");
  fillLanes();
  fill(3, 1);
  run("v_add3_u32_e64_dpp v1, v2, v3, v2 row_share:2 row_mask:0xf "
      "bank_mask:0xf");
  EXPECT_EQ(v(1, 5), 102u + 1 + 105);
  run("v_sub_co_ci_u32_e64_dpp v1, s4, v2, v3, s6 row_share:2 row_mask:0xf "
      "bank_mask:0xf");
  EXPECT_EQ(v(1, 5), 101u);
}

TEST_F(LanesTest, DppOf64Bits) {
  use("gfx942");
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    setV64(4, Lane * 0x100000001, Lane);
  run("v_mov_b64_dpp v[6:7], v[4:5] row_newbcast:3 row_mask:0xf "
      "bank_mask:0xf");
  EXPECT_EQ(v64(6, 20), 19 * 0x100000001u);
}

TEST_F(LanesTest, SdwaSelectsSourceBytes) {
  fill(2, 0x8182f384);
  s(5) = 0x00fe7f00;
  for (auto [Source, Value] :
       {std::pair("v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0",
                  0x84u),
        std::pair("v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3",
                  0x81u),
        std::pair("v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0",
                  0xf384u),
        std::pair("v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1",
                  0x8182u),
        std::pair("v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD",
                  0x8182f384u),
        std::pair(
            "sext(v2) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1",
            0xfffffff3u),
        std::pair(
            "sext(v2) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0",
            0xfffff384u),
        std::pair(
            "sext(s5) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2",
            0xfffffffeu),
        std::pair(
            "sext(s5) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1",
            0x7fu)}) {
    run((std::string("v_mov_b32_sdwa v1, ") + Source).c_str());
    EXPECT_EQ(v(1, 9), Value) << Source;
  }
  fill(3, 0x00010203);
  run("v_sub_u32_sdwa v1, v2, v3 dst_sel:DWORD dst_unused:UNUSED_PAD "
      "src0_sel:BYTE_0 src1_sel:BYTE_1");
  EXPECT_EQ(v(1), 0x82u);
  run("v_lshlrev_b32_sdwa v1, v3, v2 dst_sel:DWORD dst_unused:UNUSED_PAD "
      "src0_sel:BYTE_2 src1_sel:WORD_1");
  EXPECT_EQ(v(1), 0x10304u);
  run("v_add_co_u32_sdwa v1, vcc, s5, v3 dst_sel:DWORD dst_unused:UNUSED_PAD "
      "src0_sel:BYTE_2 src1_sel:BYTE_0");
  EXPECT_EQ(v(1), 0xfeu + 3);
  W.setScalar64(VccLo, 1);
  run("v_cndmask_b32_sdwa v1, s5, v3, vcc dst_sel:DWORD "
      "dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:WORD_0");
  EXPECT_EQ(v(1, 0), 0x203u);
  EXPECT_EQ(v(1, 1), 0x7fu);
}

TEST_F(LanesTest, SdwaWritesDestinationParts) {
  fill(2, 0x123456f8);
  const std::tuple<const char *, uint32_t> Rows[] = {
      {"dst_sel:BYTE_2 dst_unused:UNUSED_PAD", 0x00f80000},
      {"dst_sel:BYTE_2 dst_unused:UNUSED_SEXT", 0xfff80000},
      {"dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE", 0x55f85555},
      {"dst_sel:BYTE_3 dst_unused:UNUSED_SEXT", 0xf8000000},
      {"dst_sel:BYTE_0 dst_unused:UNUSED_SEXT", 0xfffffff8},
      {"dst_sel:WORD_0 dst_unused:UNUSED_SEXT", 0x000056f8},
      {"dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE", 0x56f85555},
      {"dst_sel:WORD_1 dst_unused:UNUSED_PAD", 0x56f80000},
      {"dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE", 0x555556f8},
      {"dst_sel:DWORD dst_unused:UNUSED_PRESERVE", 0x123456f8}};
  for (auto [Text, Value] : Rows) {
    fill(1, Untouched);
    W.setExec(~uint64_t(1));
    run((std::string("v_mov_b32_sdwa v1, v2 ") + Text + " src0_sel:DWORD")
            .c_str());
    EXPECT_EQ(v(1, 0), Untouched) << Text;
    EXPECT_EQ(v(1, 1), Value) << Text;
  }
  // A 16-bit operation, and its high half.
  fill(3, 0x00010001);
  fill(1, Untouched);
  run("v_add_u16_sdwa v1, v2, v3 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE "
      "src0_sel:WORD_1 src1_sel:WORD_1");
  EXPECT_EQ(v(1, 5), 0x12355555u);
}

TEST_F(LanesTest, RelativeIndexSelectsRegisters) {
  for (unsigned R = 0; R < 64; ++R)
    fill(R, 1000 + R);
  s(M0) = 7;
  W.GprIndexMode = 1; // source 0
  run("v_mov_b32_e32 v1, v2");
  EXPECT_EQ(v(1, 5), 1009u);
  run("v_sub_u32_e32 v1, v3, v2");
  EXPECT_EQ(v(1, 5), 8u);
  W.GprIndexMode = 2; // source 1
  run("v_sub_u32_e32 v1, v3, v2");
  EXPECT_EQ(v(1, 5), uint32_t(1003 - 1009));
  W.GprIndexMode = 8; // destination
  run("v_mov_b32_e32 v20, v2");
  EXPECT_EQ(v(27, 5), 1002u);
  EXPECT_EQ(v(20, 5), 1020u);
  run("v_lshlrev_b64 v[20:21], 0, v[4:5]");
  EXPECT_EQ(v64(27), uint64_t(1005) << 32 | 1004);
  // What is added to is where the destination is.
  fill(27, 0x40000000), fill(20, 0), fill(2, 0x3f800000);
  run("v_fmac_f32_e32 v20, v2, v2");
  EXPECT_EQ(v(27, 5), 0x40400000u);
  EXPECT_EQ(v(20, 5), 0u);
  fill(2, 1002);
  // A 64-bit scalar in front is a source, vcc is not.
  W.GprIndexMode = 2; // source 1
  W.setScalar64(4, 16);
  fill(10, 2);
  run("v_lshl_add_u64 v[40:41], s[4:5], v3, 0");
  EXPECT_EQ(v64(40), 16u << 2);
  run("v_add_co_u32_e32 v40, vcc, v2, v3");
  EXPECT_EQ(v(40), 1004u);
  // Out of range: v0 is read, nothing is written.
  s(M0) = 0xff;
  W.GprIndexMode = 1;
  run("v_mov_b32_e32 v1, v2");
  EXPECT_EQ(v(1, 5), 1000u);
  W.GprIndexMode = 8;
  fill(FirstAccVgpr + 1, 77);
  run("v_mov_b32_e32 v2, v5");
  EXPECT_EQ(v(2, 5), 1002u);
  EXPECT_EQ(v(FirstAccVgpr + 1, 5), 77u) << "not an AccVGPR either";
}

TEST_F(LanesTest, ConstantsByFormat) {
  auto Constant = [](double Value) {
    Operand O;
    O.What = Operand::Kind::Constant;
    O.Float = true;
    O.FloatValue = Value;
    return O;
  };
  Instruction I;
  I.OperandCount = 2;
  Lanes32 Scratch;
  Lanes64 Wide;
  const std::tuple<double, uint32_t, uint32_t, uint64_t> Rows[] = {
      {0.5, 0x3800, 0x3f000000, 0x3fe0000000000000},
      {-0.5, 0xb800, 0xbf000000, 0xbfe0000000000000},
      {1.0, 0x3c00, 0x3f800000, 0x3ff0000000000000},
      {-2.0, 0xc000, 0xc0000000, 0xc000000000000000},
      {4.0, 0x4400, 0x40800000, 0x4010000000000000},
      {0.15915494309189532, 0x3118, 0x3e22f983, 0x3fc45f306dc9c882},
      {0.0, 0, 0, 0}};
  for (auto [Value, Half, Single, Double] : Rows) {
    I.Operands[1] = Constant(Value);
    EXPECT_EQ(sourceBits16(W, I, 1, Scratch).V[3], Half) << Value;
    EXPECT_EQ(sourceBits32(W, I, 1, Scratch).V[3], Single) << Value;
    sourceBits64(W, I, 1, Wide, true);
    EXPECT_EQ(Wide.V[3], Double) << Value;
  }
}

TEST_F(LanesTest, PrintedConstantsAreExact) {
  run("v_mov_b32_e32 v1, 0.15915494");
  EXPECT_EQ(v(1), 0x3e22f983u);
  run("v_mov_b32_e32 v1, -4.0");
  EXPECT_EQ(v(1), 0xc0800000u);
  run("v_mov_b32_e32 v1, -16");
  EXPECT_EQ(v(1), 0xfffffff0u);
}

TEST_F(LanesTest, AperturesAreOperands) {
  Instruction I;
  Operand O;
  O.What = Operand::Kind::SharedBase;
  EXPECT_EQ(scalarBits64(W, O), SharedAperture);
  EXPECT_EQ(scalarBits32(W, O), uint32_t(SharedAperture >> 32));
  O.What = Operand::Kind::PrivateLimit;
  EXPECT_EQ(scalarBits64(W, O), PrivateAperture + 0xffffffff);
  O.What = Operand::Kind::Null;
  EXPECT_EQ(scalarBits64(W, O), 0u);
  writeScalar64(W, O, 5);
  writeMaskOperand(W, O, 5);
}

} // namespace
