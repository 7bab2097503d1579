//===- Drm.cpp - the functions of libdrm_amdgpu that ROCm calls -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These replace libdrm's functions, which identify a device file by its major
// number and would send requests that compute does not need. A buffer object is
// a handle of the driver; a dma-buf is the file of its memory, so sharing with
// another process needs nothing more.
//
//===----------------------------------------------------------------------===//
#include "Next.h"
#include "Redirect.h"
#include "SoftGpu/Kfd/Preload/CallerMemory.h"

#include <amdgpu.h>
#include <amdgpu_drm.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace kpack::softgpu;

/// Target of amdgpu_device_handle.
struct amdgpu_device {
  DeviceKind Kind;
  int Fd; ///< owned
  GpuDescription Gpu;
};

/// Target of amdgpu_bo_handle.
struct amdgpu_bo {
  const amdgpu_device *Device;
  uint64_t Handle;
  uint64_t Size;
  void *Cpu; ///< null: not mapped
};

/// Allocates a zeroed object; null if out of memory.
template <typename T> static T *make() {
  return static_cast<T *>(std::calloc(1, sizeof(T)));
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

KPACK_EXPORT int drmOpenRender(int Minor) {
  char Path[64];
  std::snprintf(Path, sizeof(Path), "/dev/dri/renderD%d", Minor);
  return open(Path, O_RDWR | O_CLOEXEC);
}

KPACK_EXPORT int drmClose(int Fd) { return close(Fd); }

KPACK_EXPORT int amdgpu_device_initialize(int Fd, uint32_t *Major,
                                          uint32_t *Minor,
                                          amdgpu_device_handle *Device) {
  DeviceKind Kind = kindOf(Fd);
  if (Kind < RenderNode)
    return -EINVAL;
  auto *Created = make<amdgpu_device>();
  if (!Created)
    return -ENOMEM;
  Created->Kind = Kind;
  Created->Fd = fcntl(Fd, F_DUPFD_CLOEXEC, 3);
  int Problem =
      Created->Fd < 0 ? -errno : emulator()->Describe(Kind, &Created->Gpu);
  if (Problem) {
    amdgpu_device_deinitialize(Created);
    return Problem;
  }
  *Major = DrmMajorVersion;
  *Minor = DrmMinorVersion;
  *Device = Created;
  return 0;
}

KPACK_EXPORT int amdgpu_device_deinitialize(amdgpu_device_handle Device) {
  if (Device->Fd >= 0)
    close(Device->Fd);
  std::free(Device);
  return 0;
}

KPACK_EXPORT int amdgpu_device_get_fd(amdgpu_device_handle Device) {
  return Device->Fd;
}

KPACK_EXPORT const char *
amdgpu_get_marketing_name(amdgpu_device_handle Device) {
  return Device->Gpu.Name;
}

KPACK_EXPORT int amdgpu_query_gpu_info(amdgpu_device_handle Device,
                                       struct amdgpu_gpu_info *Info) {
  const GpuDescription &Gpu = Device->Gpu;
  *Info = {};
  Info->asic_id = Gpu.DeviceId;
  Info->chip_external_rev = Gpu.Revision;
  Info->family_id = Gpu.Family;
  Info->max_engine_clk = Info->max_memory_clk = Gpu.MegaHertz * 1000;
  Info->num_shader_engines = Info->num_shader_arrays_per_engine = 1;
  Info->gpu_counter_freq = Gpu.CounterKiloHertz;
  Info->cu_active_number = Gpu.ComputeUnits;
  Info->cu_bitmap[0][0] = (1u << Gpu.ComputeUnits) - 1;
  return 0;
}

//===----------------------------------------------------------------------===//
// Buffer objects
//===----------------------------------------------------------------------===//

KPACK_EXPORT int amdgpu_bo_import(amdgpu_device_handle Device,
                                  enum amdgpu_bo_handle_type Type,
                                  uint32_t Shared,
                                  struct amdgpu_bo_import_result *Result) {
  if (Type != amdgpu_bo_handle_type_dma_buf_fd)
    return -ENOTSUP;
  auto *Created = make<amdgpu_bo>();
  if (!Created)
    return -ENOMEM;
  if (int Problem =
          emulator()->Import(int(Shared), &Created->Handle, &Created->Size)) {
    std::free(Created);
    return Problem;
  }
  Created->Device = Device;
  Result->buf_handle = Created;
  Result->alloc_size = Created->Size;
  return 0;
}

KPACK_EXPORT int amdgpu_bo_export(amdgpu_bo_handle Buffer,
                                  enum amdgpu_bo_handle_type Type,
                                  uint32_t *Shared) {
  if (Type == amdgpu_bo_handle_type_dma_buf_fd) {
    int Fd = -1;
    int Problem = emulator()->Export(Buffer->Handle, &Fd);
    *Shared = uint32_t(Fd);
    return Problem;
  }
  if (Type == amdgpu_bo_handle_type_gem_flink_name)
    return -ENOTSUP;
  *Shared = uint32_t(Buffer->Handle);
  return 0;
}

/// ROCr 7.2 stores a number here, by which it recognises the memory of a handle
/// from another process.
KPACK_EXPORT int amdgpu_bo_set_metadata(amdgpu_bo_handle Buffer,
                                        struct amdgpu_bo_metadata *Info) {
  BufferMetadata Metadata{
      Info->flags, Info->tiling_info, Info->size_metadata, {}};
  static_assert(sizeof(Metadata.Data) == sizeof(Info->umd_metadata));
  std::memcpy(Metadata.Data, Info->umd_metadata, sizeof(Metadata.Data));
  return emulator()->SetMetadata(Buffer->Handle, &Metadata);
}

KPACK_EXPORT int amdgpu_bo_query_info(amdgpu_bo_handle Buffer,
                                      struct amdgpu_bo_info *Info) {
  BufferMetadata Metadata;
  if (int Problem = emulator()->GetMetadata(Buffer->Handle, &Metadata))
    return Problem;
  *Info = {};
  Info->alloc_size = Buffer->Size;
  Info->phys_alignment = 4096;
  Info->preferred_heap = AMDGPU_GEM_DOMAIN_VRAM;
  Info->metadata.flags = Metadata.Flags;
  Info->metadata.tiling_info = Metadata.Tiling;
  Info->metadata.size_metadata = Metadata.Size;
  std::memcpy(Info->metadata.umd_metadata, Metadata.Data,
              sizeof(Metadata.Data));
  return 0;
}

KPACK_EXPORT int amdgpu_bo_free(amdgpu_bo_handle Buffer) {
  amdgpu_bo_cpu_unmap(Buffer);
  int Problem = emulator()->Free(Buffer->Handle);
  std::free(Buffer);
  return Problem;
}

KPACK_EXPORT int amdgpu_bo_cpu_map(amdgpu_bo_handle Buffer, void **Cpu) {
  if (!Buffer->Cpu) {
    void *Pages =
        mmap(nullptr, Buffer->Size, PROT_READ | PROT_WRITE, MAP_SHARED,
             Buffer->Device->Fd, off_t(emulator()->MapOffset(Buffer->Handle)));
    if (Pages == MAP_FAILED)
      return -errno;
    Buffer->Cpu = Pages;
  }
  *Cpu = Buffer->Cpu;
  return 0;
}

KPACK_EXPORT int amdgpu_bo_cpu_unmap(amdgpu_bo_handle Buffer) {
  if (!Buffer->Cpu)
    return -EINVAL;
  munmap(Buffer->Cpu, Buffer->Size);
  Buffer->Cpu = nullptr;
  return 0;
}

KPACK_EXPORT int amdgpu_bo_va_op(amdgpu_bo_handle Buffer, uint64_t Offset,
                                 uint64_t Size, uint64_t Address,
                                 uint64_t Flags, uint32_t Operation) {
  DeviceKind Kind = Buffer->Device->Kind;
  switch (Operation) {
  case AMDGPU_VA_OP_MAP:
  case AMDGPU_VA_OP_REPLACE:
    // Ignore the flags: with libdrm's function, too, the memory is readable,
    // writable and executable.
    return emulator()->Bind(Kind, Buffer->Handle, Offset, Size, Address);
  case AMDGPU_VA_OP_UNMAP:
  case AMDGPU_VA_OP_CLEAR:
    return emulator()->Unbind(Kind, Address, Size);
  }
  return -EINVAL;
}

/// Serves the one command of amdgpu that ROCr sends itself.
KPACK_EXPORT int drmCommandWriteRead(int Fd, unsigned long Command, void *Data,
                                     unsigned long Size) {
  if (kindOf(Fd) >= RenderNode && Command == DRM_AMDGPU_GEM_MMAP &&
      Size == sizeof(drm_amdgpu_gem_mmap)) {
    drm_amdgpu_gem_mmap Arguments;
    if (int Problem = copyIn(&Arguments, addressOf(Data), Size))
      return Problem;
    Arguments.out.addr_ptr = emulator()->MapOffset(Arguments.in.handle);
    return copyOut(addressOf(Data), &Arguments, Size);
  }
  KPACK_NEXT Next<int(int, unsigned long, void *, unsigned long)> Real(
      "drmCommandWriteRead");
  return Real.exists() ? Real(Fd, Command, Data, Size) : -EINVAL;
}
