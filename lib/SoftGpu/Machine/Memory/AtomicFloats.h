//===- AtomicFloats.h - floating-point atomics ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sibling of AtomicOperations.h. Rounding is to nearest even regardless of MODE
// (LLVM, D30209; the host's default). Denormals and NaNs (LLVM's feature
// memory-atomic-fadd-f32-denormal-support; AMD's rocjitsu):
// - additions in memory keep denormals, but f32 on gfx9 up to gfx90a flushes
//   inputs;
// - minima in memory: f64 keep denormals, f32 follow MODE;
// - LDS follows MODE, except for f64 additions, which keep denormals;
// - packed 16-bit additions keep them, but ds_ follows MODE;
// - an addition of two NaNs gives the old value, or in LDS and on gfx12 the
//   data, made quiet; infinities that cancel give the negative NaN;
// - minima order -0 before +0. Before gfx12 flushing only affects the
//   comparison, and a signalling NaN is the result, made quiet. Otherwise a
//   number wins over a NaN.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_MEMORY_ATOMICFLOATS_H
#define KPACK_LIB_SOFTGPU_MACHINE_MEMORY_ATOMICFLOATS_H

#include "AtomicOperations.h"
#include "SoftGpu/Machine/Lanes/FloatFormats.h"
#include <bit>

namespace kpack::softgpu {

/// A floating-point format, with the flushing of denormals and the addition of
/// atomics.
template <typename T, unsigned Mantissa>
struct AtomicFormat : FloatFormat<T, 8 * sizeof(T), Mantissa> {
  using Base = FloatFormat<T, 8 * sizeof(T), Mantissa>;
  using Base::DefaultNan, Base::Infinity, Base::isNan, Base::QuietBit,
      Base::Sign;

  static bool isInfinity(T B) { return T(B & ~Sign) == Infinity; }
  static T flush(T B) { return (B & Infinity) ? B : T(B & Sign); }
  static T flushUnless(bool Keep, T B) { return Keep ? B : flush(B); }

  /// Adds. Calls Sum(a, b) unless there is a NaN or infinities cancel.
  template <typename Function>
  static T add(const AtomicRules &R, T Old, T Data, Function &&Sum) {
    T A = flushUnless(R.KeepInputs, Old), B = flushUnless(R.KeepInputs, Data);
    if (R.SourceFirst)
      std::swap(A, B);
    if (isNan(A))
      return A | QuietBit;
    if (isNan(B))
      return B | QuietBit;
    if (isInfinity(A) && isInfinity(B) && A != B)
      return DefaultNan;
    return flushUnless(R.KeepOutputs, Sum(A, B));
  }
};
template <typename T>
using FormatOf = AtomicFormat<T, sizeof(T) == 4 ? 23 : 52>;
template <typename T>
using FloatOf = std::conditional_t<sizeof(T) == 4, float, double>;

template <typename T> unsigned denormalMode(const Wave &W) {
  return sizeof(T) == 4 ? W.Mode.Denorm32 : W.Mode.Denorm1664;
}

template <typename T>
AtomicRules rulesOfMode(const Wave &W, AtomicPlace Place) {
  AtomicRules R;
  R.KeepInputs = denormalMode<T>(W) & 1;
  R.KeepOutputs = denormalMode<T>(W) >> 1 & 1;
  R.IsGfx12 = W.Isa->isGfx12Plus();
  R.SourceFirst = Place != AtomicPlace::Memory || R.IsGfx12;
  return R;
}

struct FloatAdd {
  static constexpr unsigned DataCount = 1;
  template <typename T>
  static AtomicRules rules(const Wave &W, AtomicPlace Place) {
    AtomicRules R = rulesOfMode<T>(W, Place);
    if (sizeof(T) == 8 || Place == AtomicPlace::Memory)
      R.KeepInputs = R.KeepOutputs = true;
    if (sizeof(T) == 4 && Place == AtomicPlace::Memory && W.Isa->isGfx9() &&
        W.Isa->Isa != Family::Gfx940)
      R.KeepInputs = false;
    return R;
  }
  template <typename T>
  static T apply(const AtomicRules &R, T Old, const T *Data) {
    using F = FloatOf<T>;
    return FormatOf<T>::add(R, Old, Data[0], [](T A, T B) {
      return std::bit_cast<T>(std::bit_cast<F>(A) + std::bit_cast<F>(B));
    });
  }
};

template <bool Max> struct FloatMinMax {
  static constexpr unsigned DataCount = 1;
  template <typename T>
  static AtomicRules rules(const Wave &W, AtomicPlace Place) {
    AtomicRules R = rulesOfMode<T>(W, Place);
    R.KeepInputs |= sizeof(T) == 8 && Place == AtomicPlace::Memory;
    return R;
  }
  /// Returns unsigned numbers in the order of the floats.
  template <typename T> static T order(T B) {
    return (B & FormatOf<T>::Sign) ? T(~B) : T(B ^ FormatOf<T>::Sign);
  }
  template <typename T>
  static T apply(const AtomicRules &R, T Old, const T *Data) {
    using F = FormatOf<T>;
    T A = F::flushUnless(R.KeepInputs, Old);
    T B = F::flushUnless(R.KeepInputs, Data[0]);
    T OldResult = R.IsGfx12 ? A : Old, DataResult = R.IsGfx12 ? B : Data[0];
    if (!R.IsGfx12)
      for (T Nan : {A, B})
        if (F::isNan(Nan) && !(Nan & F::QuietBit))
          return Nan | F::QuietBit;
    if (F::isNan(A) && F::isNan(B))
      return (R.IsGfx12 ? B : A) | F::QuietBit;
    if (F::isNan(A))
      return DataResult;
    if (F::isNan(B))
      return OldResult;
    bool TakesData = Max ? order(B) > order(A) : order(B) < order(A);
    return TakesData ? DataResult : OldResult;
  }
};
using FloatMin = FloatMinMax<false>;
using FloatMax = FloatMinMax<true>;

/// Compares as numbers: -0 is +0, NaN equals nothing. \p ExpectedAt is the
/// index of the expected value.
template <unsigned ExpectedAt> struct FloatCompare {
  static constexpr unsigned DataCount = 2;
  template <typename T>
  static AtomicRules rules(const Wave &W, AtomicPlace Place) {
    return rulesOfMode<T>(W, Place);
  }
  template <typename T>
  static T apply(const AtomicRules &R, T Old, const T *Data) {
    using F = FormatOf<T>;
    T A = F::flushUnless(R.KeepInputs, Old);
    T B = F::flushUnless(R.KeepInputs, Data[ExpectedAt]);
    bool BothZero = T((A | B) & ~F::Sign) == 0;
    bool Equal = !F::isNan(A) && (A == B || BothZero);
    return Equal ? Data[1 - ExpectedAt] : Old;
  }
};
using FloatCompareExchange = FloatCompare<1>;
using FloatCompareStore = FloatCompare<0>;

//===- Packed -------------------------------------------------------------===//
// Both formats widen to f32 exactly, and f32 has more than twice their bits:
// rounding the f32 sum again is as good as rounding the exact one.

struct PackedF16 {
  using Format = AtomicFormat<uint16_t, 10>;
  static uint16_t sum(uint16_t A, uint16_t B);
};
struct PackedBf16 {
  using Format = AtomicFormat<uint16_t, 7>;
  static uint16_t sum(uint16_t A, uint16_t B);
};

template <class Half> struct PackedAdd {
  static constexpr unsigned DataCount = 1;
  template <typename T>
  static AtomicRules rules(const Wave &W, AtomicPlace Place) {
    AtomicRules R = rulesOfMode<uint64_t>(W, Place);
    if (Place != AtomicPlace::Lds)
      R.KeepInputs = R.KeepOutputs = true;
    return R;
  }
  template <typename T>
  static T apply(const AtomicRules &R, T Old, const T *Data) {
    T Result = 0;
    for (unsigned Shift : {0u, 16u})
      Result |= T(Half::Format::add(R, uint16_t(Old >> Shift),
                                    uint16_t(Data[0] >> Shift), Half::sum))
                << Shift;
    return Result;
  }
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_MEMORY_ATOMICFLOATS_H
