//===- ScalarMasks.cpp - scalar moves and execution masks -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves, plain, conditional and relative to M0, and the instructions that save
// or write EXEC. Sibling: ScalarAlu.cpp.
//
//===----------------------------------------------------------------------===//
#include "ScalarTemplates.h"

namespace kpack::softgpu {

using namespace scalar;

//===- Execution masks ----------------------------------------------------===//

/// EXEC as it is seen by 32-bit and by 64-bit instructions.
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

/// \p O moved by \p Distance registers; a fault where that is no SGPR.
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

/// Both, with ten bits of M0 each.
static void moveRelativeBoth(Wave &W, const Instruction &I) {
  U32 Offsets = W.Scalars[M0];
  moveRelative<U32>(W, I, Offsets >> 16 & 0x3ff, Offsets & 0x3ff);
}

static constexpr OpcodeInfo MoveTable[] = {
    {"s_mov_b32", alu<[](U32 A) { return A; }>, 0},
    {"s_cmov_b32", conditionalMove<U32>, 0},
    {"s_cselect_b32", alu<[](U32 A, U32 B, bool &Scc) { return Scc ? A : B; }>,
     0},
    {"s_movrels_b32", moveRelativeSource<U32>, 0},
    {"s_movreld_b32", moveRelativeDestination<U32>, 0},
    {"s_and_saveexec_b32", saveExec<U32, Logic<U32>::And>, 0},
    {"s_or_saveexec_b32", saveExec<U32, Logic<U32>::Or>, 0},
    {"s_xor_saveexec_b32", saveExec<U32, Logic<U32>::Xor>, 0},
    {"s_andn2_saveexec_b32 s_and_not1_saveexec_b32",
     saveExec<U32, Logic<U32>::AndNot1>, 0},
    {"s_orn2_saveexec_b32 s_or_not1_saveexec_b32",
     saveExec<U32, Logic<U32>::OrNot1>, 0},
    {"s_andn1_saveexec_b32 s_and_not0_saveexec_b32",
     saveExec<U32, Logic<U32>::AndNot0>, 0},
    {"s_orn1_saveexec_b32 s_or_not0_saveexec_b32",
     saveExec<U32, Logic<U32>::OrNot0>, 0},
    {"s_nand_saveexec_b32", saveExec<U32, Logic<U32>::Nand>, 0},
    {"s_nor_saveexec_b32", saveExec<U32, Logic<U32>::Nor>, 0},
    {"s_xnor_saveexec_b32", saveExec<U32, Logic<U32>::Xnor>, 0},
    {"s_andn1_wrexec_b32 s_and_not0_wrexec_b32",
     writeExec<U32, Logic<U32>::AndNot0>, 0},
    {"s_andn2_wrexec_b32 s_and_not1_wrexec_b32",
     writeExec<U32, Logic<U32>::AndNot1>, 0},
    {"s_mov_b64", alu<[](U64 A) { return A; }>, 0},
    {"s_cmov_b64", conditionalMove<U64>, 0},
    {"s_cselect_b64", alu<[](U64 A, U64 B, bool &Scc) { return Scc ? A : B; }>,
     0},
    {"s_movrels_b64", moveRelativeSource<U64>, 0},
    {"s_movreld_b64", moveRelativeDestination<U64>, 0},
    {"s_and_saveexec_b64", saveExec<U64, Logic<U64>::And>, 0},
    {"s_or_saveexec_b64", saveExec<U64, Logic<U64>::Or>, 0},
    {"s_xor_saveexec_b64", saveExec<U64, Logic<U64>::Xor>, 0},
    {"s_andn2_saveexec_b64 s_and_not1_saveexec_b64",
     saveExec<U64, Logic<U64>::AndNot1>, 0},
    {"s_orn2_saveexec_b64 s_or_not1_saveexec_b64",
     saveExec<U64, Logic<U64>::OrNot1>, 0},
    {"s_andn1_saveexec_b64 s_and_not0_saveexec_b64",
     saveExec<U64, Logic<U64>::AndNot0>, 0},
    {"s_orn1_saveexec_b64 s_or_not0_saveexec_b64",
     saveExec<U64, Logic<U64>::OrNot0>, 0},
    {"s_nand_saveexec_b64", saveExec<U64, Logic<U64>::Nand>, 0},
    {"s_nor_saveexec_b64", saveExec<U64, Logic<U64>::Nor>, 0},
    {"s_xnor_saveexec_b64", saveExec<U64, Logic<U64>::Xnor>, 0},
    {"s_andn1_wrexec_b64 s_and_not0_wrexec_b64",
     writeExec<U64, Logic<U64>::AndNot0>, 0},
    {"s_andn2_wrexec_b64 s_and_not1_wrexec_b64",
     writeExec<U64, Logic<U64>::AndNot1>, 0},
    {"s_cmovk_i32", conditionalMoveImmediate, 0},
    {"s_movrelsd_2_b32", moveRelativeBoth, 0},
};

llvm::ArrayRef<OpcodeInfo> scalarMoveOpcodes() { return MoveTable; }

} // namespace kpack::softgpu
