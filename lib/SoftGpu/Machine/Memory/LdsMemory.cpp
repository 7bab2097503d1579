//===- LdsMemory.cpp - LDS loads and stores -------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ds_ instructions that move data, one or two elements per lane. Operands in
// printed order: loads have destination, address; stores have address, data,
// second data. Offsets of two-element instructions count elements, or 64 of
// them. LdsAtomics.cpp has atomics, LdsPermute.cpp permutations of lanes; the
// global data share has no semantics.
//
//===----------------------------------------------------------------------===//
#include "LdsLanes.h"
#include "SoftGpu/Machine/Opcodes.h"

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

template <class Element> static void load(Wave &W, const Instruction &I) {
  LdsLanes Address(W, I, 1, uint32_t(I.Offset), Element::Bytes, Access::Read);
  loadLanes(W, Element(W, I.Operands[0]), Address);
}

template <class Element> static void store(Wave &W, const Instruction &I) {
  LdsLanes Address(W, I, 0, uint32_t(I.Offset), Element::Bytes, Access::Write);
  storeLanes(W, Element(W, I.Operands[1]), Address);
}

template <unsigned Count, unsigned Stride>
static void loadPair(Wave &W, const Instruction &I) {
  using Element = Dwords<Count>;
  Element Low(W, I.Operands[0]), High(W, I.Operands[0], Count);
  forAddressPairs(W, I, 1, Stride, Element::Bytes, Access::Read,
                  [&](unsigned Lane, const uint8_t *A, const uint8_t *B) {
                    Low.load(Lane, A);
                    High.load(Lane, B);
                  });
}

/// If both offsets are equal, only the first data is written (RDNA2 ISA,
/// 10.4.3).
template <unsigned Count, unsigned Stride>
static void storePair(Wave &W, const Instruction &I) {
  using Element = Dwords<Count>;
  Element Low(W, I.Operands[1]), High(W, I.Operands[2]);
  forAddressPairs(W, I, 0, Stride, Element::Bytes, Access::Write,
                  [&](unsigned Lane, uint8_t *A, uint8_t *B) {
                    Low.store(Lane, A);
                    if (I.Offset0 != I.Offset1)
                      High.store(Lane, B);
                  });
}

static void loadLaneIndexed(Wave &W, const Instruction &I) {
  LaneIndexedLds Address(W, I, Access::Read);
  loadLanes(W, Dwords<1>(W, I.Operands[0]), Address);
}

static void storeLaneIndexed(Wave &W, const Instruction &I) {
  LaneIndexedLds Address(W, I, Access::Write);
  storeLanes(W, Dwords<1>(W, I.Operands[0]), Address);
}

using U8 = Narrow<uint8_t>;
using I8 = Narrow<int8_t>;
using U16 = Narrow<uint16_t>;
using I16 = Narrow<int16_t>;

// Spellings of gfx9 and gfx10, then of gfx11 and later.
static constexpr OpcodeInfo Table[] = {
    {"ds_read_u8 ds_load_u8", load<U8>, ModOffset},
    {"ds_read_i8 ds_load_i8", load<I8>, ModOffset},
    {"ds_read_u16 ds_load_u16", load<U16>, ModOffset},
    {"ds_read_i16 ds_load_i16", load<I16>, ModOffset},
    {"ds_read_b32 ds_load_b32", load<Dwords<1>>, ModOffset},
    {"ds_read_b64 ds_load_b64", load<Dwords<2>>, ModOffset},
    {"ds_read_b96 ds_load_b96", load<Dwords<3>>, ModOffset},
    {"ds_read_b128 ds_load_b128", load<Dwords<4>>, ModOffset},

    {"ds_read_u8_d16 ds_load_u8_d16", load<Low16<uint8_t>>, ModOffset},
    {"ds_read_u8_d16_hi ds_load_u8_d16_hi", load<High16<uint8_t>>, ModOffset},
    {"ds_read_i8_d16 ds_load_i8_d16", load<Low16<int8_t>>, ModOffset},
    {"ds_read_i8_d16_hi ds_load_i8_d16_hi", load<High16<int8_t>>, ModOffset},
    {"ds_read_u16_d16 ds_load_u16_d16", load<Low16<uint16_t>>, ModOffset},
    {"ds_read_u16_d16_hi ds_load_u16_d16_hi", load<High16<uint16_t>>,
     ModOffset},

    {"ds_write_b8 ds_store_b8", store<U8>, ModOffset},
    {"ds_write_b16 ds_store_b16", store<U16>, ModOffset},
    {"ds_write_b8_d16_hi ds_store_b8_d16_hi", store<High16<uint8_t>>,
     ModOffset},
    {"ds_write_b16_d16_hi ds_store_b16_d16_hi", store<High16<uint16_t>>,
     ModOffset},
    {"ds_write_b32 ds_store_b32", store<Dwords<1>>, ModOffset},
    {"ds_write_b64 ds_store_b64", store<Dwords<2>>, ModOffset},
    {"ds_write_b96 ds_store_b96", store<Dwords<3>>, ModOffset},
    {"ds_write_b128 ds_store_b128", store<Dwords<4>>, ModOffset},

    {"ds_read2_b32 ds_load_2addr_b32", loadPair<1, 1>, ModOffset01},
    {"ds_read2st64_b32 ds_load_2addr_stride64_b32", loadPair<1, 64>,
     ModOffset01},
    {"ds_read2_b64 ds_load_2addr_b64", loadPair<2, 1>, ModOffset01},
    {"ds_read2st64_b64 ds_load_2addr_stride64_b64", loadPair<2, 64>,
     ModOffset01},
    {"ds_write2_b32 ds_store_2addr_b32", storePair<1, 1>, ModOffset01},
    {"ds_write2st64_b32 ds_store_2addr_stride64_b32", storePair<1, 64>,
     ModOffset01},
    {"ds_write2_b64 ds_store_2addr_b64", storePair<2, 1>, ModOffset01},
    {"ds_write2st64_b64 ds_store_2addr_stride64_b64", storePair<2, 64>,
     ModOffset01},

    {"ds_read_addtid_b32 ds_load_addtid_b32", loadLaneIndexed, ModOffset},
    {"ds_write_addtid_b32 ds_store_addtid_b32", storeLaneIndexed, ModOffset},

    {"ds_nop", doNothing, 0},
};

llvm::ArrayRef<OpcodeInfo> ldsOpcodes() { return Table; }

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu
