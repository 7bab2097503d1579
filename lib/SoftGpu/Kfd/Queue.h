//===- Queue.h - AQL queues and their packet processors ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread a queue executes its packets in order, each to its end before the
// next begins; queues run at the same time. Source: HSA Platform System
// Architecture Specification 1.2, 2.8 (queues) and 2.9 (packets); for AMD's own
// packets and the queue's error signal hsa_ext_amd.h and ROCr 5.2.3.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_QUEUE_H
#define KPACK_LIB_SOFTGPU_KFD_QUEUE_H

#include "Gpu.h"
#include "Idle.h"
#include <atomic>
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <map>
#include <thread>

namespace kpack::softgpu {

class Driver;

/// Nanoseconds of the clock that all timestamps are of.
uint64_t now();

/// Values of a queue's error signal that ROCr knows (AqlQueue's error handler).
namespace QueueError {
constexpr int64_t CodeObject = 8;
constexpr int64_t Packet = 32;
constexpr int64_t VendorPacket = 256;
constexpr int64_t Aperture = 0x20000000;
constexpr int64_t IllegalInstruction = 0x40000000;
constexpr int64_t Exception = 0x80000000;
} // namespace QueueError

/// What the host and a queue share.
struct QueueMemory {
  uint8_t *Ring = nullptr;
  uint64_t Packets = 0; ///< a power of two
  uint64_t *ReadIndex = nullptr;
  uint64_t *WriteIndex = nullptr;
};

class Queue {
public:
  Queue(Driver &D, Gpu &G, const QueueMemory &Shared);
  ~Queue();
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;

  /// Ends its thread, and with it a kernel that runs.
  void end();
  /// While it is not active it begins no packet.
  void setActive(bool Yes);

private:
  enum class Outcome {
    Done,
    NotYet, ///< a dependency is not met
    Failed, ///< the queue is in its error state
    Cancelled
  };

  void run();
  bool step();
  Outcome execute(uint8_t *Packet, uint16_t Header);
  Outcome kernelDispatch(uint8_t *Packet);
  Outcome barrier(const uint8_t *Packet, bool All);
  Outcome vendorPacket(const uint8_t *Packet);
  Outcome barrierValue(const uint8_t *Packet);
  Outcome pm4Commands(const uint8_t *Packet);
  Outcome fail(int64_t Error, const std::string &What);
  Outcome failKernel(uint64_t Descriptor, const Fault &What);
  bool raiseMemoryFault(uint64_t Address);
  void raiseQueueError(int64_t Error);

  uint8_t *deviceMemory(uint64_t Address, uint64_t Size);
  amd_signal_t *signal(hsa_signal_t Handle);
  void complete(amd_signal_t &Signal);
  void raise(amd_signal_t &Signal);
  amd_queue_t *descriptor();

  Driver &D;
  Gpu &TheGpu;
  const QueueMemory Shared;
  std::atomic<bool> Ending{false};
  std::atomic<bool> Active{true};
  // Of the thread only:
  bool InError = false;
  uint64_t DispatchId = 0;      ///< of the packet at hand
  unsigned MetDependencies = 0; ///< of the barrier packet at hand, as bits

  std::mutex EndLock;
  std::thread Processor;
};

/// All members are thread-safe.
class QueueTable {
public:
  uint32_t add(std::unique_ptr<Queue> Q);
  bool setActive(uint32_t Id, bool Yes);
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
