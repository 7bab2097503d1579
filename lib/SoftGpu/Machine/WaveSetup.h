//===- WaveSetup.h - initial registers of a wave ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Does the work of the command processor before the first instruction (LLVM's
// AMDGPUUsage, "Initial Kernel Execution State"). KernelDescriptor.h has the
// kernel's requests.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_WAVESETUP_H
#define KPACK_LIB_SOFTGPU_MACHINE_WAVESETUP_H

#include "KernelDescriptor.h"

namespace kpack::softgpu {

/// Returns the part of the grid that a workgroup covers: its size, which is
/// smaller at the far edges of the grid.
std::array<uint32_t, 3> workgroupExtent(const DispatchRequest &Request,
                                        const std::array<uint32_t, 3> &Id);

/// Sets registers, mode and program counter of wave \p Index of \p Group.
/// W.Vectors and W.Private point to storage; zeros the allocated vector
/// registers. \p PacketAddress becomes the dispatch pointer. The wave has a
/// fault if arguments to preload cannot be read.
void setUpWave(Wave &W, Workgroup &Group, const KernelDescriptor &Kernel,
               const std::array<uint32_t, 3> &Extent, unsigned Index,
               uint64_t PacketAddress);

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_WAVESETUP_H
