//===- Lanes.h - vector operands in and out ---------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector operation reads whole registers, computes all lanes without a branch
// and stores those that are active: loops that a compiler turns into SIMD. This
// header is the only place that knows modifiers of sources (DPP, SDWA, neg,
// abs, op_sel, true16 halves) and of results (exec, DPP and SDWA masks, clamp).
//
// Lane loops are compiled once a variant: see Opcodes.h. KPACK_SOFTGPU_VARIANT
// is its namespace; files that are compiled once use the generic one.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_LANES_LANES_H
#define KPACK_LIB_SOFTGPU_MACHINE_LANES_LANES_H

#include "SoftGpu/Machine/Wave.h"
#include <bit>

#ifndef KPACK_SOFTGPU_VARIANT
#define KPACK_SOFTGPU_VARIANT generic
namespace kpack::softgpu {
namespace generic {}
using namespace generic;
} // namespace kpack::softgpu
#endif

namespace kpack::softgpu {

// Scalar operands, shared by all variants (ScalarOperands.cpp).

/// The operand that is source 0 of a vector instruction: 1, or 2 after a carry
/// out.
unsigned firstSource(const Instruction &I);

/// \p F, an inline constant (zero or a normal number), as f16: nearest even.
uint32_t halfBits(float F);

/// A lane mask read from or written to a scalar operand (vcc, s[n:n+1], exec).
/// Bits of inactive lanes are 0 when \p Value comes from a comparison.
uint64_t readMask(const Wave &W, const Operand &O);
void writeMaskOperand(Wave &W, const Operand &O, uint64_t Value);

/// Scalar reads, for SALU, addresses and broadcast.
uint32_t scalarBits32(const Wave &W, const Operand &O);
uint64_t scalarBits64(const Wave &W, const Operand &O,
                      bool LiteralIsHigh = false);
void writeScalar32(Wave &W, const Operand &O, uint32_t Value);
void writeScalar64(Wave &W, const Operand &O, uint64_t Value);

/// Handler of what only matters to a pipeline, or to what is not emulated.
inline void doNothing(Wave &, const Instruction &) {}

namespace KPACK_SOFTGPU_VARIANT {

/// Whether plain operands and accesses take a short way. Not in the variant
/// that the others are compared with (softgpu-differential).
#ifdef KPACK_SOFTGPU_REFERENCE
constexpr bool TakesShortWays = false;
#else
constexpr bool TakesShortWays = true;
#endif

/// Calls \p Body with each lane of \p W, also those that exec leaves out. Each
/// loop has a length that the compiler knows: it becomes SIMD as a whole. A
/// call would cost as much as the loop.
template <class Function>
[[gnu::always_inline]] inline void forLanes(const Wave &W,
                                            const Function &Body) {
  if (W.Lanes == 32) {
    for (unsigned Lane = 0; Lane < 32; ++Lane)
      Body(Lane);
  } else {
    for (unsigned Lane = 0; Lane < 64; ++Lane)
      Body(Lane);
  }
}

// The paths that take any operand and modifier (Lanes.cpp).

/// Source \p N of \p I as 32-bit patterns, all lanes, with DPP (of source 0),
/// SDWA selection and sext, integer or float neg/abs NOT applied. A constant
/// printed as a float is an f32 pattern. \p N counts operands of the text: 0 is
/// the destination. Returns the register itself where nothing is to be done,
/// else \p Scratch.
const Lanes32 &sourceBits32(Wave &W, const Instruction &I, unsigned N,
                            Lanes32 &Scratch);

/// As above for 64-bit operands; \p Scratch receives them.
/// A float constant is an f64 pattern; a literal is the high half when
/// \p LiteralIsHigh (f64 operations), else it is zero-extended (b64, u64) —
/// sign-extended when \p SignExtend (i64).
void sourceBits64(Wave &W, const Instruction &I, unsigned N, Lanes64 &Scratch,
                  bool LiteralIsHigh, bool SignExtend = false);

/// 16-bit operands in the low halves of \p Scratch, high halves zero: op_sel,
/// true16 halves and SDWA are applied. A float constant is an f16 pattern.
const Lanes32 &sourceBits16(Wave &W, const Instruction &I, unsigned N,
                            Lanes32 &Scratch);

/// Source \p N of packed 16-bit math, as op_sel and op_sel_hi pick it: the
/// operands of the low and of the high result, each in the low half. neg_lo and
/// neg_hi are NOT applied. A float constant is an f16 pattern when
/// \p FloatIsHalf, else f32 (integer instructions).
void sourcePacked(Wave &W, const Instruction &I, unsigned N, bool FloatIsHalf,
                  Lanes32 &Low, Lanes32 &High);

/// Lanes that a result is stored to: exec, without those that DPP masks out.
uint64_t writeMask(const Wave &W, const Instruction &I);

/// Stores to operand 0 (or \p N), all active lanes. SDWA destinations included.
void writeResult32(Wave &W, const Instruction &I, const Lanes32 &Value,
                   unsigned N = 0);
void writeResult64(Wave &W, const Instruction &I, const Lanes64 &Value,
                   unsigned N = 0);
/// Low halves of \p Value; the other half of the register as the target has it.
/// \p KeepHigh: it leaves that half on every target (VOP3 with op_sel, fmac and
/// mad_mix of gfx9).
void writeResult16(Wave &W, const Instruction &I, const Lanes32 &Value,
                   unsigned N = 0, bool KeepHigh = false);

/// Handler of a v_dual_ instruction: both halves, sources read first. Their
/// destinations differ (the encoding wants one even, one odd).
void executeDual(Wave &W, const Instruction &I);
/// The halves run one after the other: fine unless the second reads what the
/// first has written.
void executeDualInOrder(Wave &W, const Instruction &I);

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_LANES_LANES_H
