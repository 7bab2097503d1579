//===- ScalarBits.cpp - scalar shifts, fields, counts and logic -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation that writes SCC writes 1 for a result that is not zero, else 0.
// Sibling: ScalarAlu.cpp.
//
//===----------------------------------------------------------------------===//
#include "ScalarTemplates.h"
#include "SoftGpu/Machine/OpcodeNames.h"
#include <bit>

namespace kpack::softgpu {

using namespace scalar;

//===- Bits ---------------------------------------------------------------===//

/// Bits [5:0] or [4:0] of \p B are the first bit, bits [22:16] the width.
template <typename T> static T extractField(T A, U32 B) {
  constexpr unsigned Bits = sizeof(T) * 8;
  unsigned First = B & (Bits - 1), Width = B >> 16 & 0x7f;
  if (Width == 0)
    return 0;
  // Signed: the shift and the extension are both arithmetic.
  T Shifted = T(A >> First);
  if (Width >= Bits)
    return Shifted;
  using Unsigned = std::make_unsigned_t<T>;
  return T(T(Unsigned(Shifted) << (Bits - Width)) >> (Bits - Width));
}

template <typename T> static T fieldMask(U32 Width, U32 First) {
  constexpr unsigned Mask = sizeof(T) * 8 - 1;
  return ((T(1) << (Width & Mask)) - 1) << (First & Mask);
}

template <typename T> static T reverse(T A) {
  if constexpr (sizeof(T) == 4)
    return __builtin_bitreverse32(A);
  else
    return __builtin_bitreverse64(A);
}

/// Returns the position of the lowest set bit, or -1 if there is none.
template <typename T> static U32 firstOne(T A) {
  return A ? U32(std::countr_zero(A)) : ~0u;
}

template <typename T> static U32 leadingZeros(T A) {
  return A ? U32(std::countl_zero(A)) : ~0u;
}

/// Returns the number of bits from the top that equal the sign, or -1 if all
/// do.
template <typename T> static U32 leadingSigns(T A) {
  using Unsigned = std::make_unsigned_t<T>;
  return leadingZeros(Unsigned(A < 0 ? ~A : A));
}

/// Sets all four lanes of a quad if one of them is set.
template <typename T> static T wholeQuads(T A) {
  constexpr T Lowest = T(~T(0)) / 15;
  return ((A | A >> 1 | A >> 2 | A >> 3) & Lowest) * 15;
}

/// Returns a bit per quad that is set if one of its lanes is.
template <typename T> static T quadMask(T A) {
  T Result = 0;
  for (unsigned Quad = 0; Quad < sizeof(T) * 2; ++Quad)
    Result |= T((A >> (Quad * 4) & 15) != 0) << Quad;
  return Result;
}

static U64 replicateBits(U32 A) {
  U64 Result = 0;
  for (unsigned Bit = 0; Bit < 32; ++Bit)
    Result |= U64(A >> Bit & 1) * 3 << (Bit * 2);
  return Result;
}

/// Packs a half of \p A as the lower and a half of \p B as the upper half.
template <bool HighA, bool HighB> static U32 pack(U32 A, U32 B) {
  return (HighA ? A >> 16 : A & 0xffff) | (HighB ? B >> 16 : B & 0xffff) << 16;
}

template <typename T> struct Ops {
  static constexpr unsigned ShiftMask = sizeof(T) * 8 - 1;
  static constexpr auto ShiftLeft = [](T A, U32 B) {
    return T(A << (B & ShiftMask));
  };
  static constexpr auto ShiftRight = [](T A, U32 B) {
    return T(A >> (B & ShiftMask));
  };
  static constexpr auto Field = [](T A, U32 B) {
    return extractField<T>(A, B);
  };
  static constexpr auto ClearBit = [](T D, U32 A) {
    return T(D & ~(T(1) << (A & ShiftMask)));
  };
  static constexpr auto SetBit = [](T D, U32 A) {
    return T(D | T(1) << (A & ShiftMask));
  };
  static constexpr auto BitIsClear = [](T A, U32 B) {
    return !(A >> (B & ShiftMask) & 1);
  };
  static constexpr auto BitIsSet = [](T A, U32 B) {
    return bool(A >> (B & ShiftMask) & 1);
  };
};

/// Operations for 32 and 64 bits: U is unsigned, I signed.
template <typename U, typename I, NamePart B>
static consteval auto ofBothSizes() {
  return std::to_array<OpcodeInfo>({
      {Name<"s_and_b", B>, aluNonZero<Logic<U>::And>, 0},
      {Name<"s_or_b", B>, aluNonZero<Logic<U>::Or>, 0},
      {Name<"s_xor_b", B>, aluNonZero<Logic<U>::Xor>, 0},
      {Name<"s_andn2_b s_and_not1_b", B>, aluNonZero<Logic<U>::AndNot1>, 0},
      {Name<"s_orn2_b s_or_not1_b", B>, aluNonZero<Logic<U>::OrNot1>, 0},
      {Name<"s_nand_b", B>, aluNonZero<Logic<U>::Nand>, 0},
      {Name<"s_nor_b", B>, aluNonZero<Logic<U>::Nor>, 0},
      {Name<"s_xnor_b", B>, aluNonZero<Logic<U>::Xnor>, 0},
      {Name<"s_not_b", B>, aluNonZero<[](U A) { return U(~A); }>, 0},
      {Name<"s_lshl_b", B>, aluNonZero<Ops<U>::ShiftLeft>, 0},
      {Name<"s_lshr_b", B>, aluNonZero<Ops<U>::ShiftRight>, 0},
      {Name<"s_ashr_i", B>, aluNonZero<Ops<I>::ShiftRight>, 0},
      {Name<"s_bfe_u", B>, aluNonZero<Ops<U>::Field>, 0},
      {Name<"s_bfe_i", B>, aluNonZero<Ops<I>::Field>, 0},
      {Name<"s_bfm_b", B>, alu<[](U32 A, U32 C) { return fieldMask<U>(A, C); }>,
       0},
      {Name<"s_brev_b", B>, alu<[](U A) { return reverse(A); }>, 0},
      {Name<"s_wqm_b", B>, aluNonZero<[](U A) { return wholeQuads(A); }>, 0},
      {Name<"s_quadmask_b", B>, aluNonZero<[](U A) { return quadMask(A); }>, 0},
      {Name<"s_bcnt0_i32_b", B>,
       aluNonZero<[](U A) { return U32(std::popcount(U(~A))); }>, 0},
      {Name<"s_bcnt1_i32_b", B>,
       aluNonZero<[](U A) { return U32(std::popcount(A)); }>, 0},
      {Name<"s_ff0_i32_b", B>, alu<[](U A) { return firstOne(U(~A)); }>, 0},
      {Name<"s_ff1_i32_b s_ctz_i32_b", B>, alu<[](U A) { return firstOne(A); }>,
       0},
      {Name<"s_flbit_i32_b s_clz_i32_u", B>,
       alu<[](U A) { return leadingZeros(A); }>, 0},
      {Name<"s_bitset0_b", B>, update<Ops<U>::ClearBit>, 0},
      {Name<"s_bitset1_b", B>, update<Ops<U>::SetBit>, 0},
      {Name<"s_bitcmp0_b", B>, compare<Ops<U>::BitIsClear>, 0},
      {Name<"s_bitcmp1_b", B>, compare<Ops<U>::BitIsSet>, 0},
  });
}

static constexpr auto Others = std::to_array<OpcodeInfo>({
    {"s_flbit_i32 s_cls_i32", alu<[](I32 A) { return leadingSigns(A); }>, 0},
    {"s_flbit_i32_i64 s_cls_i32_i64",
     alu<[](I64 A) { return leadingSigns(A); }>, 0},
    {"s_bitreplicate_b64_b32", alu<[](U32 A) { return replicateBits(A); }>, 0},
    {"s_pack_ll_b32_b16",
     alu<[](U32 A, U32 B) { return pack<false, false>(A, B); }>, 0},
    {"s_pack_lh_b32_b16",
     alu<[](U32 A, U32 B) { return pack<false, true>(A, B); }>, 0},
    {"s_pack_hl_b32_b16",
     alu<[](U32 A, U32 B) { return pack<true, false>(A, B); }>, 0},
    {"s_pack_hh_b32_b16",
     alu<[](U32 A, U32 B) { return pack<true, true>(A, B); }>, 0},
});

static constexpr auto BitTable = joinTables(
    ofBothSizes<U32, I32, "32">(), ofBothSizes<U64, I64, "64">(), Others);

llvm::ArrayRef<OpcodeInfo> scalarBitOpcodes() { return BitTable; }

} // namespace kpack::softgpu
