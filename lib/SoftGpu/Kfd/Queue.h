//===- Queue.h - common part of a GPU's queues ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each queue has one thread, which executes packets in order, each to its end
// before the next begins; queues run concurrently. AqlQueue.h (kernels) and
// SdmaQueue.h (copies) define the packets.
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

/// Returns nanoseconds of the clock of all timestamps.
uint64_t now();

/// Memory shared by the host and a queue. The queue's type defines the unit of
/// the indices and whether they wrap.
struct QueueMemory {
  uint8_t *Ring = nullptr;
  uint64_t Bytes = 0; ///< a power of two
  uint64_t *ReadIndex = nullptr;
  uint64_t *WriteIndex = nullptr;
};

class Queue {
public:
  /// Requires end(), or that start() was not called.
  virtual ~Queue() = default;
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;

  void start();
  /// Ends the thread, and a running kernel with it.
  void end();
  /// An inactive queue starts no packet.
  void setActive(bool Yes);
  /// Enables waits between the workgroups of kernels. Returns false if the
  /// queue runs no kernels.
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

  /// Executes one packet. Returns false if it completed none: there is none, a
  /// dependency is not met, or the packet failed.
  virtual bool step() = 0;

  /// Returns null unless the whole range is device memory.
  uint8_t *deviceMemory(uint64_t Address, uint64_t Size) const;
  /// Reports the fault and stops the queue for good, as hardware does.
  void stop(const std::string &Who, const Fault &Cause);
  /// Raises a memory fault of \p Type, as in the driver's interface: 0 for a
  /// missing page. Returns false if the program has no event for memory faults.
  bool raiseMemoryFault(uint64_t Address, uint32_t Type = 0);

  Driver &D;
  Gpu &TheGpu;
  const QueueMemory Shared;
  std::atomic<bool> Ending{false};

private:
  void run();

  std::atomic<bool> Active{true};
  bool InError = false; ///< used by the thread only
  std::mutex EndLock;
  std::thread Processor;
};

/// All members are thread-safe.
class QueueTable {
public:
  /// Starts the queue.
  uint32_t add(std::unique_ptr<Queue> Q);
  // These return false if there is no such queue; setCooperative() also if the
  // queue runs no kernels.
  bool setActive(uint32_t Id, bool Yes);
  bool setCooperative(uint32_t Id, bool Yes);
  bool destroy(uint32_t Id);
  /// Ends all queues before the process exits. Keeps their memory: a thread may
  /// still ring a doorbell.
  void endAll();

private:
  std::mutex Lock;
  std::map<uint32_t, std::unique_ptr<Queue>> Queues;
  uint32_t LastId = 0;
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_QUEUE_H
