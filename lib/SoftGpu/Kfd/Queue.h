//===- Queue.h - what all queues of a GPU have in common --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread a queue executes its packets in order, each to its end before the
// next begins; queues run at the same time. What packets look like and do is in
// AqlQueue.h (kernels) and SdmaQueue.h (copies).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_QUEUE_H
#define KPACK_LIB_SOFTGPU_KFD_QUEUE_H

#include "Abi.h"
#include "Gpu.h"
#include "Idle.h"
#include <atomic>
#include <map>
#include <thread>

namespace kpack::softgpu {

class Driver;

/// Nanoseconds of the clock that all timestamps are of.
uint64_t now();

/// What the host and a queue share. What the indices count, and whether they
/// grow for ever, is the queue's affair.
struct QueueMemory {
  uint8_t *Ring = nullptr;
  uint64_t Bytes = 0; ///< a power of two
  uint64_t *ReadIndex = nullptr;
  uint64_t *WriteIndex = nullptr;
};

class Queue {
public:
  /// end() was called before, or start() never.
  virtual ~Queue() = default;
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;

  void start();
  /// Ends its thread, and with it a kernel that runs.
  void end();
  /// While it is not active it begins no packet.
  void setActive(bool Yes);
  /// Whether workgroups of its kernels wait for one another. False: it has
  /// none.
  virtual bool setCooperative(bool) { return false; }

protected:
  Queue(Driver &D, Gpu &G, const QueueMemory &Shared)
      : D(D), TheGpu(G), Shared(Shared) {}

  enum class Outcome {
    Done,
    NotYet, ///< a dependency is not met
    Failed, ///< the queue is in its error state
    Cancelled
  };

  /// One packet; false: there is none, or what it waits for has not come.
  virtual bool step() = 0;

  /// Null: not all of it is device memory.
  uint8_t *deviceMemory(uint64_t Address, uint64_t Size) const;
  /// Says what is wrong, and stops for good: as hardware does.
  void stop(const std::string &Who, const Fault &What);
  /// \p Type as in the driver's interface: 0 for a missing page.
  /// False: nobody has asked for an event of memory faults.
  bool raiseMemoryFault(uint64_t Address, uint32_t Type = 0);

  Driver &D;
  Gpu &TheGpu;
  const QueueMemory Shared;
  std::atomic<bool> Ending{false};

private:
  void run();

  std::atomic<bool> Active{true};
  bool InError = false; ///< of the thread only
  std::mutex EndLock;
  std::thread Processor;
};

/// All members are thread-safe.
class QueueTable {
public:
  /// Starts it.
  uint32_t add(std::unique_ptr<Queue> Q);
  // False: there is no such queue.
  bool setActive(uint32_t Id, bool Yes);
  bool setCooperative(uint32_t Id, bool Yes);
  bool destroy(uint32_t Id);
  /// Before the process ends. Their memory stays: somebody may ring a doorbell.
  void endAll();

private:
  std::mutex Lock;
  std::map<uint32_t, std::unique_ptr<Queue>> Queues;
  uint32_t LastId = 0;
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_QUEUE_H
