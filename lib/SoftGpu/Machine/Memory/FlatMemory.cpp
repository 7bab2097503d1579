//===- FlatMemory.cpp - flat, global and scratch instructions -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads and stores with 64-bit addresses (global_; flat_: any address space by
// aperture) and with offsets into the private segment (scratch_). Operands in
// printed order: loads have destination, address, scalar base; stores have
// address, data, scalar base. flat_ has no base.
//
//===----------------------------------------------------------------------===//
#include "LdsLanes.h"
#include "MemorySpaces.h"
#include "MemoryTable.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

namespace {

template <class Space> struct FlatUnit {
  static constexpr uint32_t Modifiers = ModOffset;
  static constexpr uint32_t LdsModifier = 0; ///< has separate mnemonics

  template <class Element> static void load(Wave &W, const Instruction &I) {
    Space Address(W, I, 1, Element::Bytes, Access::Read);
    loadLanes(W, Element(W, I.Operands[0]), Address);
  }
  template <class Element> static void store(Wave &W, const Instruction &I) {
    Space Address(W, I, 0, Element::Bytes, Access::Write);
    storeLanes(W, Element(W, I.Operands[1]), Address);
    W.Group->HasPendingStores |= !std::is_same_v<Space, Scratch>;
  }
};

/// addtid: the address is uniform, lane n accesses the n-th dword there.
class LaneIndexed {
public:
  LaneIndexed(Wave &W, const Instruction &I, Access Kind)
      : W(W), I(I), Base(scalarBits64(W, I.Operands[1]) + uint64_t(I.Offset)),
        How(Kind) {}

  uint8_t *operator()(unsigned Lane) const {
    return globalPointer(W, I, int(Lane), Base + Lane * 4, 4, How);
  }
  uint8_t *consecutive() const { return nullptr; }
  bool allAreValid() const { return false; }
  uint8_t *valid(unsigned) const { return nullptr; }

private:
  Wave &W;
  const Instruction &I;
  uint64_t Base;
  Access How;
};

} // namespace

static void loadLaneIndexed(Wave &W, const Instruction &I) {
  LaneIndexed Address(W, I, Access::Read);
  loadLanes(W, Dwords<1>(W, I.Operands[0]), Address);
}

static void storeLaneIndexed(Wave &W, const Instruction &I) {
  LaneIndexed Address(W, I, Access::Write);
  storeLanes(W, Dwords<1>(W, I.Operands[0]), Address);
  W.Group->HasPendingStores = true;
}

/// Loads to LDS: see LaneIndexedLds.
template <class Space, typename T>
static void loadToLds(Wave &W, const Instruction &I) {
  Space Address(W, I, 0, sizeof(T), Access::Read);
  LaneIndexedLds Target(W, I, Access::Write);
  forActiveLanes(W, [&](unsigned Lane) {
    const uint8_t *Source = Address(Lane);
    return Source && Target.write(Lane, uint32_t(readElement<T>(Source)));
  });
}

static constexpr auto Others = std::to_array<OpcodeInfo>({
    {"global_load_dword_addtid global_load_addtid_b32", loadLaneIndexed,
     ModOffset},
    {"global_store_dword_addtid global_store_addtid_b32", storeLaneIndexed,
     ModOffset},

    {"global_load_lds_ubyte", loadToLds<Global, uint8_t>, ModOffset},
    {"global_load_lds_sbyte", loadToLds<Global, int8_t>, ModOffset},
    {"global_load_lds_ushort", loadToLds<Global, uint16_t>, ModOffset},
    {"global_load_lds_sshort", loadToLds<Global, int16_t>, ModOffset},
    {"global_load_lds_dword", loadToLds<Global, uint32_t>, ModOffset},
    {"scratch_load_lds_ubyte", loadToLds<Scratch, uint8_t>, ModOffset},
    {"scratch_load_lds_sbyte", loadToLds<Scratch, int8_t>, ModOffset},
    {"scratch_load_lds_ushort", loadToLds<Scratch, uint16_t>, ModOffset},
    {"scratch_load_lds_sshort", loadToLds<Scratch, int16_t>, ModOffset},
    {"scratch_load_lds_dword", loadToLds<Scratch, uint32_t>, ModOffset},

    {"global_wb global_inv global_wbinv", cacheControl, 0},
});

static constexpr auto Table =
    joinTables(loadsAndStores<"global_", FlatUnit<Global>>(),
               loadsAndStores<"flat_", FlatUnit<Flat>>(),
               loadsAndStores<"scratch_", FlatUnit<Scratch>>(), Others);

llvm::ArrayRef<OpcodeInfo> flatOpcodes() { return Table; }

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu
