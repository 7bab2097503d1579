//===- FormatConversion.h - numbers in formatted buffers --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One component of a formatted buffer: what a shader sees of its bits, and back
// (BufferFormat.h has the formats, FormattedBuffers.cpp the instructions).
//
// The ISA manuals name the number formats and leave roundings out. What stands
// here is a model where they are silent: normalised numbers are the nearest
// f32; stores round to nearest even, scaled ones to zero; what is out of range
// becomes the nearest number in range, and NaN zero; a float that is too large
// for its format becomes infinity.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_MEMORY_FORMATCONVERSION_H
#define KPACK_LIB_SOFTGPU_MACHINE_MEMORY_FORMATCONVERSION_H

#include "SoftGpu/Isa/BufferFormat.h"

namespace kpack::softgpu {

/// \p Raw, of \p Bits bits, as an f32 or, of uint and sint, as an integer.
uint32_t unpackNumber(uint32_t Raw, unsigned Bits, NumberFormat Number);

/// \p Bits bits that hold \p Value, which is as unpackNumber() returns it.
uint32_t packNumber(uint32_t Value, unsigned Bits, NumberFormat Number);

/// The same with an f16 or a 16-bit integer for the shader: D16. Not for
/// integers of 32 bits.
uint16_t unpackHalf(uint32_t Raw, unsigned Bits, NumberFormat Number);
uint32_t packHalf(uint16_t Value, unsigned Bits, NumberFormat Number);

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_MEMORY_FORMATCONVERSION_H
