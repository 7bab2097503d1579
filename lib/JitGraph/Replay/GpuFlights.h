//===- GpuFlights.h - calls in flight on a GPU ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of one queue that have begun and may not have ended, each with two
// events of the runtime: inputs consumed, and complete. Calls share memory, so
// each runs after the previous one, even on another stream. Slots, and the
// memory that a call reads while it runs, are reused in turn:
//
//   call    4  5  6 ... 11
//   slot    4  5  6 ...  3
//
// Only the queue's owner begins calls; any thread may query them at any time.
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

  /// \p ReadsEarly: inputs are consumed some time before a call ends.
  GpuFlights(const GpuPlace &Place, bool ReadsEarly)
      : Place(Place), ReadsEarly(ReadsEarly) {}
  ~GpuFlights() override;

  bool isFull();
  bool isEmpty() const { return Ended.load() >= Begun; }
  /// Returns the slot of the next call.
  uint64_t slot() const { return Begun % Most; }

  // The steps of one call, in the device's context. They fail with Device.

  /// Orders later work on \p Stream after the previous call.
  Status begin(void *Stream);
  /// Records that only the work on \p Stream so far reads the inputs. With
  /// ReadsEarly, call this once.
  Status inputsRead(void *Stream);
  Result<Event> end(void *Stream);

  /// Waits for all calls that have begun.
  Status settle();

  bool isDone(uint64_t Call, EventPart Part) override;
  Status wait(uint64_t Call, EventPart Part) override;

private:
  struct Slot {
    void *Inputs = nullptr, *All = nullptr; ///< events of the runtime
    /// Number of the last failed call, and in the low 16 bits its error code.
    std::atomic<uint64_t> Failed{UINT64_MAX};
  };

  Status record(void *&Event, void *Stream);
  void *getEvent(uint64_t Call, EventPart Part) const {
    const Slot &S = Slots[Call % Most];
    return Part == EventPart::Inputs && ReadsEarly ? S.Inputs : S.All;
  }
  void finish(uint64_t Call, EventPart Part, int Code);
  int getFailure(uint64_t Call) const;

  const GpuPlace Place;
  const bool ReadsEarly;
  std::array<Slot, Most> Slots;
  uint64_t Begun = 0; ///< calls
  void *LastStream = nullptr;
  std::atomic<uint64_t> Ended{0};
};

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_REPLAY_GPUFLIGHTS_H
