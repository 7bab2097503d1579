//===- ScalarFloat.cpp - floating point of the scalar unit ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gfx11.5 and gfx12 compute uniform floats in the scalar unit, with the results
// of the vector unit. So each operation here is the vector one, executed for
// one lane on a row that these architectures do not have (they lack AccVGPRs).
// 16-bit results have a zero upper half.
//
//===----------------------------------------------------------------------===//
#include "Lanes.h"
#include "Opcodes.h"
#include <algorithm>

namespace kpack::softgpu {

namespace {
/// A mnemonic as a template argument.
template <size_t N> struct Name {
  char Text[N];
  consteval Name(const char (&From)[N]) { std::copy_n(From, N, Text); }
};

constexpr unsigned ScratchRow = VectorRegisterCount - 1;
/// Registers of gfx10 and earlier, for the mask of a comparison.
constexpr unsigned ScratchMask = XnackMaskLo;

/// Lane 0 alone is active during its life.
class OneLane {
public:
  explicit OneLane(Wave &W) : W(W), Exec(W.exec()) { W.setExec(1); }
  ~OneLane() { W.setExec(Exec); }
  OneLane(const OneLane &) = delete;
  OneLane &operator=(const OneLane &) = delete;

private:
  Wave &W;
  uint64_t Exec;
};
} // namespace

/// The handler of the vector operation; looked up once a mnemonic.
template <Name Vector> static Handler vectorHandler() {
  static const OpcodeInfo *const Info = findOpcode(Vector.Text);
  return Info ? Info->Execute : nullptr;
}

template <Name Vector>
static bool executeOneLane(Wave &W, const Instruction &I, Instruction &Lane) {
  Handler Execute = vectorHandler<Vector>();
  if (!Execute || !W.Isa->isGfx11Plus()) {
    W.fault(Fault::Kind::UnknownInstruction, I,
            llvm::Twine("no semantics for ") + Vector.Text);
    return false;
  }
  OneLane Active(W);
  Execute(W, Lane);
  return !W.Failure;
}

/// Destination = Vector(sources); it is a source itself in s_fmac.
template <Name Vector> static void compute(Wave &W, const Instruction &I) {
  Instruction Lane;
  Lane.OperandCount = I.OperandCount;
  Lane.Operands = I.Operands;
  Lane.Operands[0] = Operand{.What = Operand::Kind::Vgpr, .Index = ScratchRow};
  uint32_t &Result = W.Vectors[ScratchRow].V[0];
  Result = scalarBits32(W, I.Operands[0]);
  if (executeOneLane<Vector>(W, I, Lane))
    writeScalar32(W, I.Operands[0], Result);
}

/// The same for 16-bit results.
template <Name Vector> static void compute16(Wave &W, const Instruction &I) {
  compute<Vector>(W, I);
  writeScalar32(W, I.Operands[0], scalarBits32(W, I.Operands[0]) & 0xffff);
}

/// SCC = Vector(sources), a comparison.
template <Name Vector> static void compare(Wave &W, const Instruction &I) {
  Instruction Lane;
  Lane.OperandCount = 3;
  Lane.Operands[0] = Operand{.What = Operand::Kind::Sgpr, .Index = ScratchMask};
  Lane.Operands[1] = I.Operands[0];
  Lane.Operands[2] = I.Operands[1];
  if (executeOneLane<Vector>(W, I, Lane))
    W.Scc = W.Scalars[ScratchMask] & 1;
}

/// s_cvt_hi_f32_f16: of the upper half.
static void convertHigh(Wave &W, const Instruction &I) {
  Instruction Low;
  Low.OperandCount = 2;
  Low.Operands[0] = I.Operands[0];
  Low.Operands[1] = Operand{.What = Operand::Kind::Constant,
                            .Literal = true,
                            .Value = scalarBits32(W, I.Operands[1]) >> 16};
  compute<"v_cvt_f32_f16">(W, Low);
}

static constexpr OpcodeInfo Table[] = {
    {"s_add_f32", compute<"v_add_f32">, 0},
    {"s_sub_f32", compute<"v_sub_f32">, 0},
    {"s_mul_f32", compute<"v_mul_f32">, 0},
    {"s_min_f32", compute<"v_min_f32">, 0},
    {"s_max_f32", compute<"v_max_f32">, 0},
    {"s_min_num_f32", compute<"v_min_num_f32">, 0},
    {"s_max_num_f32", compute<"v_max_num_f32">, 0},
    {"s_minimum_f32", compute<"v_minimum_f32">, 0},
    {"s_maximum_f32", compute<"v_maximum_f32">, 0},
    {"s_ceil_f32", compute<"v_ceil_f32">, 0},
    {"s_floor_f32", compute<"v_floor_f32">, 0},
    {"s_trunc_f32", compute<"v_trunc_f32">, 0},
    {"s_rndne_f32", compute<"v_rndne_f32">, 0},
    {"s_fmac_f32", compute<"v_fmac_f32">, 0},
    {"s_add_f16", compute16<"v_add_f16">, 0},
    {"s_sub_f16", compute16<"v_sub_f16">, 0},
    {"s_mul_f16", compute16<"v_mul_f16">, 0},
    {"s_min_f16", compute16<"v_min_f16">, 0},
    {"s_max_f16", compute16<"v_max_f16">, 0},
    {"s_min_num_f16", compute16<"v_min_num_f16">, 0},
    {"s_max_num_f16", compute16<"v_max_num_f16">, 0},
    {"s_minimum_f16", compute16<"v_minimum_f16">, 0},
    {"s_maximum_f16", compute16<"v_maximum_f16">, 0},
    {"s_ceil_f16", compute16<"v_ceil_f16">, 0},
    {"s_floor_f16", compute16<"v_floor_f16">, 0},
    {"s_trunc_f16", compute16<"v_trunc_f16">, 0},
    {"s_rndne_f16", compute16<"v_rndne_f16">, 0},
    {"s_fmac_f16", compute16<"v_fmac_f16">, 0},
    {"s_fmaak_f32", compute<"v_fmaak_f32">, 0},
    {"s_fmamk_f32", compute<"v_fmamk_f32">, 0},
    {"s_cvt_f32_i32", compute<"v_cvt_f32_i32">, 0},
    {"s_cvt_f32_u32", compute<"v_cvt_f32_u32">, 0},
    {"s_cvt_i32_f32", compute<"v_cvt_i32_f32">, 0},
    {"s_cvt_u32_f32", compute<"v_cvt_u32_f32">, 0},
    {"s_cvt_f32_f16", compute<"v_cvt_f32_f16">, 0},
    {"s_cvt_f16_f32", compute16<"v_cvt_f16_f32">, 0},
    {"s_cvt_hi_f32_f16", convertHigh, 0},
    {"s_cvt_pk_rtz_f16_f32", compute<"v_cvt_pk_rtz_f16_f32">, 0},
    {"s_cmp_lt_f32", compare<"v_cmp_lt_f32">, 0},
    {"s_cmp_eq_f32", compare<"v_cmp_eq_f32">, 0},
    {"s_cmp_le_f32", compare<"v_cmp_le_f32">, 0},
    {"s_cmp_gt_f32", compare<"v_cmp_gt_f32">, 0},
    {"s_cmp_lg_f32", compare<"v_cmp_lg_f32">, 0},
    {"s_cmp_ge_f32", compare<"v_cmp_ge_f32">, 0},
    {"s_cmp_o_f32", compare<"v_cmp_o_f32">, 0},
    {"s_cmp_u_f32", compare<"v_cmp_u_f32">, 0},
    {"s_cmp_nge_f32", compare<"v_cmp_nge_f32">, 0},
    {"s_cmp_nlg_f32", compare<"v_cmp_nlg_f32">, 0},
    {"s_cmp_ngt_f32", compare<"v_cmp_ngt_f32">, 0},
    {"s_cmp_nle_f32", compare<"v_cmp_nle_f32">, 0},
    {"s_cmp_neq_f32", compare<"v_cmp_neq_f32">, 0},
    {"s_cmp_nlt_f32", compare<"v_cmp_nlt_f32">, 0},
    {"s_cmp_lt_f16", compare<"v_cmp_lt_f16">, 0},
    {"s_cmp_eq_f16", compare<"v_cmp_eq_f16">, 0},
    {"s_cmp_le_f16", compare<"v_cmp_le_f16">, 0},
    {"s_cmp_gt_f16", compare<"v_cmp_gt_f16">, 0},
    {"s_cmp_lg_f16", compare<"v_cmp_lg_f16">, 0},
    {"s_cmp_ge_f16", compare<"v_cmp_ge_f16">, 0},
    {"s_cmp_o_f16", compare<"v_cmp_o_f16">, 0},
    {"s_cmp_u_f16", compare<"v_cmp_u_f16">, 0},
    {"s_cmp_nge_f16", compare<"v_cmp_nge_f16">, 0},
    {"s_cmp_nlg_f16", compare<"v_cmp_nlg_f16">, 0},
    {"s_cmp_ngt_f16", compare<"v_cmp_ngt_f16">, 0},
    {"s_cmp_nle_f16", compare<"v_cmp_nle_f16">, 0},
    {"s_cmp_neq_f16", compare<"v_cmp_neq_f16">, 0},
    {"s_cmp_nlt_f16", compare<"v_cmp_nlt_f16">, 0},
};

llvm::ArrayRef<OpcodeInfo> scalarFloatOpcodes() { return Table; }

} // namespace kpack::softgpu
