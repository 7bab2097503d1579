//===- AtomicLanes.h - atomics of all lanes ---------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop over lanes, lowest first, of flat_, global_, buffer_ and ds_
// atomics.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_MEMORY_ATOMICLANES_H
#define KPACK_LIB_SOFTGPU_MACHINE_MEMORY_ATOMICLANES_H

#include "AtomicFloats.h"
#include "MemoryElements.h"

namespace kpack::softgpu {

/// A T of each lane, in the registers of an operand from FirstRegister on.
template <typename T> class AtomicData {
public:
  AtomicData(Wave &W, const Operand &O, unsigned FirstRegister = 0)
      : Rows(W.Vectors + O.Index + FirstRegister) {}

  T get(unsigned Lane) const {
    if constexpr (sizeof(T) == 4)
      return Rows[0].V[Lane];
    else
      return Rows[0].V[Lane] | T(Rows[1].V[Lane]) << 32;
  }
  void set(unsigned Lane, T Value) {
    Rows[0].V[Lane] = uint32_t(Value);
    if constexpr (sizeof(T) == 8)
      Rows[1].V[Lane] = uint32_t(Value >> 32);
  }

private:
  Lanes32 *Rows;
};

/// \p First and \p Second are data; \p Result gets the old values and may be
/// null. Lanes with a true \p Skip access no memory and return zero.
template <class Op, typename T, class Pointers, typename Function>
void updateLanes(const Wave &W, Pointers &Address, const AtomicRules &Rules,
                 const AtomicRules &LdsRules, AtomicData<T> First,
                 AtomicData<T> Second, AtomicData<T> *Result, Function &&Skip) {
  forActiveLanes(W, [&](unsigned Lane) {
    T Old = 0;
    if (!Skip(Lane)) {
      uint8_t *P = Address(Lane);
      if (!P)
        return false;
      T Data[2] = {First.get(Lane), Op::DataCount > 1 ? Second.get(Lane) : 0};
      Old =
          updateMemory<Op, T>(Address.isLds(Lane) ? LdsRules : Rules, P, Data);
    }
    if (Result)
      Result->set(Lane, Old);
    return true;
  });
}

/// Returns the register of the second data, if they share an operand with the
/// first.
template <class Op, typename T> constexpr unsigned secondRegister() {
  return Op::DataCount > 1 ? sizeof(T) / 4 : 0;
}

inline bool neverSkip(unsigned) { return false; }

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_MEMORY_ATOMICLANES_H
