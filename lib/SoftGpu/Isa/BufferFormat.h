//===- SoftGpu/Isa/BufferFormat.h - formats of buffer elements --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Format of memory for formatted buffer instructions: the number, width and
// type of components. One description for the two fields of gfx9 (data format,
// number format) and for the unified numbers of gfx10 and of gfx11, which
// differ. lib/SoftGpu/Machine/Memory/FormatConversion.h converts the numbers.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_ISA_BUFFERFORMAT_H
#define KPACK_SOFTGPU_ISA_BUFFERFORMAT_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace kpack::softgpu {

struct Target;

/// Numbered as in gfx9.
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
  /// 8 bits, unorm: the default of an instruction that names no format.
  BufferFormat() = default;

  /// Parses the printed form: "[BUF_FMT_32_FLOAT]" or
  /// "[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]". Returns nothing on failure.
  static std::optional<BufferFormat> parse(llvm::StringRef Text);

  /// Reads the format of a buffer resource from its last dword. Returns nothing
  /// for an invalid or reserved one.
  static std::optional<BufferFormat> ofResource(const Target &Isa,
                                                uint32_t Word3);

  NumberFormat number() const { return Number; }
  bool isInteger() const {
    return Number == NumberFormat::Uint || Number == NumberFormat::Sint;
  }
  unsigned components() const;
  /// Returns the width of component \p Index. The first is in the lowest bits.
  unsigned bits(unsigned Index) const;
  /// Returns the size of an element.
  unsigned bytes() const;

private:
  BufferFormat(uint8_t Layout, NumberFormat Format)
      : Layout(Layout), Number(Format) {}

  uint8_t Layout = 1; ///< data format of gfx9
  NumberFormat Number = NumberFormat::Unorm;
};

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_ISA_BUFFERFORMAT_H
