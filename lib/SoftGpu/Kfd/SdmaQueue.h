//===- SdmaQueue.h - queues of the copy engines -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// System DMA: packets of a varying number of 32-bit words in a ring whose
// indices count bytes and never wrap (gfx9 and later). We know all packets that
// ROCr writes and a few related ones. An unknown packet or option, or an access
// to memory that is not mapped to the GPU, stops the queue with a message that
// names it. AqlQueue.h has queues of kernels.
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

  // The current packet:
  uint32_t word(uint64_t Index) const;
  uint64_t address(uint64_t Index) const;
  uint32_t option(unsigned FirstBit, unsigned Bits) const;

  // Packets:
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
  Outcome copy(uint64_t TargetAddress, uint64_t SourceAddress, uint64_t Size);
  template <typename T> T *variable(uint64_t Address);
  llvm::MutableArrayRef<uint8_t> memory(uint64_t Address, uint64_t Size,
                                        bool Written) const;

  Outcome fail(const std::string &Problem);
  Outcome failAccess(uint64_t Address, uint64_t Size, const char *Action);
  Outcome failRefused(const HostFault &Refused, uint64_t Address);
  std::string name() const;

  const uint32_t CountMask; ///< mask of a byte count
  uint64_t Begin = 0;       ///< of the current packet
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_SDMAQUEUE_H
