//===- Lanes.h - operands of vector instructions ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector operation reads whole registers, computes all lanes without a branch
// and stores the active ones: loops that a compiler turns into SIMD. Only this
// header handles modifiers of sources (DPP, SDWA, neg, abs, op_sel, true16
// halves) and of results (exec, DPP and SDWA masks, clamp).
//
// Lane loops are compiled once for each variant: see Opcodes.h.
// KPACK_SOFTGPU_VARIANT is its namespace; files that are compiled once use the
// generic one.
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

/// Returns the operand that is source 0 of a vector instruction: 1, or 2 after
/// a carry out.
unsigned firstSource(const Instruction &I);

/// Converts \p F, an inline constant (zero or a normal number), to f16, rounded
/// to nearest even.
uint32_t halfBits(float F);

/// Read and write a lane mask in a scalar operand (vcc, s[n:n+1], exec). Bits
/// of inactive lanes must be 0 if \p Value comes from a comparison.
uint64_t readMask(const Wave &W, const Operand &O);
void writeMaskOperand(Wave &W, const Operand &O, uint64_t Value);

/// Scalar accesses, for SALU, addresses and broadcast.
uint32_t scalarBits32(const Wave &W, const Operand &O);
uint64_t scalarBits64(const Wave &W, const Operand &O,
                      bool LiteralIsHigh = false);
void writeScalar32(Wave &W, const Operand &O, uint32_t Value);
void writeScalar64(Wave &W, const Operand &O, uint64_t Value);

/// Handler of instructions that only affect the pipeline or are not emulated.
inline void doNothing(Wave &, const Instruction &) {}

namespace KPACK_SOFTGPU_VARIANT {

/// True if plain operands and accesses take a fast path. False in the reference
/// variant (softgpu-differential).
#ifdef KPACK_SOFTGPU_REFERENCE
constexpr bool TakesShortWays = false;
#else
constexpr bool TakesShortWays = true;
#endif

/// Calls \p Body with each lane of \p W, including inactive ones. The compiler
/// knows the length of each loop, so the whole loop becomes SIMD. A call would
/// cost as much as the loop.
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

// The slow paths, for any operand and modifier (Lanes.cpp).

/// Returns source \p N of \p I as 32-bit patterns, all lanes, with DPP (of
/// source 0), SDWA selection and sext; integer or float neg/abs are NOT
/// applied. A constant printed as a float is an f32 pattern. \p N counts
/// operands of the text: 0 is the destination. Returns the register itself if
/// there is nothing to do, else \p Scratch.
const Lanes32 &sourceBits32(Wave &W, const Instruction &I, unsigned N,
                            Lanes32 &Scratch);

/// The same for 64-bit operands, in \p Scratch. A float constant is an f64
/// pattern; a literal is the high half if \p LiteralIsHigh (f64 operations),
/// else it is zero-extended (b64, u64), or sign-extended if \p SignExtend
/// (i64).
void sourceBits64(Wave &W, const Instruction &I, unsigned N, Lanes64 &Scratch,
                  bool LiteralIsHigh, bool SignExtend = false);

/// The same for 16-bit operands in the low halves, high halves zero: op_sel,
/// true16 halves and SDWA are applied. A float constant is an f16 pattern.
const Lanes32 &sourceBits16(Wave &W, const Instruction &I, unsigned N,
                            Lanes32 &Scratch);

/// Reads source \p N of packed 16-bit math by op_sel and op_sel_hi: the
/// operands of the low and of the high result, each in the low half. neg_lo and
/// neg_hi are NOT applied. A float constant is an f16 pattern if
/// \p FloatIsHalf, else f32 (integer instructions).
void sourcePacked(Wave &W, const Instruction &I, unsigned N, bool FloatIsHalf,
                  Lanes32 &Low, Lanes32 &High);

/// Returns the lanes that a result is stored to: exec, minus those that DPP
/// masks out.
uint64_t writeMask(const Wave &W, const Instruction &I);

/// Stores all active lanes to operand 0 (or \p N), including SDWA destinations.
void writeResult32(Wave &W, const Instruction &I, const Lanes32 &Value,
                   unsigned N = 0);
void writeResult64(Wave &W, const Instruction &I, const Lanes64 &Value,
                   unsigned N = 0);
/// Stores low halves of \p Value; the target decides about the other half of
/// the register. \p KeepHigh: keep it on every target (VOP3 with op_sel, fmac
/// and mad_mix of gfx9).
void writeResult16(Wave &W, const Instruction &I, const Lanes32 &Value,
                   unsigned N = 0, bool KeepHigh = false);

/// Handler of a v_dual_ instruction: both halves read their sources first.
/// Their destinations differ (the encoding requires an even and an odd one).
void executeDual(Wave &W, const Instruction &I);
/// The same for instructions whose second half reads no result of the first:
/// executes the halves one after the other.
void executeDualInOrder(Wave &W, const Instruction &I);

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_LANES_LANES_H
