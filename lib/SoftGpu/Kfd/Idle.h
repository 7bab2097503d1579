//===- Idle.h - threads that wait for memory to change ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A doorbell is plain memory that the host writes to: nothing wakes the packet
// processor that reads it. So its thread looks again and again, first at once,
// then after ever longer naps of up to 4 ms. A host thread that is about to
// wait for a GPU comes through this library and rings: that ends the naps of
// the queues which have packets, of no other, because programs wait thousands
// of times a second and have several queues. What a queue has completed rings
// as well, for queues that wait for it and for host threads.
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

/// Something may have changed; all members are thread-safe.
class ActivityBell {
public:
  /// Wakes host threads, and the queues that have packets.
  void ring();
  /// And the other queues.
  void wakeAll();

  /// For a host thread that waits for memory to change. Rings when \p Seen is
  /// 0; else returns when the bell has rung since it had that value, or after a
  /// millisecond. Then \p Seen is the new value.
  void await(uint64_t &Seen);

private:
  friend class Nap;
  struct Sleeper {
    std::condition_variable Woken;
    bool Rung = false;
    /// Of a queue; null: of a host thread.
    const uint64_t *ReadIndex = nullptr, *WriteIndex = nullptr;
    bool isConcerned() const;
  };

  /// Under Lock: until the bell rings for \p S, or the time is over.
  void sleep(Sleeper &S, std::unique_lock<std::mutex> &Guard,
             std::chrono::microseconds Longest);

  std::mutex Lock;
  std::vector<Sleeper *> Sleepers;
  uint64_t Rings = 0;
};

/// The patience of one thread.
class Nap {
public:
  /// The packets of its queue are between these, which differ then.
  Nap(ActivityBell &Bell, const uint64_t *ReadIndex, const uint64_t *WriteIndex)
      : Bell(Bell), ReadIndex(ReadIndex), WriteIndex(WriteIndex) {}

  /// There was something to do.
  void reset() {
    Looks = 0;
    Length = Shortest;
  }

  /// Returns after a while, or when the bell has rung: since the last call, or
  /// for packets of the queue.
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
