//===- Atomics.cpp - atomics of global memory and buffers -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// global_, flat_ and buffer_atomic_. Operands, as printed: the result, if one
// is asked for; address, data, scalar base. Buffers have one operand for result
// and data, then address, resource, scalar offset. Two data are one after the
// other in their registers. Real atomics on the host: other workgroups run on
// other threads.
//
//===----------------------------------------------------------------------===//
#include "AtomicLanes.h"
#include "BufferLanes.h"
#include "MemorySpaces.h"
#include "OpcodeNames.h"

namespace kpack::softgpu {

namespace {

template <class Space> struct FlatAtomics {
  static constexpr uint32_t Modifiers = ModOffset | ModReturn;

  template <class Op, typename T>
  static void update(Wave &W, const Instruction &I) {
    bool Returns = I.has(ModReturn);
    Space At(W, I, Returns, sizeof(T), Access::Atomic);
    const Operand &Data = I.Operands[Returns + 1];
    AtomicData<T> Result(W, I.Operands[0]);
    updateLanes<Op, T>(W, At, Op::template rules<T>(W, AtomicPlace::Memory),
                       Op::template rules<T>(W, AtomicPlace::FlatLds),
                       AtomicData<T>(W, Data),
                       AtomicData<T>(W, Data, secondRegister<Op, T>()),
                       Returns ? &Result : nullptr, neverSkip);
  }
};

struct BufferAtomics {
  static constexpr uint32_t Modifiers =
      ModOffset | ModOffen | ModIdxen | ModReturn;

  template <class Op, typename T>
  static void update(Wave &W, const Instruction &I) {
    BufferLanes At(W, I, 1, sizeof(T), Access::Atomic);
    if (!At.isUsable())
      return;
    AtomicRules Rules = Op::template rules<T>(W, AtomicPlace::Memory);
    const Operand &Data = I.Operands[0];
    AtomicData<T> Result(W, Data);
    updateLanes<Op, T>(W, At, Rules, Rules, AtomicData<T>(W, Data),
                       AtomicData<T>(W, Data, secondRegister<Op, T>()),
                       I.has(ModReturn) ? &Result : nullptr,
                       [&](unsigned Lane) { return !At.isInBounds(Lane); });
  }
};

} // namespace

/// The rows in the spellings of gfx9 and gfx10 and those of gfx11 and later.
template <NamePart P, class Unit> static consteval auto atomics() {
  constexpr uint32_t M = Unit::Modifiers;
  return std::to_array<OpcodeInfo>({
      {Name<P, "atomic_swap">, Unit::template update<Exchange, uint32_t>, M},
      {Name<P, "atomic_swap_b32">, Unit::template update<Exchange, uint32_t>,
       M},
      {Name<P, "atomic_swap_x2">, Unit::template update<Exchange, uint64_t>, M},
      {Name<P, "atomic_swap_b64">, Unit::template update<Exchange, uint64_t>,
       M},
      {Name<P, "atomic_cmpswap">,
       Unit::template update<CompareExchange, uint32_t>, M},
      {Name<P, "atomic_cmpswap_b32">,
       Unit::template update<CompareExchange, uint32_t>, M},
      {Name<P, "atomic_cmpswap_x2">,
       Unit::template update<CompareExchange, uint64_t>, M},
      {Name<P, "atomic_cmpswap_b64">,
       Unit::template update<CompareExchange, uint64_t>, M},
      {Name<P, "atomic_add">, Unit::template update<Add, uint32_t>, M},
      {Name<P, "atomic_add_u32">, Unit::template update<Add, uint32_t>, M},
      {Name<P, "atomic_add_x2">, Unit::template update<Add, uint64_t>, M},
      {Name<P, "atomic_add_u64">, Unit::template update<Add, uint64_t>, M},
      {Name<P, "atomic_sub">, Unit::template update<Subtract, uint32_t>, M},
      {Name<P, "atomic_sub_u32">, Unit::template update<Subtract, uint32_t>, M},
      {Name<P, "atomic_sub_x2">, Unit::template update<Subtract, uint64_t>, M},
      {Name<P, "atomic_sub_u64">, Unit::template update<Subtract, uint64_t>, M},
      {Name<P, "atomic_smin">, Unit::template update<SignedMin, uint32_t>, M},
      {Name<P, "atomic_min_i32">, Unit::template update<SignedMin, uint32_t>,
       M},
      {Name<P, "atomic_smin_x2">, Unit::template update<SignedMin, uint64_t>,
       M},
      {Name<P, "atomic_min_i64">, Unit::template update<SignedMin, uint64_t>,
       M},
      {Name<P, "atomic_smax">, Unit::template update<SignedMax, uint32_t>, M},
      {Name<P, "atomic_max_i32">, Unit::template update<SignedMax, uint32_t>,
       M},
      {Name<P, "atomic_smax_x2">, Unit::template update<SignedMax, uint64_t>,
       M},
      {Name<P, "atomic_max_i64">, Unit::template update<SignedMax, uint64_t>,
       M},
      {Name<P, "atomic_umin">, Unit::template update<UnsignedMin, uint32_t>, M},
      {Name<P, "atomic_min_u32">, Unit::template update<UnsignedMin, uint32_t>,
       M},
      {Name<P, "atomic_umin_x2">, Unit::template update<UnsignedMin, uint64_t>,
       M},
      {Name<P, "atomic_min_u64">, Unit::template update<UnsignedMin, uint64_t>,
       M},
      {Name<P, "atomic_umax">, Unit::template update<UnsignedMax, uint32_t>, M},
      {Name<P, "atomic_max_u32">, Unit::template update<UnsignedMax, uint32_t>,
       M},
      {Name<P, "atomic_umax_x2">, Unit::template update<UnsignedMax, uint64_t>,
       M},
      {Name<P, "atomic_max_u64">, Unit::template update<UnsignedMax, uint64_t>,
       M},
      {Name<P, "atomic_and">, Unit::template update<And, uint32_t>, M},
      {Name<P, "atomic_and_b32">, Unit::template update<And, uint32_t>, M},
      {Name<P, "atomic_and_x2">, Unit::template update<And, uint64_t>, M},
      {Name<P, "atomic_and_b64">, Unit::template update<And, uint64_t>, M},
      {Name<P, "atomic_or">, Unit::template update<Or, uint32_t>, M},
      {Name<P, "atomic_or_b32">, Unit::template update<Or, uint32_t>, M},
      {Name<P, "atomic_or_x2">, Unit::template update<Or, uint64_t>, M},
      {Name<P, "atomic_or_b64">, Unit::template update<Or, uint64_t>, M},
      {Name<P, "atomic_xor">, Unit::template update<Xor, uint32_t>, M},
      {Name<P, "atomic_xor_b32">, Unit::template update<Xor, uint32_t>, M},
      {Name<P, "atomic_xor_x2">, Unit::template update<Xor, uint64_t>, M},
      {Name<P, "atomic_xor_b64">, Unit::template update<Xor, uint64_t>, M},
      {Name<P, "atomic_inc">, Unit::template update<Increment, uint32_t>, M},
      {Name<P, "atomic_inc_u32">, Unit::template update<Increment, uint32_t>,
       M},
      {Name<P, "atomic_inc_x2">, Unit::template update<Increment, uint64_t>, M},
      {Name<P, "atomic_inc_u64">, Unit::template update<Increment, uint64_t>,
       M},
      {Name<P, "atomic_dec">, Unit::template update<Decrement, uint32_t>, M},
      {Name<P, "atomic_dec_u32">, Unit::template update<Decrement, uint32_t>,
       M},
      {Name<P, "atomic_dec_x2">, Unit::template update<Decrement, uint64_t>, M},
      {Name<P, "atomic_dec_u64">, Unit::template update<Decrement, uint64_t>,
       M},
      {Name<P, "atomic_csub">, Unit::template update<SubtractClamped, uint32_t>,
       M},
      {Name<P, "atomic_csub_u32">,
       Unit::template update<SubtractClamped, uint32_t>, M},
      {Name<P, "atomic_sub_clamp_u32">,
       Unit::template update<SubtractClamped, uint32_t>, M},
      {Name<P, "atomic_cond_sub_u32">,
       Unit::template update<SubtractIfEnough, uint32_t>, M},

      {Name<P, "atomic_add_f32">, Unit::template update<FloatAdd, uint32_t>, M},
      {Name<P, "atomic_add_f64">, Unit::template update<FloatAdd, uint64_t>, M},
      {Name<P, "atomic_pk_add_f16">,
       Unit::template update<PackedAdd<PackedF16>, uint32_t>, M},
      {Name<P, "atomic_pk_add_bf16">,
       Unit::template update<PackedAdd<PackedBf16>, uint32_t>, M},
      {Name<P, "atomic_fmin">, Unit::template update<FloatMin, uint32_t>, M},
      {Name<P, "atomic_min_f32">, Unit::template update<FloatMin, uint32_t>, M},
      {Name<P, "atomic_min_num_f32">, Unit::template update<FloatMin, uint32_t>,
       M},
      {Name<P, "atomic_fmin_x2">, Unit::template update<FloatMin, uint64_t>, M},
      {Name<P, "atomic_min_f64">, Unit::template update<FloatMin, uint64_t>, M},
      {Name<P, "atomic_fmax">, Unit::template update<FloatMax, uint32_t>, M},
      {Name<P, "atomic_max_f32">, Unit::template update<FloatMax, uint32_t>, M},
      {Name<P, "atomic_max_num_f32">, Unit::template update<FloatMax, uint32_t>,
       M},
      {Name<P, "atomic_fmax_x2">, Unit::template update<FloatMax, uint64_t>, M},
      {Name<P, "atomic_max_f64">, Unit::template update<FloatMax, uint64_t>, M},
      {Name<P, "atomic_fcmpswap">,
       Unit::template update<FloatCompareExchange, uint32_t>, M},
      {Name<P, "atomic_cmpswap_f32">,
       Unit::template update<FloatCompareExchange, uint32_t>, M},
      {Name<P, "atomic_fcmpswap_x2">,
       Unit::template update<FloatCompareExchange, uint64_t>, M},
  });
}

static constexpr auto Table = joinTables(
    atomics<"global_", FlatAtomics<Global>>(),
    atomics<"flat_", FlatAtomics<Flat>>(), atomics<"buffer_", BufferAtomics>());

llvm::ArrayRef<OpcodeInfo> atomicOpcodes() { return Table; }

} // namespace kpack::softgpu
