//===- kpack/JitGraph/Event.h - events of asynchronous calls ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The argument and the result of execute_async():
//
//   auto E = G->execute_async(Stream{MyStream}, {.t = 800});
//   if (!E)
//     return fail(E.status().message());
//   if (Status S = E->wait_for_inputs(); !S.ok())
//     return fail(S.message());
//   readNextSamples(G->io().mel);
//   if (Status S = E->wait(); !S.ok())
//     return fail(S.message());
//
// An event may be copied, used from any thread, and outlive the graph, whose
// destructor waits for calls that have begun.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_EVENT_H
#define KPACK_JITGRAPH_EVENT_H

#include "kpack/Support/Status.h"

#include <memory>

namespace kpack::jit {

/// The stream of a call, which runs after earlier work on it: hipStream_t or
/// CUstream on the device of the graph; null: the graph's stream.
struct Stream {
  void *handle = nullptr;
};

/// The part of a call to wait for.
enum class EventPart : uint8_t { Inputs, All };

/// Reports the progress of calls by their numbers. Thread-safe.
class EventSource {
public:
  virtual ~EventSource() = default;
  virtual bool isDone(uint64_t Call, EventPart Part) = 0;
  virtual Status wait(uint64_t Call, EventPart Part) = 0;
};

class Event {
public:
  /// The event of a call that has succeeded.
  Event() = default;
  Event(std::shared_ptr<EventSource> Source, uint64_t Call)
      : Of(std::move(Source)), Call(Call) {}

  /// Waits for the results. Errors: Device, an error of the runtime in this or
  /// an earlier call.
  Status wait() const { return waitFor(EventPart::All); }
  /// Waits until inputs may be written again.
  Status wait_for_inputs() const { return waitFor(EventPart::Inputs); }

  /// True if wait() would return at once, also after an error.
  bool done() const { return !Of || Of->isDone(Call, EventPart::All); }
  /// True if the call no longer reads inputs.
  bool inputs_consumed() const {
    return !Of || Of->isDone(Call, EventPart::Inputs);
  }

private:
  Status waitFor(EventPart Part) const {
    return Of ? Of->wait(Call, Part) : Status::success();
  }

  std::shared_ptr<EventSource> Of;
  uint64_t Call = 0;
};

} // namespace kpack::jit

#endif // KPACK_JITGRAPH_EVENT_H
