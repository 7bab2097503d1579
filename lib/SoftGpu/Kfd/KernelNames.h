//===- KernelNames.h - names of kernels in device memory --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ROCr's loader copies the segments of a code object, including the ELF header
// and the dynamic symbol table, into one allocation. So the memory around a
// kernel descriptor holds the kernel's name.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_KERNELNAMES_H
#define KPACK_LIB_SOFTGPU_KFD_KERNELNAMES_H

#include "SoftGpu/Machine/MemoryMap.h"

namespace kpack::softgpu {

/// Returns the demangled name without ".kd", or "kernel object 0x..." if there
/// is no symbol.
std::string kernelName(const MemoryMap &Memory, uint64_t Descriptor);

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_KERNELNAMES_H
