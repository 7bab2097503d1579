//===- Atomics.cpp - atomics of global memory and buffers -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// global_, flat_ and buffer_atomic_. Operands in printed order: the result, if
// requested; address, data, scalar base. Buffers have one operand for result
// and data, then address, resource, scalar offset. Two data are consecutive in
// their registers. These are real atomics on the host, as other workgroups run
// on other threads.
//
//===----------------------------------------------------------------------===//
#include "AtomicLanes.h"
#include "BufferLanes.h"
#include "MemorySpaces.h"
#include "SoftGpu/Machine/OpcodeNames.h"

namespace kpack::softgpu {

namespace {

template <class Space> struct FlatAtomics {
  static constexpr uint32_t Modifiers = ModOffset | ModReturn;

  template <class Op, typename T>
  static void update(Wave &W, const Instruction &I) {
    bool Returns = I.has(ModReturn);
    Space Address(W, I, Returns, sizeof(T), Access::Atomic);
    const Operand &Data = I.Operands[Returns + 1];
    AtomicData<T> Result(W, I.Operands[0]);
    updateLanes<Op, T>(
        W, Address, Op::template rules<T>(W, AtomicPlace::Memory),
        Op::template rules<T>(W, AtomicPlace::FlatLds), AtomicData<T>(W, Data),
        AtomicData<T>(W, Data, secondRegister<Op, T>()),
        Returns ? &Result : nullptr, neverSkip);
  }
};

struct BufferAtomics {
  static constexpr uint32_t Modifiers =
      ModOffset | ModOffen | ModIdxen | ModReturn;

  template <class Op, typename T>
  static void update(Wave &W, const Instruction &I) {
    BufferLanes Address(W, I, 1, sizeof(T), Access::Atomic);
    if (!Address.isUsable())
      return;
    AtomicRules Rules = Op::template rules<T>(W, AtomicPlace::Memory);
    const Operand &Data = I.Operands[0];
    AtomicData<T> Result(W, Data);
    updateLanes<Op, T>(
        W, Address, Rules, Rules, AtomicData<T>(W, Data),
        AtomicData<T>(W, Data, secondRegister<Op, T>()),
        I.has(ModReturn) ? &Result : nullptr,
        [&](unsigned Lane) { return !Address.isInBounds(Lane); });
  }
};

} // namespace

/// Rows for 32 and 64 bits, each in the spelling of gfx9 and gfx10 (\p Old) and
/// in that of gfx11 and later (\p New).
template <NamePart P, class Unit, class Op, NamePart Old, NamePart New>
static consteval auto both() {
  constexpr uint32_t M = Unit::Modifiers;
  return std::to_array<OpcodeInfo>({
      {Name<P, "atomic_", Old>, Unit::template update<Op, uint32_t>, M},
      {Name<P, "atomic_", New, "32">, Unit::template update<Op, uint32_t>, M},
      {Name<P, "atomic_", Old, "_x2">, Unit::template update<Op, uint64_t>, M},
      {Name<P, "atomic_", New, "64">, Unit::template update<Op, uint64_t>, M},
  });
}

template <NamePart P, class Unit, class Op, typename T, NamePart Spellings>
static consteval auto row() {
  return std::to_array<OpcodeInfo>(
      {{Name<P, "atomic_", Spellings>, Unit::template update<Op, T>,
        Unit::Modifiers}});
}

template <NamePart P, class U> static consteval auto atomics() {
  return joinTables(
      both<P, U, Exchange, "swap", "swap_b">(),
      both<P, U, CompareExchange, "cmpswap", "cmpswap_b">(),
      both<P, U, Add, "add", "add_u">(), both<P, U, Subtract, "sub", "sub_u">(),
      both<P, U, SignedMin, "smin", "min_i">(),
      both<P, U, SignedMax, "smax", "max_i">(),
      both<P, U, UnsignedMin, "umin", "min_u">(),
      both<P, U, UnsignedMax, "umax", "max_u">(),
      both<P, U, And, "and", "and_b">(), both<P, U, Or, "or", "or_b">(),
      both<P, U, Xor, "xor", "xor_b">(),
      both<P, U, Increment, "inc", "inc_u">(),
      both<P, U, Decrement, "dec", "dec_u">(),
      both<P, U, FloatMin, "fmin", "min_f">(),
      both<P, U, FloatMax, "fmax", "max_f">(),
      row<P, U, SubtractClamped, uint32_t, "csub csub_u32 sub_clamp_u32">(),
      row<P, U, SubtractIfEnough, uint32_t, "cond_sub_u32">(),
      row<P, U, FloatAdd, uint32_t, "add_f32">(),
      row<P, U, FloatAdd, uint64_t, "add_f64">(),
      row<P, U, PackedAdd<PackedF16>, uint32_t, "pk_add_f16">(),
      row<P, U, PackedAdd<PackedBf16>, uint32_t, "pk_add_bf16">(),
      row<P, U, FloatMin, uint32_t, "min_num_f32">(),
      row<P, U, FloatMax, uint32_t, "max_num_f32">(),
      row<P, U, FloatCompareExchange, uint32_t, "fcmpswap cmpswap_f32">(),
      row<P, U, FloatCompareExchange, uint64_t, "fcmpswap_x2">());
}

static constexpr auto Table = joinTables(
    atomics<"global_", FlatAtomics<Global>>(),
    atomics<"flat_", FlatAtomics<Flat>>(), atomics<"buffer_", BufferAtomics>());

llvm::ArrayRef<OpcodeInfo> atomicOpcodes() { return Table; }

} // namespace kpack::softgpu
