//===- ScalarFloat.cpp - scalar floating point ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gfx11.5 and gfx12 compute uniform floats in the scalar unit, with the results
// of the vector unit. So each operation here executes the vector one for one
// lane, on a register that these architectures do not have (they lack
// AccVGPRs). 16-bit results have a zero upper half.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Machine/Lanes/Lanes.h"
#include "SoftGpu/Machine/OpcodeNames.h"

namespace kpack::softgpu {

namespace {
constexpr unsigned ScratchRow = VectorRegisterCount - 1;
/// Registers of gfx10 and earlier, used for the mask of a comparison.
constexpr unsigned ScratchMask = XnackMaskLo;

/// Makes lane 0 the only active one during its life.
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

/// Returns the handler of the vector operation; looks it up once per mnemonic.
template <NamePart... Vector> static Handler vectorHandler() {
  static const OpcodeInfo *const Info = findOpcode(Name<"v_", Vector...>);
  return Info ? Info->Execute : nullptr;
}

template <NamePart... Vector>
static bool executeOneLane(Wave &W, const Instruction &I, Instruction &Lane) {
  Handler Execute = vectorHandler<Vector...>();
  if (!Execute || !W.Isa->isGfx11Plus()) {
    W.fault(Fault::Kind::UnknownInstruction, I,
            llvm::Twine("no semantics for ") + Name<"v_", Vector...>);
    return false;
  }
  OneLane Active(W);
  Execute(W, Lane);
  return !W.Failure;
}

/// Destination = Vector(sources). In s_fmac the destination is a source, too.
template <NamePart... Vector>
static void compute(Wave &W, const Instruction &I) {
  Instruction Lane;
  Lane.OperandCount = I.OperandCount;
  Lane.Operands = I.Operands;
  Lane.Operands[0] = Operand{.What = Operand::Kind::Vgpr, .Index = ScratchRow};
  uint32_t &Result = W.Vectors[ScratchRow].V[0];
  Result = scalarBits32(W, I.Operands[0]);
  if (executeOneLane<Vector...>(W, I, Lane))
    writeScalar32(W, I.Operands[0], Result);
}

/// The same for 16-bit results.
template <NamePart... Vector>
static void compute16(Wave &W, const Instruction &I) {
  compute<Vector...>(W, I);
  writeScalar32(W, I.Operands[0], scalarBits32(W, I.Operands[0]) & 0xffff);
}

/// SCC = Vector(sources), a comparison ("lt", "_f32").
template <NamePart... Vector>
static void compare(Wave &W, const Instruction &I) {
  Instruction Lane;
  Lane.OperandCount = 3;
  Lane.Operands[0] = Operand{.What = Operand::Kind::Sgpr, .Index = ScratchMask};
  Lane.Operands[1] = I.Operands[0];
  Lane.Operands[2] = I.Operands[1];
  if (executeOneLane<"cmp_", Vector...>(W, I, Lane))
    W.Scc = W.Scalars[ScratchMask] & 1;
}

/// s_cvt_hi_f32_f16: converts the upper half.
static void convertHigh(Wave &W, const Instruction &I) {
  Instruction Low;
  Low.OperandCount = 2;
  Low.Operands[0] = I.Operands[0];
  Low.Operands[1] = Operand{.What = Operand::Kind::Constant,
                            .Literal = true,
                            .Value = scalarBits32(W, I.Operands[1]) >> 16};
  compute<"cvt_f32_f16">(W, Low);
}

/// Implements "s_<Op><Type>" by "v_<Op><Type>" for each of \p Ops.
template <NamePart Type, NamePart... Ops> static consteval auto computed() {
  constexpr bool Is16 = std::string_view(Type.Text) == "_f16";
  return std::to_array<OpcodeInfo>(
      {{Name<"s_", Ops, Type>, Is16 ? compute16<Ops, Type> : compute<Ops, Type>,
        0}...});
}

template <NamePart Type, NamePart... Ops> static consteval auto compared() {
  return std::to_array<OpcodeInfo>(
      {{Name<"s_cmp_", Ops, Type>, compare<Ops, Type>, 0}...});
}

template <NamePart Type> static consteval auto ofBothTypes() {
  return joinTables(computed<Type, "add", "sub", "mul", "min", "max", "min_num",
                             "max_num", "minimum", "maximum", "ceil", "floor",
                             "trunc", "rndne", "fmac">(),
                    compared<Type, "lt", "eq", "le", "gt", "lg", "ge", "o", "u",
                             "nge", "nlg", "ngt", "nle", "neq", "nlt">());
}

static constexpr auto Others = std::to_array<OpcodeInfo>({
    {"s_cvt_f32_f16", compute<"cvt_f32_f16">, 0},
    {"s_cvt_f16_f32", compute16<"cvt_f16_f32">, 0},
    {"s_cvt_hi_f32_f16", convertHigh, 0},
});

static constexpr auto Table = joinTables(
    ofBothTypes<"_f32">(), ofBothTypes<"_f16">(),
    computed<"_f32", "fmaak", "fmamk", "cvt_i32", "cvt_u32",
             "cvt_pk_rtz_f16">(),
    computed<"_i32", "cvt_f32">(), computed<"_u32", "cvt_f32">(), Others);

llvm::ArrayRef<OpcodeInfo> scalarFloatOpcodes() { return Table; }

} // namespace kpack::softgpu
