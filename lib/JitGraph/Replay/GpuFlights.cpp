//===- GpuFlights.cpp - calls in flight on a GPU --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slot's events are recorded again once its call has ended. A concurrent
// query of the old call may then see the new one and wait for it: too long,
// never too short.
//
//===----------------------------------------------------------------------===//
#include "GpuFlights.h"

using namespace kpack;
using namespace kpack::jit;

GpuFlights::~GpuFlights() {
  OnDevice Current = Place.enter();
  for (const Slot &S : Slots)
    for (void *Event : {S.Inputs, S.All})
      if (Event)
        Place.Gpu->EventDestroy(Event);
}

bool GpuFlights::isFull() {
  return Begun >= Most && !isDone(Begun - Most, EventPart::All);
}

Status GpuFlights::begin(void *Stream) {
  if (isEmpty() || Stream == LastStream)
    return Status::success();
  void *Before = Slots[(Begun - 1) % Most].All;
  return Place.check(Place.Gpu->StreamWaitEvent(Stream, Before, 0), "stream");
}

/// Creates an event when its slot is first used.
Status GpuFlights::record(void *&Event, void *Stream) {
  int Code = Event ? 0 : Place.Gpu->createEvent(Event);
  if (Code == 0)
    Code = Place.Gpu->EventRecord(Event, Stream);
  return Place.check(Code, "event");
}

Status GpuFlights::inputsRead(void *Stream) {
  return record(Slots[slot()].Inputs, Stream);
}

Result<Event> GpuFlights::end(void *Stream) {
  if (Status S = record(Slots[slot()].All, Stream); !S.ok())
    return S;
  LastStream = Stream;
  return Event(shared_from_this(), Begun++);
}

Status GpuFlights::settle() {
  return isEmpty() ? Status::success() : wait(Begun - 1, EventPart::All);
}

/// Earlier calls have ended, too.
void GpuFlights::finish(uint64_t Call, EventPart Part, int Code) {
  if (Code != 0)
    Slots[Call % Most].Failed = Call << 16 | static_cast<uint16_t>(Code);
  uint64_t Before = Ended.load();
  while ((Part == EventPart::All || Code != 0) && Before <= Call &&
         !Ended.compare_exchange_weak(Before, Call + 1)) {
  }
}

int GpuFlights::getFailure(uint64_t Call) const {
  uint64_t Failed = Slots[Call % Most].Failed.load();
  return Failed >> 16 == Call ? static_cast<int>(Failed & UINT16_MAX) : 0;
}

bool GpuFlights::isDone(uint64_t Call, EventPart Part) {
  if (Ended.load() > Call)
    return true;
  OnDevice Current = Place.enter();
  bool Done = false;
  int Code = Place.Gpu->isDone(getEvent(Call, Part), Done);
  if (Code == 0 && !Done)
    return false;
  finish(Call, Part, Code);
  return true;
}

Status GpuFlights::wait(uint64_t Call, EventPart Part) {
  if (Ended.load() <= Call) {
    OnDevice Current = Place.enter();
    if (Current.failure() != 0)
      return Place.check(Current);
    finish(Call, Part, Place.Gpu->EventSynchronize(getEvent(Call, Part)));
  }
  return Place.check(getFailure(Call), "event");
}
