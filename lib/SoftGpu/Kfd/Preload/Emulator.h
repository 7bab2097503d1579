//===- Preload/Emulator.h - the driver for what is preloaded ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libsoftgpu_kfd.so is preloaded into every process below kpack-run, also into
// shells and compilers: it is small and needs nothing but the C library. The
// driver itself (lib/SoftGpu/Kfd), which needs LLVM, is another library
// that is loaded when a process first opens a GPU's device file. This is the
// seam between the two: one function that the driver library exports, and a
// table of C functions that it returns.
//
// Both are always of one build and lie in one folder.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_KFD_PRELOAD_EMULATOR_H
#define KPACK_SOFTGPU_KFD_PRELOAD_EMULATOR_H

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <sys/types.h>

namespace kpack::softgpu {

/// Which device a descriptor was opened for. Render nodes follow each other:
/// RenderNode for the first GPU, one more for the second.
using DeviceKind = uint8_t;
constexpr DeviceKind NoDevice = 0;
constexpr DeviceKind KfdDevice = 1;
constexpr DeviceKind RenderNode = 2;
/// Of the first GPU; the kernel's, as /dev/dri/renderD128.
constexpr unsigned FirstRenderMinor = 128;
constexpr unsigned MostGpus = 16;
/// Of the interface of render nodes.
constexpr int DrmMajorVersion = 3, DrmMinorVersion = 57;

/// A GPU as libdrm_amdgpu describes it.
struct GpuDescription {
  char Name[64]; ///< for people
  uint32_t Family, Revision, DeviceId;
  uint32_t ComputeUnits;
  uint32_t MegaHertz;
  uint32_t CounterKiloHertz; ///< of the clock of timestamps
};

/// What libdrm_amdgpu keeps with the memory of a buffer, for all processes that
/// import it. Zero until it is set.
struct BufferMetadata {
  uint64_t Flags, Tiling;
  uint32_t Size; ///< bytes of Data
  uint32_t Data[64];
};

using SignalAction = int(int, const struct sigaction *, struct sigaction *);

/// All functions are thread-safe and return 0, or a negated errno.
struct EmulatorTable {
  /// Begins work with a device file, which was just opened.
  int (*Open)(DeviceKind Kind);
  /// Answers an ioctl() on /dev/kfd or a render node.
  int (*Request)(DeviceKind Kind, unsigned long Number, void *Arguments);
  int (*Describe)(DeviceKind Kind, GpuDescription *Description);
  /// mmap() of a device file; \p Address becomes where it is.
  int (*Map)(DeviceKind Kind, uint64_t Offset, uint64_t Size, int Flags,
             uint64_t *Address);
  /// Gives a descriptor of the memory that a buffer handle stands for, for
  /// sharing (dma-buf). The caller closes it.
  int (*Export)(uint64_t Handle, int *Fd);
  /// Makes a handle for memory that was shared so.
  int (*Import)(int Fd, uint64_t *Handle, uint64_t *Size);
  int (*SetMetadata)(uint64_t Handle, const BufferMetadata *Metadata);
  int (*GetMetadata)(uint64_t Handle, BufferMetadata *Metadata);
  int (*Free)(uint64_t Handle);
  /// Puts part of a buffer at a device address, or takes away what is there.
  int (*Bind)(DeviceKind Kind, uint64_t Handle, uint64_t Offset, uint64_t Size,
              uint64_t Address);
  int (*Unbind)(DeviceKind Kind, uint64_t Address, uint64_t Size);
  /// The offset in a render node at which a buffer is mapped.
  uint64_t (*MapOffset)(uint64_t Handle);
  /// The process unmaps [Address, Address + Size), some of which a GPU may use:
  /// 1 if the driver does it, later perhaps; 0 if the caller is to do it.
  int (*Unmap)(uint64_t Address, uint64_t Size);
  /// The process maps something else there.
  void (*Replace)(uint64_t Address, uint64_t Size);
  /// Called once, before all others: what sets handlers of signals behind us.
  void (*UseSignals)(SignalAction *Sigaction);
  /// sigaction() of a signal: 1 if the driver handles it and it has been done,
  /// 0 if it is the caller's to do.
  int (*ExchangeAction)(int Signal, const struct sigaction *New,
                        struct sigaction *Old);
  /// Wakes the queues if \p Seen is 0. Else sleeps until a queue has completed
  /// something since \p Seen was written, or for a millisecond.
  int (*AwaitActivity)(uint64_t *Seen);
};

/// The name under which the driver library exports its one function, of type
/// EmulatorEntry. Null: it cannot start, and has said why on stderr.
constexpr char EmulatorEntryName[] = "softgpuEmulator";
using EmulatorEntry = const EmulatorTable *(*)();

/// The driver, loaded at the first call. Null: it is not there or cannot start.
const EmulatorTable *emulator();
/// The same without loading it: null in processes that use no GPU.
const EmulatorTable *loadedEmulator();

/// The sigaction() behind ours.
SignalAction *nextSigaction();

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_KFD_PRELOAD_EMULATOR_H
