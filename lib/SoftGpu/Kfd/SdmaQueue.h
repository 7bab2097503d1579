//===- SdmaQueue.h - queues of the copy engines -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// System DMA: packets of as many 32-bit words as each needs, in a ring whose
// indices count bytes and grow for ever (gfx9 and later). All packets that ROCr
// writes are known, and the few that go with them; a packet that is not, or one
// with an option that is not, stops the queue with a message that names it. So
// does an access to memory that is not mapped to the GPU. Queues of kernels are
// in AqlQueue.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_SDMAQUEUE_H
#define KPACK_LIB_SOFTGPU_KFD_SDMAQUEUE_H

#include "Queue.h"

#include "SoftGpu/Machine/HostAccess.h"

namespace kpack::softgpu {

class SdmaQueue final : public Queue {
public:
  SdmaQueue(Driver &D, Gpu &G, const QueueMemory &Shared);

private:
  struct Packet;
  struct Window;
  static const Packet Packets[];

  bool step() override;
  const Packet *packet() const;
  uint64_t wordsOf(const Packet &P) const;

  // The packet at hand:
  uint32_t word(uint64_t Index) const;
  uint64_t address(uint64_t Index) const;
  uint32_t option(unsigned FirstBit, unsigned Bits) const;

  // What packets do:
  Outcome nothing();
  Outcome copyLinear();
  Outcome copyWindow();
  Outcome writeWords();
  Outcome fill();
  Outcome fence();
  Outcome trap();
  Outcome poll();
  Outcome atomic();
  Outcome timestamp();

  Window window(uint64_t FirstWord) const;
  Outcome copy(uint64_t To, uint64_t From, uint64_t Size);
  template <typename T> T *variable(uint64_t Address);
  llvm::MutableArrayRef<uint8_t> memory(uint64_t Address, uint64_t Size,
                                        bool Written) const;

  Outcome fail(const std::string &What);
  Outcome failAccess(uint64_t Address, uint64_t Size, const char *What);
  Outcome failRefused(const HostFault &Refused, uint64_t Address);
  std::string name() const;

  const uint32_t CountMask; ///< of a copy's or a fill's word of bytes
  uint64_t Begin = 0;       ///< of the packet at hand
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_SDMAQUEUE_H
