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
#ifndef KPACK_LIB_SOFTGPU_KMT_DRIVER_H
#define KPACK_LIB_SOFTGPU_KMT_DRIVER_H

#include "Events.h"
#include "Gpu.h"
#include "Idle.h"
#include "Memory.h"
#include "Queue.h"

namespace kpack::softgpu {

class Driver {
public:
  /// Null: hsaKmtOpenKFD() has not succeeded in this process.
  static Driver *opened();

  /// What a function that gives something back returns where nothing is open.
  /// In the child of a fork() that is success: the runtime's destructors give
  /// back what the parent had, and fail if they cannot.
  static HSAKMT_STATUS givenBack();

  /// Null: not the node of a GPU.
  Gpu *gpu(uint32_t Node) const {
    return Node >= 1 && Node <= Gpus.size() ? Gpus[Node - 1].get() : nullptr;
  }
  uint32_t nodes() const { return uint32_t(Gpus.size()) + 1; }

  /// Says on stderr what went wrong, and tells kpack-run.
  void reportFault(const Gpu &Where, const std::string &Kernel, Fault What);

  const Configuration Settings;
  ActivityBell Activity;
  EventTable Events;
  std::vector<std::unique_ptr<Gpu>> Gpus; ///< of nodes 1, 2, ...
  DeviceMemory Memory;
  QueueTable Queues;

private:
  explicit Driver(Configuration C);
  friend struct DriverSlot;

  uint32_t *FaultCount = nullptr; ///< shared with kpack-run; null: none
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KMT_DRIVER_H
