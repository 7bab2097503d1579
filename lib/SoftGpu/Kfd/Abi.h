//===- Abi.h - requests to the kernel driver --------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// linux/kfd_ioctl.h, and what Debian 12's has not got yet. The driver that we
// say we are is version 1.15 of this interface, the first with all that ROCr
// wants for its virtual memory management.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_ABI_H
#define KPACK_LIB_SOFTGPU_KFD_ABI_H

#include <cstdint>
#include <linux/kfd_ioctl.h>

namespace kpack::softgpu::kfd {

constexpr uint32_t MajorVersion = 1, MinorVersion = 15;

/// Request 0x24: gives a descriptor of a buffer's memory (dma-buf).
struct ExportDmabuf {
  uint64_t Handle;
  uint32_t Flags;
  uint32_t DmabufFd;
};

/// Request 0x81, of AMD's own driver packages: names a buffer for other
/// processes. The flags are the caller's and come back from 0x80.
struct IpcExport {
  uint64_t Handle;
  uint32_t ShareHandle[4];
  uint32_t GpuId;
  uint32_t Flags;
};

/// Request 0x80: a buffer of another process.
struct IpcImport {
  uint64_t Handle;
  uint64_t Address;
  uint64_t MapOffset;
  uint32_t ShareHandle[4];
  uint32_t GpuId;
  uint32_t Flags;
};

/// What a wait for a signal event begins with (1.14): how old the caller knows
/// it; 0: that is no matter. An event's age grows each time it is set.
struct SignalEventData {
  uint64_t LastEventAge;
};

/// The two highest bits of an offset in /dev/kfd say what is mapped there.
enum class MapType : uint64_t { Mmio = 0, Reserved = 1, Events = 2, Doorbells };
constexpr unsigned MapTypeShift = 62;
/// Where the GPU's id is in such an offset.
constexpr unsigned MapGpuShift = 46;

} // namespace kpack::softgpu::kfd

#endif // KPACK_LIB_SOFTGPU_KFD_ABI_H
