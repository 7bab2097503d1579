//===- VectorCompare.cpp - v_cmp_ and v_cmpx_ -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comparisons of VOPC, one bit a lane; inactive lanes, and those that DPP masks
// out, give 0. v_cmpx_ writes exec, on gfx9 its destination too. Floats are
// compared as integers that order the same way: no exceptions, no rounding
// mode, and loops that vectorise. Handlers are made of a condition and a kind.
//
//===----------------------------------------------------------------------===//
#include "VectorTemplates.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {
namespace {

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

template <bool WritesExec>
void writeComparison(Wave &W, const Instruction &I, uint64_t Mask) {
  uint64_t Result = Mask & writeMask(W, I);
  if constexpr (WritesExec) {
    if (W.Isa->isGfx9())
      writeMaskOperand(W, I.Operands[0], Result);
    W.setExec(Result);
  } else {
    writeMaskOperand(W, I.Operands[0], Result);
  }
}

/// Outcomes of a comparison; a condition is the set of those that make it true.
enum Outcome : unsigned { Less = 1, Equal = 2, Greater = 4, Unordered = 8 };

template <unsigned Condition, class T> bool holds(T A, T B) {
  return ((Condition & Less) && A < B) || ((Condition & Equal) && A == B) ||
         ((Condition & Greater) && A > B);
}

/// Numbers of kind K.
template <unsigned Condition, class K, bool WritesExec>
void compareIntegers(Wave &W, const Instruction &I) {
  typename K::Row SA, SB;
  const auto &A = K::read(W, I, 1, SA);
  const auto &B = K::read(W, I, 2, SB);
  uint64_t Mask = laneMask([&](unsigned Lane) {
    return holds<Condition>(K::number(A.V[Lane]), K::number(B.V[Lane]));
  });
  writeComparison<WritesExec>(W, I, Mask);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// Rows of floats as patterns: neg and abs applied, denormals as they are.
struct Half {
  using Row = Lanes32;
  using Bits = uint32_t;
  static constexpr Bits Sign = 0x8000, Infinity = 0x7c00, Quiet = 0x0200;
  static unsigned denormals(const FloatMode &M) { return M.Denorm1664; }
  static const Row &read(Wave &W, const Instruction &I, unsigned N,
                         Row &Scratch) {
    return source16(W, I, N, Scratch);
  }
};
struct Single {
  using Row = Lanes32;
  using Bits = uint32_t;
  static constexpr Bits Sign = 0x80000000, Infinity = 0x7f800000,
                        Quiet = 0x00400000;
  static unsigned denormals(const FloatMode &M) { return M.Denorm32; }
  static const Row &read(Wave &W, const Instruction &I, unsigned N,
                         Row &Scratch) {
    return source32(W, I, N, Scratch);
  }
};
struct Double {
  using Row = Lanes64;
  using Bits = uint64_t;
  static constexpr Bits Sign = 0x8000000000000000,
                        Infinity = 0x7ff0000000000000,
                        Quiet = 0x0008000000000000;
  static unsigned denormals(const FloatMode &M) { return M.Denorm1664; }
  static const Row &read(Wave &W, const Instruction &I, unsigned N,
                         Row &Scratch) {
    source64(W, I, N, Scratch, /*LiteralIsHigh=*/true, /*SignExtend=*/false);
    return Scratch;
  }
};

template <class F>
void readFloats(Wave &W, const Instruction &I, unsigned N,
                typename F::Row &Row) {
  typename F::Row Scratch;
  const auto &Source = F::read(W, I, N, Scratch);
  const Operand &O = I.Operands[N];
  typename F::Bits Keep = O.Abs ? ~F::Sign : ~typename F::Bits(0);
  typename F::Bits Flip = O.Neg ? F::Sign : 0;
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    Row.V[Lane] = (Source.V[Lane] & Keep) ^ Flip;
}

/// Numbers that order as the floats do; both zeros are 0. \p Smallest: the
/// least magnitude that is not taken for zero.
template <class F>
auto orderedKey(typename F::Bits Bits, typename F::Bits Smallest) {
  using Int = std::make_signed_t<typename F::Bits>;
  typename F::Bits Magnitude = Bits & (F::Sign - 1);
  Int Key = Magnitude < Smallest ? 0 : Int(Magnitude);
  return (Bits & F::Sign) ? -Key : Key;
}
template <class F> bool isNan(typename F::Bits Bits) {
  return (Bits & (F::Sign - 1)) > F::Infinity;
}

template <unsigned Condition, class F, bool WritesExec>
void compareFloats(Wave &W, const Instruction &I) {
  typename F::Row A, B;
  readFloats<F>(W, I, 1, A);
  readFloats<F>(W, I, 2, B);
  // The lowest normal number where denormals are flushed.
  constexpr typename F::Bits LowestNormal = (F::Quiet << 1);
  typename F::Bits Smallest = (F::denormals(W.Mode) & 1) ? 0 : LowestNormal;
  uint64_t Mask = laneMask([&](unsigned Lane) {
    auto X = orderedKey<F>(A.V[Lane], Smallest);
    auto Y = orderedKey<F>(B.V[Lane], Smallest);
    bool Nan = isNan<F>(A.V[Lane]) || isNan<F>(B.V[Lane]);
    return Nan ? (Condition & Unordered) != 0 : holds<Condition>(X, Y);
  });
  writeComparison<WritesExec>(W, I, Mask);
}

/// The bit of v_cmp_class that \p Bits belongs to. Denormals are seen as they
/// are, whatever MODE says.
template <class F> uint32_t classOf(typename F::Bits Bits) {
  typename F::Bits Magnitude = Bits & (F::Sign - 1);
  bool Negative = Bits & F::Sign;
  if (Magnitude > F::Infinity)
    return (Magnitude & F::Quiet) ? 1u << 1 : 1u << 0;
  if (Magnitude == F::Infinity)
    return Negative ? 1u << 2 : 1u << 9;
  if (Magnitude >= F::Quiet << 1)
    return Negative ? 1u << 3 : 1u << 8;
  if (Magnitude != 0)
    return Negative ? 1u << 4 : 1u << 7;
  return Negative ? 1u << 5 : 1u << 6;
}

/// Source 1 is the set of classes: 32 bits, of f16 16.
template <class F, bool WritesExec>
void compareClass(Wave &W, const Instruction &I) {
  typename F::Row A;
  Lanes32 Scratch;
  readFloats<F>(W, I, 1, A);
  const Lanes32 &Classes = std::is_same_v<F, Half> ? source16(W, I, 2, Scratch)
                                                   : source32(W, I, 2, Scratch);
  uint64_t Mask = laneMask([&](unsigned Lane) {
    return (classOf<F>(A.V[Lane]) & Classes.V[Lane]) != 0;
  });
  writeComparison<WritesExec>(W, I, Mask);
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

constexpr uint32_t Integers = ModDpp | ModSdwa | ModSext | ModOpSel;
constexpr uint32_t Floats = ModDpp | ModSdwa | ModOpSel | ModNeg | ModAbs;
constexpr unsigned Ordered = Less | Equal | Greater;

// Mnemonics are the product of conditions and types; T is printed after the
// condition, K is how it is read.
#define KPACK_INTEGERS(Cmp, X, T, K)                                           \
  {Cmp "f_" T, compareIntegers<0, K, X>, Integers},                            \
      {Cmp "lt_" T, compareIntegers<Less, K, X>, Integers},                    \
      {Cmp "eq_" T, compareIntegers<Equal, K, X>, Integers},                   \
      {Cmp "le_" T, compareIntegers<Less | Equal, K, X>, Integers},            \
      {Cmp "gt_" T, compareIntegers<Greater, K, X>, Integers},                 \
      {Cmp "ne_" T, compareIntegers<Less | Greater, K, X>, Integers},          \
      {Cmp "ge_" T, compareIntegers<Equal | Greater, K, X>, Integers}, {       \
    Cmp "t_" T, compareIntegers<Less | Equal | Greater, K, X>, Integers        \
  }
#define KPACK_FLOATS(Cmp, X, T, K)                                             \
  {Cmp "f_" T, compareFloats<0, K, X>, Floats},                                \
      {Cmp "lt_" T, compareFloats<Less, K, X>, Floats},                        \
      {Cmp "eq_" T, compareFloats<Equal, K, X>, Floats},                       \
      {Cmp "le_" T, compareFloats<Less | Equal, K, X>, Floats},                \
      {Cmp "gt_" T, compareFloats<Greater, K, X>, Floats},                     \
      {Cmp "lg_" T, compareFloats<Less | Greater, K, X>, Floats},              \
      {Cmp "ge_" T, compareFloats<Equal | Greater, K, X>, Floats},             \
      {Cmp "o_" T, compareFloats<Ordered, K, X>, Floats},                      \
      {Cmp "u_" T, compareFloats<Unordered, K, X>, Floats},                    \
      {Cmp "nge_" T, compareFloats<Less | Unordered, K, X>, Floats},           \
      {Cmp "nlg_" T, compareFloats<Equal | Unordered, K, X>, Floats},          \
      {Cmp "ngt_" T, compareFloats<Less | Equal | Unordered, K, X>, Floats},   \
      {Cmp "nle_" T, compareFloats<Greater | Unordered, K, X>, Floats},        \
      {Cmp "neq_" T, compareFloats<Less | Greater | Unordered, K, X>, Floats}, \
      {Cmp "nlt_" T, compareFloats<Equal | Greater | Unordered, K, X>,         \
       Floats},                                                                \
      {Cmp "tru_" T, compareFloats<Ordered | Unordered, K, X>, Floats},        \
      {Cmp "t_" T, compareFloats<Ordered | Unordered, K, X>, Floats}, {        \
    Cmp "class_" T, compareClass<K, X>, Floats                                 \
  }
#define KPACK_COMPARISONS(Cmp, X)                                              \
  KPACK_INTEGERS(Cmp, X, "u16", U16), KPACK_INTEGERS(Cmp, X, "i16", I16),      \
      KPACK_INTEGERS(Cmp, X, "u32", U32), KPACK_INTEGERS(Cmp, X, "i32", I32),  \
      KPACK_INTEGERS(Cmp, X, "u64", U64), KPACK_INTEGERS(Cmp, X, "i64", I64),  \
      KPACK_FLOATS(Cmp, X, "f16", Half), KPACK_FLOATS(Cmp, X, "f32", Single),  \
      KPACK_FLOATS(Cmp, X, "f64", Double)

constexpr OpcodeInfo Table[] = {KPACK_COMPARISONS("v_cmp_", false),
                                KPACK_COMPARISONS("v_cmpx_", true)};

#undef KPACK_COMPARISONS
#undef KPACK_FLOATS
#undef KPACK_INTEGERS

} // namespace

llvm::ArrayRef<OpcodeInfo> vectorCompareOpcodes() { return Table; }

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu
