//===- FormatConversion.h - numbers in formatted buffers --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts one component of a formatted buffer between its bits and the
// shader's number (BufferFormat.h has the formats, FormattedBuffers.cpp the
// instructions).
//
// The ISA manuals name the number formats but not the rounding, so this is a
// model: normalised numbers are the nearest f32; stores round to nearest even,
// scaled ones to zero; a number out of range becomes the nearest in range, and
// NaN zero; a float that is too large for its format becomes infinity.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_MEMORY_FORMATCONVERSION_H
#define KPACK_LIB_SOFTGPU_MACHINE_MEMORY_FORMATCONVERSION_H

#include "SoftGpu/Isa/BufferFormat.h"

namespace kpack::softgpu {

/// Converts \p Raw, of \p Bits bits, to an f32 or, for uint and sint, an
/// integer.
uint32_t unpackNumber(uint32_t Raw, unsigned Bits, NumberFormat Format);

/// Returns \p Bits bits that hold \p Value, which has unpackNumber()'s format.
uint32_t packNumber(uint32_t Value, unsigned Bits, NumberFormat Format);

/// The same with an f16 or a 16-bit integer for the shader: D16. Not for 32-bit
/// integers.
uint16_t unpackHalf(uint32_t Raw, unsigned Bits, NumberFormat Format);
uint32_t packHalf(uint16_t Value, unsigned Bits, NumberFormat Format);

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_MEMORY_FORMATCONVERSION_H
