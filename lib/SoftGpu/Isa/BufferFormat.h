//===- SoftGpu/Isa/BufferFormat.h - formats of buffer elements --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What formatted buffer instructions find in memory: how many components of how
// many bits, and which numbers they are. One description for the two fields of
// gfx9 (data format, number format) and for the unified numbers of gfx10 and of
// gfx11, which differ. What the numbers become is in
// lib/SoftGpu/Machine/Memory/FormatConversion.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_ISA_BUFFERFORMAT_H
#define KPACK_SOFTGPU_ISA_BUFFERFORMAT_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace kpack::softgpu {

struct Target;

/// Numbered as gfx9 does.
enum class NumberFormat : uint8_t {
  Unorm,
  Snorm,
  Uscaled,
  Sscaled,
  Uint,
  Sint,
  Float = 7
};

class BufferFormat {
public:
  /// 8 bits, unorm: what an instruction that names no format has.
  BufferFormat() = default;

  /// As instructions print it: "[BUF_FMT_32_FLOAT]" or
  /// "[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]". Null: no format.
  static std::optional<BufferFormat> parse(llvm::StringRef Text);

  /// That of a buffer resource, out of its last dword. Null: there is none, or
  /// one that is reserved.
  static std::optional<BufferFormat> ofResource(const Target &Isa,
                                                uint32_t Word3);

  NumberFormat number() const { return Number; }
  bool isInteger() const {
    return Number == NumberFormat::Uint || Number == NumberFormat::Sint;
  }
  unsigned components() const;
  /// Of component \p Index. The first one is in the lowest bits, the next one
  /// follows.
  unsigned bits(unsigned Index) const;
  /// Of an element.
  unsigned bytes() const;

private:
  BufferFormat(uint8_t Layout, NumberFormat Number)
      : Layout(Layout), Number(Number) {}

  uint8_t Layout = 1; ///< data format of gfx9
  NumberFormat Number = NumberFormat::Unorm;
};

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_ISA_BUFFERFORMAT_H
