//===- Runtime/Devices.h - GPUs of this process -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which target ids the GPUs of a HIP runtime have, from the HSA runtime that it
// has loaded and initialised by the time it looks into a bundle. HIP itself
// cannot be asked: it is in the middle of its own initialisation then.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_RUNTIME_DEVICES_H
#define KPACK_RUNTIME_DEVICES_H

#include <atomic>
#include <string>
#include <vector>

namespace kpack::runtime {

/// The names of one kind of GPU, best first: its own target id with features
/// ("gfx90a:sramecc+:xnack-"), then generic ones that its runtime knows.
using Device = std::vector<std::string>;

class DeviceList {
public:
  /// Finds the HSA runtime that the HIP runtime with \p HipFunction is linked
  /// with, or else the one that is loaded; never loads one, and keeps the one
  /// that it finds loaded. From any thread, but not while handling a fault: it
  /// needs the dynamic linker's lock.
  void connect(const void *HipFunction = nullptr);

  /// Each kind of GPU once. Empty when HSA is not there, is not initialised,
  /// or has no GPU: then it is not known what the devices are.
  std::vector<Device> devices() const;

private:
  std::atomic<void *> IterateAgents{nullptr};
  std::atomic<void *> AgentInfo{nullptr};
  std::atomic<void *> IterateIsas{nullptr};
  std::atomic<void *> IsaInfo{nullptr};
};

} // namespace kpack::runtime

#endif // KPACK_RUNTIME_DEVICES_H
