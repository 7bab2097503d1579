//===- MemorySpaces.h - addresses of lanes in global memory -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Global, Flat and Scratch compute a pointer per lane from the address operands
// of an instruction. Operands in printed order: the vector address (one
// register with a scalar base, else two), and as the last operand the scalar
// base or "off"; flat_ has none. The check of the wave's last range is here,
// inline; all else is in Memory.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_MEMORY_MEMORYSPACES_H
#define KPACK_LIB_SOFTGPU_MACHINE_MEMORY_MEMORYSPACES_H

#include "MemoryElements.h"
#include "llvm/Support/Compiler.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

inline constexpr Lanes32 ZeroLanes{};

/// Returns register \p Index of a vector operand; zeros for "off".
inline const Lanes32 &addressRow(const Wave &W, const Operand &O,
                                 unsigned Index = 0) {
  return O.What == Operand::Kind::Vgpr && Index < O.Dwords
             ? W.Vectors[O.Index + Index]
             : ZeroLanes;
}

/// Returns the required alignment minus one, if it is checked.
inline uint64_t alignmentMask(const Wave &W, unsigned Size, Access Kind) {
  if (Kind == Access::Atomic)
    return Size - 1;
  if (!W.Group->Launch->Options->CheckAlignment)
    return 0;
  return std::min(Size & -Size, 4u) - 1;
}

class Global {
public:
  /// \p N is the vector address.
  Global(Wave &W, const Instruction &I, unsigned N, unsigned Size, Access Kind)
      : Global(W, I, N, Size, Kind,
               scalarBits64(W, I.Operands[I.OperandCount - 1])) {
    lookUpFirstLane();
  }

  uint64_t address(unsigned Lane) const {
    return Base + (Low.V[Lane] | uint64_t(High.V[Lane]) << 32);
  }

  uint8_t *operator()(unsigned Lane) {
    uint64_t Address = address(Lane);
    if (isInWindow(Address, 1) && !(Address & AlignMask))
      return hostPointer(Address);
    uint8_t *P = globalPointer(W, I, int(Lane), Address, Size, How);
    openWindow();
    return P;
  }

  uint8_t *consecutive() {
    if (W.exec() != W.allLanes() || !isConsecutive(Low, W.Lanes, Size))
      return nullptr;
    uint32_t Difference = 0;
    unsigned Lanes = &High == &ZeroLanes ? 0 : W.Lanes;
    for (unsigned Lane = 0; Lane < Lanes; ++Lane)
      Difference |= High.V[Lane] ^ High.V[0];
    if (Difference)
      return nullptr;
    uint64_t Address = address(0);
    if (!isInWindow(Address, W.Lanes) || (Address & AlignMask))
      return nullptr;
    return hostPointer(Address);
  }

  bool allAreValid() const {
    if (WindowSize < Size)
      return false;
    uint64_t Last = WindowSize - Size;
    if (&High == &ZeroLanes && !AlignMask) {
      // Often there are 32-bit offsets. If the base is in the window, each is
      // only compared with the greatest offset inside.
      uint64_t First = Base - WindowBegin;
      if (First <= Last) {
        uint32_t Greatest =
            uint32_t(std::min(Last - First, uint64_t(~uint32_t(0))));
        return isZeroInActiveLanes(
            W, [&](unsigned Lane) { return uint32_t(Low.V[Lane] > Greatest); });
      }
    }
    // The highest bit is set if an offset is above Last, or negative.
    return isZeroInActiveLanes(W, [&](unsigned Lane) {
      uint64_t Address = address(Lane);
      uint64_t Offset = Address - WindowBegin;
      return ((Offset | (Last - Offset)) >> 63) | (Address & AlignMask);
    });
  }
  uint8_t *valid(unsigned Lane) const { return hostPointer(address(Lane)); }

  /// True if \p Lane's access is to LDS.
  bool isLds(unsigned) const { return false; }

protected:
  Global(Wave &W, const Instruction &I, unsigned N, unsigned Size, Access Kind,
         uint64_t Scalar)
      : W(W), I(I), Low(addressRow(W, I.Operands[N])),
        High(addressRow(W, I.Operands[N], 1)),
        Base(Scalar + uint64_t(I.Offset)),
        AlignMask(alignmentMask(W, Size, Kind)), Size(Size), How(Kind) {
    openWindow();
  }

  /// Makes the range of the first active lane the last range: it is usually the
  /// range of all lanes, and not that of the previous instruction.
  void lookUpFirstLane() {
    uint64_t First = address(unsigned(std::countr_zero(W.exec())) & 63);
    if (LLVM_LIKELY(isInWindow(First, 1)))
      return;
    useRange(W, First);
    openWindow();
  }

  /// Uses the last range, if it is still valid.
  void openWindow() {
    const MemoryRange &R = W.LastRange;
    WindowBegin = R.Begin;
    WindowSize = 0;
    ToHost = R.ToHost;
    if (W.LastGeneration == W.Group->Launch->Memory->generation() &&
        (R.Writable || How == Access::Read))
      WindowSize = R.End - R.Begin;
  }
  uint8_t *hostPointer(uint64_t Address) const {
    return reinterpret_cast<uint8_t *>(Address + ToHost);
  }
  bool isInWindow(uint64_t Address, unsigned Count) const {
    uint64_t Bytes = uint64_t(Size) * Count;
    return WindowSize >= Bytes && Address - WindowBegin <= WindowSize - Bytes;
  }

  Wave &W;
  const Instruction &I;
  const Lanes32 &Low, &High;
  uint64_t Base;
  uint64_t WindowBegin, WindowSize, ToHost; ///< of the last range
  uint64_t AlignMask;
  unsigned Size;
  Access How;
};

/// The private segments of all lanes.
class PrivateLanes {
public:
  PrivateLanes(Wave &W, const Instruction &I, unsigned Size, Access Kind)
      : W(W), I(I), AlignMask(uint32_t(alignmentMask(W, Size, Kind))),
        OffsetCount(W.PrivateBytes < Size ? 0 : W.PrivateBytes - Size + 1),
        Size(Size), How(Kind) {}

  uint8_t *operator()(unsigned Lane, uint32_t Offset) const {
    if (Offset < OffsetCount && !(Offset & AlignMask))
      return W.Private + uint64_t(Lane) * W.PrivateBytes + Offset;
    return privatePointer(W, I, int(Lane), Offset, Size, How);
  }
  /// Returns non-zero if the access needs the slow path.
  uint32_t isSpecial(uint32_t Offset) const {
    return uint32_t(Offset >= OffsetCount) | (Offset & AlignMask);
  }
  uint8_t *valid(unsigned Lane, uint32_t Offset) const {
    return W.Private + uint64_t(Lane) * W.PrivateBytes + Offset;
  }

private:
  Wave &W;
  const Instruction &I;
  uint32_t AlignMask;
  uint32_t OffsetCount; ///< offsets below this are valid
  unsigned Size;
  Access How;
};

/// Generic addresses: LDS and the private segment lie in their apertures.
class Flat : public Global {
public:
  Flat(Wave &W, const Instruction &I, unsigned N, unsigned Size, Access Kind)
      : Global(W, I, N, Size, Kind, 0), Private(W, I, Size, Kind) {
    uint64_t First = address(unsigned(std::countr_zero(W.exec())) & 63);
    if (First - SharedAperture >= ApertureSize &&
        First - PrivateAperture >= ApertureSize)
      lookUpFirstLane();
  }

  uint8_t *operator()(unsigned Lane) {
    uint64_t Address = address(Lane);
    if (Address - SharedAperture < ApertureSize)
      return ldsPointer(W, I, int(Lane), uint32_t(Address), Size, How);
    if (Address - PrivateAperture < ApertureSize)
      return Private(Lane, uint32_t(Address));
    return Global::operator()(Lane);
  }
  bool isLds(unsigned Lane) const {
    return address(Lane) - SharedAperture < ApertureSize;
  }

private:
  PrivateLanes Private;
};

/// Offsets into the private segment of each lane, 32 bits that wrap.
class Scratch {
public:
  Scratch(Wave &W, const Instruction &I, unsigned N, unsigned Size, Access Kind)
      : W(W), Offsets(addressRow(W, I.Operands[N])),
        Base(scalarBits32(W, I.Operands[I.OperandCount - 1]) +
             uint32_t(I.Offset)),
        Private(W, I, Size, Kind) {}

  uint8_t *operator()(unsigned Lane) const {
    return Private(Lane, Base + Offsets.V[Lane]);
  }
  uint8_t *consecutive() const { return nullptr; }
  bool allAreValid() const {
    return isZeroInActiveLanes(W, [&](unsigned Lane) {
      return Private.isSpecial(Base + Offsets.V[Lane]);
    });
  }
  uint8_t *valid(unsigned Lane) const {
    return Private.valid(Lane, Base + Offsets.V[Lane]);
  }

private:
  const Wave &W;
  const Lanes32 &Offsets;
  uint32_t Base;
  PrivateLanes Private;
};

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_MEMORY_MEMORYSPACES_H
