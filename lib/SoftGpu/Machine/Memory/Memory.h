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

/// Returns \p Size bytes (1 to 64) of global memory. Null after a fault was
/// recorded. \p Lane is -1 for a scalar access.
uint8_t *globalPointer(Wave &W, const Instruction &I, int Lane,
                       uint64_t Address, unsigned Size, Access Kind);

/// Makes the range that contains \p Address, if any, the wave's LastRange.
void useRange(Wave &W, uint64_t Address);

/// Returns the workgroup's LDS at \p Offset. Marks or checks initialisation if
/// enabled. If accesses outside are allowed, they get private zeros, valid
/// until the access after the next one.
uint8_t *ldsPointer(Wave &W, const Instruction &I, int Lane, uint32_t Offset,
                    unsigned Size, Access Kind);

/// Returns the private segment of \p Lane.
uint8_t *privatePointer(Wave &W, const Instruction &I, int Lane,
                        uint32_t Offset, unsigned Size, Access Kind);

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_MEMORY_MEMORY_H
