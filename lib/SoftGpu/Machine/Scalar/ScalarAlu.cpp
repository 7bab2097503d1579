//===- ScalarAlu.cpp - scalar integer arithmetic and comparisons ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation that does not mention SCC preserves it. ScalarBits.cpp has bit
// operations, ScalarMasks.cpp moves and execution masks, ScalarFloat.cpp
// floats.
//
//===----------------------------------------------------------------------===//
#include "ScalarTemplates.h"
#include "SoftGpu/Machine/OpcodeNames.h"

namespace kpack::softgpu {

using namespace scalar;

//===- Arithmetic ---------------------------------------------------------===//

static U32 addWithCarry(U32 A, U32 B, bool In, bool &Out) {
  U64 Sum = U64(A) + B + In;
  Out = Sum >> 32;
  return U32(Sum);
}

static U32 subtractWithBorrow(U32 A, U32 B, bool In, bool &Out) {
  U64 Difference = U64(A) - B - In;
  Out = Difference >> 63;
  return U32(Difference);
}

static I32 addSigned(I32 A, I32 B, bool &Overflow) {
  I32 Sum;
  Overflow = __builtin_add_overflow(A, B, &Sum);
  return Sum;
}

static I32 subtractSigned(I32 A, I32 B, bool &Overflow) {
  I32 Difference;
  Overflow = __builtin_sub_overflow(A, B, &Difference);
  return Difference;
}

static U32 negate(U32 A) { return 0 - A; }

template <unsigned Shift> static U32 shiftAdd(U32 A, U32 B, bool &Scc) {
  U64 Sum = (U64(A) << Shift) + B;
  Scc = Sum >> 32;
  return U32(Sum);
}

static constexpr auto Add = [](U32 A, U32 B, bool &Scc) {
  return addWithCarry(A, B, false, Scc);
};
static constexpr auto AddCarry = [](U32 A, U32 B, bool &Scc) {
  return addWithCarry(A, B, Scc, Scc);
};
static constexpr auto Subtract = [](U32 A, U32 B, bool &Scc) {
  return subtractWithBorrow(A, B, false, Scc);
};
static constexpr auto SubtractBorrow = [](U32 A, U32 B, bool &Scc) {
  return subtractWithBorrow(A, B, Scc, Scc);
};
// SCC is set if the result is the first source.
static constexpr auto Min = [](auto A, auto B, bool &Scc) {
  return (Scc = A < B) ? A : B;
};
static constexpr auto Max = [](auto A, auto B, bool &Scc) {
  return (Scc = A >= B) ? A : B;
};
static constexpr auto AbsoluteDifference = [](U32 A, U32 B) {
  U32 Difference = A - B;
  return I32(Difference) < 0 ? negate(Difference) : Difference;
};
static constexpr auto Absolute = [](U32 A) {
  return I32(A) < 0 ? negate(A) : A;
};
// 16-bit immediates are printed in hexadecimal, without their sign.
static constexpr auto AddImmediate = [](I32 D, U32 B, bool &Scc) {
  return addSigned(D, I16(B), Scc);
};
static constexpr auto MultiplyImmediate = [](U32 D, U32 B) {
  return D * U32(I32(I16(B)));
};

static constexpr auto Arithmetic = std::to_array<OpcodeInfo>({
    {"s_add_u32 s_add_co_u32", alu<Add>, 0},
    {"s_sub_u32 s_sub_co_u32", alu<Subtract>, 0},
    {"s_addc_u32 s_add_co_ci_u32", alu<AddCarry>, 0},
    {"s_subb_u32 s_sub_co_ci_u32", alu<SubtractBorrow>, 0},
    {"s_add_i32 s_add_co_i32",
     alu<[](I32 A, I32 B, bool &S) { return addSigned(A, B, S); }>, 0},
    {"s_sub_i32 s_sub_co_i32",
     alu<[](I32 A, I32 B, bool &S) { return subtractSigned(A, B, S); }>, 0},
    {"s_addk_i32 s_addk_co_i32", update<AddImmediate>, 0},
    {"s_mulk_i32", update<MultiplyImmediate>, 0},
    {"s_movk_i32", alu<[](U32 A) { return U32(I32(I16(A))); }>, 0},
    {"s_add_nc_u64", alu<[](U64 A, U64 B) { return A + B; }>, 0},
    {"s_sub_nc_u64", alu<[](U64 A, U64 B) { return A - B; }>, 0},
    {"s_mul_u64", alu<[](U64 A, U64 B) { return A * B; }>, 0},
    {"s_mul_i32", alu<[](U32 A, U32 B) { return A * B; }>, 0},
    {"s_mul_hi_u32", alu<[](U32 A, U32 B) { return U32(U64(A) * B >> 32); }>,
     0},
    {"s_mul_hi_i32", alu<[](I32 A, I32 B) { return I32(I64(A) * B >> 32); }>,
     0},
    {"s_min_i32", alu<[](I32 A, I32 B, bool &S) { return Min(A, B, S); }>, 0},
    {"s_min_u32", alu<[](U32 A, U32 B, bool &S) { return Min(A, B, S); }>, 0},
    {"s_max_i32", alu<[](I32 A, I32 B, bool &S) { return Max(A, B, S); }>, 0},
    {"s_max_u32", alu<[](U32 A, U32 B, bool &S) { return Max(A, B, S); }>, 0},
    {"s_absdiff_i32", aluNonZero<AbsoluteDifference>, 0},
    {"s_abs_i32", aluNonZero<Absolute>, 0},
    {"s_lshl1_add_u32",
     alu<[](U32 A, U32 B, bool &S) { return shiftAdd<1>(A, B, S); }>, 0},
    {"s_lshl2_add_u32",
     alu<[](U32 A, U32 B, bool &S) { return shiftAdd<2>(A, B, S); }>, 0},
    {"s_lshl3_add_u32",
     alu<[](U32 A, U32 B, bool &S) { return shiftAdd<3>(A, B, S); }>, 0},
    {"s_lshl4_add_u32",
     alu<[](U32 A, U32 B, bool &S) { return shiftAdd<4>(A, B, S); }>, 0},
    {"s_sext_i32_i8", alu<[](U32 A) { return U32(I32(int8_t(A))); }>, 0},
    {"s_sext_i32_i16", alu<[](U32 A) { return U32(I32(I16(A))); }>, 0},

    {"s_cmp_eq_u64", compare<[](U64 A, U64 B) { return A == B; }>, 0},
    {"s_cmp_lg_u64", compare<[](U64 A, U64 B) { return A != B; }>, 0},
});

/// For s_cmpk_, \p B is the type that the immediate is truncated to.
template <NamePart P, NamePart Type, typename T, typename B = T>
static consteval auto comparisons() {
  return std::to_array<OpcodeInfo>({
      {Name<P, "eq_", Type>, compare<[](T X, T Y) { return X == B(Y); }>, 0},
      {Name<P, "lg_", Type>, compare<[](T X, T Y) { return X != B(Y); }>, 0},
      {Name<P, "gt_", Type>, compare<[](T X, T Y) { return X > B(Y); }>, 0},
      {Name<P, "ge_", Type>, compare<[](T X, T Y) { return X >= B(Y); }>, 0},
      {Name<P, "lt_", Type>, compare<[](T X, T Y) { return X < B(Y); }>, 0},
      {Name<P, "le_", Type>, compare<[](T X, T Y) { return X <= B(Y); }>, 0},
  });
}

static constexpr auto Table =
    joinTables(Arithmetic, comparisons<"s_cmp_", "i32", I32>(),
               comparisons<"s_cmp_", "u32", U32>(),
               comparisons<"s_cmpk_", "i32", I32, I16>(),
               comparisons<"s_cmpk_", "u32", U32, U16>());

llvm::ArrayRef<OpcodeInfo> scalarOpcodes() { return Table; }

} // namespace kpack::softgpu
