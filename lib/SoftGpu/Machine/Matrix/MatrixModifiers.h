//===- MatrixModifiers.h - modifiers of WMMA and SWMMAC ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// neg_lo and neg_hi as in MatrixWmma.cpp, 16-bit halves, 4- and 8-bit integers.
// A modifier without a meaning for an instruction is a fault.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_MATRIX_MATRIXMODIFIERS_H
#define KPACK_LIB_SOFTGPU_MACHINE_MATRIX_MATRIXMODIFIERS_H

#include "SoftGpu/Machine/Lanes/DotArithmetic.h"
#include "SoftGpu/Machine/Lanes/Lanes.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

template <unsigned Bits> inline int32_t extend(uint64_t Value, bool Signed) {
  constexpr int32_t Sign = 1 << (Bits - 1);
  return Signed ? (int32_t(Value) ^ Sign) - Sign : int32_t(Value);
}

inline bool refuseModifiers(Wave &W, const Instruction &I) {
  W.fault(Fault::Kind::UnknownInstruction, I,
          "a modifier without meaning for this instruction");
  return false;
}
/// Refuses negation of 8-bit A and B, and op_sel except that of C on gfx11.
template <unsigned Bits>
inline bool hasFloatModifiers(Wave &W, const Instruction &I) {
  bool Bad = (I.OpSel & 3) || (W.Isa->isGfx12Plus() && I.OpSel) ||
             (Bits == 8 && ((I.NegLo | I.NegHi) & 3));
  return !Bad || refuseModifiers(W, I);
}
inline bool hasIntegerModifiers(Wave &W, const Instruction &I) {
  return !(I.NegLo & 4) || refuseModifiers(W, I);
}

/// Returns the bit that negates element \p Index of source \p Source (0: A, 1:
/// B).
template <unsigned Bits>
inline uint64_t getSign(const Instruction &I, unsigned Source, unsigned Index) {
  if constexpr (Bits != 16)
    return 0;
  uint8_t Bit = Index % 2 ? I.NegHi : I.NegLo;
  return (Bit >> Source & 1) ? 0x8000 : 0;
}

/// Return decoders of elements of source \p Source. A decoder takes the bits,
/// and the element's number in its lane.
template <class Format, unsigned Source>
inline auto floatDecoder(const Instruction &I) {
  return [&I](uint64_t Bits, unsigned Index) {
    return Format::decode(Bits ^ getSign<Format::Bits>(I, Source, Index));
  };
}
template <unsigned Bits, unsigned Source>
inline auto integerDecoder(const Instruction &I) {
  return [Signed = bool(I.NegLo >> Source & 1)](uint64_t Value, unsigned) {
    return extend<Bits>(Value, Signed);
  };
}

inline void modifyAddend(const Instruction &I, unsigned Bits,
                         uint32_t (&C)[16][16]) {
  uint32_t Sign = 1u << (Bits - 1);
  for (auto &Row : C)
    for (uint32_t &V : Row) {
      V &= (I.NegHi & 4) ? ~Sign : ~0u;
      V ^= (I.NegLo & 4) ? Sign : 0;
    }
}

/// Returns an inline constant as an element of C.
inline uint32_t constantAddend(const Wave &W, const Operand &O,
                               DotResult Type) {
  uint32_t Bits = scalarBits32(W, O);
  if (!O.Float || Type == DotResult::F32)
    return Bits;
  if (Type == DotResult::Bf16)
    return Bits >> 16;
  // Normal numbers with few bits, except 1/(2 pi).
  return roundSumToF16(Bits >> 31 ? -int64_t((Bits & 0x7fffff) | 0x800000)
                                  : int64_t((Bits & 0x7fffff) | 0x800000),
                       int(Bits >> 23 & 0xff) - 150);
}

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_MATRIX_MATRIXMODIFIERS_H
