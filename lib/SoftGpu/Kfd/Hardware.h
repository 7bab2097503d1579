//===- Hardware.h - properties of an emulated GPU ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the files in /sys (Sysfs.cpp), libdrm's answers (Exports.cpp), and
// the driver, which allocates the memory.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_HARDWARE_H
#define KPACK_LIB_SOFTGPU_KFD_HARDWARE_H

#include "SoftGpu/Kfd/Processors.h"

#include <string>

namespace kpack::softgpu::hardware {

/// Few: the runtime's copy and fill kernels start work for all of them, which
/// runs on cores of the host.
constexpr uint32_t ComputeUnits = 4;
constexpr uint32_t MegaHertz = 1000;
/// Size of local memory.
constexpr uint64_t LocalBytes = uint64_t(16) << 30;
constexpr uint32_t LdsKilobytes = 64;
/// Number of global wave sync (GWS) resources.
constexpr uint32_t SyncResources = 64;
/// Id of the first GPU in requests to the driver.
constexpr uint32_t FirstGpuId = 0x1001;

/// Unique number of the board at node \p Node.
constexpr uint64_t uniqueId(uint64_t Node) { return 0x6b7061636b0000 + Node; }

/// Name to show to users.
inline std::string marketingName(const GpuProcessor &P) {
  return "Emulated " + std::string(P.Name);
}

} // namespace kpack::softgpu::hardware

#endif // KPACK_LIB_SOFTGPU_KFD_HARDWARE_H
