//===- Memory.h - checked accesses of device code ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns an address of device code into a host pointer, or into a fault that
// names lane and address. Every load, store and atomic goes through here.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_MEMORY_MEMORY_H
#define KPACK_LIB_SOFTGPU_MACHINE_MEMORY_MEMORY_H

#include "SoftGpu/Machine/Wave.h"

namespace kpack::softgpu {

enum class Access { Read, Write, Atomic };

/// \p Size bytes (1 to 64) of global memory. Null after a fault was recorded.
/// \p Lane -1: scalar access.
uint8_t *globalPointer(Wave &W, const Instruction &I, int Lane,
                       uint64_t Address, unsigned Size, Access How);

/// Makes the range that \p Address lies in, if there is one, the wave's
/// LastRange.
void useRange(Wave &W, uint64_t Address);

/// LDS of the workgroup, \p Offset from its start. Marks or checks
/// initialisation where that is asked for. Where accesses outside are allowed
/// they get zeros that nobody else sees, until the access after the next one.
uint8_t *ldsPointer(Wave &W, const Instruction &I, int Lane, uint32_t Offset,
                    unsigned Size, Access How);

/// Private segment of \p Lane.
uint8_t *privatePointer(Wave &W, const Instruction &I, int Lane,
                        uint32_t Offset, unsigned Size, Access How);

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_MEMORY_MEMORY_H
