//===- LdsAtomics.cpp - atomic LDS instructions ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ds_ instructions that read, compute and write. Operands in printed order: the
// result of _rtn_ ones, the address, one or two data.
//
//===----------------------------------------------------------------------===//
#include "AtomicLanes.h"
#include "LdsLanes.h"
#include "SoftGpu/Machine/OpcodeNames.h"

namespace kpack::softgpu {

template <class Op, typename T>
static void updateAt(Wave &W, const Instruction &I, unsigned N,
                     AtomicData<T> *Result) {
  LdsLanes Address(W, I, N, uint32_t(I.Offset), sizeof(T), Access::Atomic);
  AtomicRules Rules = Op::template rules<T>(W, AtomicPlace::Lds);
  updateLanes<Op, T>(W, Address, Rules, Rules,
                     AtomicData<T>(W, I.Operands[N + 1]),
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

template <typename T, unsigned Stride>
static void exchangePair(Wave &W, const Instruction &I) {
  AtomicData<T> A(W, I.Operands[2]), B(W, I.Operands[3]);
  AtomicData<T> Low(W, I.Operands[0]), High(W, I.Operands[0], sizeof(T) / 4);
  forAddressPairs(W, I, 1, Stride, sizeof(T), Access::Atomic,
                  [&](unsigned Lane, uint8_t *P, uint8_t *Q) {
                    T DataA = A.get(Lane), DataB = B.get(Lane);
                    Low.set(Lane, updateMemory<Exchange, T>({}, P, &DataA));
                    High.set(Lane, updateMemory<Exchange, T>({}, Q, &DataB));
                  });
}

/// append and consume: moves a counter at M0's lower half + offset: by the
/// number of active lanes; all of them get the old value.
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

/// Rows "ds_<Op>_<Type>", and "ds_<Op>_rtn_<Type>", which returns the old
/// value.
template <class Update, typename T, NamePart Op, NamePart... Type>
static consteval auto rows() {
  return std::to_array<OpcodeInfo>({
      {Name<"ds_", Op, "_", Type...>, update<Update, T>, ModOffset},
      {Name<"ds_", Op, "_rtn_", Type...>, updateReturning<Update, T>,
       ModOffset},
  });
}

/// Rows for 32 and 64 bits.
template <class Update, NamePart Op, NamePart Type>
static consteval auto both() {
  return joinTables(rows<Update, uint32_t, Op, Type, "32">(),
                    rows<Update, uint64_t, Op, Type, "64">());
}

static constexpr auto Others = std::to_array<OpcodeInfo>({
    {"ds_wrxchg_rtn_b32 ds_storexchg_rtn_b32",
     updateReturning<Exchange, uint32_t>, ModOffset},
    {"ds_wrxchg_rtn_b64 ds_storexchg_rtn_b64",
     updateReturning<Exchange, uint64_t>, ModOffset},
    {"ds_wrap_rtn_b32", updateReturning<Wrap, uint32_t>, ModOffset},
    {"ds_wrxchg2_rtn_b32 ds_storexchg_2addr_rtn_b32", exchangePair<uint32_t, 1>,
     ModOffset01},
    {"ds_wrxchg2st64_rtn_b32 ds_storexchg_2addr_stride64_rtn_b32",
     exchangePair<uint32_t, 64>, ModOffset01},
    {"ds_wrxchg2_rtn_b64 ds_storexchg_2addr_rtn_b64", exchangePair<uint64_t, 1>,
     ModOffset01},
    {"ds_wrxchg2st64_rtn_b64 ds_storexchg_2addr_stride64_rtn_b64",
     exchangePair<uint64_t, 64>, ModOffset01},
    {"ds_append", count<Add>, ModOffset},
    {"ds_consume", count<Subtract>, ModOffset},
});

static constexpr auto Table = joinTables(
    both<Add, "add", "u">(), both<Subtract, "sub", "u">(),
    both<ReverseSubtract, "rsub", "u">(), both<Increment, "inc", "u">(),
    both<Decrement, "dec", "u">(), both<SignedMin, "min", "i">(),
    both<SignedMax, "max", "i">(), both<UnsignedMin, "min", "u">(),
    both<UnsignedMax, "max", "u">(), both<And, "and", "b">(),
    both<Or, "or", "b">(), both<Xor, "xor", "b">(),
    both<MaskOr, "mskor", "b">(), both<CompareStore, "cmpst", "b">(),
    both<CompareExchange, "cmpstore", "b">(), both<FloatAdd, "add", "f">(),
    both<FloatMin, "min min_num", "f">(), both<FloatMax, "max max_num", "f">(),
    both<FloatCompareStore, "cmpst", "f">(),
    both<FloatCompareExchange, "cmpstore", "f">(),
    rows<SubtractClamped, uint32_t, "sub_clamp", "u32">(),
    rows<SubtractIfEnough, uint32_t, "cond_sub", "u32">(),
    rows<PackedAdd<PackedF16>, uint32_t, "pk_add", "f16">(),
    rows<PackedAdd<PackedBf16>, uint32_t, "pk_add", "bf16">(), Others);

llvm::ArrayRef<OpcodeInfo> ldsAtomicOpcodes() { return Table; }

} // namespace kpack::softgpu
