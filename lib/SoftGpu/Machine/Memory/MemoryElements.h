//===- MemoryElements.h - elements in memory and registers ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of loads and stores of all address spaces: the number of
// bytes, their extension, their half of a register. MemorySpaces.h,
// BufferLanes.h and LdsLanes.h compute addresses.
//
// Naturally aligned elements of up to 8 bytes are read and written at once:
// compilers turn monotonic atomics into plain loads and stores. For 12 and 16
// see WideAccess.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_MEMORY_MEMORYELEMENTS_H
#define KPACK_LIB_SOFTGPU_MACHINE_MEMORY_MEMORYELEMENTS_H

#include "Memory.h"
#include "SoftGpu/Machine/Lanes/Lanes.h"
#include "WideAccess.h"
#include <bit>

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

/// Calls \p Do(Lane) for each active lane in ascending order, until it returns
/// false.
template <typename Function> void forActiveLanes(const Wave &W, Function &&Do) {
  for (uint64_t Left = W.exec(); Left; Left &= Left - 1)
    if (!Do(unsigned(std::countr_zero(Left))))
      return;
}

template <typename T> T readElement(const uint8_t *Source) {
  if (reinterpret_cast<uintptr_t>(Source) % sizeof(T) == 0)
    return __atomic_load_n(reinterpret_cast<const T *>(Source),
                           __ATOMIC_RELAXED);
  T Value;
  std::memcpy(&Value, Source, sizeof Value);
  return Value;
}

template <typename T> void writeElement(uint8_t *Target, T Value) {
  if (reinterpret_cast<uintptr_t>(Target) % sizeof(T) == 0)
    __atomic_store_n(reinterpret_cast<T *>(Target), Value, __ATOMIC_RELAXED);
  else
    std::memcpy(Target, &Value, sizeof Value);
}

/// Reads consecutive dwords, 16 bytes at a time, so that those of a lane are
/// read at once.
template <unsigned Count>
std::array<uint32_t, Count> readDwords(const uint8_t *Source) {
  std::array<uint32_t, Count> Values;
  if constexpr (Count >= 4) {
    static_assert(Count % 4 == 0);
    for (unsigned K = 0; K != Count; K += 4) {
      FourDwords Four = loadFourDwords(Source + 4 * K);
      std::memcpy(&Values[K], &Four, sizeof(Four));
    }
  } else if constexpr (Count == 3) {
    if (isInOneLine(Source, 12))
      return loadThreeDwords(Source);
    auto First = readDwords<2>(Source);
    Values = {First[0], First[1], readElement<uint32_t>(Source + 8)};
  } else if constexpr (Count == 2) {
    uint64_t Pair = readElement<uint64_t>(Source);
    Values = {uint32_t(Pair), uint32_t(Pair >> 32)};
  } else {
    Values = {readElement<uint32_t>(Source)};
  }
  return Values;
}

template <unsigned Count>
void writeDwords(uint8_t *Target, const std::array<uint32_t, Count> &Values) {
  static_assert(Count <= 4);
  if constexpr (Count == 4) {
    storeFourDwords(Target,
                    FourDwords{Values[0], Values[1], Values[2], Values[3]});
  } else if constexpr (Count == 3) {
    if (isInOneBlock(Target))
      return storeThreeDwords(Target, Values);
    writeDwords<2>(Target, {Values[0], Values[1]});
    writeElement(Target + 8, Values[2]);
  } else if constexpr (Count == 2) {
    writeElement(Target, Values[0] | uint64_t(Values[1]) << 32);
  } else {
    writeElement(Target, Values[0]);
  }
}

// Elements. An instruction creates one object from its data operand. A buffer's
// bounds are checked for each part.

/// Whole dwords, register after register.
template <unsigned Count> class Dwords {
public:
  using Type = uint32_t; ///< type of a part
  static constexpr unsigned Bytes = 4 * Count, Parts = Count;
  static constexpr bool IsDword = Count == 1;

  Dwords(Wave &W, const Operand &Data) : Rows(W.Vectors + Data.Index) {}
  Dwords(Wave &W, const Operand &Data, unsigned First)
      : Rows(W.Vectors + Data.Index + First) {}

  Lanes32 &row() const { return *Rows; }
  void load(unsigned Lane, const uint8_t *Source) {
    std::array<uint32_t, Count> Values = readDwords<Count>(Source);
    for (unsigned K = 0; K != Count; ++K)
      Rows[K].V[Lane] = Values[K];
  }
  void loadPart(unsigned Lane, unsigned Part, const uint8_t *Source) {
    Rows[Part].V[Lane] = readElement<uint32_t>(Source);
  }
  void clearPart(unsigned Lane, unsigned Part) { Rows[Part].V[Lane] = 0; }
  void store(unsigned Lane, uint8_t *Target) const {
    std::array<uint32_t, Count> Values;
    for (unsigned K = 0; K != Count; ++K)
      Values[K] = Rows[K].V[Lane];
    writeDwords<Count>(Target, Values);
  }
  /// Stores all lanes consecutively from \p Target on, which is aligned to 16.
  /// Blocks of 16 bytes need no compare-and-swap if they are written
  /// completely.
  void storeAll(unsigned Lanes, uint8_t *Target) const {
    uint32_t Values[Count * 64];
    for (unsigned K = 0; K != Count; ++K)
      for (unsigned Lane = 0; Lane != Lanes; ++Lane)
        Values[Count * Lane + K] = Rows[K].V[Lane];
    for (unsigned I = 0; I != Count * Lanes; I += 4) {
      FourDwords Four;
      std::memcpy(&Four, Values + I, sizeof(Four));
      storeFourDwords(Target + 4 * I, Four);
    }
  }
  void storePart(unsigned Lane, unsigned Part, uint8_t *Target) const {
    writeElement(Target, Rows[Part].V[Lane]);
  }

private:
  Lanes32 *Rows;
};

/// A byte or a short in one register. A load extends it to the whole register,
/// or goes to one half (D16) and keeps the other, or clears that on targets
/// with SRAM-ECC. A store takes the low bits of the register or of its half.
template <typename T, bool Extends, bool High> class OneRegister {
public:
  using Type = T;
  static constexpr unsigned Bytes = sizeof(T), Parts = 1;
  static constexpr bool IsDword = false;

  OneRegister(Wave &W, const Operand &Data)
      : Row(W.Vectors[Data.Index]),
        Shift(High || Data.Part == Operand::Half::High ? 16 : 0),
        Keep(Extends || W.Isa->hasSramEcc() ? 0 : 0xffff0000u >> Shift) {}

  void load(unsigned Lane, const uint8_t *Source) {
    T Value = readElement<T>(Source);
    uint32_t Bits =
        Extends ? uint32_t(Value) : uint32_t(uint16_t(Value)) << Shift;
    Row.V[Lane] = (Row.V[Lane] & Keep) | Bits;
  }
  void loadPart(unsigned Lane, unsigned, const uint8_t *Source) {
    load(Lane, Source);
  }
  void clearPart(unsigned Lane, unsigned) { Row.V[Lane] &= Keep; }
  void store(unsigned Lane, uint8_t *Target) const {
    writeElement(Target, T(Row.V[Lane] >> Shift));
  }
  void storePart(unsigned Lane, unsigned, uint8_t *Target) const {
    store(Lane, Target);
  }

private:
  Lanes32 &Row;
  unsigned Shift;
  uint32_t Keep; ///< bits that a load keeps
};

template <typename T> using Narrow = OneRegister<T, true, false>;
template <typename T> using Low16 = OneRegister<T, false, false>;
template <typename T> using High16 = OneRegister<T, false, true>;

/// True if the lanes' offsets are First, First + Stride, ... without a
/// wrap-around.
inline bool isConsecutive(const Lanes32 &Offsets, unsigned Lanes,
                          uint32_t Stride) {
  uint32_t First = Offsets.V[0];
  if (Offsets.V[1] != First + Stride)
    return false;
  uint32_t Difference = 0;
  for (uint32_t Lane = 0; Lane < Lanes; ++Lane)
    Difference |= Offsets.V[Lane] ^ (First + Lane * Stride);
  return !Difference && First <= ~uint32_t(0) - Lanes * Stride;
}

/// True if the number \p Test(lane) is 0 for all active lanes; uses no branch
/// per lane.
template <typename Function>
inline bool isZeroInActiveLanes(const Wave &W, Function &&Test) {
  decltype(Test(0u)) Any = 0;
  uint64_t Exec = W.exec();
  if (Exec == W.allLanes())
    forLanes(W, [&](unsigned Lane) { Any |= Test(Lane); });
  else
    forLanes(
        W, [&](unsigned Lane) { Any |= (Exec >> Lane & 1) ? Test(Lane) : 0; });
  return !Any;
}

// Loads and stores for any class of lane pointers. Pointers(Lane) is the
// lane's, null after a fault. consecutive() is that of lane 0 if all lanes are
// active and their elements are neighbours, else null. allAreValid(): no active
// lane's access needs the slow path, and valid(Lane) is its pointer.

template <class Pointers, typename Function>
inline void forValidLanes(const Wave &W, const Pointers &Address,
                          Function &&Do) {
  if (W.exec() == W.allLanes()) {
    for (unsigned Lane = 0; Lane < W.Lanes; ++Lane)
      Do(Lane, Address.valid(Lane));
    return;
  }
  for (uint64_t Left = W.exec(); Left; Left &= Left - 1) {
    unsigned Lane = unsigned(std::countr_zero(Left));
    Do(Lane, Address.valid(Lane));
  }
}

/// Calls \p Do with the first lane of each LaneBlock. The compiler unrolls
/// loops of constant length.
template <typename Function>
[[gnu::always_inline]] inline void forLaneBlocks(const Wave &W, Function &&Do) {
  if (W.Lanes == 32) {
    for (unsigned Lane = 0; Lane != 32; Lane += BlockLanes)
      Do(Lane);
  } else {
    for (unsigned Lane = 0; Lane != 64; Lane += BlockLanes)
      Do(Lane);
  }
}

template <class Element, class Pointers>
void loadLanes(const Wave &W, Element Data, Pointers &Address) {
  if (const uint8_t *All = TakesShortWays ? Address.consecutive() : nullptr) {
    if constexpr (Element::IsDword) {
      return forLaneBlocks(W, [&](unsigned Lane) {
        copyBlock(Data.row().V + Lane, All + Lane * Element::Bytes);
      });
    }
    for (unsigned Lane = 0; Lane < W.Lanes; ++Lane)
      Data.load(Lane, All + Lane * Element::Bytes);
    return;
  }
  if (TakesShortWays && Address.allAreValid())
    return forValidLanes(W, Address, [&](unsigned Lane, const uint8_t *Source) {
      Data.load(Lane, Source);
    });
  forActiveLanes(W, [&](unsigned Lane) {
    const uint8_t *Source = Address(Lane);
    if (Source)
      Data.load(Lane, Source);
    return Source != nullptr;
  });
}

template <class Element, class Pointers>
void storeLanes(const Wave &W, Element Data, Pointers &Address) {
  if (uint8_t *All = TakesShortWays ? Address.consecutive() : nullptr) {
    if constexpr (Element::IsDword) {
      return forLaneBlocks(W, [&](unsigned Lane) {
        copyBlock(All + Lane * Element::Bytes, Data.row().V + Lane);
      });
    }
    if constexpr (Element::Bytes == 12)
      if (reinterpret_cast<uintptr_t>(All) % 16 == 0)
        return Data.storeAll(W.Lanes, All);
    for (unsigned Lane = 0; Lane < W.Lanes; ++Lane)
      Data.store(Lane, All + Lane * Element::Bytes);
    return;
  }
  if (TakesShortWays && Address.allAreValid())
    return forValidLanes(W, Address, [&](unsigned Lane, uint8_t *Target) {
      Data.store(Lane, Target);
    });
  forActiveLanes(W, [&](unsigned Lane) {
    uint8_t *Target = Address(Lane);
    if (Target)
      Data.store(Lane, Target);
    return Target != nullptr;
  });
}

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_MEMORY_MEMORYELEMENTS_H
