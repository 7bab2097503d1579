//===- AqlQueue.h - queues of kernel launches -------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The indices count packets and never wrap. Source: HSA Platform System
// Architecture Specification 1.2, 2.8 (queues) and 2.9 (packets); for AMD's
// packets and the queue's error signal hsa_ext_amd.h and ROCr 5.2.3.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_AQLQUEUE_H
#define KPACK_LIB_SOFTGPU_KFD_AQLQUEUE_H

#include "Queue.h"
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>

namespace kpack::softgpu {

class AqlQueue final : public Queue {
public:
  AqlQueue(Driver &D, Gpu &G, const QueueMemory &Shared)
      : Queue(D, G, Shared) {}
  static constexpr uint64_t PacketBytes = 64;

  bool setCooperative(bool Yes) override {
    IsCooperative = Yes;
    return true;
  }

private:
  bool step() override;
  Outcome execute(uint8_t *Packet, uint16_t Header);
  Outcome kernelDispatch(uint8_t *Packet);
  Outcome barrier(const uint8_t *Packet, bool All);
  Outcome vendorPacket(const uint8_t *Packet);
  Outcome barrierValue(const uint8_t *Packet);
  Outcome pm4Commands(const uint8_t *Packet);
  Outcome fail(int64_t Error, const std::string &Message);
  Outcome failKernel(uint64_t Descriptor, const Fault &Cause);
  void raiseQueueError(int64_t Error);

  amd_signal_t *signal(hsa_signal_t Handle);
  void complete(amd_signal_t &Signal);
  void raise(amd_signal_t &Signal);
  amd_queue_t *descriptor();

  std::atomic<bool> IsCooperative{false};
  // Used by the queue's thread only:
  uint64_t DispatchId = 0;      ///< of the current packet
  unsigned MetDependencies = 0; ///< of the current barrier packet, a bit mask
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_AQLQUEUE_H
