//===- Hardware.h - what an emulated GPU is said to have --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In one place for those who tell of it: files in /sys (Sysfs.cpp), libdrm
// (Exports.cpp), and the driver, which hands the memory out.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_HARDWARE_H
#define KPACK_LIB_SOFTGPU_KFD_HARDWARE_H

#include "SoftGpu/Kfd/Processors.h"

#include <string>

namespace kpack::softgpu::hardware {

/// Few: the runtime's copy and fill kernels start work for all of them, and we
/// execute that on cores of the host.
constexpr uint32_t ComputeUnits = 4;
constexpr uint32_t MegaHertz = 1000;
/// Of its own memory.
constexpr uint64_t LocalBytes = uint64_t(16) << 30;
constexpr uint32_t LdsKilobytes = 64;
/// Of global wave sync (GWS).
constexpr uint32_t SyncResources = 64;
/// The number that requests to the driver know the first GPU by.
constexpr uint32_t FirstGpuId = 0x1001;

/// Of the GPU that is node \p Node: a number that no other board has.
constexpr uint64_t uniqueId(uint64_t Node) { return 0x6b7061636b0000 + Node; }

/// For people.
inline std::string marketingName(const GpuProcessor &P) {
  return "Emulated " + std::string(P.Name);
}

} // namespace kpack::softgpu::hardware

#endif // KPACK_LIB_SOFTGPU_KFD_HARDWARE_H
