//===- LdsAtomics.cpp - atomics of the workgroup's memory -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ds_ instructions that read, compute and write. Operands, as printed: the
// result of _rtn_ ones, the address, one or two data.
//
//===----------------------------------------------------------------------===//
#include "AtomicLanes.h"
#include "LdsLanes.h"
#include "Opcodes.h"

namespace kpack::softgpu {

template <class Op, typename T>
static void updateAt(Wave &W, const Instruction &I, unsigned N,
                     AtomicData<T> *Result) {
  LdsLanes At(W, I, N, uint32_t(I.Offset), sizeof(T), Access::Atomic);
  AtomicRules Rules = Op::template rules<T>(W, AtomicPlace::Lds);
  updateLanes<Op, T>(W, At, Rules, Rules, AtomicData<T>(W, I.Operands[N + 1]),
                     AtomicData<T>(W, I.Operands[N + 2]), Result, neverSkip);
}

template <class Op, typename T>
static void update(Wave &W, const Instruction &I) {
  updateAt<Op, T>(W, I, 0, nullptr);
}

template <class Op, typename T>
static void updateReturning(Wave &W, const Instruction &I) {
  AtomicData<T> Result(W, I.Operands[0]);
  updateAt<Op, T>(W, I, 1, &Result);
}

/// \p Stride: what offset0 and offset1 count, in elements.
template <typename T, unsigned Stride>
static void exchangePair(Wave &W, const Instruction &I) {
  constexpr unsigned Unit = Stride * sizeof(T), Registers = sizeof(T) / 4;
  LdsLanes First(W, I, 1, I.Offset0 * Unit, sizeof(T), Access::Atomic);
  LdsLanes Second(W, I, 1, I.Offset1 * Unit, sizeof(T), Access::Atomic);
  AtomicData<T> A(W, I.Operands[2]), B(W, I.Operands[3]);
  AtomicData<T> Low(W, I.Operands[0]), High(W, I.Operands[0], Registers);
  forActiveLanes(W, [&](unsigned Lane) {
    uint8_t *P = First(Lane), *Q = P ? Second(Lane) : nullptr;
    if (!Q)
      return false;
    T DataA = A.get(Lane), DataB = B.get(Lane);
    Low.set(Lane, updateMemory<Exchange, T>({}, P, &DataA));
    High.set(Lane, updateMemory<Exchange, T>({}, Q, &DataB));
    return true;
  });
}

/// append and consume: a counter at M0's lower half + offset: moves by the
/// number of active lanes; all of them get its old value.
template <class Op> static void count(Wave &W, const Instruction &I) {
  uint64_t Active = W.exec();
  if (!Active)
    return;
  uint32_t Address = (W.Scalars[M0] & 0xffff) + uint32_t(I.Offset);
  uint8_t *P =
      ldsPointer(W, I, std::countr_zero(Active), Address, 4, Access::Atomic);
  if (!P)
    return;
  uint32_t Lanes = uint32_t(std::popcount(Active));
  uint32_t Old = updateMemory<Op, uint32_t>({}, P, &Lanes);
  AtomicData<uint32_t> Result(W, I.Operands[0]);
  forActiveLanes(W, [&](unsigned Lane) {
    Result.set(Lane, Old);
    return true;
  });
}

static constexpr OpcodeInfo Table[] = {
    {"ds_add_u32", update<Add, uint32_t>, ModOffset},
    {"ds_add_rtn_u32", updateReturning<Add, uint32_t>, ModOffset},
    {"ds_add_u64", update<Add, uint64_t>, ModOffset},
    {"ds_add_rtn_u64", updateReturning<Add, uint64_t>, ModOffset},
    {"ds_sub_u32", update<Subtract, uint32_t>, ModOffset},
    {"ds_sub_rtn_u32", updateReturning<Subtract, uint32_t>, ModOffset},
    {"ds_sub_u64", update<Subtract, uint64_t>, ModOffset},
    {"ds_sub_rtn_u64", updateReturning<Subtract, uint64_t>, ModOffset},
    {"ds_rsub_u32", update<ReverseSubtract, uint32_t>, ModOffset},
    {"ds_rsub_rtn_u32", updateReturning<ReverseSubtract, uint32_t>, ModOffset},
    {"ds_rsub_u64", update<ReverseSubtract, uint64_t>, ModOffset},
    {"ds_rsub_rtn_u64", updateReturning<ReverseSubtract, uint64_t>, ModOffset},
    {"ds_inc_u32", update<Increment, uint32_t>, ModOffset},
    {"ds_inc_rtn_u32", updateReturning<Increment, uint32_t>, ModOffset},
    {"ds_inc_u64", update<Increment, uint64_t>, ModOffset},
    {"ds_inc_rtn_u64", updateReturning<Increment, uint64_t>, ModOffset},
    {"ds_dec_u32", update<Decrement, uint32_t>, ModOffset},
    {"ds_dec_rtn_u32", updateReturning<Decrement, uint32_t>, ModOffset},
    {"ds_dec_u64", update<Decrement, uint64_t>, ModOffset},
    {"ds_dec_rtn_u64", updateReturning<Decrement, uint64_t>, ModOffset},
    {"ds_min_i32", update<SignedMin, uint32_t>, ModOffset},
    {"ds_min_rtn_i32", updateReturning<SignedMin, uint32_t>, ModOffset},
    {"ds_min_i64", update<SignedMin, uint64_t>, ModOffset},
    {"ds_min_rtn_i64", updateReturning<SignedMin, uint64_t>, ModOffset},
    {"ds_max_i32", update<SignedMax, uint32_t>, ModOffset},
    {"ds_max_rtn_i32", updateReturning<SignedMax, uint32_t>, ModOffset},
    {"ds_max_i64", update<SignedMax, uint64_t>, ModOffset},
    {"ds_max_rtn_i64", updateReturning<SignedMax, uint64_t>, ModOffset},
    {"ds_min_u32", update<UnsignedMin, uint32_t>, ModOffset},
    {"ds_min_rtn_u32", updateReturning<UnsignedMin, uint32_t>, ModOffset},
    {"ds_min_u64", update<UnsignedMin, uint64_t>, ModOffset},
    {"ds_min_rtn_u64", updateReturning<UnsignedMin, uint64_t>, ModOffset},
    {"ds_max_u32", update<UnsignedMax, uint32_t>, ModOffset},
    {"ds_max_rtn_u32", updateReturning<UnsignedMax, uint32_t>, ModOffset},
    {"ds_max_u64", update<UnsignedMax, uint64_t>, ModOffset},
    {"ds_max_rtn_u64", updateReturning<UnsignedMax, uint64_t>, ModOffset},
    {"ds_and_b32", update<And, uint32_t>, ModOffset},
    {"ds_and_rtn_b32", updateReturning<And, uint32_t>, ModOffset},
    {"ds_and_b64", update<And, uint64_t>, ModOffset},
    {"ds_and_rtn_b64", updateReturning<And, uint64_t>, ModOffset},
    {"ds_or_b32", update<Or, uint32_t>, ModOffset},
    {"ds_or_rtn_b32", updateReturning<Or, uint32_t>, ModOffset},
    {"ds_or_b64", update<Or, uint64_t>, ModOffset},
    {"ds_or_rtn_b64", updateReturning<Or, uint64_t>, ModOffset},
    {"ds_xor_b32", update<Xor, uint32_t>, ModOffset},
    {"ds_xor_rtn_b32", updateReturning<Xor, uint32_t>, ModOffset},
    {"ds_xor_b64", update<Xor, uint64_t>, ModOffset},
    {"ds_xor_rtn_b64", updateReturning<Xor, uint64_t>, ModOffset},
    {"ds_mskor_b32", update<MaskOr, uint32_t>, ModOffset},
    {"ds_mskor_rtn_b32", updateReturning<MaskOr, uint32_t>, ModOffset},
    {"ds_mskor_b64", update<MaskOr, uint64_t>, ModOffset},
    {"ds_mskor_rtn_b64", updateReturning<MaskOr, uint64_t>, ModOffset},
    {"ds_cmpst_b32", update<CompareStore, uint32_t>, ModOffset},
    {"ds_cmpst_rtn_b32", updateReturning<CompareStore, uint32_t>, ModOffset},
    {"ds_cmpst_b64", update<CompareStore, uint64_t>, ModOffset},
    {"ds_cmpst_rtn_b64", updateReturning<CompareStore, uint64_t>, ModOffset},
    {"ds_cmpstore_b32", update<CompareExchange, uint32_t>, ModOffset},
    {"ds_cmpstore_rtn_b32", updateReturning<CompareExchange, uint32_t>,
     ModOffset},
    {"ds_cmpstore_b64", update<CompareExchange, uint64_t>, ModOffset},
    {"ds_cmpstore_rtn_b64", updateReturning<CompareExchange, uint64_t>,
     ModOffset},
    {"ds_sub_clamp_u32", update<SubtractClamped, uint32_t>, ModOffset},
    {"ds_sub_clamp_rtn_u32", updateReturning<SubtractClamped, uint32_t>,
     ModOffset},
    {"ds_cond_sub_u32", update<SubtractIfEnough, uint32_t>, ModOffset},
    {"ds_cond_sub_rtn_u32", updateReturning<SubtractIfEnough, uint32_t>,
     ModOffset},
    {"ds_wrxchg_rtn_b32", updateReturning<Exchange, uint32_t>, ModOffset},
    {"ds_storexchg_rtn_b32", updateReturning<Exchange, uint32_t>, ModOffset},
    {"ds_wrxchg_rtn_b64", updateReturning<Exchange, uint64_t>, ModOffset},
    {"ds_storexchg_rtn_b64", updateReturning<Exchange, uint64_t>, ModOffset},
    {"ds_wrap_rtn_b32", updateReturning<Wrap, uint32_t>, ModOffset},

    {"ds_add_f32", update<FloatAdd, uint32_t>, ModOffset},
    {"ds_add_rtn_f32", updateReturning<FloatAdd, uint32_t>, ModOffset},
    {"ds_min_f32", update<FloatMin, uint32_t>, ModOffset},
    {"ds_min_rtn_f32", updateReturning<FloatMin, uint32_t>, ModOffset},
    {"ds_min_num_f32", update<FloatMin, uint32_t>, ModOffset},
    {"ds_min_num_rtn_f32", updateReturning<FloatMin, uint32_t>, ModOffset},
    {"ds_max_f32", update<FloatMax, uint32_t>, ModOffset},
    {"ds_max_rtn_f32", updateReturning<FloatMax, uint32_t>, ModOffset},
    {"ds_max_num_f32", update<FloatMax, uint32_t>, ModOffset},
    {"ds_max_num_rtn_f32", updateReturning<FloatMax, uint32_t>, ModOffset},
    {"ds_cmpst_f32", update<FloatCompareStore, uint32_t>, ModOffset},
    {"ds_cmpst_rtn_f32", updateReturning<FloatCompareStore, uint32_t>,
     ModOffset},
    {"ds_cmpstore_f32", update<FloatCompareExchange, uint32_t>, ModOffset},
    {"ds_cmpstore_rtn_f32", updateReturning<FloatCompareExchange, uint32_t>,
     ModOffset},
    {"ds_add_f64", update<FloatAdd, uint64_t>, ModOffset},
    {"ds_add_rtn_f64", updateReturning<FloatAdd, uint64_t>, ModOffset},
    {"ds_min_f64", update<FloatMin, uint64_t>, ModOffset},
    {"ds_min_rtn_f64", updateReturning<FloatMin, uint64_t>, ModOffset},
    {"ds_min_num_f64", update<FloatMin, uint64_t>, ModOffset},
    {"ds_min_num_rtn_f64", updateReturning<FloatMin, uint64_t>, ModOffset},
    {"ds_max_f64", update<FloatMax, uint64_t>, ModOffset},
    {"ds_max_rtn_f64", updateReturning<FloatMax, uint64_t>, ModOffset},
    {"ds_max_num_f64", update<FloatMax, uint64_t>, ModOffset},
    {"ds_max_num_rtn_f64", updateReturning<FloatMax, uint64_t>, ModOffset},
    {"ds_cmpst_f64", update<FloatCompareStore, uint64_t>, ModOffset},
    {"ds_cmpst_rtn_f64", updateReturning<FloatCompareStore, uint64_t>,
     ModOffset},
    {"ds_cmpstore_f64", update<FloatCompareExchange, uint64_t>, ModOffset},
    {"ds_cmpstore_rtn_f64", updateReturning<FloatCompareExchange, uint64_t>,
     ModOffset},
    {"ds_pk_add_f16", update<PackedAdd<PackedF16>, uint32_t>, ModOffset},
    {"ds_pk_add_rtn_f16", updateReturning<PackedAdd<PackedF16>, uint32_t>,
     ModOffset},
    {"ds_pk_add_bf16", update<PackedAdd<PackedBf16>, uint32_t>, ModOffset},
    {"ds_pk_add_rtn_bf16", updateReturning<PackedAdd<PackedBf16>, uint32_t>,
     ModOffset},

    {"ds_wrxchg2_rtn_b32", exchangePair<uint32_t, 1>, ModOffset01},
    {"ds_storexchg_2addr_rtn_b32", exchangePair<uint32_t, 1>, ModOffset01},
    {"ds_wrxchg2st64_rtn_b32", exchangePair<uint32_t, 64>, ModOffset01},
    {"ds_storexchg_2addr_stride64_rtn_b32", exchangePair<uint32_t, 64>,
     ModOffset01},
    {"ds_wrxchg2_rtn_b64", exchangePair<uint64_t, 1>, ModOffset01},
    {"ds_storexchg_2addr_rtn_b64", exchangePair<uint64_t, 1>, ModOffset01},
    {"ds_wrxchg2st64_rtn_b64", exchangePair<uint64_t, 64>, ModOffset01},
    {"ds_storexchg_2addr_stride64_rtn_b64", exchangePair<uint64_t, 64>,
     ModOffset01},

    {"ds_append", count<Add>, ModOffset},
    {"ds_consume", count<Subtract>, ModOffset},
};

llvm::ArrayRef<OpcodeInfo> ldsAtomicOpcodes() { return Table; }

} // namespace kpack::softgpu
