//===- GpuFlights.h - calls that run on a GPU -------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of one queue that have begun and may not have ended, each with two
// events of the runtime: its inputs are read, and all is done. They use the
// same memory, so each runs after the one before, on whatever streams they
// are. The last ones have numbers that are used in turn, as have places for
// what a call reads while it runs:
//
//   call    4  5  6 ... 11
//   slot    4  5  6 ...  3
//
// Whoever owns the queue begins calls; anybody asks, at any time.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_REPLAY_GPUFLIGHTS_H
#define KPACK_LIB_JITGRAPH_REPLAY_GPUFLIGHTS_H

#include "GpuPlace.h"

#include "kpack/JitGraph/Event.h"

#include <array>
#include <atomic>

namespace kpack::jit {

class GpuFlights final : public EventSource,
                         public std::enable_shared_from_this<GpuFlights> {
public:
  static constexpr uint64_t Most = 8;

  /// \p ReadsEarly: inputs are read some time before a call ends.
  GpuFlights(const GpuPlace &Place, bool ReadsEarly)
      : Place(Place), ReadsEarly(ReadsEarly) {}
  ~GpuFlights() override;

  bool isFull();
  bool isEmpty() const { return Ended.load() >= Begun; }
  /// That of the call that begins next.
  uint64_t slot() const { return Begun % Most; }

  // One call, on the device. Errors: Device.

  /// What is put on \p Stream from now on runs after the call before.
  Status begin(void *Stream);
  /// What has been put there is all that reads inputs. With ReadsEarly, once.
  Status inputsRead(void *Stream);
  Result<Event> end(void *Stream);

  /// Waits for all that has begun.
  Status settle();

  bool isDone(uint64_t Call, EventPart Part) override;
  Status wait(uint64_t Call, EventPart Part) override;

private:
  struct Slot {
    void *Inputs = nullptr, *All = nullptr; ///< events of the runtime
    /// Of the last call that has failed: its number, and the error's.
    std::atomic<uint64_t> Failed{UINT64_MAX};
  };

  Status record(void *&Event, void *Stream);
  void *eventOf(uint64_t Call, EventPart Part) const {
    const Slot &S = Slots[Call % Most];
    return Part == EventPart::Inputs && ReadsEarly ? S.Inputs : S.All;
  }
  void finish(uint64_t Call, EventPart Part, int Code);
  int failureOf(uint64_t Call) const;

  const GpuPlace Place;
  const bool ReadsEarly;
  std::array<Slot, Most> Slots;
  uint64_t Begun = 0; ///< calls
  void *LastStream = nullptr;
  std::atomic<uint64_t> Ended{0};
};

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_REPLAY_GPUFLIGHTS_H
