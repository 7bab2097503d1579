//===- Lanes.cpp - operands of vector instructions ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The slow paths of Lanes.h, for any operand and modifier. VectorTemplates.h
// has the fast ones for plain registers. The source lanes are in the ISA
// manuals' chapters on DPP and SDWA; a lane without a DPP source keeps its
// destination, or gets zero with bound_ctrl. Sibling: ScalarOperands.cpp.
//
//===----------------------------------------------------------------------===//
#include "Lanes.h"
#include "VectorTemplates.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

//===----------------------------------------------------------------------===//
// Relative registers
//===----------------------------------------------------------------------===//

/// True for registers that s_set_gpr_idx_on indexes; AccVGPRs are not indexed.
static bool isIndexed(const Wave &W, const Operand &O, unsigned Bit) {
  return (W.GprIndexMode >> Bit & 1) && O.Index < FirstAccVgpr;
}

/// Returns a source register; v0 if out of range (ISA manuals, "Out-of-Range
/// behavior"). A source that is also the destination is indexed as a
/// destination.
static unsigned sourceRegister(const Wave &W, const Instruction &I,
                               const Operand &O, unsigned N) {
  unsigned First = firstSource(I);
  if (!W.GprIndexMode || !isIndexed(W, O, N < First ? 3 : N - First))
    return O.Index;
  unsigned Index = O.Index + (W.Scalars[M0] & 0xff);
  return Index + O.Dwords <= FirstAccVgpr ? Index : 0;
}

/// Returns a destination register, or VectorRegisterCount (not written) if out
/// of range.
static unsigned destinationRegister(const Wave &W, const Operand &O) {
  if (O.What != Operand::Kind::Vgpr)
    return VectorRegisterCount;
  if (!W.GprIndexMode || !isIndexed(W, O, 3))
    return O.Index;
  unsigned Index = O.Index + (W.Scalars[M0] & 0xff);
  return Index + O.Dwords <= FirstAccVgpr ? Index : VectorRegisterCount;
}

//===----------------------------------------------------------------------===//
// DPP
//===----------------------------------------------------------------------===//

namespace {
/// Lane L reads lane From[L], or none if From[L] is not in 0 to 63.
struct DppSources {
  int16_t From[64];
  uint64_t Valid = 0;

  template <class Function> void fill(Function Source) {
    for (int Lane = 0; Lane < 64; ++Lane)
      From[Lane] = int16_t(Source(Lane));
  }
};
} // namespace

static void fillDppSources(DppSources &S, const DppControl &D) {
  using Kind = DppControl::Kind;
  uint32_t Argument = D.Argument;
  int Count = int(Argument & 15);
  // A lane of another row is no source: bit 6 puts it out of range.
  auto SameRow = [](int Lane, int SourceLane) {
    return SourceLane | ((Lane ^ SourceLane) & ~15 ? 64 : 0);
  };
  switch (D.What) {
  case Kind::None:
    return S.fill([](int L) { return L; });
  case Kind::QuadPerm:
    return S.fill(
        [=](int L) { return (L & ~3) | int(Argument >> 2 * (L & 3) & 3); });
  case Kind::RowShl:
    return S.fill([=](int L) { return SameRow(L, L + Count); });
  case Kind::RowShr:
    return S.fill([=](int L) { return SameRow(L, L - Count); });
  case Kind::RowRor:
    return S.fill([=](int L) { return (L & ~15) | ((L - Count) & 15); });
  case Kind::WaveShl:
    return S.fill([](int L) { return L + 1; });
  case Kind::WaveShr:
    return S.fill([](int L) { return L - 1; });
  case Kind::WaveRol:
    return S.fill([](int L) { return (L + 1) & 63; });
  case Kind::WaveRor:
    return S.fill([](int L) { return (L - 1) & 63; });
  case Kind::RowMirror:
    return S.fill([](int L) { return L ^ 15; });
  case Kind::RowHalfMirror:
    return S.fill([](int L) { return L ^ 7; });
  case Kind::RowBcast15:
    return S.fill([](int L) { return (L & ~15) - 1; });
  case Kind::RowBcast31:
    return S.fill([](int L) { return L < 32 ? -1 : 31; });
  case Kind::RowShare:
    return S.fill([=](int L) { return (L & ~15) | Count; });
  case Kind::RowXmask:
    return S.fill([=](int L) { return L ^ Count; });
  case Kind::Dpp8:
    return S.fill(
        [=](int L) { return (L & ~7) | int(Argument >> 3 * (L & 7) & 7); });
  }
}

static DppSources dppSources(const Wave &W, const DppControl &D) {
  DppSources S;
  fillDppSources(S, D);
  uint64_t Readable = D.FetchInactive ? W.allLanes() : W.exec();
  for (unsigned Lane = 0; Lane < W.Lanes; ++Lane) {
    unsigned SourceLane = unsigned(S.From[Lane]);
    S.Valid |= (SourceLane < 64 ? Readable >> SourceLane & 1 : 0) << Lane;
  }
  return S;
}

static void gatherDpp(const Wave &W, const DppControl &D, const Lanes32 &Row,
                      Lanes32 &Result) {
  DppSources S = dppSources(W, D);
  forLanes(W, [&](unsigned Lane) {
    Result.V[Lane] = (S.Valid >> Lane & 1) ? Row.V[S.From[Lane] & 63] : 0;
  });
}

static bool usesDpp(const Instruction &I) {
  return I.has(ModDpp) && I.Dpp.What != DppControl::Kind::None;
}

uint64_t writeMask(const Wave &W, const Instruction &I) {
  uint64_t Mask = W.exec();
  // DPP8 has neither masks nor bound_ctrl: lanes without a source read 0.
  if (!usesDpp(I) || I.Dpp.What == DppControl::Kind::Dpp8)
    return Mask;
  if (!I.Dpp.BoundControl)
    Mask &= dppSources(W, I.Dpp).Valid;
  for (unsigned Row = 0; Row < 4; ++Row)
    if (!(I.Dpp.RowMask >> Row & 1))
      Mask &= ~(uint64_t(0xffff) << 16 * Row);
  for (unsigned Bank = 0; Bank < 4; ++Bank)
    if (!(I.Dpp.BankMask >> Bank & 1))
      Mask &= ~(uint64_t(0x000f000f000f000f) << 4 * Bank);
  return Mask;
}

//===----------------------------------------------------------------------===//
// SDWA
//===----------------------------------------------------------------------===//

namespace {
struct BitField {
  unsigned Shift;
  uint32_t Mask; ///< before the shift
};
} // namespace

static BitField getField(SdwaControl::Select S) {
  using Select = SdwaControl::Select;
  switch (S) {
  case Select::Byte0:
  case Select::Byte1:
  case Select::Byte2:
  case Select::Byte3:
    return {8 * (unsigned(S) - unsigned(Select::Byte0)), 0xff};
  case Select::Word0:
    return {0, 0xffff};
  case Select::Word1:
    return {16, 0xffff};
  case Select::Dword:
    break;
  }
  return {0, ~0u};
}

static void selectField(const Wave &W, const Lanes32 &Row,
                        SdwaControl::Select Select, bool Sext,
                        Lanes32 &Result) {
  BitField F = getField(Select);
  uint32_t Sign = Sext ? (F.Mask >> 1) + 1 : 0;
  forLanes(W, [&](unsigned Lane) {
    Result.V[Lane] = (((Row.V[Lane] >> F.Shift) & F.Mask) ^ Sign) - Sign;
  });
}

/// Puts \p Value into its destination field; dst_unused decides about the rest
/// of \p Old.
static void placeField(const Wave &W, const SdwaControl &S,
                       const Lanes32 &Value, const Lanes32 &Old,
                       Lanes32 &Result) {
  BitField F = getField(S.Destination);
  uint32_t Field = F.Mask << F.Shift;
  bool Keep = S.Rest == SdwaControl::Unused::Preserve;
  // Bits above the field take its sign; those below are zero.
  uint32_t Above = S.Rest == SdwaControl::Unused::Sext
                       ? ~(Field | ((1u << F.Shift) - 1))
                       : 0;
  uint32_t Sign = (F.Mask >> 1) + 1;
  forLanes(W, [&](unsigned Lane) {
    uint32_t V = Value.V[Lane];
    uint32_t Rest = (V & Sign) ? Above : 0;
    Rest |= Keep ? Old.V[Lane] & ~Field : 0;
    Result.V[Lane] = ((V << F.Shift) & Field) | Rest;
  });
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

static void broadcast(const Wave &W, uint32_t Value, Lanes32 &Row) {
  forLanes(W, [&](unsigned Lane) { Row.V[Lane] = Value; });
}

/// Returns register \p Dword of an operand, with DPP.
static const Lanes32 &sourceRow(Wave &W, const Instruction &I, unsigned N,
                                unsigned Dword, Lanes32 &Scratch) {
  const Operand &O = I.Operands[N];
  const Lanes32 &Row = W.Vectors[sourceRegister(W, I, O, N) + Dword];
  if (!usesDpp(I) || N != firstSource(I))
    return Row;
  gatherDpp(W, I.Dpp, Row, Scratch);
  return Scratch;
}

/// Returns the field of source \p N that SDWA selects, if any.
static const Lanes32 &applySdwa(const Wave &W, const Instruction &I, unsigned N,
                                const Lanes32 &Row, Lanes32 &Scratch) {
  if (!I.Sdwa.Present)
    return Row;
  unsigned Source = N - firstSource(I);
  if (Source > 1)
    return Row; // a lane mask: of v_cndmask, or a carry
  auto Select = Source == 0 ? I.Sdwa.Source0 : I.Sdwa.Source1;
  if (Select == SdwaControl::Select::Dword)
    return Row;
  selectField(W, Row, Select, I.Operands[N].Sext, Scratch);
  return Scratch;
}

const Lanes32 &sourceBits32(Wave &W, const Instruction &I, unsigned N,
                            Lanes32 &Scratch) {
  const Operand &O = I.Operands[N];
  const Lanes32 *Row = &Scratch;
  if (O.What == Operand::Kind::Vgpr)
    Row = &sourceRow(W, I, N, 0, Scratch);
  else
    broadcast(W, scalarBits32(W, O), Scratch);
  return applySdwa(W, I, N, *Row, Scratch);
}

void sourceBits64(Wave &W, const Instruction &I, unsigned N, Lanes64 &Scratch,
                  bool LiteralIsHigh, bool SignExtend) {
  const Operand &O = I.Operands[N];
  if (O.What != Operand::Kind::Vgpr) {
    uint64_t Value = scalarBits64(W, O, LiteralIsHigh);
    if (O.Literal && SignExtend)
      Value = uint64_t(int64_t(int32_t(Value)));
    forLanes(W, [&](unsigned Lane) { Scratch.V[Lane] = Value; });
    return;
  }
  Lanes32 LowScratch, HighScratch;
  const Lanes32 &Low = sourceRow(W, I, N, 0, LowScratch);
  if (O.Dwords < 2) {
    forLanes(W, [&](unsigned Lane) { Scratch.V[Lane] = Low.V[Lane]; });
    return;
  }
  const Lanes32 &High = sourceRow(W, I, N, 1, HighScratch);
  forLanes(W, [&](unsigned Lane) {
    Scratch.V[Lane] = Low.V[Lane] | uint64_t(High.V[Lane]) << 32;
  });
}

/// True if source \p N of a 16-bit operation is a register's upper half.
static bool readsHigh(const Instruction &I, unsigned N) {
  if (I.Operands[N].Part != Operand::Half::None)
    return I.Operands[N].Part == Operand::Half::High;
  return I.OpSel && (I.OpSel >> (N - firstSource(I)) & 1);
}

const Lanes32 &sourceBits16(Wave &W, const Instruction &I, unsigned N,
                            Lanes32 &Scratch) {
  const Operand &O = I.Operands[N];
  if (O.What == Operand::Kind::Constant && O.Float) {
    broadcast(W, halfBits(float(O.FloatValue)), Scratch);
    return Scratch;
  }
  const Lanes32 &Row = sourceBits32(W, I, N, Scratch);
  unsigned Shift = readsHigh(I, N) ? 16 : 0;
  forLanes(W, [&](unsigned Lane) {
    Scratch.V[Lane] = (Row.V[Lane] >> Shift) & 0xffff;
  });
  return Scratch;
}

void sourcePacked(Wave &W, const Instruction &I, unsigned N, bool FloatIsHalf,
                  Lanes32 &Low, Lanes32 &High) {
  const Operand &O = I.Operands[N];
  Lanes32 Scratch;
  const Lanes32 *Row = &Scratch;
  if (FloatIsHalf && O.What == Operand::Kind::Constant && O.Float)
    broadcast(W, halfBits(float(O.FloatValue)), Scratch);
  else
    Row = &sourceBits32(W, I, N, Scratch);
  unsigned Source = N - 1;
  unsigned LowShift = (I.OpSel >> Source & 1) ? 16 : 0;
  unsigned HighShift = (I.OpSelHi >> Source & 1) ? 16 : 0;
  forLanes(W, [&](unsigned Lane) {
    Low.V[Lane] = (Row->V[Lane] >> LowShift) & 0xffff;
    High.V[Lane] = (Row->V[Lane] >> HighShift) & 0xffff;
  });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void writeResult32(Wave &W, const Instruction &I, const Lanes32 &Value,
                   unsigned N) {
  unsigned Index = destinationRegister(W, I.Operands[N]);
  if (Index >= VectorRegisterCount)
    return;
  Lanes32 &Row = W.Vectors[Index];
  uint64_t Mask = writeMask(W, I);
  if (!I.Sdwa.Present || I.Sdwa.Destination == SdwaControl::Select::Dword) {
    blend(Row, Value, Mask);
    return;
  }
  Lanes32 Placed;
  placeField(W, I.Sdwa, Value, Row, Placed);
  blend(Row, Placed, Mask);
}

void writeResult64(Wave &W, const Instruction &I, const Lanes64 &Value,
                   unsigned N) {
  unsigned Index = destinationRegister(W, I.Operands[N]);
  if (Index + 1 >= VectorRegisterCount)
    return;
  uint64_t Mask = writeMask(W, I);
  blend64(W.Vectors[Index], W.Vectors[Index + 1], Value, Mask);
}

/// True if a 16-bit result goes to the register's upper half.
static bool writesHigh(const Instruction &I, unsigned N) {
  if (I.Operands[N].Part != Operand::Half::None)
    return I.Operands[N].Part == Operand::Half::High;
  return I.OpSel && (I.OpSel >> (I.OperandCount - firstSource(I)) & 1);
}

void writeResult16(Wave &W, const Instruction &I, const Lanes32 &Value,
                   unsigned N, bool KeepHigh) {
  unsigned Index = destinationRegister(W, I.Operands[N]);
  if (Index >= VectorRegisterCount)
    return;
  Lanes32 Result;
  forLanes(W, [&](unsigned Lane) { Result.V[Lane] = Value.V[Lane] & 0xffff; });
  if (I.Sdwa.Present) {
    writeResult32(W, I, Result, N);
    return;
  }
  const Lanes32 &Old = W.Vectors[Index];
  if (writesHigh(I, N)) {
    forLanes(W, [&](unsigned Lane) {
      Result.V[Lane] = Result.V[Lane] << 16 | (Old.V[Lane] & 0xffff);
    });
  } else if (KeepHigh || W.Isa->preservesHigh16() ||
             I.Operands[N].Part == Operand::Half::Low) {
    forLanes(
        W, [&](unsigned Lane) { Result.V[Lane] |= Old.V[Lane] & 0xffff0000; });
  }
  blend(W.Vectors[Index], Result, writeMask(W, I));
}

//===----------------------------------------------------------------------===//
// Dual issue
//===----------------------------------------------------------------------===//

void executeDualInOrder(Wave &W, const Instruction &I) {
  const Instruction &First = *I.Dual;
  First.Execute(W, First);
  First.Dual->Execute(W, *First.Dual);
}

void executeDual(Wave &W, const Instruction &I) {
  const Instruction &First = *I.Dual, &Second = *First.Dual;
  const Operand &Result = First.Operands[0];
  if (Result.What != Operand::Kind::Vgpr)
    return executeDualInOrder(W, I);
  // The second half must see the registers as they were before the first.
  Lanes32 &Row = W.Vectors[Result.Index];
  Lanes32 Before = Row;
  First.Execute(W, First);
  Lanes32 After = Row;
  Row = Before;
  Second.Execute(W, Second);
  Row = After;
}

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu
