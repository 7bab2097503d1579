//===- KernelDescriptor.h - checked kernel descriptor -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 64 bytes that a dispatch points to (LLVM's AMDGPUUsage, "Kernel
// Descriptor"), checked and in the terms of WaveSetup.cpp and Dispatcher.cpp.
// LLVM's AMDHSAKernelDescriptor.h has their layout and bit fields.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_KERNELDESCRIPTOR_H
#define KPACK_LIB_SOFTGPU_MACHINE_KERNELDESCRIPTOR_H

#include "Wave.h"
#include "llvm/Support/Error.h"

namespace kpack::softgpu {

struct KernelDescriptor {
  uint64_t Entry = 0;
  unsigned Lanes = 64;
  FloatMode Mode;
  uint32_t GroupSegmentSize = 0;   ///< bytes of static LDS
  uint32_t PrivateSegmentSize = 0; ///< bytes per work-item, fixed part
  unsigned Vgprs = 0;              ///< allocated, without AccVGPRs
  unsigned AccVgprs = 0;
  unsigned UserSgprs = 0;
  unsigned WorkItemIdDimensions = 1;
  unsigned PreloadLength = 0; ///< dwords of kernel arguments in user SGPRs
  unsigned PreloadOffset = 0; ///< dwords
  // User SGPRs, in hardware's order.
  bool PrivateSegmentBuffer = false;
  bool DispatchPointer = false;
  bool QueuePointer = false;
  bool KernargPointer = false;
  bool DispatchId = false;
  bool FlatScratchInit = false;
  bool PrivateSegmentSizeSgpr = false;
  // System SGPRs, after them.
  std::array<bool, 3> WorkgroupId{};
  bool WorkgroupInfo = false;
  bool PrivateSegmentWaveOffset = false;

  /// Reads the descriptor at \p Address. Fails if it or the entry point is not
  /// in \p Memory, if it is invalid for \p Isa, or if it requests a mode that
  /// is not emulated.
  static llvm::Expected<KernelDescriptor>
  read(const MemoryMap &Memory, const Target &Isa, uint64_t Address);
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_KERNELDESCRIPTOR_H
