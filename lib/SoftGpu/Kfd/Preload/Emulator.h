//===- Preload/Emulator.h - loader of the driver library --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libsoftgpu_kfd.so is preloaded into every process below kpack-run, including
// shells and compilers, so it is small and needs only the C library. The driver
// itself (lib/SoftGpu/Kfd) needs LLVM and is a separate library, loaded when a
// process first opens a GPU's device file. The interface is one function that
// the driver library exports, and the table of C functions that it returns.
//
// Both libraries are of the same build and in the same folder.
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

/// The device of a descriptor. Render nodes are consecutive: RenderNode for the
/// first GPU, one more for the second.
using DeviceKind = uint8_t;
constexpr DeviceKind NoDevice = 0;
constexpr DeviceKind KfdDevice = 1;
constexpr DeviceKind RenderNode = 2;
/// Minor number of the first GPU, as in the kernel's /dev/dri/renderD128.
constexpr unsigned FirstRenderMinor = 128;
constexpr unsigned MostGpus = 16;
/// Version of the render nodes' interface.
constexpr int DrmMajorVersion = 3, DrmMinorVersion = 57;

/// A GPU's properties for libdrm_amdgpu.
struct GpuDescription {
  char Name[64]; ///< to show to users
  uint32_t Family, Revision, DeviceId;
  uint32_t ComputeUnits;
  uint32_t MegaHertz;
  uint32_t CounterKiloHertz; ///< frequency of the timestamp clock
};

/// Data that libdrm_amdgpu keeps with a buffer's memory, for all processes that
/// import it. Zero until it is set.
struct BufferMetadata {
  uint64_t Flags, Tiling;
  uint32_t Size; ///< bytes used in Data
  uint32_t Data[64];
};

using SignalAction = int(int, const struct sigaction *, struct sigaction *);

/// All functions are thread-safe and return 0 or a negated errno, unless noted.
struct EmulatorTable {
  /// Begins work with a device file that was just opened.
  int (*Open)(DeviceKind Kind);
  /// Serves an ioctl() on /dev/kfd or a render node.
  int (*Request)(DeviceKind Kind, unsigned long Code, void *Arguments);
  int (*Describe)(DeviceKind Kind, GpuDescription *Description);
  /// Serves mmap() of a device file; sets \p Address to the result.
  int (*Map)(DeviceKind Kind, uint64_t Offset, uint64_t Size, int Flags,
             uint64_t *Address);
  /// Returns a descriptor of a buffer's memory for sharing (dma-buf). The
  /// caller closes it.
  int (*Export)(uint64_t Handle, int *Fd);
  /// Makes a handle for a shared memory's descriptor.
  int (*Import)(int Fd, uint64_t *Handle, uint64_t *Size);
  int (*SetMetadata)(uint64_t Handle, const BufferMetadata *Metadata);
  int (*GetMetadata)(uint64_t Handle, BufferMetadata *Metadata);
  int (*Free)(uint64_t Handle);
  /// Maps part of a buffer at a device address, or unmaps a range.
  int (*Bind)(DeviceKind Kind, uint64_t Handle, uint64_t Offset, uint64_t Size,
              uint64_t Address);
  int (*Unbind)(DeviceKind Kind, uint64_t Address, uint64_t Size);
  /// Returns the buffer's offset in a render node, for mmap().
  uint64_t (*MapOffset)(uint64_t Handle);
  /// Handles munmap() of [Address, Address + Size), parts of which a GPU may
  /// use. Returns 1 if the driver unmaps it, perhaps later; 0 if the caller has
  /// to.
  int (*Unmap)(uint64_t Address, uint64_t Size);
  /// Handles a mapping that replaces these addresses.
  void (*Replace)(uint64_t Address, uint64_t Size);
  /// Sets the next sigaction() after ours. Called once, before all others.
  void (*UseSignals)(SignalAction *Sigaction);
  /// Handles sigaction(). Returns 1 if the driver handles the signal and is
  /// done, 0 if the caller has to call the next function.
  int (*ExchangeAction)(int Signal, const struct sigaction *New,
                        struct sigaction *Old);
  /// Wakes the queues if \p Seen is 0. Else sleeps until the bell (Idle.h) has
  /// rung since \p Seen was written, as it does when a queue has completed a
  /// packet, or for a millisecond. Sets \p Seen.
  int (*AwaitActivity)(uint64_t *Seen);
};

/// Name of the driver library's exported function, of type EmulatorEntry. It
/// returns null after a message on stderr if the driver cannot start.
constexpr char EmulatorEntryName[] = "softgpuEmulator";
using EmulatorEntry = const EmulatorTable *(*)();

/// Returns the driver, which the first call loads; null if that fails.
const EmulatorTable *emulator();
/// Returns the driver if it is loaded; null in processes that use no GPU.
const EmulatorTable *loadedEmulator();

/// Returns the next sigaction() after ours.
SignalAction *nextSigaction();

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_KFD_PRELOAD_EMULATOR_H
