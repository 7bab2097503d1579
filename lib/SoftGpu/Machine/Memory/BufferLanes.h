//===- BufferLanes.h - addresses of lanes in buffers ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer instruction's address operand, resource (V#) and scalar offset, and
// its range check: out of bounds, loads return 0 and stores do nothing. ISA
// manuals, "Buffer Addressing" and "Range checking". AMD's rocjitsu measured
// which offsets the check includes on gfx950, gfx11 and gfx12; gfx10, whose
// resources look like gfx11's, is assumed to do the same.
//
// The V# of the private segment is recognised, see Wave.h. Other resources with
// swizzling or lane numbers have no semantics here.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_MEMORY_BUFFERLANES_H
#define KPACK_LIB_SOFTGPU_MACHINE_MEMORY_BUFFERLANES_H

#include "MemorySpaces.h"

namespace kpack::softgpu {

class BufferLanes {
public:
  /// \p N is the address operand; resource and scalar offset follow.
  BufferLanes(Wave &W, const Instruction &I, unsigned N, unsigned Size,
              Access Kind);

  /// Returns false after a fault: the resource has no semantics.
  bool isUsable() const { return Usable; }

  /// Returns how many of the \p Parts of \p Lane's access, from the first, are
  /// in bounds; each has \p PartSize bytes.
  unsigned partsInBounds(unsigned Lane, unsigned PartSize,
                         unsigned Parts) const {
    if (IsPrivate)
      return Parts;
    unsigned Count = 0;
    while (Count < Parts && isInBounds(Lane, (Count + 1) * PartSize))
      ++Count;
    return Count;
  }
  bool isInBounds(unsigned Lane) const {
    return IsPrivate || isInBounds(Lane, Size);
  }

  /// Returns the whole access of \p Lane, which is in bounds. Null after a
  /// fault.
  uint8_t *operator()(unsigned Lane) const {
    return IsPrivate ? Private(Lane, offset(Lane) + ScalarOffset)
                     : globalPointer(W, I, int(Lane), address(Lane), Size, How);
  }
  /// Returns part \p Index of the access.
  uint8_t *part(unsigned Lane, unsigned Index, unsigned PartSize) const {
    return globalPointer(W, I, int(Lane), address(Lane) + Index * PartSize,
                         PartSize, How);
  }
  bool isLds(unsigned) const { return false; }

private:
  uint32_t index(unsigned Lane) const { return Indices.V[Lane]; }
  uint32_t offset(unsigned Lane) const {
    return Offsets.V[Lane] + uint32_t(I.Offset);
  }
  uint64_t address(unsigned Lane) const {
    return Base + uint64_t(index(Lane)) * Stride + offset(Lane) + ScalarOffset;
  }
  bool isInBounds(unsigned Lane, unsigned Bytes) const;
  void usePrivateSegment();

  Wave &W;
  const Instruction &I;
  const Lanes32 &Indices, &Offsets;
  uint64_t Base = 0;
  uint32_t Stride = 0, Records = 0;
  /// In bytes; in the private segment, of one lane.
  uint32_t ScalarOffset;
  unsigned BoundsMode = 0; ///< OOB_SELECT of gfx10 and later
  unsigned Size;
  Access How;
  bool Usable = false, IsPrivate = false;
  PrivateLanes Private;
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_MEMORY_BUFFERLANES_H
