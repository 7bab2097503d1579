//===- GpuFlightsTest.cpp - tests of calls in flight on a GPU -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For a GPU that gets as far as the test says: what is put on its streams has a
// number, and is done when the GPU has reached that.
//
//===----------------------------------------------------------------------===//
#include "JitGraph/Replay/GpuFlights.h"

#include <gtest/gtest.h>

#include "kpack/JitGraph/GraphError.h"

#include <mutex>
#include <thread>

using namespace kpack;
using namespace kpack::jit;

namespace {

struct FakeEvent {
  std::atomic<uint64_t> At{0};
  std::atomic<int> Code{0};
};

/// Most of a runtime is not asked for.
class FakeRuntime final : public GpuRuntime {
public:
  FakeRuntime() : GpuRuntime(functions()) { Only = this; }

  int initialize(unsigned) override { return 0; }
  std::string errorName(int Code) const override {
    return std::to_string(Code);
  }
  int enter(int, void *&) const override { return 0; }
  void leave(void *) const override {}
  int currentDevice(int &) const override { return 1; }
  int target(int, std::string &) const override { return 1; }
  AddressFacts factsOf(int, const void *) const override { return {}; }
  bool canRead(const void *) const override { return false; }
  int load(void *&, const char *, std::string &) const override { return 1; }
  int launch(const GpuLaunch &) const override { return 1; }
  int allocateShared(void *&, size_t) const override { return 1; }
  int clear(void *, size_t) const override { return 1; }
  int toDevice(void *, const void *, size_t) const override { return 1; }
  int toHost(void *, const void *, size_t) const override { return 1; }
  int toDeviceOn(void *, void *, const void *, size_t) const override {
    return 1;
  }
  int createStream(void *&) const override { return 1; }
  int instantiate(void *&, void *) const override { return 1; }

  std::atomic<uint64_t> Put{0}, Reached{0}, WaitedFor{0};
  std::atomic<int> Events{0}, NextCode{0};

protected:
  GpuNodeParameters getParameters(GpuNode &) const override { return {}; }

private:
  static GpuFunctions functions();
  static FakeRuntime *Only;
};

FakeRuntime *FakeRuntime::Only = nullptr;

GpuFunctions FakeRuntime::functions() {
  GpuFunctions F;
  F.EventCreate = [](void **Event, unsigned) {
    *Event = new FakeEvent;
    ++Only->Events;
    return 0;
  };
  F.EventDestroy = [](void *Event) {
    delete static_cast<FakeEvent *>(Event);
    --Only->Events;
    return 0;
  };
  F.EventRecord = [](void *Event, void *) {
    static_cast<FakeEvent *>(Event)->At = ++Only->Put;
    static_cast<FakeEvent *>(Event)->Code = Only->NextCode.exchange(0);
    return 0;
  };
  F.StreamWaitEvent = [](void *, void *Event, unsigned) {
    Only->WaitedFor = static_cast<FakeEvent *>(Event)->At.load();
    return 0;
  };
  // The GPU gets there.
  F.EventSynchronize = [](void *Event) {
    auto &E = *static_cast<FakeEvent *>(Event);
    uint64_t Before = Only->Reached.load(), Target = E.At;
    while (Before < Target &&
           !Only->Reached.compare_exchange_weak(Before, Target)) {
    }
    return E.Code.load();
  };
  F.EventQuery = [](void *Event) {
    auto &E = *static_cast<FakeEvent *>(Event);
    return E.At <= Only->Reached ? E.Code.load() : 600;
  };
  return F;
}

class GpuFlightsTest : public testing::Test {
protected:
  Event begun(void *Stream = nullptr) {
    EXPECT_TRUE(Flights->begin(Stream).ok());
    EXPECT_TRUE(Flights->inputsRead(Stream).ok());
    Result<Event> E = Flights->end(Stream);
    EXPECT_TRUE(E.ok());
    return E ? *E : Event();
  }

  std::shared_ptr<FakeRuntime> Gpu = std::make_shared<FakeRuntime>();
  std::shared_ptr<GpuFlights> Flights =
      std::make_shared<GpuFlights>(GpuPlace{Gpu, 0}, /*ReadsEarly=*/true);
};

TEST_F(GpuFlightsTest, InputsAreReadBeforeTheEnd) {
  Event E = begun();
  EXPECT_FALSE(E.inputs_consumed());
  Gpu->Reached = 1;
  EXPECT_TRUE(E.inputs_consumed());
  EXPECT_FALSE(E.done());
  EXPECT_TRUE(E.wait_for_inputs().ok());
  EXPECT_EQ(Gpu->Reached, 1u);
  EXPECT_FALSE(Flights->isEmpty());
  EXPECT_TRUE(E.wait().ok());
  EXPECT_EQ(Gpu->Reached, 2u);
  EXPECT_TRUE(E.done());
  EXPECT_TRUE(Flights->isEmpty());
  EXPECT_TRUE(Event().done());
  EXPECT_TRUE(Event().wait().ok());
}

TEST_F(GpuFlightsTest, SlotsAreReusedWhenTheirCallEnds) {
  std::vector<Event> Events;
  for (uint64_t I = 0; I < GpuFlights::Most; ++I) {
    EXPECT_FALSE(Flights->isFull());
    EXPECT_EQ(Flights->slot(), I);
    Events.push_back(begun());
  }
  EXPECT_TRUE(Flights->isFull());
  Gpu->Reached = 1; // inputs alone
  EXPECT_TRUE(Flights->isFull());
  Gpu->Reached = 2;
  EXPECT_FALSE(Flights->isFull());
  EXPECT_EQ(Flights->slot(), 0u);
  Event Next = begun();
  // The first has ended, though its events are the new call's.
  EXPECT_TRUE(Events[0].done());
  EXPECT_FALSE(Events[1].done());
  EXPECT_FALSE(Next.done());
  EXPECT_TRUE(Flights->settle().ok());
  EXPECT_TRUE(Next.done());
  EXPECT_EQ(Gpu->Reached, Gpu->Put);
}

// All before it have ended, too.
TEST_F(GpuFlightsTest, ErrorsBelongToTheirCall) {
  Event First = begun();
  Gpu->NextCode = 0;
  EXPECT_TRUE(Flights->begin(nullptr).ok());
  EXPECT_TRUE(Flights->inputsRead(nullptr).ok());
  Gpu->NextCode = 719;
  Event Second = *Flights->end(nullptr);
  Event Third = begun();
  EXPECT_EQ(Second.wait().message(),
            "event: 719; AMD_LOG_LEVEL=3 shows what HIP has done");
  EXPECT_EQ(graphErrorOf(Second.wait()), GraphErrc::Device);
  EXPECT_TRUE(Second.done());
  EXPECT_TRUE(First.wait().ok());
  EXPECT_TRUE(Third.wait().ok());
  // Also where its slot is another call's.
  for (uint64_t I = 0; I < GpuFlights::Most; ++I)
    EXPECT_TRUE(begun().wait().ok());
}

TEST_F(GpuFlightsTest, OtherStreamsWait) {
  int A, B;
  begun(&A);
  EXPECT_EQ(Gpu->WaitedFor, 0u);
  begun(&A);
  EXPECT_EQ(Gpu->WaitedFor, 0u);
  begun(&B);
  EXPECT_EQ(Gpu->WaitedFor, 4u); // the end of the second
  EXPECT_TRUE(Flights->settle().ok());
  begun(&A); // behind nothing
  EXPECT_EQ(Gpu->WaitedFor, 4u);
}

TEST_F(GpuFlightsTest, EventsOutliveTheGraph) {
  Event E = begun();
  EXPECT_TRUE(Flights->settle().ok());
  Flights.reset();
  EXPECT_EQ(Gpu->Events, 2);
  EXPECT_TRUE(E.done());
  EXPECT_TRUE(E.wait().ok());
  E = Event();
  EXPECT_EQ(Gpu->Events, 0);
}

// One begins calls, others ask for them.
TEST_F(GpuFlightsTest, ThreadsQueryEvents) {
  std::atomic<bool> IsEnd{false};
  std::mutex Lock;
  Event Last;
  std::vector<std::thread> Asks;
  std::atomic<int> Wrong{0};
  for (int I = 0; I < 3; ++I)
    Asks.emplace_back([&] {
      while (!IsEnd) {
        Event E;
        {
          std::lock_guard<std::mutex> Held(Lock);
          E = Last;
        }
        E.inputs_consumed();
        E.done();
        Wrong += !E.wait_for_inputs().ok() || !E.wait().ok() || !E.done();
      }
    });
  for (int I = 0; I < 3000; ++I) {
    while (Flights->isFull())
      EXPECT_TRUE(Flights->settle().ok());
    Event E = begun();
    std::lock_guard<std::mutex> Held(Lock);
    Last = E;
  }
  IsEnd = true;
  for (std::thread &T : Asks)
    T.join();
  EXPECT_EQ(Wrong, 0);
}

} // namespace
