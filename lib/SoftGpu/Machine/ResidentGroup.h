//===- ResidentGroup.h - registers and memory of a workgroup ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Storage for the waves of one workgroup: a slot that a worker fills with one
// workgroup after another. Vector registers and private memory are mapped
// pages, so that unused ones cost nothing.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_RESIDENTGROUP_H
#define KPACK_LIB_SOFTGPU_MACHINE_RESIDENTGROUP_H

#include "KernelDescriptor.h"

namespace kpack::softgpu {

class ResidentGroup {
public:
  /// Returns null if out of memory.
  static std::unique_ptr<ResidentGroup> create(const Dispatch &Launch,
                                               const KernelDescriptor &Kernel);
  ~ResidentGroup();
  ResidentGroup(const ResidentGroup &) = delete;
  ResidentGroup &operator=(const ResidentGroup &) = delete;

  /// Starts workgroup \p Id, which is number \p Index of the grid.
  void start(uint64_t Index, const std::array<uint32_t, 3> &Id,
             uint64_t PacketAddress);

  /// Returns the bytes of address space of a slot.
  static uint64_t bytes(const DispatchRequest &Request,
                        const KernelDescriptor &Kernel);

  Workgroup Group;
  uint64_t Index = 0;
  /// Rounds since a later workgroup has failed.
  unsigned RoundsSinceFailure = 0;
  /// Waves of the current workgroup.
  std::vector<Wave> Waves;

private:
  ResidentGroup(const Dispatch &Launch, const KernelDescriptor &Kernel)
      : Launch(Launch), Kernel(Kernel) {}

  const Dispatch &Launch;
  const KernelDescriptor &Kernel;
  uint8_t *Storage = nullptr;
  uint64_t StorageBytes = 0;
  bool Used = false; ///< private memory may not be zero
};

/// Returns the bytes of a lane's private segment, rounded up to keep lanes
/// aligned.
uint32_t privateBytes(const DispatchRequest &Request);

/// Returns the number of waves of a whole workgroup.
unsigned wavesPerGroup(const DispatchRequest &Request, unsigned Lanes);

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_RESIDENTGROUP_H
