//===- LdsLanes.h - offsets of lanes in LDS ---------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes a pointer per lane from the address operand of a ds_ instruction,
// and the destination of loads that write to LDS instead of registers. Offsets
// wrap at 32 bits. Rare checks, and faults, are in Memory.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_MEMORY_LDSLANES_H
#define KPACK_LIB_SOFTGPU_MACHINE_MEMORY_LDSLANES_H

#include "MemorySpaces.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

class LdsLanes {
public:
  /// \p N is the address, in bytes; \p Offset is added.
  LdsLanes(Wave &W, const Instruction &I, unsigned N, uint32_t Offset,
           unsigned Size, Access Kind)
      : W(W), I(I), Addresses(addressRow(W, I.Operands[N])), Offset(Offset),
        AlignMask(uint32_t(alignmentMask(W, Size, Kind))), Size(Size),
        How(Kind) {
    const std::vector<uint8_t> &Lds = W.Group->Lds;
    if (W.Group->LdsWritten.empty() && Lds.size() >= Size)
      AddressCount = uint32_t(Lds.size() - Size + 1);
  }

  uint8_t *operator()(unsigned Lane) const {
    uint32_t Address = Addresses.V[Lane] + Offset;
    if (Address < AddressCount && !(Address & AlignMask))
      return W.Group->Lds.data() + Address;
    return ldsPointer(W, I, int(Lane), Address, Size, How);
  }

  uint8_t *consecutive() const {
    if (W.exec() != W.allLanes() || !isConsecutive(Addresses, W.Lanes, Size))
      return nullptr;
    uint64_t First = Addresses.V[0] + Offset;
    if (First + uint64_t(W.Lanes - 1) * Size >= AddressCount ||
        (First & AlignMask))
      return nullptr;
    return W.Group->Lds.data() + First;
  }

  bool allAreValid() const {
    return isZeroInActiveLanes(W, [&](unsigned Lane) {
      uint32_t Address = Addresses.V[Lane] + Offset;
      return uint32_t(Address >= AddressCount) | (Address & AlignMask);
    });
  }
  uint8_t *valid(unsigned Lane) const {
    return W.Group->Lds.data() + (Addresses.V[Lane] + Offset);
  }

  bool isLds(unsigned) const { return true; }

private:
  Wave &W;
  const Instruction &I;
  const Lanes32 &Addresses;
  uint32_t Offset;
  uint32_t AlignMask;
  uint32_t AddressCount = 0; ///< lower ones are valid; 0: see Memory.cpp
  unsigned Size;
  Access How;
};

/// Calls \p Do(lane, first, second) with the pointers of ds_read2 and its like;
/// \p N is the address. offset0 and offset1 count \p Stride elements of
/// \p Size. Both pointers are computed before Do() writes a register, which may
/// hold the address.
template <class Function>
void forAddressPairs(Wave &W, const Instruction &I, unsigned N, unsigned Stride,
                     unsigned Size, Access Kind, Function &&Do) {
  LdsLanes First(W, I, N, I.Offset0 * Stride * Size, Size, Kind);
  LdsLanes Second(W, I, N, I.Offset1 * Stride * Size, Size, Kind);
  if (TakesShortWays && First.allAreValid() && Second.allAreValid())
    return forValidLanes(W, First, [&](unsigned Lane, uint8_t *A) {
      Do(Lane, A, Second.valid(Lane));
    });
  forActiveLanes(W, [&](unsigned Lane) {
    uint8_t *A = First(Lane), *B = A ? Second(Lane) : nullptr;
    if (B)
      Do(Lane, A, B);
    return B != nullptr;
  });
}

/// A dword per lane at M0's lower half + offset: + 4 * lane, for ds_ with
/// addtid and the results of loads with "lds" (CDNA3 ISA, 9.1.9 "Memory Buffer
/// Load to LDS").
class LaneIndexedLds {
public:
  LaneIndexedLds(Wave &W, const Instruction &I, Access Kind)
      : W(W), I(I), Base((W.Scalars[M0] & 0xffff) + uint32_t(I.Offset)),
        How(Kind) {}

  uint8_t *operator()(unsigned Lane) const {
    return ldsPointer(W, I, int(Lane), Base + Lane * 4, 4, How);
  }
  uint8_t *consecutive() const { return nullptr; }
  bool allAreValid() const { return false; }
  uint8_t *valid(unsigned) const { return nullptr; }
  /// Returns false after a fault.
  bool write(unsigned Lane, uint32_t Value) const {
    uint8_t *Target = (*this)(Lane);
    if (Target)
      writeElement(Target, Value);
    return Target != nullptr;
  }

private:
  Wave &W;
  const Instruction &I;
  uint32_t Base;
  Access How;
};

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_MEMORY_LDSLANES_H
