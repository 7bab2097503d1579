//===- MemoryMap.h - host memory that kernels may access --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ranges of host memory that the emulated GPU may read, write and execute.
// Device addresses are host addresses: without this list a wild access would
// hit our process. Machine.h runs code against one map.
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

/// Generic addresses of LDS and of the private segment (64-bit apertures of 4
/// GiB; the driver must report the same to the runtime's thunk).
constexpr uint64_t SharedAperture = uint64_t(0x1000000) << 32;
constexpr uint64_t PrivateAperture = uint64_t(0x2000000) << 32;
constexpr uint64_t ApertureSize = uint64_t(1) << 32;

/// Size of a host page, in bytes.
constexpr uint64_t PageBytes = 4096;

/// Half-open range of addresses [Begin, End) with its permissions.
struct MemoryRange {
  uint64_t Begin = 0;
  uint64_t End = 0;
  bool Writable = true;
  /// Description for messages: "hipMalloc block", "kernel arguments". Points to
  /// a string literal.
  const char *What = "allocation";
  /// The process's address minus the device address, modulo 2^64.
  /// Not 0 for host memory that a runtime mapped at another GPU address.
  uint64_t ToHost = 0;

  /// Returns the host memory at \p Address, which is in this range.
  uint8_t *host(uint64_t Address) const {
    return reinterpret_cast<uint8_t *>(Address + ToHost);
  }
  bool contains(uint64_t Address, uint64_t Size) const {
    return Address >= Begin && Size <= End - Begin &&
           Address - Begin <= End - Begin - Size;
  }
};

/// A set of sorted, disjoint ranges. Readers take an immutable snapshot, so
/// that a running kernel never waits for an allocation of another thread. All
/// members are thread-safe.
class MemoryMap {
public:
  using Snapshot = std::vector<MemoryRange>;

  MemoryMap();

  /// Adds a range, which replaces the parts of others that it covers.
  void add(MemoryRange Range);

  /// Removes every part of [Begin, End).
  void remove(uint64_t Begin, uint64_t End);

  /// Changes with every add() and every effective remove(); never 0.
  uint64_t generation() const {
    return Generation.load(std::memory_order_acquire);
  }

  std::shared_ptr<const Snapshot> snapshot() const;

  /// Returns the range that contains \p Address, if any.
  std::optional<MemoryRange> find(uint64_t Address) const;
  /// Returns the range of \p In that contains \p Address, or null.
  static const MemoryRange *find(const Snapshot &In, uint64_t Address);

  /// Returns the host memory at \p Address, or null if it is in no range.
  uint8_t *host(uint64_t Address) const {
    std::optional<MemoryRange> Range = find(Address);
    return Range ? Range->host(Address) : nullptr;
  }

  /// Describes the place of \p Address: "16 bytes past the end of a 4096-byte
  /// allocation at 0x7f...", or "in no allocation".
  std::string describe(uint64_t Address) const;

private:
  mutable std::mutex Lock;
  std::shared_ptr<const Snapshot> Ranges;
  std::atomic<uint64_t> Generation{1};
};

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_MACHINE_MEMORYMAP_H
