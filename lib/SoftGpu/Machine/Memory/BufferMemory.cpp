//===- BufferMemory.cpp - buffer instructions -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MUBUF loads and stores. Operands in printed order: data (none if the load
// goes to LDS), address registers or "off", resource, scalar offset. gfx90a and
// gfx10 access the stack with them. FormattedBuffers.cpp has those with a
// format.
//
//===----------------------------------------------------------------------===//
#include "BufferLanes.h"
#include "LdsLanes.h"
#include "MemoryTable.h"

namespace kpack::softgpu {

//===- BufferLanes --------------------------------------------------------===//

BufferLanes::BufferLanes(Wave &W, const Instruction &I, unsigned N,
                         unsigned Size, Access Kind)
    : W(W), I(I),
      Indices(I.has(ModIdxen) ? addressRow(W, I.Operands[N]) : ZeroLanes),
      Offsets(I.has(ModOffen) ? addressRow(W, I.Operands[N], I.has(ModIdxen))
                              : ZeroLanes),
      ScalarOffset(scalarBits32(W, I.Operands[N + 2])), Size(Size), How(Kind),
      Private(W, I, Size, Kind) {
  const Operand &O = I.Operands[N + 1];
  if (O.What != Operand::Kind::Sgpr || O.Dwords != 4) {
    W.fault(Fault::Kind::UnknownInstruction, I,
            "the resource is not in 4 registers");
    return;
  }
  const uint32_t *Resource = W.Scalars + O.Index;
  if (isPrivateBuffer(Resource)) {
    usePrivateSegment();
    return;
  }
  bool AddLane = Resource[3] >> 23 & 1;
  unsigned Swizzle =
      W.Isa->isGfx11Plus() ? Resource[1] >> 30 : Resource[1] >> 31;
  if (AddLane || Swizzle) {
    W.fault(Fault::Kind::UnknownInstruction, I,
            "no semantics for a swizzled buffer that is not the stack");
    return;
  }
  Base = Resource[0] | uint64_t(Resource[1] & 0xffff) << 32;
  Stride = Resource[1] >> 16 & 0x3fff;
  Records = Resource[2];
  BoundsMode = Resource[3] >> 28 & 3;
  Usable = true;
}

void BufferLanes::usePrivateSegment() {
  if (I.has(ModIdxen) || ScalarOffset % (4 * W.Lanes)) {
    W.fault(Fault::Kind::ScratchAccess, I,
            I.has(ModIdxen)
                ? llvm::Twine("an index into the private segment")
                : "a scalar offset of " + llvm::Twine(ScalarOffset) +
                      " bytes, which is no whole number of dwords a lane",
            /*Lane=*/-1, ScalarOffset);
    return;
  }
  ScalarOffset /= W.Lanes;
  IsPrivate = Usable = true;
}

/// True if the first \p Bytes of \p Lane's access are in bounds.
bool BufferLanes::isInBounds(unsigned Lane, unsigned Bytes) const {
  uint64_t End = uint64_t(offset(Lane)) + Bytes;
  if (W.Isa->isGfx9())
    return I.has(ModIdxen) && Stride ? index(Lane) < Records
                                     : End + ScalarOffset <= Records;
  switch (BoundsMode) {
  case 0:
    return index(Lane) < Records && End <= Stride;
  case 1:
    return index(Lane) < Records;
  case 2:
    return Records != 0;
  default:
    return End + ScalarOffset <= Records;
  }
}

//===- Loads and stores ---------------------------------------------------===//

template <class Element> static void loadToLds(Wave &W, const Instruction &I) {
  using T = typename Element::Type;
  BufferLanes Address(W, I, 0, sizeof(T), Access::Read);
  LaneIndexedLds Target(W, I, Access::Write);
  if (!Address.isUsable())
    return;
  forActiveLanes(W, [&](unsigned Lane) {
    if (!Address.isInBounds(Lane))
      return Target.write(Lane, 0);
    const uint8_t *Source = Address(Lane);
    return Source && Target.write(Lane, uint32_t(readElement<T>(Source)));
  });
}

/// Reads zero out of bounds. Finds all addresses before a register is written,
/// since the destination may hold them.
template <class Element>
static bool loadPartly(Element &Data, const BufferLanes &Address, unsigned Lane,
                       unsigned InBounds) {
  constexpr unsigned PartSize = sizeof(typename Element::Type);
  const uint8_t *Source[Element::Parts] = {};
  for (unsigned Part = 0; Part < InBounds; ++Part)
    if (!(Source[Part] = Address.part(Lane, Part, PartSize)))
      return false;
  for (unsigned Part = 0; Part < Element::Parts; ++Part) {
    if (Source[Part])
      Data.loadPart(Lane, Part, Source[Part]);
    else
      Data.clearPart(Lane, Part);
  }
  return true;
}

template <class Element>
static bool storePartly(const Element &Data, const BufferLanes &Address,
                        unsigned Lane, unsigned InBounds) {
  constexpr unsigned PartSize = sizeof(typename Element::Type);
  for (unsigned Part = 0; Part < InBounds; ++Part) {
    uint8_t *Bytes = Address.part(Lane, Part, PartSize);
    if (!Bytes)
      return false;
    Data.storePart(Lane, Part, Bytes);
  }
  return true;
}

namespace {

struct BufferUnit {
  static constexpr uint32_t Modifiers = ModOffset | ModOffen | ModIdxen;
  static constexpr uint32_t LdsModifier = ModLds;

  template <class Element> static void load(Wave &W, const Instruction &I) {
    if (I.has(ModLds))
      return loadToLds<Element>(W, I);
    constexpr unsigned PartSize = sizeof(typename Element::Type);
    BufferLanes Address(W, I, 1, Element::Bytes, Access::Read);
    Element Data(W, I.Operands[0]);
    if (!Address.isUsable())
      return;
    forActiveLanes(W, [&](unsigned Lane) {
      unsigned InBounds = Address.partsInBounds(Lane, PartSize, Element::Parts);
      if (InBounds != Element::Parts)
        return loadPartly(Data, Address, Lane, InBounds);
      const uint8_t *Source = Address(Lane);
      if (Source)
        Data.load(Lane, Source);
      return Source != nullptr;
    });
  }

  template <class Element> static void store(Wave &W, const Instruction &I) {
    constexpr unsigned PartSize = sizeof(typename Element::Type);
    BufferLanes Address(W, I, 1, Element::Bytes, Access::Write);
    Element Data(W, I.Operands[0]);
    if (!Address.isUsable())
      return;
    forActiveLanes(W, [&](unsigned Lane) {
      unsigned InBounds = Address.partsInBounds(Lane, PartSize, Element::Parts);
      if (InBounds != Element::Parts)
        return storePartly(Data, Address, Lane, InBounds);
      uint8_t *Target = Address(Lane);
      if (Target)
        Data.store(Lane, Target);
      return Target != nullptr;
    });
    W.Group->HasPendingStores = true;
  }
};

} // namespace

static constexpr auto Others = std::to_array<OpcodeInfo>({
    {"buffer_wbl2 buffer_inv buffer_invl2 buffer_gl0_inv buffer_gl1_inv "
     "buffer_wbinvl1 buffer_wbinvl1_vol",
     cacheControl, 0},
});

static constexpr auto Table =
    joinTables(loadsAndStores<"buffer_", BufferUnit>(), Others);

llvm::ArrayRef<OpcodeInfo> bufferOpcodes() { return Table; }

} // namespace kpack::softgpu
