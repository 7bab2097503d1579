//===- ScalarMasks.cpp - scalar moves and execution masks -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain, conditional and M0-relative moves, and the instructions that save or
// write EXEC. Sibling: ScalarAlu.cpp.
//
//===----------------------------------------------------------------------===//
#include "ScalarTemplates.h"
#include "SoftGpu/Machine/OpcodeNames.h"

namespace kpack::softgpu {

using namespace scalar;

//===- Execution masks ----------------------------------------------------===//

/// Returns EXEC as 32-bit and 64-bit instructions read it.
template <typename T> static T execAs(const Wave &W) {
  return sizeof(T) == 4 ? T(W.Scalars[ExecLo]) : T(W.scalar64(ExecLo));
}

template <typename T> static void setExecAs(Wave &W, T Mask) {
  write(W, Operand{.What = Operand::Kind::Sgpr, .Index = ExecLo}, Mask);
  W.Scc = Mask != 0;
}

/// Destination = EXEC; EXEC = F(source, EXEC).
template <typename T, auto F>
static void saveExec(Wave &W, const Instruction &I) {
  T Old = execAs<T>(W), Source = readAs<T>(W, I.Operands[1]);
  write(W, I.Operands[0], Old);
  setExecAs<T>(W, F(Source, Old));
}

/// EXEC = F(source, EXEC); destination = EXEC.
template <typename T, auto F>
static void writeExec(Wave &W, const Instruction &I) {
  T Result = F(readAs<T>(W, I.Operands[1]), execAs<T>(W));
  setExecAs<T>(W, Result);
  write(W, I.Operands[0], Result);
}

//===- Conditional and relative moves -------------------------------------===//

template <typename T>
static void conditionalMove(Wave &W, const Instruction &I) {
  if (W.Scc)
    write(W, I.Operands[0], readAs<T>(W, I.Operands[1]));
}

static void conditionalMoveImmediate(Wave &W, const Instruction &I) {
  if (W.Scc)
    writeScalar32(W, I.Operands[0], U32(I32(I16(I.Operands[1].Value))));
}

/// Moves \p O by \p Distance registers; faults if the result is no SGPR.
static bool moveRegister(Wave &W, const Instruction &I, Operand &O,
                         U32 Distance) {
  U64 Index = U64(O.Index) + Distance;
  if (O.What != Operand::Kind::Sgpr || Index + O.Dwords > VccHi + 1) {
    W.fault(Fault::Kind::BadDispatch, I,
            "relative scalar register " + llvm::Twine(Index) +
                " does not exist");
    return false;
  }
  O.Index = uint16_t(Index);
  return true;
}

template <typename T>
static void moveRelative(Wave &W, const Instruction &I, U32 DestinationOffset,
                         U32 SourceOffset) {
  Operand Destination = I.Operands[0], Source = I.Operands[1];
  if (DestinationOffset && !moveRegister(W, I, Destination, DestinationOffset))
    return;
  if (SourceOffset && !moveRegister(W, I, Source, SourceOffset))
    return;
  write(W, Destination, readAs<T>(W, Source));
}

template <typename T>
static void moveRelativeSource(Wave &W, const Instruction &I) {
  moveRelative<T>(W, I, 0, W.Scalars[M0]);
}

template <typename T>
static void moveRelativeDestination(Wave &W, const Instruction &I) {
  moveRelative<T>(W, I, W.Scalars[M0], 0);
}

/// Source and destination are relative, with ten bits of M0 each.
static void moveRelativeBoth(Wave &W, const Instruction &I) {
  U32 Offsets = W.Scalars[M0];
  moveRelative<U32>(W, I, Offsets >> 16 & 0x3ff, Offsets & 0x3ff);
}

/// Operations for 32 and 64 bits.
template <typename T, NamePart B> static consteval auto ofBothSizes() {
  using L = Logic<T>;
  return std::to_array<OpcodeInfo>({
      {Name<"s_mov_", B>, alu<[](T X) { return X; }>, 0},
      {Name<"s_cmov_", B>, conditionalMove<T>, 0},
      {Name<"s_cselect_", B>,
       alu<[](T X, T Y, bool &Scc) { return Scc ? X : Y; }>, 0},
      {Name<"s_movrels_", B>, moveRelativeSource<T>, 0},
      {Name<"s_movreld_", B>, moveRelativeDestination<T>, 0},
      {Name<"s_and_saveexec_", B>, saveExec<T, L::And>, 0},
      {Name<"s_or_saveexec_", B>, saveExec<T, L::Or>, 0},
      {Name<"s_xor_saveexec_", B>, saveExec<T, L::Xor>, 0},
      {Name<"s_andn2_saveexec_ s_and_not1_saveexec_", B>,
       saveExec<T, L::AndNot1>, 0},
      {Name<"s_orn2_saveexec_ s_or_not1_saveexec_", B>, saveExec<T, L::OrNot1>,
       0},
      {Name<"s_andn1_saveexec_ s_and_not0_saveexec_", B>,
       saveExec<T, L::AndNot0>, 0},
      {Name<"s_orn1_saveexec_ s_or_not0_saveexec_", B>, saveExec<T, L::OrNot0>,
       0},
      {Name<"s_nand_saveexec_", B>, saveExec<T, L::Nand>, 0},
      {Name<"s_nor_saveexec_", B>, saveExec<T, L::Nor>, 0},
      {Name<"s_xnor_saveexec_", B>, saveExec<T, L::Xnor>, 0},
      {Name<"s_andn1_wrexec_ s_and_not0_wrexec_", B>, writeExec<T, L::AndNot0>,
       0},
      {Name<"s_andn2_wrexec_ s_and_not1_wrexec_", B>, writeExec<T, L::AndNot1>,
       0},
  });
}

static constexpr auto Others = std::to_array<OpcodeInfo>({
    {"s_cmovk_i32", conditionalMoveImmediate, 0},
    {"s_movrelsd_2_b32", moveRelativeBoth, 0},
});

static constexpr auto MoveTable =
    joinTables(ofBothSizes<U32, "b32">(), ofBothSizes<U64, "b64">(), Others);

llvm::ArrayRef<OpcodeInfo> scalarMoveOpcodes() { return MoveTable; }

} // namespace kpack::softgpu
