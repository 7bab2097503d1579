//===- Abi.h - ioctl interface of the kernel driver -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// linux/kfd_ioctl.h, and the additions that Debian 12's copy lacks. The
// emulated driver reports version 1.15 of this interface, the first with
// everything that ROCr needs for its virtual memory management.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_ABI_H
#define KPACK_LIB_SOFTGPU_KFD_ABI_H

#include <cstdint>
#include <linux/kfd_ioctl.h>

namespace kpack::softgpu::kfd {

constexpr uint32_t MajorVersion = 1, MinorVersion = 15;

/// Request 0x24: exports a buffer's memory as a descriptor (dma-buf).
struct ExportDmabuf {
  uint64_t Handle;
  uint32_t Flags;
  uint32_t DmabufFd;
};

/// Request 0x81, of AMD's driver packages only: names a buffer for other
/// processes. Request 0x80 returns the exporter's flags to the importer.
struct IpcExport {
  uint64_t Handle;
  uint32_t ShareHandle[4];
  uint32_t GpuId;
  uint32_t Flags;
};

/// Request 0x80: imports a buffer of another process.
struct IpcImport {
  uint64_t Handle;
  uint64_t Address;
  uint64_t MapOffset;
  uint32_t ShareHandle[4];
  uint32_t GpuId;
  uint32_t Flags;
};

/// First word of a wait for a signal event (1.14): the age of the event that
/// the caller knows, or 0 to ignore ages. An event's age grows each time it is
/// set.
struct SignalEventData {
  uint64_t LastEventAge;
};

/// The two highest bits of an offset in /dev/kfd select the kind of mapping.
enum class MapType : uint64_t { Mmio = 0, Reserved = 1, Events = 2, Doorbells };
constexpr unsigned MapTypeShift = 62;
/// Position of the GPU's id in such an offset.
constexpr unsigned MapGpuShift = 46;

} // namespace kpack::softgpu::kfd

#endif // KPACK_LIB_SOFTGPU_KFD_ABI_H
