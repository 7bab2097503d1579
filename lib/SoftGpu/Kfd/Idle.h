//===- Idle.h - waits for doorbells and signals -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A doorbell is plain memory that the host writes to: the write wakes no
// thread. So the queue's thread polls, first without pause, then with growing
// naps of up to 4 ms. A host thread that is about to wait for a GPU comes
// through this library and rings the bell. That ends the naps of the queues
// that have packets but of no others, because programs wait thousands of times
// a second and have several queues. The completion of a packet rings as well,
// for dependent queues and for host threads.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_IDLE_H
#define KPACK_LIB_SOFTGPU_KFD_IDLE_H

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

namespace kpack::softgpu {

/// Signals that memory may have changed. All members are thread-safe.
class ActivityBell {
public:
  /// Wakes host threads, and the queues that have packets.
  void ring();
  /// Wakes host threads and all queues.
  void wakeAll();

  /// Waits in a host thread for memory to change. Rings if \p Seen is 0; else
  /// returns when the bell has rung since \p Seen was set, or after a
  /// millisecond. Sets \p Seen.
  void await(uint64_t &Seen);

private:
  friend class Nap;
  struct Sleeper {
    std::condition_variable Woken;
    bool Rung = false;
    /// Indices of a queue; null for a host thread.
    const uint64_t *ReadIndex = nullptr, *WriteIndex = nullptr;
    bool isConcerned() const;
  };

  /// Sleeps until the bell rings for \p S or the time is over. The caller holds
  /// Lock.
  void sleep(Sleeper &S, std::unique_lock<std::mutex> &Guard,
             std::chrono::microseconds Longest);

  std::mutex Lock;
  std::vector<Sleeper *> Sleepers;
  uint64_t Rings = 0;
};

/// Waits of one queue's thread, with growing naps.
class Nap {
public:
  /// The queue has packets while the two indices differ.
  Nap(ActivityBell &Bell, const uint64_t *ReadIndex, const uint64_t *WriteIndex)
      : Bell(Bell), ReadIndex(ReadIndex), WriteIndex(WriteIndex) {}

  /// Call this after work was found.
  void reset() {
    Looks = 0;
    Length = Shortest;
  }

  /// Returns after a while, or when the bell has rung since the last call or
  /// rings for packets of the queue.
  void wait();

private:
  static constexpr std::chrono::microseconds Shortest{20}, Longest{4000};
  static constexpr unsigned LooksBeforeNap = 32;

  ActivityBell &Bell;
  const uint64_t *const ReadIndex, *const WriteIndex;
  uint64_t SeenRings = 0;
  unsigned Looks = 0;
  std::chrono::microseconds Length = Shortest;
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_IDLE_H
