//===- Dispatcher.h - runs the workgroups of one dispatch -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One Dispatcher a dispatch. Any number of threads call work(); each takes
// workgroups off a common counter, keeps several of them resident and gives
// each a slice of instructions in turn, so that workgroups that wait for one
// another make progress. The waves of a workgroup are run by one thread.
//
// Which workgroup fails first depends on the threads; which one is reported
// must not. So a failure ends the later workgroups, and the earlier ones run
// on for a while: the first of the grid that fails is the one that is reported.
// A while only, because they may be waiting for what the failed one should do.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_DISPATCHER_H
#define KPACK_LIB_SOFTGPU_MACHINE_DISPATCHER_H

#include "CodeCache.h"
#include "KernelDescriptor.h"

namespace kpack::softgpu {

class Dispatcher {
public:
  /// Everything outlives the dispatcher. \p PacketAddress is what the kernel's
  /// dispatch pointer shall be.
  Dispatcher(const Dispatch &Launch, const KernelDescriptor &Kernel,
             CodeCache &Code, uint64_t PacketAddress);

  uint64_t workgroups() const { return GroupCount; }

  /// Runs workgroups until none is left that could be the first to fail.
  void work();

  /// When all calls of work() have returned.
  DispatchResult result();

private:
  class Worker;
  static constexpr uint64_t NoGroup = ~uint64_t(0);

  bool stopped() const {
    const std::atomic<bool> *Cancel = Launch.Request->Cancel;
    return Stop.load(std::memory_order_relaxed) ||
           (Cancel && Cancel->load(std::memory_order_relaxed));
  }
  /// Of the faults of workgroups, that of the first in the grid is kept; later
  /// workgroups end.
  void fail(uint64_t Group, Fault F);
  /// What no workgroup is to blame for: all work ends. A fault that was there
  /// before is kept.
  void giveUp(Fault F);
  /// Index of a workgroup that nobody has taken, if any.
  std::optional<uint64_t> takeGroup();
  std::array<uint32_t, 3> idOf(uint64_t Group) const;

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
  std::atomic<uint64_t> FailedGroup{NoGroup}; ///< the first one known
  std::mutex Lock;                            ///< of Failure
  std::optional<Fault> Failure;
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_DISPATCHER_H
