//===- VectorCompare.cpp - comparisons: v_cmp_ and v_cmpx_ ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comparisons of VOPC, one bit per lane; inactive lanes, and those that DPP
// masks out, give 0. v_cmpx_ writes exec, on gfx9 its destination, too. Floats
// are compared as integers with the same order: no exceptions, no rounding
// mode, and loops that vectorise. A condition and a kind make a handler.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Machine/Lanes/FloatLanes.h"
#include "SoftGpu/Machine/OpcodeNames.h"
#include <utility>

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

/// Outcomes of a comparison; a condition is the set of outcomes that make it
/// true.
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
  uint64_t Mask = laneMask(W, [&](unsigned Lane) {
    return holds<Condition>(K::number(A.V[Lane]), K::number(B.V[Lane]));
  });
  writeComparison<WritesExec>(W, I, Mask);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// Returns numbers in the order of the floats; both zeros are 0. Magnitudes
/// below \p Smallest count as zero.
template <class F>
auto orderedKey(typename F::Bits Bits, typename F::Bits Smallest) {
  using Int = typename F::Int;
  typename F::Bits Magnitude = Bits & (F::Sign - 1);
  Int Key = Magnitude < Smallest ? 0 : Int(Magnitude);
  return (Bits & F::Sign) ? -Key : Key;
}

template <unsigned Condition, class F, bool WritesExec>
void compareFloats(Wave &W, const Instruction &I) {
  typename F::Lanes SA, SB;
  const typename F::Lanes &A = floatSource<F>(W, I, 1, SA);
  const typename F::Lanes &B = floatSource<F>(W, I, 2, SB);
  typename F::Bits Smallest = flushesSources<F>(W) ? F::MinNormal : 0;
  uint64_t Mask = laneMask(W, [&](unsigned Lane) {
    auto X = orderedKey<F>(A.V[Lane], Smallest);
    auto Y = orderedKey<F>(B.V[Lane], Smallest);
    bool Nan = F::isNan(A.V[Lane]) || F::isNan(B.V[Lane]);
    return Nan ? (Condition & Unordered) != 0 : holds<Condition>(X, Y);
  });
  writeComparison<WritesExec>(W, I, Mask);
}

/// Returns the bit of v_cmp_class for \p Bits. Denormals are not flushed,
/// regardless of MODE.
template <class F> uint32_t classifyValue(typename F::Bits Bits) {
  typename F::Bits Magnitude = Bits & (F::Sign - 1);
  bool Negative = Bits & F::Sign;
  if (Magnitude > F::Infinity)
    return (Magnitude & F::QuietBit) ? 1u << 1 : 1u << 0;
  if (Magnitude == F::Infinity)
    return Negative ? 1u << 2 : 1u << 9;
  if (Magnitude >= F::MinNormal)
    return Negative ? 1u << 3 : 1u << 8;
  if (Magnitude != 0)
    return Negative ? 1u << 4 : 1u << 7;
  return Negative ? 1u << 5 : 1u << 6;
}

/// Source 1 is the set of classes: 32 bits, or 16 for f16.
template <class F, bool WritesExec>
void compareClass(Wave &W, const Instruction &I) {
  typename F::Lanes SA;
  Lanes32 SB;
  const typename F::Lanes &A = floatSource<F>(W, I, 1, SA);
  const Lanes32 &Classes =
      std::is_same_v<F, F16> ? source16(W, I, 2, SB) : source32(W, I, 2, SB);
  uint64_t Mask = laneMask(W, [&](unsigned Lane) {
    return (classifyValue<F>(A.V[Lane]) & Classes.V[Lane]) != 0;
  });
  writeComparison<WritesExec>(W, I, Mask);
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

constexpr uint32_t Integers = ModDpp | ModSdwa | ModSext | ModOpSel;
constexpr uint32_t Floats = ModDpp | ModSdwa | ModOpSel | ModNeg | ModAbs;

/// Mnemonics are the product of conditions and types. N are the conditions as
/// sets of outcomes, and Names are their names.
template <NamePart Cmp, bool X, NamePart Type, class K, NamePart... Names,
          unsigned... N>
consteval auto integerRows(std::integer_sequence<unsigned, N...>) {
  return std::to_array<OpcodeInfo>(
      {{Name<Cmp, Names, Type>, compareIntegers<N, K, X>, Integers}...});
}
template <NamePart Cmp, bool X, NamePart Type, class F, NamePart... Names,
          unsigned... N>
consteval auto floatRows(std::integer_sequence<unsigned, N...>) {
  return std::to_array<OpcodeInfo>(
      {{Name<Cmp, "class", Type>, compareClass<F, X>, Floats},
       {Name<Cmp, Names, Type>, compareFloats<N, F, X>, Floats}...});
}

template <NamePart Cmp, bool X, NamePart Type, class K>
constexpr auto OfIntegers =
    integerRows<Cmp, X, Type, K, "f", "lt", "eq", "le", "gt", "ne", "ge", "t">(
        std::make_integer_sequence<unsigned, 8>());
template <NamePart Cmp, bool X, NamePart Type, class F>
constexpr auto OfFloats =
    floatRows<Cmp, X, Type, F, "f", "lt", "eq", "le", "gt", "lg", "ge", "o",
              "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "tru t">(
        std::make_integer_sequence<unsigned, 16>());

template <NamePart Cmp, bool X> consteval auto comparisons() {
  return joinTables(
      OfIntegers<Cmp, X, "_u16", U16>, OfIntegers<Cmp, X, "_i16", I16>,
      OfIntegers<Cmp, X, "_u32", U32>, OfIntegers<Cmp, X, "_i32", I32>,
      OfIntegers<Cmp, X, "_u64", U64>, OfIntegers<Cmp, X, "_i64", I64>,
      OfFloats<Cmp, X, "_f16", F16>, OfFloats<Cmp, X, "_f32", F32>,
      OfFloats<Cmp, X, "_f64", F64>);
}

constexpr auto Table =
    joinTables(comparisons<"v_cmp_", false>(), comparisons<"v_cmpx_", true>());

} // namespace

llvm::ArrayRef<OpcodeInfo> vectorCompareOpcodes() { return Table; }

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu
