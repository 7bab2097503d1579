//===- BufferFormat.cpp - formats of buffer elements ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of layouts. The unified formats of gfx10 and later number its
// entries in order: each layout with each number format that it has.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Isa/BufferFormat.h"

#include "SoftGpu/Isa/Target.h"
#include "llvm/ADT/StringSwitch.h"

#include <bit>

using namespace llvm;

namespace kpack::softgpu {

namespace {
struct LayoutInfo {
  StringLiteral Name; ///< highest bits first
  uint8_t Bits[4];    ///< lowest component first; 0 after the last
  uint8_t Numbers;    ///< a mask of NumberFormat; gfx9, gfx10
  uint8_t Numbers11;  ///< gfx11 and later
};
} // namespace

/// Sets of number formats.
static constexpr uint8_t Narrow = 0x3f, Wide = 0xb0, All = 0xbf, Float = 0x80,
                         Unscaled = 0x33;

/// Index: the data format of gfx9, which has the order of the unified formats.
static constexpr LayoutInfo Layouts[] = {
    {"INVALID", {}, 0, 0},
    {"8", {8}, Narrow, Narrow},
    {"16", {16}, All, All},
    {"8_8", {8, 8}, Narrow, Narrow},
    {"32", {32}, Wide, Wide},
    {"16_16", {16, 16}, All, All},
    {"10_11_11", {11, 11, 10}, All, Float},
    {"11_11_10", {10, 11, 11}, All, Float},
    {"10_10_10_2", {2, 10, 10, 10}, Narrow, Unscaled},
    {"2_10_10_10", {10, 10, 10, 2}, Narrow, Narrow},
    {"8_8_8_8", {8, 8, 8, 8}, Narrow, Narrow},
    {"32_32", {32, 32}, Wide, Wide},
    {"16_16_16_16", {16, 16, 16, 16}, All, All},
    {"32_32_32", {32, 32, 32}, Wide, Wide},
    {"32_32_32_32", {32, 32, 32, 32}, Wide, Wide},
};

static bool hasNumber(uint8_t Numbers, unsigned Number) {
  return Numbers >> Number & 1;
}

unsigned BufferFormat::components() const {
  unsigned Count = 0;
  while (Count < 4 && Layouts[Layout].Bits[Count])
    ++Count;
  return Count;
}

unsigned BufferFormat::bits(unsigned Index) const {
  return Layouts[Layout].Bits[Index];
}

unsigned BufferFormat::bytes() const {
  unsigned Bits = 0;
  for (uint8_t Component : Layouts[Layout].Bits)
    Bits += Component;
  return Bits / 8;
}

//===- Text ---------------------------------------------------------------===//

static std::optional<uint8_t> layoutNamed(StringRef Name) {
  for (uint8_t N = 1; N < std::size(Layouts); ++N)
    if (Layouts[N].Name == Name)
      return N;
  return std::nullopt;
}

static std::optional<NumberFormat> numberNamed(StringRef Name) {
  return StringSwitch<std::optional<NumberFormat>>(Name)
      .Case("UNORM", NumberFormat::Unorm)
      .Case("SNORM", NumberFormat::Snorm)
      .Case("USCALED", NumberFormat::Uscaled)
      .Case("SSCALED", NumberFormat::Sscaled)
      .Case("UINT", NumberFormat::Uint)
      .Case("SINT", NumberFormat::Sint)
      .Case("FLOAT", NumberFormat::Float)
      .Default(std::nullopt);
}

std::optional<BufferFormat> BufferFormat::parse(StringRef Text) {
  if (!Text.consume_front("[") || !Text.consume_back("]"))
    return std::nullopt;
  // The printer leaves out defaults.
  StringRef Data = "8", Number = "UNORM";
  if (Text.consume_front("BUF_FMT_")) {
    std::tie(Data, Number) = Text.rsplit('_');
  } else {
    auto [First, Second] = Text.split(',');
    for (StringRef Part : {First.trim(), Second.trim()}) {
      if (Part.consume_front("BUF_DATA_FORMAT_"))
        Data = Part;
      else if (Part.consume_front("BUF_NUM_FORMAT_"))
        Number = Part;
      else if (!Part.empty())
        return std::nullopt;
    }
  }
  std::optional<uint8_t> Layout = layoutNamed(Data);
  std::optional<NumberFormat> Kind = numberNamed(Number);
  if (!Layout || !Kind || !hasNumber(Layouts[*Layout].Numbers, unsigned(*Kind)))
    return std::nullopt;
  return BufferFormat(*Layout, *Kind);
}

//===- Resources ----------------------------------------------------------===//

std::optional<BufferFormat> BufferFormat::ofResource(const Target &Isa,
                                                     uint32_t Word3) {
  if (Isa.isGfx9()) {
    unsigned Layout = Word3 >> 15 & 15, Number = Word3 >> 12 & 7;
    if (Layout >= std::size(Layouts) ||
        !hasNumber(Layouts[Layout].Numbers, Number))
      return std::nullopt;
    return BufferFormat(uint8_t(Layout), NumberFormat(Number));
  }
  unsigned Left = Word3 >> 12 & (Isa.isGfx11Plus() ? 0x3f : 0x7f);
  if (!Left--)
    return std::nullopt;
  for (uint8_t Layout = 1; Layout < std::size(Layouts); ++Layout) {
    const LayoutInfo &Info = Layouts[Layout];
    uint8_t Numbers = Isa.isGfx11Plus() ? Info.Numbers11 : Info.Numbers;
    unsigned Count = unsigned(std::popcount(Numbers));
    if (Left >= Count) {
      Left -= Count;
      continue;
    }
    for (; Left; --Left)
      Numbers &= uint8_t(Numbers - 1);
    return BufferFormat(Layout, NumberFormat(std::countr_zero(Numbers)));
  }
  return std::nullopt;
}

} // namespace kpack::softgpu
