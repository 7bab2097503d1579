//===- Driver.h - what the kernel driver would hold -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All state of the process: GPUs, memory, events, queues. One object on the
// heap that is never destroyed, because ROCr's threads wait in it while the
// process exits and static destructors run. What has to end before LLVM's own
// destructors do is ended by a destructor function of this library
// (Driver.cpp).
//
// A child process after fork() has none of the threads: as with the real
// driver, its channel is closed until it opens its own.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_DRIVER_H
#define KPACK_LIB_SOFTGPU_KFD_DRIVER_H

#include "Buffers.h"
#include "Events.h"
#include "Findings.h"
#include "Gpu.h"
#include "Idle.h"
#include "Queue.h"

#include "SoftGpu/Kfd/Configuration.h"

#include <unistd.h>

namespace kpack::softgpu {

class Driver {
public:
  /// Null: /dev/kfd has not been opened in this process.
  static Driver *opened();

  /// Reads the configuration at the first call; null: it means nothing, and
  /// that was said on stderr.
  static Driver *open();

  /// Null: not the node of a GPU.
  Gpu *gpu(uint32_t Node) const {
    return Node >= 1 && Node <= Gpus.size() ? Gpus[Node - 1].get() : nullptr;
  }
  uint32_t nodes() const { return uint32_t(Gpus.size()) + 1; }

  /// Null: no GPU has that number.
  Gpu *gpuById(uint32_t Id) const { return gpu(Id - hardware::FirstGpuId + 1); }

  /// Memory for what the process maps of /dev/kfd, which nobody reads here:
  /// doorbells above all. Negative: none can be had.
  int pages() const { return Pages.get(); }
  static constexpr uint64_t PagesBytes = uint64_t(1) << 20;

  /// Says on stderr what went wrong, and tells kpack-run.
  void reportFault(const Gpu &Where, const std::string &Kernel, Fault What);

  const Configuration Settings;
  const pid_t Process = ::getpid(); ///< the one that this is the driver of
  ActivityBell Activity;
  EventTable Events;
  FindingReport Findings;
  std::vector<std::unique_ptr<Gpu>> Gpus; ///< of nodes 1, 2, ...
  BufferTable Memory;
  QueueTable Queues;

private:
  explicit Driver(Configuration C);
  friend struct DriverSlot;

  UniqueFd Pages;
  uint32_t *FaultCount = nullptr; ///< shared with kpack-run; null: none
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_DRIVER_H
