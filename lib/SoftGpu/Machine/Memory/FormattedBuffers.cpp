//===- FormattedBuffers.cpp - formatted buffer instructions ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// buffer_load_format_ and buffer_store_format_, which use the resource's
// format, and tbuffer_, which name one. Addresses and bounds are those of all
// buffers (BufferLanes.h); an element is in bounds as a whole or not at all.
//
// Loads of buffer_ use the resource's selectors; components that the format
// lacks are 0, 0, 0, 1 there and 0 with tbuffer_. Stores write whole elements:
// components that the instruction lacks are zero, on gfx12 the first one
// (LLVM's optimiser relies on it). The effect of selectors other than the
// identity on a store is not documented: such stores are refused, as is D16 of
// 32-bit integers.
//
//===----------------------------------------------------------------------===//
#include "BufferLanes.h"
#include "FormatConversion.h"
#include "SoftGpu/Machine/OpcodeNames.h"

namespace kpack::softgpu {

namespace {

enum class DataWidth { Whole, Half, HighHalf };

/// Of an instruction.
struct Shape {
  bool Typed; ///< tbuffer_
  unsigned Components;
  DataWidth Width;
};

/// The data registers of all lanes. Halves are packed, two in a register; a
/// single one keeps the other, or clears it on targets with SRAM-ECC.
class Components {
public:
  Components(Wave &W, const Operand &Data, DataWidth Width)
      : Rows(W.Vectors + Data.Index), Packed(Width != DataWidth::Whole),
        High(Width == DataWidth::HighHalf || Data.Part == Operand::Half::High),
        ClearsRest(W.Isa->hasSramEcc()) {}

  uint32_t get(unsigned Lane, unsigned Index) const {
    if (!Packed)
      return Rows[Index].V[Lane];
    return uint16_t(Rows[Index / 2].V[Lane] >> shift(Index));
  }
  void set(unsigned Lane, unsigned Index, uint32_t Value) {
    if (!Packed) {
      Rows[Index].V[Lane] = Value;
      return;
    }
    uint32_t &Register = Rows[Index / 2].V[Lane];
    uint32_t Rest = Register & ~(0xffffu << shift(Index));
    // The second half of a register comes after the first.
    bool Keeps = Index % 2 || !ClearsRest;
    Register = (Keeps ? Rest : 0) | Value << shift(Index);
  }

private:
  unsigned shift(unsigned Index) const { return Index % 2 || High ? 16 : 0; }

  Lanes32 *Rows;
  bool Packed, High, ClearsRest;
};

/// An instruction's use of its resource.
class FormattedAccess {
public:
  FormattedAccess(Wave &W, const Instruction &I, Shape S, Access Kind);

  /// Returns false after a fault.
  bool isUsable() const { return Usable; }

  void load();
  void store();

private:
  static constexpr unsigned SelectZero = 0, SelectOne = 1, SelectX = 4;

  bool checkFormat();
  bool checkSelectors();
  unsigned selector(unsigned Index) const {
    return S.Typed ? SelectX + Index : Selectors >> (3 * Index) & 7;
  }
  uint32_t one() const;
  uint32_t unpack(const uint32_t *Element, unsigned Component) const;
  uint32_t selected(const uint32_t *Element, unsigned Index) const;
  void packElement(uint32_t *Element, unsigned Lane,
                   const Components &Data) const;
  bool refuse(const llvm::Twine &Why) {
    W.fault(Fault::Kind::UnknownInstruction, I, "no semantics for " + Why);
    return false;
  }

  Wave &W;
  const Instruction &I;
  const Shape S;
  const Access How;
  BufferFormat Format;
  uint32_t Selectors = 0; ///< 3 bits each
  bool Usable = false;
};

} // namespace

//===- Refused resources -------------------------------------------------===//

FormattedAccess::FormattedAccess(Wave &W, const Instruction &I, Shape S,
                                 Access Kind)
    : W(W), I(I), S(S), How(Kind) {
  Usable = checkFormat() && checkSelectors();
}

bool FormattedAccess::checkFormat() {
  const Operand &O = I.Operands[2];
  if (O.What != Operand::Kind::Sgpr || O.Dwords != 4)
    return refuse("a resource that is not in 4 registers");
  const uint32_t *Resource = W.Scalars + O.Index;
  if (isPrivateBuffer(Resource))
    return refuse("a format on the stack");
  Selectors = Resource[3] & 0xfff;
  std::optional<BufferFormat> Found =
      S.Typed ? I.Format : BufferFormat::ofResource(*W.Isa, Resource[3]);
  if (!Found)
    return refuse("a resource without a format, whose last dword is 0x" +
                  llvm::Twine::utohexstr(Resource[3]));
  Format = *Found;
  if (S.Width != DataWidth::Whole && Format.isInteger() && Format.bits(0) == 32)
    return refuse("D16 of 32-bit integers");
  return true;
}

bool FormattedAccess::checkSelectors() {
  bool Loads = How == Access::Read;
  unsigned Count = Loads ? S.Components : Format.components();
  for (unsigned Index = 0; Index < Count; ++Index) {
    unsigned Selector = selector(Index);
    if (Loads && (Selector == 2 || Selector == 3))
      return refuse("the reserved selector " + llvm::Twine(Selector));
    if (!Loads && Selector != SelectX + Index)
      return refuse("a store to a resource that changes the order of "
                    "components");
  }
  return true;
}

//===- Elements -----------------------------------------------------------===//

static unsigned firstBit(const BufferFormat &Format, unsigned Component) {
  unsigned Bit = 0;
  for (unsigned Before = 0; Before < Component; ++Before)
    Bit += Format.bits(Before);
  return Bit;
}

uint32_t FormattedAccess::one() const {
  if (Format.isInteger())
    return 1;
  return S.Width == DataWidth::Whole ? 0x3f800000 : 0x3c00;
}

uint32_t FormattedAccess::unpack(const uint32_t *Element,
                                 unsigned Component) const {
  unsigned Bit = firstBit(Format, Component), Bits = Format.bits(Component);
  uint32_t Raw = Element[Bit / 32] >> (Bit % 32) & ~0u >> (32 - Bits);
  return S.Width == DataWidth::Whole ? unpackNumber(Raw, Bits, Format.number())
                                     : unpackHalf(Raw, Bits, Format.number());
}

/// Returns the value of the instruction's component \p Index. \p Element is
/// null if out of bounds.
uint32_t FormattedAccess::selected(const uint32_t *Element,
                                   unsigned Index) const {
  unsigned Selector = selector(Index);
  if (Selector == SelectOne)
    return one();
  if (Selector == SelectZero || !Element)
    return 0;
  unsigned Component = Selector - SelectX;
  if (Component < Format.components())
    return unpack(Element, Component);
  return !S.Typed && Component == 3 ? one() : 0;
}

void FormattedAccess::packElement(uint32_t *Element, unsigned Lane,
                                  const Components &Data) const {
  for (unsigned C = 0; C < Format.components(); ++C) {
    unsigned Bit = firstBit(Format, C), Bits = Format.bits(C);
    uint32_t Value = 0;
    if (C < S.Components || W.Isa->isGfx12Plus())
      Value = Data.get(Lane, C < S.Components ? C : 0);
    uint32_t Raw = S.Width == DataWidth::Whole
                       ? packNumber(Value, Bits, Format.number())
                       : packHalf(uint16_t(Value), Bits, Format.number());
    Element[Bit / 32] |= Raw << (Bit % 32);
  }
}

//===- Loads and stores ---------------------------------------------------===//

/// Reads the bytes of an element, and keeps the rest of \p Element.
static void readBytes(uint32_t (&Element)[4], const uint8_t *Source,
                      unsigned Bytes) {
  auto Copy = [&](auto Value) { std::memcpy(Element, &Value, sizeof(Value)); };
  switch (Bytes) {
  case 1:
    return Copy(readElement<uint8_t>(Source));
  case 2:
    return Copy(readElement<uint16_t>(Source));
  case 4:
    return Copy(readDwords<1>(Source));
  case 8:
    return Copy(readDwords<2>(Source));
  case 12:
    return Copy(readDwords<3>(Source));
  case 16:
    return Copy(readDwords<4>(Source));
  }
  llvm_unreachable("no format has elements of this size");
}

static void writeBytes(uint8_t *Target, const uint32_t (&E)[4],
                       unsigned Bytes) {
  switch (Bytes) {
  case 1:
    return writeElement(Target, uint8_t(E[0]));
  case 2:
    return writeElement(Target, uint16_t(E[0]));
  case 4:
    return writeDwords<1>(Target, {E[0]});
  case 8:
    return writeDwords<2>(Target, {E[0], E[1]});
  case 12:
    return writeDwords<3>(Target, {E[0], E[1], E[2]});
  case 16:
    return writeDwords<4>(Target, {E[0], E[1], E[2], E[3]});
  }
  llvm_unreachable("no format has elements of this size");
}

void FormattedAccess::load() {
  BufferLanes Address(W, I, 1, Format.bytes(), How);
  Components Data(W, I.Operands[0], S.Width);
  if (!Address.isUsable())
    return;
  forActiveLanes(W, [&](unsigned Lane) {
    uint32_t Element[4] = {};
    bool InBounds = Address.isInBounds(Lane);
    if (InBounds) {
      const uint8_t *Source = Address(Lane);
      if (!Source)
        return false;
      readBytes(Element, Source, Format.bytes());
    }
    for (unsigned Index = 0; Index < S.Components; ++Index)
      Data.set(Lane, Index, selected(InBounds ? Element : nullptr, Index));
    return true;
  });
}

void FormattedAccess::store() {
  BufferLanes Address(W, I, 1, Format.bytes(), How);
  Components Data(W, I.Operands[0], S.Width);
  if (!Address.isUsable())
    return;
  forActiveLanes(W, [&](unsigned Lane) {
    if (!Address.isInBounds(Lane))
      return true;
    uint8_t *Target = Address(Lane);
    if (!Target)
      return false;
    uint32_t Element[4] = {};
    packElement(Element, Lane, Data);
    writeBytes(Target, Element, Format.bytes());
    return true;
  });
  W.Group->HasPendingStores = true;
}

template <bool Typed, unsigned Count, DataWidth Width>
static void load(Wave &W, const Instruction &I) {
  FormattedAccess A(W, I, {Typed, Count, Width}, Access::Read);
  if (A.isUsable())
    A.load();
}

template <bool Typed, unsigned Count, DataWidth Width>
static void store(Wave &W, const Instruction &I) {
  FormattedAccess A(W, I, {Typed, Count, Width}, Access::Write);
  if (A.isUsable())
    A.store();
}

//===- Table --------------------------------------------------------------===//

static constexpr uint32_t Addressing = ModOffset | ModOffen | ModIdxen;

template <bool Typed> static constexpr uint32_t modifiers() {
  return Typed ? Addressing | ModFormat : Addressing;
}

/// Rows for whole and half data, in the spellings of gfx9 and gfx10, then in
/// that of gfx11 and later.
template <NamePart P, bool Typed, unsigned Count, NamePart Letters>
static consteval auto rows() {
  constexpr DataWidth Whole = DataWidth::Whole, Half = DataWidth::Half;
  constexpr uint32_t M = modifiers<Typed>();
  return std::to_array<OpcodeInfo>({
      {Name<P, "load_format_", Letters>, load<Typed, Count, Whole>, M},
      {Name<P, "load_format_d16_ load_d16_format_", Letters>,
       load<Typed, Count, Half>, M},
      {Name<P, "store_format_", Letters>, store<Typed, Count, Whole>, M},
      {Name<P, "store_format_d16_ store_d16_format_", Letters>,
       store<Typed, Count, Half>, M},
  });
}

template <NamePart P, bool Typed> static consteval auto family() {
  return joinTables(rows<P, Typed, 1, "x">(), rows<P, Typed, 2, "xy">(),
                    rows<P, Typed, 3, "xyz">(), rows<P, Typed, 4, "xyzw">());
}

static constexpr auto HighHalves = std::to_array<OpcodeInfo>({
    {"buffer_load_format_d16_hi_x buffer_load_d16_hi_format_x",
     load<false, 1, DataWidth::HighHalf>, Addressing},
    {"buffer_store_format_d16_hi_x buffer_store_d16_hi_format_x",
     store<false, 1, DataWidth::HighHalf>, Addressing},
});

static constexpr auto Table = joinTables(
    family<"buffer_", false>(), family<"tbuffer_", true>(), HighHalves);

llvm::ArrayRef<OpcodeInfo> formattedBufferOpcodes() { return Table; }

} // namespace kpack::softgpu
