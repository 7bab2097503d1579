//===- Idle.h - threads that wait for memory to change ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A doorbell is plain memory that the host writes to: nothing wakes the packet
// processor behind it. So its thread looks again and again, first at once, then
// after ever longer naps of up to 4 ms. A host thread that is about to wait for
// a GPU comes through this library and cuts all naps short: where somebody is
// waiting, packets are found at once.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_IDLE_H
#define KPACK_LIB_SOFTGPU_KFD_IDLE_H

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace kpack::softgpu {

/// Something may have changed; all members are thread-safe.
class ActivityBell {
public:
  void ring() {
    {
      std::lock_guard<std::mutex> Guard(Lock);
      ++Rings;
    }
    Rung.notify_all();
  }

private:
  friend class Nap;
  std::mutex Lock;
  std::condition_variable Rung;
  uint64_t Rings = 0;
};

/// The patience of one thread.
class Nap {
public:
  explicit Nap(ActivityBell &Bell) : Bell(Bell) {}

  /// There was something to do.
  void reset() {
    Looks = 0;
    Length = Shortest;
  }

  /// Returns after a while, or when the bell has rung since the last call.
  void wait();

private:
  static constexpr std::chrono::microseconds Shortest{20}, Longest{4000};
  static constexpr unsigned LooksBeforeNap = 32;

  ActivityBell &Bell;
  uint64_t SeenRings = 0;
  unsigned Looks = 0;
  std::chrono::microseconds Length = Shortest;
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_IDLE_H
