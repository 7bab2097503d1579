//===- ScalarOperands.cpp - operands that all lanes share -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalar registers, constants, flags and lane masks of Lanes.h, for scalar and
// vector instructions. There are no lane loops, so this file is compiled once,
// unlike Lanes.cpp.
//
//===----------------------------------------------------------------------===//
#include "Lanes.h"

namespace kpack::softgpu {

unsigned firstSource(const Instruction &I) {
  if (I.OperandCount < 4)
    return 1;
  const Operand &Second = I.Operands[1];
  // A second result: the carry in vcc or another mask. DPP applies to
  // registers.
  if (I.has(ModDpp))
    return Second.What == Operand::Kind::Vgpr ? 1 : 2;
  if (Second.What != Operand::Kind::Sgpr && Second.What != Operand::Kind::Null)
    return 1;
  // Five operands include a carry in. With four, a 64-bit scalar is a mask if
  // the result has 32 bits.
  bool IsMask = Second.Dwords == 2 && I.Operands[0].Dwords == 1;
  return I.OperandCount == 5 || IsMask ? 2 : 1;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

uint32_t halfBits(float F) {
  uint32_t Bits = std::bit_cast<uint32_t>(F);
  uint32_t Magnitude = Bits & 0x7fffffff;
  if (Magnitude < 0x38800000) // below the smallest normal f16
    return Bits >> 16 & 0x8000;
  uint32_t Rounded = (Magnitude + 0xfff + (Magnitude >> 13 & 1)) >> 13;
  return (Bits >> 16 & 0x8000) | ((Rounded - (112u << 10)) & 0x7fff);
}

static uint64_t apertureBits(Operand::Kind Kind) {
  switch (Kind) {
  case Operand::Kind::SharedBase:
    return SharedAperture;
  case Operand::Kind::SharedLimit:
    return SharedAperture + (ApertureSize - 1);
  case Operand::Kind::PrivateBase:
    return PrivateAperture;
  case Operand::Kind::PrivateLimit:
    return PrivateAperture + (ApertureSize - 1);
  default:
    return 0;
  }
}

static bool flag(const Wave &W, Operand::Kind Kind) {
  switch (Kind) {
  case Operand::Kind::Scc:
    return W.Scc;
  case Operand::Kind::Vccz:
    return W.vcc() == 0;
  case Operand::Kind::Execz:
    return W.exec() == 0;
  default:
    return false;
  }
}

uint32_t scalarBits32(const Wave &W, const Operand &O) {
  switch (O.What) {
  case Operand::Kind::Sgpr:
    return W.Scalars[O.Index];
  case Operand::Kind::Constant:
    return O.Float ? std::bit_cast<uint32_t>(float(O.FloatValue))
                   : uint32_t(O.Value);
  case Operand::Kind::Scc:
  case Operand::Kind::Vccz:
  case Operand::Kind::Execz:
    return flag(W, O.What);
  default:
    return uint32_t(apertureBits(O.What) >> 32);
  }
}

uint64_t scalarBits64(const Wave &W, const Operand &O, bool LiteralIsHigh) {
  switch (O.What) {
  case Operand::Kind::Sgpr:
    return O.Dwords >= 2 ? W.scalar64(O.Index) : W.Scalars[O.Index];
  case Operand::Kind::Constant:
    if (O.Float)
      return std::bit_cast<uint64_t>(O.FloatValue);
    return O.Literal && LiteralIsHigh ? O.Value << 32 : O.Value;
  case Operand::Kind::Scc:
  case Operand::Kind::Vccz:
  case Operand::Kind::Execz:
    return flag(W, O.What);
  default:
    return apertureBits(O.What);
  }
}

void writeScalar32(Wave &W, const Operand &O, uint32_t Value) {
  if (O.What == Operand::Kind::Sgpr)
    W.Scalars[O.Index] = Value;
}

void writeScalar64(Wave &W, const Operand &O, uint64_t Value) {
  if (O.What == Operand::Kind::Sgpr && O.Index + 1 < ScalarRegisterCount)
    W.setScalar64(O.Index, Value);
}

uint64_t readMask(const Wave &W, const Operand &O) {
  if (O.What == Operand::Kind::Constant)
    return O.Value & W.allLanes();
  if (O.What != Operand::Kind::Sgpr)
    return 0;
  if (W.Lanes == 64 && O.Index + 1 < ScalarRegisterCount)
    return W.scalar64(O.Index);
  return W.Scalars[O.Index];
}

void writeMaskOperand(Wave &W, const Operand &O, uint64_t Value) {
  if (O.What != Operand::Kind::Sgpr || O.Index + 1 >= ScalarRegisterCount)
    return;
  W.setMask(O.Index, Value);
}

} // namespace kpack::softgpu
