//===- HipFlights.cpp - calls that run on a GPU ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slot's events are recorded again when its call has ended. Who asks for that
// one at the same moment may see the new call, and then waits for it: too long,
// never too short.
//
//===----------------------------------------------------------------------===//
#include "HipFlights.h"

using namespace kpack;
using namespace kpack::jit;

HipFlights::~HipFlights() {
  OnDevice Current(Place);
  for (const Slot &S : Slots)
    for (void *Event : {S.Inputs, S.All})
      if (Event)
        Place.F.EventDestroy(Event);
}

bool HipFlights::isFull() {
  return Begun >= Most && !isDone(Begun - Most, EventPart::All);
}

Status HipFlights::begin(void *Stream) {
  if (isEmpty() || Stream == LastStream)
    return Status::success();
  void *Before = Slots[(Begun - 1) % Most].All;
  return Place.F.check(Place.F.StreamWaitEvent(Stream, Before, 0), "stream");
}

/// An event is made when its slot is first used.
Status HipFlights::record(void *&Event, void *Stream) {
  int Code = Event ? 0 : Place.F.EventCreate(&Event, HipFunctions::NoTiming);
  if (Code == 0)
    Code = Place.F.EventRecord(Event, Stream);
  return Place.F.check(Code, "event");
}

Status HipFlights::inputsRead(void *Stream) {
  return record(Slots[slot()].Inputs, Stream);
}

Result<Event> HipFlights::end(void *Stream) {
  if (Status S = record(Slots[slot()].All, Stream); !S.ok())
    return S;
  LastStream = Stream;
  return Event(shared_from_this(), Begun++);
}

Status HipFlights::settle() {
  return isEmpty() ? Status::success() : wait(Begun - 1, EventPart::All);
}

/// Those before it have ended, too.
void HipFlights::finish(uint64_t Call, EventPart Part, int Code) {
  if (Code != 0)
    Slots[Call % Most].Failed = Call << 16 | static_cast<uint16_t>(Code);
  uint64_t Before = Ended.load();
  while ((Part == EventPart::All || Code != 0) && Before <= Call &&
         !Ended.compare_exchange_weak(Before, Call + 1)) {
  }
}

int HipFlights::failureOf(uint64_t Call) const {
  uint64_t Failed = Slots[Call % Most].Failed.load();
  return Failed >> 16 == Call ? static_cast<int>(Failed & UINT16_MAX) : 0;
}

bool HipFlights::isDone(uint64_t Call, EventPart Part) {
  if (Ended.load() > Call)
    return true;
  OnDevice Current(Place);
  int Code = Place.F.EventQuery(eventOf(Call, Part));
  if (Code == HipFunctions::NotReady) {
    // It is no error of the program.
    Place.F.GetLastError();
    return false;
  }
  finish(Call, Part, Code);
  return true;
}

Status HipFlights::wait(uint64_t Call, EventPart Part) {
  if (Ended.load() <= Call) {
    OnDevice Current(Place);
    if (!Current.status().ok())
      return Current.status();
    finish(Call, Part, Place.F.EventSynchronize(eventOf(Call, Part)));
  }
  return Place.F.check(failureOf(Call), "event");
}
