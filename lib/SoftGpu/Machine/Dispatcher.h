//===- Dispatcher.h - execution of a kernel launch --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any number of threads call work() of a dispatch's Dispatcher. Each takes
// workgroups off a common counter, keeps several of them resident and gives
// each a slice of instructions in turn, so that workgroups that wait for one
// another make progress. One thread runs all waves of a workgroup.
//
// The first failure in time depends on the threads; the reported one must not.
// So a failure ends the later workgroups, and the earlier ones run on for a
// while: the first failing workgroup of the grid is reported. Only for a while,
// because they may be waiting for the failed one.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_DISPATCHER_H
#define KPACK_LIB_SOFTGPU_MACHINE_DISPATCHER_H

#include "CodeCache.h"
#include "KernelDescriptor.h"

namespace kpack::softgpu {

class Dispatcher {
public:
  /// All arguments outlive the dispatcher. \p PacketAddress becomes the
  /// kernel's dispatch pointer.
  Dispatcher(const Dispatch &Launch, const KernelDescriptor &Kernel,
             CodeCache &Code, uint64_t PacketAddress);

  uint64_t workgroups() const { return GroupCount; }

  /// Runs workgroups until none is left that could be the first to fail.
  void work();

  /// Call this after all calls of work() have returned.
  DispatchResult result();

private:
  class Worker;
  static constexpr uint64_t NoGroup = ~uint64_t(0);

  bool stopped() const {
    const std::atomic<bool> *Cancel = Launch.Request->Cancel;
    return Stop.load(std::memory_order_relaxed) ||
           (Cancel && Cancel->load(std::memory_order_relaxed));
  }
  /// Records a workgroup's fault. Keeps that of the first workgroup in the grid
  /// and ends later ones.
  void fail(uint64_t Group, Fault F);
  /// Records a fault that is no workgroup's, unless there is one already, and
  /// ends all work.
  void giveUp(Fault F);
  /// Takes the next workgroup that is not started, if any.
  std::optional<uint64_t> takeGroup();
  std::array<uint32_t, 3> getId(uint64_t Group) const;

  const Dispatch &Launch;
  const KernelDescriptor &Kernel;
  CodeCache &Code;
  const uint64_t PacketAddress;
  std::array<uint64_t, 3> Groups{}; ///< of the grid, by dimension
  uint64_t GroupCount = 0;
  std::atomic<uint64_t> NextGroup{0};
  std::atomic<uint64_t> Instructions{0};
  std::atomic<uint64_t> Waves{0};
  std::atomic<bool> Stop{false};
  std::atomic<uint64_t> FailedGroup{NoGroup}; ///< the first known one
  std::mutex Lock;                            ///< guards Failure
  std::optional<Fault> Failure;
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_DISPATCHER_H
