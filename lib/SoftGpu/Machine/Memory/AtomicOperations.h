//===- AtomicOperations.h - integer atomics ---------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations of atomics in global memory, buffers and LDS as functors: the new
// value from the old one and the data, one or two registers or pairs in printed
// order. ISA manuals, "Memory Atomic Operations". AtomicFloats.h has floats.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_MEMORY_ATOMICOPERATIONS_H
#define KPACK_LIB_SOFTGPU_MACHINE_MEMORY_ATOMICOPERATIONS_H

#include "SoftGpu/Machine/Wave.h"
#include <algorithm>
#include <atomic>
#include <type_traits>

namespace kpack::softgpu {

/// How an atomic treats special floats; see AtomicFloats.h.
struct AtomicRules {
  bool KeepInputs = true;   ///< keep denormal inputs
  bool KeepOutputs = true;  ///< keep denormal sums
  bool SourceFirst = false; ///< of two NaNs, return the data's
  bool IsGfx12 = false;     ///< minNum and maxNum, not older rules
};

/// Unit that executes an atomic: the caches, or LDS through flat_ or ds_.
enum class AtomicPlace { Memory, FlatLds, Lds };

/// Base of the operations without special floats.
template <unsigned Count = 1> struct IntegerOperation {
  static constexpr unsigned DataCount = Count;
  template <typename T> static AtomicRules rules(const Wave &, AtomicPlace) {
    return {};
  }
};

/// Op(old, data), on T.
template <auto Op> struct Combine : IntegerOperation<> {
  template <typename T>
  static T apply(const AtomicRules &, T Old, const T *Data) {
    return Op(Old, Data[0]);
  }
};
/// The same on T's signed type.
template <auto Op> struct CombineSigned : IntegerOperation<> {
  template <typename T>
  static T apply(const AtomicRules &, T Old, const T *Data) {
    using S = std::make_signed_t<T>;
    return T(Op(S(Old), S(Data[0])));
  }
};
/// Op(old, first data, second data).
template <auto Op> struct CombineTwo : IntegerOperation<2> {
  template <typename T>
  static T apply(const AtomicRules &, T Old, const T *Data) {
    return Op(Old, Data[0], Data[1]);
  }
};

using Exchange = Combine<[](auto, auto Data) { return Data; }>;
using Add = Combine<[](auto Old, auto Data) { return Old + Data; }>;
using Subtract = Combine<[](auto Old, auto Data) { return Old - Data; }>;
using ReverseSubtract = Combine<[](auto Old, auto Data) { return Data - Old; }>;
/// Subtracts down to zero.
using SubtractClamped = Combine<[](auto Old, auto Data) {
  return Old < Data ? Old - Old : Old - Data;
}>;
/// Subtracts only without a borrow.
using SubtractIfEnough =
    Combine<[](auto Old, auto Data) { return Old < Data ? Old : Old - Data; }>;
using UnsignedMin = Combine<[](auto A, auto B) { return std::min(A, B); }>;
using UnsignedMax = Combine<[](auto A, auto B) { return std::max(A, B); }>;
using SignedMin = CombineSigned<[](auto A, auto B) { return std::min(A, B); }>;
using SignedMax = CombineSigned<[](auto A, auto B) { return std::max(A, B); }>;
using And = Combine<[](auto Old, auto Data) { return Old & Data; }>;
using Or = Combine<[](auto Old, auto Data) { return Old | Data; }>;
using Xor = Combine<[](auto Old, auto Data) { return Old ^ Data; }>;
/// Counts up to the data, then to zero.
using Increment = Combine<[](auto Old, auto Data) {
  return Old >= Data ? Old - Old : Old + 1;
}>;
/// Counts down to zero, then to the data.
using Decrement = Combine<[](auto Old, auto Data) {
  return Old == 0 || Old > Data ? Data : Old - 1;
}>;
/// Clears bits of the first data and sets those of the second.
using MaskOr = CombineTwo<[](auto Old, auto Mask, auto Bits) {
  return (Old & ~Mask) | Bits;
}>;
/// Subtracts the first if the value is large enough, else adds the second.
using Wrap = CombineTwo<[](auto Old, auto Less, auto More) {
  return Old >= Less ? Old - Less : Old + More;
}>;
/// New value, then expected one: everywhere but in ds_cmpst.
using CompareExchange = CombineTwo<[](auto Old, auto New, auto Expected) {
  return Old == Expected ? New : Old;
}>;
/// Expected value, then new one: ds_cmpst of gfx9 and gfx10.
using CompareStore = CombineTwo<[](auto Old, auto Expected, auto New) {
  return Old == Expected ? New : Old;
}>;

/// Applies \p Op to the T at \p At and returns the old value. Sequentially
/// consistent, which is as strong as any scope and order. A private segment may
/// be misaligned on the host, but no other thread sees it.
template <class Op, typename T>
T updateMemory(const AtomicRules &Rules, uint8_t *Address, const T *Data) {
  T Old;
  if (reinterpret_cast<uintptr_t>(Address) % sizeof(T)) {
    std::memcpy(&Old, Address, sizeof Old);
    T New = Op::template apply<T>(Rules, Old, Data);
    std::memcpy(Address, &New, sizeof New);
    return Old;
  }
  std::atomic_ref<T> Memory(*reinterpret_cast<T *>(Address));
  Old = Memory.load();
  while (!Memory.compare_exchange_weak(Old,
                                       Op::template apply<T>(Rules, Old, Data)))
    ;
  return Old;
}

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_MEMORY_ATOMICOPERATIONS_H
