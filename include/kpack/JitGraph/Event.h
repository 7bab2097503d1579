//===- kpack/JitGraph/Event.h - calls that have begun -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What execute_async() takes and returns:
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
// An event may be copied, asked from any thread, and outlive the graph, whose
// end waits for what has begun.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITGRAPH_EVENT_H
#define KPACK_JITGRAPH_EVENT_H

#include "kpack/Support/Status.h"

#include <memory>

namespace kpack::jit {

/// Where a call is put: after everything that is on it. Of a GPU's runtime
/// (hipStream_t, CUstream), on the device of the graph; null: the graph's own.
struct Stream {
  void *handle = nullptr;
};

/// What of a call is waited for.
enum class EventPart : uint8_t { Inputs, All };

/// Who knows how far calls are, by their numbers. Thread-safe.
class EventSource {
public:
  virtual ~EventSource() = default;
  virtual bool isDone(uint64_t Call, EventPart Part) = 0;
  virtual Status wait(uint64_t Call, EventPart Part) = 0;
};

class Event {
public:
  /// Of a call that has ended well.
  Event() = default;
  Event(std::shared_ptr<EventSource> Of, uint64_t Call)
      : Of(std::move(Of)), Call(Call) {}

  /// Until results are there. Errors: Device, what the runtime says of this
  /// call or of one before it.
  Status wait() const { return waitFor(EventPart::All); }
  /// Until inputs may be written again.
  Status wait_for_inputs() const { return waitFor(EventPart::Inputs); }

  /// Whether wait() would return at once. After an error it is true.
  bool done() const { return !Of || Of->isDone(Call, EventPart::All); }
  /// Whether nothing of this call reads inputs any more.
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
