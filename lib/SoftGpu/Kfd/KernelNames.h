//===- KernelNames.h - the name of a kernel in device memory ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ROCr's loader copies the segments of a code object, the ELF header and the
// dynamic symbol table included, into one allocation. So the name of the kernel
// whose descriptor is at an address can be read from the memory around it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_KERNELNAMES_H
#define KPACK_LIB_SOFTGPU_KFD_KERNELNAMES_H

#include "SoftGpu/Machine/MemoryMap.h"

namespace kpack::softgpu {

/// Demangled, without the ".kd"; "kernel object 0x..." if there is no symbol.
std::string kernelName(const MemoryMap &Memory, uint64_t Descriptor);

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_KERNELNAMES_H
