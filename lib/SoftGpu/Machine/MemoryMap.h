//===- SoftGpu/Machine/MemoryMap.h - what device code may touch -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ranges of host memory that the emulated GPU may read, write and execute.
// Device addresses are host addresses: what is not listed here would otherwise
// be a wild access to our own process. Machine.h runs code against one map.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_MACHINE_MEMORYMAP_H
#define KPACK_SOFTGPU_MACHINE_MEMORYMAP_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace kpack::softgpu {

/// Generic addresses of LDS and of the private segment (64-bit apertures of
/// 4 GiB; the runtime's thunk must report the same).
constexpr uint64_t SharedAperture = uint64_t(0x1000000) << 32;
constexpr uint64_t PrivateAperture = uint64_t(0x2000000) << 32;
constexpr uint64_t ApertureSize = uint64_t(1) << 32;

/// Half-open range of addresses [Begin, End) with what may be done to it.
struct MemoryRange {
  uint64_t Begin = 0;
  uint64_t End = 0;
  bool Writable = true;
  /// What the range is, for messages: "hipMalloc block", "kernel arguments".
  /// Points to a string literal.
  const char *What = "allocation";
  /// What is added to an address here to get the process's own, modulo 2^64.
  /// Not 0 for host memory that a runtime gave the GPU another address for.
  uint64_t ToHost = 0;

  /// What is at \p Address, which is in this range.
  uint8_t *host(uint64_t Address) const {
    return reinterpret_cast<uint8_t *>(Address + ToHost);
  }
  bool contains(uint64_t Address, uint64_t Size) const {
    return Address >= Begin && Size <= End - Begin &&
           Address - Begin <= End - Begin - Size;
  }
};

/// Sorted, not overlapping. Readers take an immutable snapshot, so that a
/// running kernel never waits for an allocation of another thread.
/// All members are thread-safe.
class MemoryMap {
public:
  using Snapshot = std::vector<MemoryRange>;

  MemoryMap();

  /// A range that is added over others replaces the parts it covers.
  void add(MemoryRange Range);

  /// Forgets every part of [Begin, End).
  void remove(uint64_t Begin, uint64_t End);

  /// Changes with every add() and every remove() of something; never 0.
  uint64_t generation() const {
    return Generation.load(std::memory_order_acquire);
  }

  std::shared_ptr<const Snapshot> snapshot() const;

  /// The range that \p Address lies in, if any.
  std::optional<MemoryRange> find(uint64_t Address) const;

  /// What is at \p Address; null: it is in no range.
  uint8_t *host(uint64_t Address) const {
    std::optional<MemoryRange> Range = find(Address);
    return Range ? Range->host(Address) : nullptr;
  }

  /// One line on where \p Address is: "16 bytes past the end of a 4096-byte
  /// allocation at 0x7f...", or "in no allocation".
  std::string describe(uint64_t Address) const;

private:
  mutable std::mutex Lock;
  std::shared_ptr<const Snapshot> Ranges;
  std::atomic<uint64_t> Generation{1};
};

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_MACHINE_MEMORYMAP_H
