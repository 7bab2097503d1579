//===- VectorLane.cpp - moves between lanes and registers -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves of one lane to a scalar and back, permutations of lanes, registers
// relative to M0, exchanges, AccVGPRs. DPP, the other way to reach lanes, is a
// modifier of sources: Lanes.cpp, which also indexes the registers of
// s_set_gpr_idx_on (Control.cpp).
//
//===----------------------------------------------------------------------===//
#include "IntegerOperations.h"
#include "SoftGpu/Machine/Lanes/VectorTemplates.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {
namespace {

//===----------------------------------------------------------------------===//
// One lane
//===----------------------------------------------------------------------===//

uint32_t laneIndex(const Wave &W, const Operand &O, unsigned Lane) {
  return O.What == Operand::Kind::Vgpr ? W.Vectors[O.Index].V[Lane & 63]
                                       : scalarBits32(W, O);
}

/// Returns the lane number in operand 2, modulo the wave's size.
unsigned selectedLane(const Wave &W, const Instruction &I) {
  return scalarBits32(W, I.Operands[2]) & (W.Lanes - 1);
}

/// Ignores exec.
void readLane(Wave &W, const Instruction &I) {
  writeScalar32(W, I.Operands[0],
                laneIndex(W, I.Operands[1], selectedLane(W, I)));
}

/// Reads lane 0 if none is active.
void readFirstLane(Wave &W, const Instruction &I) {
  uint64_t Exec = W.exec();
  unsigned Lane = Exec ? unsigned(std::countr_zero(Exec)) : 0;
  writeScalar32(W, I.Operands[0], laneIndex(W, I.Operands[1], Lane));
}

/// Ignores exec.
void writeLane(Wave &W, const Instruction &I) {
  const Operand &D = I.Operands[0];
  if (D.What == Operand::Kind::Vgpr)
    W.Vectors[D.Index].V[selectedLane(W, I)] = scalarBits32(W, I.Operands[1]);
}

//===----------------------------------------------------------------------===//
// Permutations
//===----------------------------------------------------------------------===//

/// Lane L gets lane From[L] of source 0. op_sel[0] is fetch-inactive: without
/// it, an inactive source gives 0 with op_sel[1], bound_ctrl, and no write
/// otherwise.
void permuteRow(Wave &W, const Instruction &I, const uint8_t *SourceLanes) {
  Lanes32 Scratch, Result;
  const Lanes32 &Row = source32(W, I, 1, Scratch);
  uint64_t Readable = (I.OpSel & 1) ? W.allLanes() : W.exec();
  uint64_t Valid = 0;
  for (unsigned Lane = 0; Lane < W.Lanes; ++Lane) {
    unsigned Source = SourceLanes[Lane] & 63;
    bool IsValid = Readable >> Source & 1;
    Valid |= uint64_t(IsValid) << Lane;
    Result.V[Lane] = IsValid ? Row.V[Source] : 0;
  }
  const Operand &D = I.Operands[0];
  uint64_t Written = (I.OpSel & 2) ? W.exec() : W.exec() & Valid;
  if (D.What == Operand::Kind::Vgpr)
    blend(W.Vectors[D.Index], Result, Written);
}

/// Rows of 16 lanes; 4 bits of a 64-bit scalar select a lane in the row.
/// OtherRow is 16 to read from the row's neighbour.
template <unsigned OtherRow> void permLane16(Wave &W, const Instruction &I) {
  uint64_t Select = scalarBits32(W, I.Operands[2]) |
                    uint64_t(scalarBits32(W, I.Operands[3])) << 32;
  uint8_t SourceLanes[64];
  forLanes(W, [&](unsigned Lane) {
    SourceLanes[Lane] =
        uint8_t(((Lane & 48) ^ OtherRow) | (Select >> 4 * (Lane & 15) & 15));
  });
  permuteRow(W, I, SourceLanes);
}

/// The same, selected by the low bits of each lane's source 1.
template <unsigned OtherRow> void permLane16Var(Wave &W, const Instruction &I) {
  Lanes32 Scratch;
  const Lanes32 &Select = source32(W, I, 2, Scratch);
  uint8_t SourceLanes[64];
  forLanes(W, [&](unsigned Lane) {
    SourceLanes[Lane] =
        uint8_t(((Lane & 48) ^ OtherRow) | (Select.V[Lane] & 15));
  });
  permuteRow(W, I, SourceLanes);
}

/// Exchanges the halves of a wave64; does nothing in wave32. Reads inactive
/// lanes like any other.
void permLane64(Wave &W, const Instruction &I) {
  const Operand &D = I.Operands[0];
  if (W.Lanes == 32 || D.What != Operand::Kind::Vgpr)
    return;
  Lanes32 Scratch, Result;
  const Lanes32 &Row = source32(W, I, 1, Scratch);
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    Result.V[Lane] = Row.V[Lane ^ 32];
  blend(W.Vectors[D.Index], Result, W.exec());
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// Returns the register \p Offset after that of \p O, or null if out of range;
/// in that case the ISA manuals read v0 and write nothing.
Lanes32 *relativeRegister(Wave &W, const Operand &O, uint32_t Offset) {
  uint64_t Index = uint64_t(O.Index) + Offset;
  if (O.What != Operand::Kind::Vgpr || Index >= FirstAccVgpr)
    return nullptr;
  return &W.Vectors[Index];
}
const Lanes32 &relativeSource(Wave &W, const Operand &O, uint32_t Offset) {
  const Lanes32 *Row = relativeRegister(W, O, Offset);
  return Row ? *Row : W.Vectors[0];
}
void storeRelative(Wave &W, const Operand &O, uint32_t Offset,
                   const Lanes32 &Value) {
  if (Lanes32 *Row = relativeRegister(W, O, Offset)) {
    Lanes32 Copy = Value; // it may be the same register
    blend(*Row, Copy, W.exec());
  }
}

/// The _2 instructions have an index each for source and destination in M0.
uint32_t sourceIndex2(const Wave &W) { return W.Scalars[M0] & 0x3ff; }
uint32_t destinationIndex2(const Wave &W) {
  return W.Scalars[M0] >> 16 & 0x3ff;
}

void moveRelativeSource(Wave &W, const Instruction &I) {
  storeRelative(W, I.Operands[0], 0,
                relativeSource(W, I.Operands[1], W.Scalars[M0]));
}
void moveRelativeDestination(Wave &W, const Instruction &I) {
  Lanes32 Scratch;
  storeRelative(W, I.Operands[0], W.Scalars[M0], source32(W, I, 1, Scratch));
}
void moveRelativeBoth(Wave &W, const Instruction &I) {
  storeRelative(W, I.Operands[0], W.Scalars[M0],
                relativeSource(W, I.Operands[1], W.Scalars[M0]));
}
void moveRelativeBoth2(Wave &W, const Instruction &I) {
  storeRelative(W, I.Operands[0], destinationIndex2(W),
                relativeSource(W, I.Operands[1], sourceIndex2(W)));
}

void exchange(Wave &W, const Instruction &I, uint32_t OffsetD,
              uint32_t OffsetS) {
  Lanes32 D = relativeSource(W, I.Operands[0], OffsetD);
  Lanes32 S = relativeSource(W, I.Operands[1], OffsetS);
  storeRelative(W, I.Operands[0], OffsetD, S);
  storeRelative(W, I.Operands[1], OffsetS, D);
}
void swap(Wave &W, const Instruction &I) { exchange(W, I, 0, 0); }
void swapRelative(Wave &W, const Instruction &I) {
  exchange(W, I, destinationIndex2(W), sourceIndex2(W));
}

constexpr OpcodeInfo Table[] = {
    // No exceptions are raised, so v_clrexcp has nothing to do.
    {"v_nop v_pipeflush v_clrexcp", doNothing, 0},

    {"v_readlane_b32", readLane, 0},
    {"v_readfirstlane_b32", readFirstLane, 0},
    {"v_writelane_b32", writeLane, 0},

    {"v_permlane16_b32", permLane16<0>, ModOpSel},
    {"v_permlanex16_b32", permLane16<16>, ModOpSel},
    {"v_permlane16_var_b32", permLane16Var<0>, ModOpSel},
    {"v_permlanex16_var_b32", permLane16Var<16>, ModOpSel},
    {"v_permlane64_b32", permLane64, 0},

    {"v_movrels_b32", moveRelativeSource, 0},
    {"v_movreld_b32", moveRelativeDestination, 0},
    {"v_movrelsd_b32", moveRelativeBoth, 0},
    {"v_movrelsd_2_b32", moveRelativeBoth2, 0},
    {"v_swap_b32", swap, 0},
    {"v_swaprel_b32", swapRelative, 0},

    // AccVGPRs are ordinary vector registers here; exec masks the lanes.
    {"v_accvgpr_read_b32 v_accvgpr_write_b32 v_accvgpr_mov_b32",
     UnaryOf<Move, U32>, 0},
};

} // namespace

llvm::ArrayRef<OpcodeInfo> vectorLaneOpcodes() { return Table; }

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu
