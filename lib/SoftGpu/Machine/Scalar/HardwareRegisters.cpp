//===- HardwareRegisters.cpp - s_getreg, s_setreg and clocks --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// s_getreg and s_setreg for the registers with a meaning here, the short forms
// for the floating-point mode, and the time counters. A register, or a bit of
// MODE, without semantics is a fault, not zero.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Machine/Lanes/Lanes.h"
#include "SoftGpu/Machine/Opcodes.h"
#include <chrono>
#include <optional>

namespace kpack::softgpu {

namespace {
/// Ids as in the encoding; names of gfx12 in parentheses.
enum HardwareRegisterId : unsigned {
  Mode = 1, // (WAVE_MODE)
  HwId = 4, // gfx9
  ShMemBases = 15,
  FlatScrLo = 20, // gfx10+ (WAVE_SCRATCH_BASE_LO); XCC_ID of gfx940
  FlatScrHi = 21,
  HwId1 = 23, // gfx10+
  HwId2 = 24,
  SchedMode = 26,     // gfx12
  ShaderCycles = 29,  // gfx10.3+, 20 bits; low half of 64 on gfx12
  ShaderCyclesHi = 30 // gfx12
};
} // namespace

//===- Time ---------------------------------------------------------------===//

static uint64_t nanoseconds() {
  return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::steady_clock::now().time_since_epoch())
                      .count());
}

/// The shader clock: 1 GHz.
static uint64_t shaderCycles() { return nanoseconds(); }

/// The constant clock: 100 MHz on every target.
static uint64_t realTime() { return nanoseconds() / 10; }

template <uint64_t (*Clock)()>
static void readClock(Wave &W, const Instruction &I) {
  writeScalar64(W, I.Operands[0], Clock());
}

template <bool Wide> static void messageReturn(Wave &W, const Instruction &I) {
  constexpr uint64_t GetRealTime = 131;
  if (I.Operands[1].Value != GetRealTime) {
    W.fault(Fault::Kind::UnknownInstruction, I, "no semantics for the message");
    return;
  }
  if (Wide)
    writeScalar64(W, I.Operands[0], realTime());
  else
    writeScalar32(W, I.Operands[0], uint32_t(realTime()));
}

//===- MODE ---------------------------------------------------------------===//

static uint32_t modeBits(const Wave &W) {
  const FloatMode &M = W.Mode;
  uint32_t Bits =
      M.Round32 | M.Round1664 << 2 | M.Denorm32 << 4 | M.Denorm1664 << 6;
  if (!W.Isa->isGfx12Plus())
    Bits |= uint32_t(M.Dx10Clamp) << 8 | uint32_t(M.Ieee) << 9;
  return Bits;
}

/// Returns false if a set bit would change behaviour in a way that is not
/// implemented (exceptions, FP16_OVFL, VSKIP).
static bool setModeBits(Wave &W, uint32_t Bits) {
  uint32_t Known = W.Isa->isGfx12Plus() ? 0xffu : 0x3ffu;
  if (Bits & ~Known)
    return false;
  FloatMode &M = W.Mode;
  M.Round32 = Bits & 3;
  M.Round1664 = Bits >> 2 & 3;
  M.Denorm32 = Bits >> 4 & 3;
  M.Denorm1664 = Bits >> 6 & 3;
  if (!W.Isa->isGfx12Plus()) {
    M.Dx10Clamp = Bits >> 8 & 1;
    M.Ieee = Bits >> 9 & 1;
  }
  return true;
}

static void roundMode(Wave &W, const Instruction &I) {
  W.Mode.Round32 = I.Operands[0].Value & 3;
  W.Mode.Round1664 = I.Operands[0].Value >> 2 & 3;
}

static void denormMode(Wave &W, const Instruction &I) {
  W.Mode.Denorm32 = I.Operands[0].Value & 3;
  W.Mode.Denorm1664 = I.Operands[0].Value >> 2 & 3;
}

//===- s_getreg, s_setreg -------------------------------------------------===//

/// Reports one compute unit with four SIMDs, which the waves of a workgroup
/// take in turn.
static uint32_t hardwareId(const Wave &W, unsigned SimdShift, uint32_t Slots) {
  return (W.Index / 4 & (Slots - 1)) | (W.Index & 3) << SimdShift;
}

static std::optional<uint32_t> readRegister(const Wave &W, unsigned Id) {
  const Target &Isa = *W.Isa;
  switch (Id) {
  case Mode:
    return modeBits(W);
  case HwId: // WAVE_ID [3:0], SIMD_ID [5:4]
    if (Isa.isGfx9())
      return hardwareId(W, 4, 16);
    return std::nullopt;
  case ShMemBases: // bits [63:48] of the apertures
    if (!Isa.isGfx12Plus())
      return uint32_t(PrivateAperture >> 48 | SharedAperture >> 48 << 16);
    return std::nullopt;
  case FlatScrLo:
    if (Isa.Isa == Family::Gfx940)
      return 0; // one accelerator die
    if (Isa.isGfx10Plus())
      return W.Scalars[FlatScratchLo];
    return std::nullopt;
  case FlatScrHi:
    if (Isa.isGfx10Plus())
      return W.Scalars[FlatScratchHi];
    return std::nullopt;
  case HwId1: // WAVE_ID [4:0], SIMD_ID [9:8]
    if (Isa.isGfx10Plus())
      return hardwareId(W, 8, 32);
    return std::nullopt;
  case HwId2:
    if (Isa.isGfx10Plus())
      return 0;
    return std::nullopt;
  case ShaderCycles:
    if (Isa.isGfx12Plus())
      return uint32_t(shaderCycles());
    if (Isa.isGfx10Plus())
      return uint32_t(shaderCycles()) & 0xfffff;
    return std::nullopt;
  case ShaderCyclesHi:
    if (Isa.isGfx12Plus())
      return uint32_t(shaderCycles() >> 32);
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

/// Returns false if a write of \p Value has no semantics.
static bool writeRegister(Wave &W, unsigned Id, uint32_t Value) {
  const Target &Isa = *W.Isa;
  switch (Id) {
  case Mode:
    return setModeBits(W, Value);
  case FlatScrLo:
  case FlatScrHi:
    if (!Isa.isGfx10Plus())
      return false;
    W.Scalars[Id == FlatScrLo ? FlatScratchLo : FlatScratchHi] = Value;
    return true;
  default:
    return false;
  }
}

namespace {
/// A field hwreg(id, offset, size).
struct Field {
  unsigned Id, Offset, Size;
  explicit Field(const Operand &O)
      : Id(O.Value & 63), Offset(O.Value >> 6 & 31),
        Size((O.Value >> 11 & 31) + 1) {}
  uint32_t mask() const { return uint32_t((uint64_t(1) << Size) - 1); }
};
} // namespace

static void refuse(Wave &W, const Instruction &I, const Field &F) {
  W.fault(Fault::Kind::UnknownInstruction, I,
          "no semantics for this access to hardware register " +
              llvm::Twine(F.Id) + " of " + W.Isa->Processor);
}

static void getRegister(Wave &W, const Instruction &I) {
  Field F(I.Operands[1]);
  std::optional<uint32_t> Value = readRegister(W, F.Id);
  if (!Value)
    return refuse(W, I, F);
  writeScalar32(W, I.Operands[0], *Value >> F.Offset & F.mask());
}

static void setRegister(Wave &W, const Instruction &I) {
  Field F(I.Operands[0]);
  // The distance that gfx12 may issue ahead has no effect on results.
  if (F.Id == SchedMode && W.Isa->isGfx12Plus())
    return;
  std::optional<uint32_t> Old = readRegister(W, F.Id);
  if (!Old)
    return refuse(W, I, F);
  uint32_t Mask = F.mask() << F.Offset;
  uint32_t Value = scalarBits32(W, I.Operands[1]) << F.Offset;
  if (!writeRegister(W, F.Id, (*Old & ~Mask) | (Value & Mask)))
    refuse(W, I, F);
}

static void waveIdInWorkgroup(Wave &W, const Instruction &I) {
  writeScalar32(W, I.Operands[0], W.Index);
}

static constexpr OpcodeInfo Table[] = {
    {"s_getreg_b32", getRegister, 0},
    {"s_setreg_b32 s_setreg_imm32_b32", setRegister, 0},
    {"s_round_mode", roundMode, 0},
    {"s_denorm_mode", denormMode, 0},
    {"s_memtime", readClock<shaderCycles>, 0},
    {"s_memrealtime", readClock<realTime>, 0},
    {"s_sendmsg_rtn_b32", messageReturn<false>, 0},
    {"s_sendmsg_rtn_b64", messageReturn<true>, 0},
    {"s_get_waveid_in_workgroup", waveIdInWorkgroup, 0},
};

llvm::ArrayRef<OpcodeInfo> hardwareRegisterOpcodes() { return Table; }

} // namespace kpack::softgpu
