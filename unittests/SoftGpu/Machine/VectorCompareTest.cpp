//===- VectorCompareTest.cpp - tests of v_cmp_ and v_cmpx_ ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All pairs of interesting values under every condition; C++ compares numbers
// where the interpreter compares patterns.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Machine/Opcodes.h"
#include "WaveFixture.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace kpack::softgpu;

namespace {

using U = uint64_t;
constexpr double Infinite = std::numeric_limits<double>::infinity();
constexpr double NotANumber = std::numeric_limits<double>::quiet_NaN();

struct Condition {
  const char *Name;
  std::function<bool(double, double)> Holds;
  bool OfIntegers, OfFloats;
};
const Condition Conditions[] = {
    {"f", [](double, double) { return false; }, true, true},
    {"lt", [](double A, double B) { return A < B; }, true, true},
    {"eq", [](double A, double B) { return A == B; }, true, true},
    {"le", [](double A, double B) { return A <= B; }, true, true},
    {"gt", [](double A, double B) { return A > B; }, true, true},
    {"ge", [](double A, double B) { return A >= B; }, true, true},
    {"ne", [](double A, double B) { return A != B; }, true, false},
    {"lg", [](double A, double B) { return A < B || A > B; }, false, true},
    {"o", [](double A, double B) { return !std::isnan(A) && !std::isnan(B); },
     false, true},
    {"u", [](double A, double B) { return std::isnan(A) || std::isnan(B); },
     false, true},
    {"nge", [](double A, double B) { return !(A >= B); }, false, true},
    {"nlg", [](double A, double B) { return !(A < B || A > B); }, false, true},
    {"ngt", [](double A, double B) { return !(A > B); }, false, true},
    {"nle", [](double A, double B) { return !(A <= B); }, false, true},
    {"neq", [](double A, double B) { return A != B; }, false, true},
    {"nlt", [](double A, double B) { return !(A < B); }, false, true},
    {"t", [](double, double) { return true; }, true, true},
    {"tru", [](double, double) { return true; }, false, true},
};

/// A pattern and the number that it means.
struct Sample {
  U Pattern;
  double Number;
};

class VectorCompareTest : public WaveFixture {
protected:
  /// As run(), by the variant for any processor.
  void runGeneric(const std::string &Text) {
    auto I = parseInstruction(Text, 0x1000, 8, machineSemantics());
    ASSERT_TRUE(bool(I)) << Text << ": " << llvm::toString(I.takeError());
    for (const OpcodeInfo &Info : generic::vectorCompareOpcodes())
      if (isOperation(Info, (*I)->Mnemonic))
        return Info.Execute(W, **I);
    FAIL() << Text;
  }

  /// Lane 8 i + j compares sample i with sample j.
  void checkAll(const char *Type, llvm::ArrayRef<Sample> Samples, bool Floats,
                bool Wide) {
    ASSERT_EQ(Samples.size(), 8u);
    for (unsigned Lane = 0; Lane < 64; ++Lane) {
      setV64(2, Samples[Lane / 8].Pattern, Lane);
      setV64(4, Samples[Lane % 8].Pattern, Lane);
    }
    const std::string Sources = Wide ? "v[2:3], v[4:5]" : "v2, v4";
    for (const Condition &C : Conditions) {
      if (!(Floats ? C.OfFloats : C.OfIntegers))
        continue;
      U Want = 0;
      for (unsigned Lane = 0; Lane < 64; ++Lane)
        Want |= U(C.Holds(Samples[Lane / 8].Number, Samples[Lane % 8].Number))
                << Lane;
      const std::string Name = std::string(C.Name) + "_" + Type;
      for (U Exec : {~U(0), U(0x8000ffff1234567f)}) {
        W.setExec(Exec);
        W.setScalar64(8, ~U(0));
        run(("v_cmp_" + Name + "_e64 s[8:9], " + Sources).c_str());
        EXPECT_EQ(W.scalar64(8), Want & Exec) << Name;
        EXPECT_EQ(W.exec(), Exec) << Name;
        W.setScalar64(8, ~U(0));
        runGeneric("v_cmp_" + Name + "_e64 s[8:9], " + Sources);
        EXPECT_EQ(W.scalar64(8), Want & Exec) << Name << " generic";
        run(("v_cmpx_" + Name + "_e32 vcc, " + Sources).c_str());
        EXPECT_EQ(W.exec(), Want & Exec) << Name;
        EXPECT_EQ(W.vcc(), Want & Exec) << Name << ": gfx9 writes both";
      }
    }
    W.setExec(~U(0));
  }
};

TEST_F(VectorCompareTest, IntegerComparisons) {
  checkAll("u32",
           {{0, 0},
            {1, 1},
            {2, 2},
            {0x7fffffff, 0x7fffffff},
            {0x80000000, 2147483648.0},
            {0x80000001, 2147483649.0},
            {0xfffffffe, 4294967294.0},
            {0xffffffff, 4294967295.0}},
           false, false);
  checkAll("i32",
           {{0, 0},
            {1, 1},
            {0x7ffffffe, 2147483646.0},
            {0x7fffffff, 2147483647.0},
            {0x80000000, -2147483648.0},
            {0x80000001, -2147483647.0},
            {0xfffffffe, -2},
            {0xffffffff, -1}},
           false, false);
  // High halves do not count.
  checkAll("u16",
           {{0xffff0000, 0},
            {1, 1},
            {0x7fff, 32767},
            {0x12348000, 32768},
            {0x8001, 32769},
            {0xfffe, 65534},
            {0xffff, 65535},
            {0x5555ffff, 65535}},
           false, false);
  checkAll("i16",
           {{0xffff0000, 0},
            {1, 1},
            {0x7fff, 32767},
            {0x12348000, -32768},
            {0x8001, -32767},
            {0xfffe, -2},
            {0xffff, -1},
            {0x5555ffff, -1}},
           false, false);
  // Ranks stand for numbers that a double cannot hold.
  checkAll("u64",
           {{0, 0},
            {1, 1},
            {0xffffffff, 2},
            {0x100000000, 3},
            {~U(0) >> 1, 4},
            {U(1) << 63, 5},
            {~U(0) - 1, 6},
            {~U(0), 7}},
           false, true);
  checkAll("i64",
           {{0, 0},
            {1, 1},
            {0xffffffff, 2},
            {0x100000000, 3},
            {~U(0) >> 1, 4},
            {U(1) << 63, -3},
            {~U(0) - 1, -2},
            {~U(0), -1}},
           false, true);
}

TEST_F(VectorCompareTest, FloatComparisons) {
  checkAll("f32",
           {{0, 0},
            {0x80000000, -0.0},
            {0x3f800000, 1},
            {0xbf800000, -1},
            {0x7f800000, Infinite},
            {0xff800000, -Infinite},
            {0x00000001, 0x1p-149},
            {0xffc00001, NotANumber}},
           true, false);
  checkAll("f32",
           {{0x7f7fffff, 0x1.fffffep127},
            {0xff7fffff, -0x1.fffffep127},
            {0x00800000, 0x1p-126},
            {0x807fffff, -0x1.fffffcp-127},
            {0x3f800001, 0x1.000002p0},
            {0x3f7fffff, 0x1.fffffep-1},
            {0x7f800001, NotANumber},
            {0x40490fdb, 0x1.921fb6p1}},
           true, false);
  checkAll("f16",
           {{0xffff0000, 0},
            {0x8000, -0.0},
            {0x3c00, 1},
            {0x5555bc00, -1},
            {0x7c00, Infinite},
            {0xfc00, -Infinite},
            {0x0001, 0x1p-24},
            {0x7c01, NotANumber}},
           true, false);
  checkAll("f64",
           {{0, 0},
            {U(1) << 63, -0.0},
            {0x3ff0000000000000, 1},
            {0x3ff0000000000001, 0x1.0000000000001p0},
            {0xbff0000000000001, -0x1.0000000000001p0},
            {0x7ff0000000000000, Infinite},
            {0x7ff0000000000001, NotANumber},
            {0x8000000000000001, -0x1p-1074}},
           true, true);
}

TEST_F(VectorCompareTest, DenormalsAreFlushedByMode) {
  fill(2, 0x00000001);
  fill(4, 0x80000002);
  W.setExec(1);
  run("v_cmp_eq_f32_e32 vcc, v2, v4");
  EXPECT_EQ(W.vcc(), 0u);
  W.Mode.Denorm32 = 2; // results kept, inputs not
  run("v_cmp_eq_f32_e32 vcc, v2, v4");
  EXPECT_EQ(W.vcc(), 1u);
  run("v_cmp_eq_f16_e32 vcc, v2, v4");
  EXPECT_EQ(W.vcc(), 0u) << "f16 has its own field";
  W.Mode.Denorm1664 = 0;
  run("v_cmp_eq_f16_e32 vcc, v2, v4");
  EXPECT_EQ(W.vcc(), 1u);
  fill(2, 0x007fffff); // the greatest denormal is none
  run("v_cmp_eq_f32_e32 vcc, v2, v4");
  EXPECT_EQ(W.vcc(), 1u);
  fill(2, 0x00800000); // the least normal number is one
  run("v_cmp_eq_f32_e32 vcc, v2, v4");
  EXPECT_EQ(W.vcc(), 0u);
}

TEST_F(VectorCompareTest, NegAndAbs) {
  fill(2, bits(2.0f));
  fill(4, bits(-2.0f));
  W.setExec(1);
  run("v_cmp_eq_f32_e64 s[8:9], -v2, v4");
  EXPECT_EQ(W.scalar64(8), 1u);
  run("v_cmp_eq_f32_e64 s[8:9], v2, |v4|");
  EXPECT_EQ(W.scalar64(8), 1u);
  run("v_cmp_eq_f32_e64 s[8:9], -|v4|, v2");
  EXPECT_EQ(W.scalar64(8), 0u);
  run("v_cmp_eq_f32_e64 s[8:9], 2.0, v2");
  EXPECT_EQ(W.scalar64(8), 1u);
  setV64(6, bits(0.5));
  run("v_cmp_eq_f64_e64 s[8:9], -v[6:7], -0.5");
  EXPECT_EQ(W.scalar64(8), 1u);
  // A literal of an f64 operation is the high half.
  run("v_cmp_eq_f64_e64 s[8:9], v[6:7], 0x3fe00000");
  EXPECT_EQ(W.scalar64(8), 1u);
}

TEST_F(VectorCompareTest, ClassComparisons) {
  struct Row {
    uint32_t Single, Half;
    U Double;
    uint32_t Class; ///< bit
  };
  const Row Rows[] = {
      {0x7f800001, 0x7c01, 0x7ff0000000000001, 0},
      {0xffbfffff, 0xfdff, 0xfff7ffffffffffff, 0},
      {0x7fc00000, 0x7e00, 0x7ff8000000000000, 1},
      {0xff800000, 0xfc00, 0xfff0000000000000, 2},
      {0xff7fffff, 0xfbff, 0xffefffffffffffff, 3},
      {0x80800000, 0x8400, 0x8010000000000000, 3},
      {0x807fffff, 0x83ff, 0x800fffffffffffff, 4},
      {0x80000001, 0x8001, 0x8000000000000001, 4},
      {0x80000000, 0x8000, 0x8000000000000000, 5},
      {0x00000000, 0x0000, 0x0000000000000000, 6},
      {0x00000001, 0x0001, 0x0000000000000001, 7},
      {0x007fffff, 0x03ff, 0x000fffffffffffff, 7},
      {0x00800000, 0x0400, 0x0010000000000000, 8},
      {0x7f7fffff, 0x7bff, 0x7fefffffffffffff, 8},
      {0x7f800000, 0x7c00, 0x7ff0000000000000, 9},
  };
  W.Mode.Denorm32 = W.Mode.Denorm1664 = 0; // does not matter here
  for (const Row &R : Rows) {
    for (unsigned Lane = 0; Lane < 10; ++Lane)
      v(6, Lane) = 1u << Lane;
    W.setExec(0x3ff);
    fill(2, R.Single);
    run("v_cmp_class_f32_e32 vcc, v2, v6");
    EXPECT_EQ(W.vcc(), U(1) << R.Class) << std::hex << R.Single;
    fill(2, 0x12340000 | R.Half);
    run("v_cmp_class_f16_e32 vcc, v2, v6");
    EXPECT_EQ(W.vcc(), U(1) << R.Class) << std::hex << R.Half;
    for (unsigned Lane = 0; Lane < 64; ++Lane)
      setV64(2, R.Double, Lane);
    run("v_cmp_class_f64_e32 vcc, v[2:3], v6");
    EXPECT_EQ(W.vcc(), U(1) << R.Class) << std::hex << R.Double;
    run("v_cmpx_class_f64_e64 s[8:9], v[2:3], v6");
    EXPECT_EQ(W.exec(), U(1) << R.Class);
  }
  W.setExec(1);
  fill(2, bits(1.0f));
  run("v_cmp_class_f32_e64 vcc, -v2, 0x8");
  EXPECT_EQ(W.vcc(), 1u);
}

TEST_F(VectorCompareTest, CmpxOfGfx10WritesExecOnly) {
  use("gfx1100");
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    v(2, Lane) = Lane;
  s(VccLo) = 0x55;
  s(ExecHi) = 0x77;
  W.setExec(0xffff00ff);
  run("v_cmpx_gt_u32_e32 20, v2");
  EXPECT_EQ(s(ExecLo), 0x000f00ffu);
  EXPECT_EQ(s(ExecHi), 0x77u);
  EXPECT_EQ(s(VccLo), 0x55u);
  run("v_cmpx_lt_u32_e64 v2, 4");
  EXPECT_EQ(s(ExecLo), 0xfu);
  run("v_cmp_eq_u32_e64 null, v2, v2");
  s(8) = s(9) = ~0u;
  run("v_cmp_eq_u32_e64 s8, v2, 3");
  EXPECT_EQ(s(8), 8u);
  EXPECT_EQ(s(9), ~0u) << "a wave32 mask is one register";
}

TEST_F(VectorCompareTest, True16Halves) {
  use("gfx1100");
  fill(2, 0x00013c00);
  W.setExec(1);
  run("v_cmp_eq_u16_e32 vcc_lo, v2.h, v2.l");
  EXPECT_EQ(s(VccLo), 0u);
  run("v_cmp_eq_u16_e64 s8, 1, v2.h op_sel:[0,1,0]");
  EXPECT_EQ(s(8), 1u);
  run("v_cmp_eq_f16_e64 s8, v2.l, 1.0");
  EXPECT_EQ(s(8), 1u);
  run("v_cmpx_eq_f16_e32 v2.h, v2.l");
  EXPECT_EQ(W.exec(), 0u);
}

TEST_F(VectorCompareTest, SdwaComparisons) {
  fill(2, 0xff80fe01);
  fill(4, 0xfffffffe);
  W.setExec(1);
  run("v_cmp_eq_i32_sdwa vcc, sext(v2), v4 src0_sel:BYTE_1 src1_sel:DWORD");
  EXPECT_EQ(W.vcc(), 1u);
  run("v_cmp_eq_u32_sdwa vcc, v2, v4 src0_sel:BYTE_1 src1_sel:BYTE_0");
  EXPECT_EQ(W.vcc(), 1u);
  run("v_cmp_eq_u16_sdwa s[8:9], v2, v4 src0_sel:WORD_1 src1_sel:WORD_1");
  EXPECT_EQ(W.scalar64(8), 0u);
  s(7) = 0xff80;
  run("v_cmp_eq_u16_sdwa s[8:9], v2, s7 src0_sel:WORD_1 src1_sel:DWORD");
  EXPECT_EQ(W.scalar64(8), 1u);
  use("gfx1030");
  fill(2, 0xff80fe01);
  run("v_cmpx_eq_u32_sdwa v2, v2 src0_sel:BYTE_0 src1_sel:BYTE_1");
  EXPECT_EQ(W.exec(), 0u);
}

TEST_F(VectorCompareTest, DppComparisons) {
  use("gfx1100");
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    v(2, Lane) = Lane;
  fill(4, 5);
  run("v_cmp_eq_u32 vcc_lo, v2, v4 quad_perm:[1,1,1,1] row_mask:0xf "
      "bank_mask:0xf");
  EXPECT_EQ(s(VccLo), 0xf0u);
  run("v_cmpx_eq_u32 v2, v4 row_shr:1 row_mask:0xf bank_mask:0xf");
  EXPECT_EQ(W.exec(), 0x40u);
}

TEST_F(VectorCompareTest, UnsupportedModifiersAreRefused) {
  EXPECT_NE(refusal("v_cmp_lt_f32_e64 s[8:9], v2, v4 clamp"), "");
  EXPECT_NE(refusal("v_cmp_lt_u32_e64 s[8:9], -v2, v4"), "");
}

} // namespace
