//===- KfdDriver.h - state of the emulated kernel driver --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All state of the process: GPUs, memory, events, queues. The one object is on
// the heap and never destroyed, because ROCr's threads wait in it while the
// process exits and static destructors run. A destructor function of this
// library (KfdDriver.cpp) ends the work that needs LLVM before LLVM's own
// destructors run.
//
// A child process after fork() has none of the threads. As with the real
// driver, it has no access until it opens /dev/kfd again.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_KFDDRIVER_H
#define KPACK_LIB_SOFTGPU_KFD_KFDDRIVER_H

#include "Buffers.h"
#include "Events.h"
#include "FindingReport.h"
#include "Gpu.h"
#include "Idle.h"
#include "Queue.h"

#include "SoftGpu/Kfd/Configuration.h"

#include <unistd.h>

namespace kpack::softgpu {

class Driver {
public:
  /// Returns null if this process has not opened /dev/kfd.
  static Driver *opened();

  /// Reads the configuration at the first call. Returns null if that is
  /// invalid, after a message on stderr.
  static Driver *open();

  /// Returns null if the node is not a GPU.
  Gpu *gpu(uint32_t Node) const {
    return Node >= 1 && Node <= Gpus.size() ? Gpus[Node - 1].get() : nullptr;
  }
  uint32_t nodes() const { return uint32_t(Gpus.size()) + 1; }

  /// Returns null if no GPU has that id.
  Gpu *gpuById(uint32_t Id) const { return gpu(Id - hardware::FirstGpuId + 1); }

  /// Descriptor of memory for the process's mappings of /dev/kfd, mostly
  /// doorbells, which the driver never reads. Negative on failure.
  int pages() const { return Pages.get(); }
  static constexpr uint64_t PagesBytes = uint64_t(1) << 20;

  /// Prints the fault to stderr and counts it for kpack-run.
  void reportFault(const Gpu &Where, const std::string &Kernel, Fault Cause);

  const Configuration Settings;
  const pid_t Process = ::getpid(); ///< the process of this driver
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
  uint32_t *FaultCount = nullptr; ///< shared with kpack-run; may be null
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_KFDDRIVER_H
