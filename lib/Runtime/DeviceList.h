//===- Runtime/DeviceList.h - GPUs of this process --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists the target ids of a HIP runtime's GPUs. It asks the HSA runtime, which
// HIP has loaded and initialised before it reads a bundle. HIP itself cannot be
// asked at that time: its own initialisation is under way.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_RUNTIME_DEVICELIST_H
#define KPACK_RUNTIME_DEVICELIST_H

#include <atomic>
#include <string>
#include <vector>

namespace kpack::runtime {

/// The names of one kind of GPU, best first: its target id with features
/// ("gfx90a:sramecc+:xnack-"), then generic targets that its runtime knows.
using Device = std::vector<std::string>;

class DeviceList {
public:
  /// Finds the HSA runtime that the HIP runtime with \p HipFunction is linked
  /// with, or else any that is loaded. Loads none, and keeps the one that it
  /// finds loaded. May be called from any thread, but not while handling a
  /// fault: it takes the dynamic linker's lock.
  void connect(const void *HipFunction = nullptr);

  /// Returns each kind of GPU once. Empty, which means unknown, if HSA is
  /// absent or not initialised, or has no GPU.
  std::vector<Device> devices() const;

private:
  std::atomic<void *> IterateAgents{nullptr};
  std::atomic<void *> AgentInfo{nullptr};
  std::atomic<void *> IterateIsas{nullptr};
  std::atomic<void *> IsaInfo{nullptr};
};

} // namespace kpack::runtime

#endif // KPACK_RUNTIME_DEVICELIST_H
