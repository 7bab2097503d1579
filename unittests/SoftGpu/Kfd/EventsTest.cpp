//===- EventsTest.cpp - tests of events and their waiters -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing here depends on how long anything takes.
//
//===----------------------------------------------------------------------===//
#include "../../../lib/SoftGpu/Kfd/Events.h"

#include "gtest/gtest.h"

#include <thread>
#include <vector>

using namespace kpack::softgpu;

namespace {

using Result = EventTable::WaitResult;
constexpr uint32_t Forever = ~uint32_t(0);

class KfdEvents : public testing::Test {
protected:
  uint32_t create(bool AutoReset = true, uint32_t Type = KFD_IOC_EVENT_SIGNAL) {
    return Events.create(Type, AutoReset);
  }
  Result wait(const std::vector<uint32_t> &Ids, uint32_t Milliseconds,
              bool All = true) {
    Data.assign(Ids.size(), {});
    for (size_t I = 0; I < Ids.size(); ++I)
      Data[I].event_id = Ids[I];
    return Events.wait(Data, All, Milliseconds);
  }

  EventTable Events;
  std::vector<kfd_event_data> Data; ///< of the last wait
};

TEST_F(KfdEvents, AutoResetServesOneWait) {
  uint32_t E = create();
  EXPECT_EQ(wait({E}, 0), Result::TimedOut);
  EXPECT_TRUE(Events.set(E));
  EXPECT_EQ(wait({E}, Forever), Result::Met);
  EXPECT_EQ(wait({E}, 1), Result::TimedOut);
  EXPECT_TRUE(Events.destroy(E));
  EXPECT_FALSE(Events.set(E));
  EXPECT_FALSE(Events.reset(E));
  EXPECT_FALSE(Events.destroy(E));
  EXPECT_EQ(wait({E}, Forever), Result::NoSuchEvent);
}

TEST_F(KfdEvents, ManualResetStays) {
  uint32_t E = create(/*AutoReset=*/false);
  Events.set(E);
  EXPECT_EQ(wait({E}, Forever), Result::Met);
  EXPECT_EQ(wait({E}, Forever), Result::Met);
  EXPECT_TRUE(Events.reset(E));
  EXPECT_EQ(wait({E}, 0), Result::TimedOut);
}

TEST_F(KfdEvents, WaitForAnyAndForAll) {
  uint32_t First = create(), Second = create();
  Events.set(Second);
  EXPECT_EQ(wait({First, Second}, Forever, /*All=*/false), Result::Met);
  EXPECT_EQ(wait({First, Second}, 0, /*All=*/false), Result::TimedOut);
  Events.set(First);
  Events.set(Second);
  EXPECT_EQ(wait({First, Second}, Forever, /*All=*/true), Result::Met);
}

/// What was set between two waits is not missed by one who remembers the age.
TEST_F(KfdEvents, EventAgeShowsMissedSets) {
  uint32_t E = create();
  kfd_event_data Mine{};
  Mine.event_id = E;
  auto &Age = reinterpret_cast<kfd::SignalEventData &>(Mine).LastEventAge;
  Age = 1; // of a new one
  EXPECT_EQ(Events.wait(Mine, true, 0), Result::TimedOut);
  EXPECT_EQ(Age, 1u);
  Events.set(E);
  ASSERT_EQ(wait({E}, 0), Result::Met); // another has taken it
  EXPECT_EQ(Events.wait(Mine, true, 0), Result::Met);
  EXPECT_EQ(Age, 2u);
  EXPECT_EQ(Events.wait(Mine, true, 0), Result::TimedOut);
}

/// A thread that forgets ages learns the same one again after a while, or it
/// would ask without end; another thread does at once, and what is set later is
/// news to both.
TEST_F(KfdEvents, WaitWithoutAgeIsRepeatedLater) {
  uint32_t E = create();
  auto WaitWithoutAge = [&](uint32_t Milliseconds) {
    kfd_event_data Mine{};
    Mine.event_id = E;
    reinterpret_cast<kfd::SignalEventData &>(Mine).LastEventAge = 1;
    return Events.wait(Mine, true, Milliseconds);
  };
  // Nobody was told anything of an event that was never set.
  EXPECT_EQ(WaitWithoutAge(20), Result::TimedOut);
  EXPECT_EQ(WaitWithoutAge(20), Result::TimedOut);
  Events.set(E);
  ASSERT_EQ(wait({E}, 0), Result::Met); // it is not signalled any longer
  EXPECT_EQ(WaitWithoutAge(0), Result::Met);
  EXPECT_EQ(WaitWithoutAge(0), Result::TimedOut);
  auto Begin = std::chrono::steady_clock::now();
  for (int Times = 0; Times < 5; ++Times)
    EXPECT_EQ(WaitWithoutAge(Forever), Result::Met);
  EXPECT_GE(std::chrono::steady_clock::now() - Begin,
            std::chrono::milliseconds(5));
  std::thread([&] { EXPECT_EQ(WaitWithoutAge(0), Result::Met); }).join();
  Events.set(E);
  ASSERT_EQ(wait({E}, 0), Result::Met);
  EXPECT_EQ(WaitWithoutAge(0), Result::Met);
  EXPECT_EQ(WaitWithoutAge(0), Result::TimedOut);
}

/// Each answers the other: a lost wake-up would be a hang.
TEST_F(KfdEvents, NoWakeUpIsLost) {
  uint32_t Ping = create(), Pong = create();
  std::thread Other([&] {
    for (int I = 0; I < 3000; ++I) {
      kfd_event_data Mine{};
      Mine.event_id = Ping;
      Events.wait(Mine, true, Forever);
      Events.set(Pong);
    }
  });
  for (int I = 0; I < 3000; ++I) {
    Events.set(Ping);
    ASSERT_EQ(wait({Pong}, Forever), Result::Met);
  }
  Other.join();
}

TEST_F(KfdEvents, DestroyWakesWaiters) {
  uint32_t E = create();
  std::thread Waiter([&] {
    // Either it has begun to wait, or it finds no event any more.
    EXPECT_NE(wait({E}, Forever), Result::Met);
  });
  Events.destroy(E);
  Waiter.join();
}

TEST_F(KfdEvents, DeviceCodeSignalsByMailbox) {
  std::vector<uint64_t> Mailboxes(EventTable::MaxEvents, 0);
  Events.interrupt(); // nobody has said where they are
  Events.useMailboxes(Mailboxes.data());
  uint32_t E = create(), Other = create();
  Mailboxes[E] = E;
  Events.interrupt();
  EXPECT_EQ(wait({E}, Forever), Result::Met);
  EXPECT_EQ(wait({Other}, 0), Result::TimedOut);
  Events.interrupt(); // the mailbox is empty again
  EXPECT_EQ(wait({E}, 0), Result::TimedOut);
}

TEST_F(KfdEvents, MemoryFaultsBringTheirData) {
  kfd_hsa_memory_exception_data Fault{};
  Fault.va = 0x1234;
  EXPECT_FALSE(Events.memoryFault(Fault));
  uint32_t E = create(/*AutoReset=*/false, KFD_IOC_EVENT_MEMORY);
  EXPECT_TRUE(Events.memoryFault(Fault));
  EXPECT_EQ(wait({E}, Forever), Result::Met);
  EXPECT_EQ(Data[0].memory_exception_data.va, 0x1234u);
}

TEST_F(KfdEvents, NumberOfEventsIsLimited) {
  for (uint32_t I = 1; I < EventTable::MaxEvents; ++I)
    ASSERT_NE(create(), 0u);
  EXPECT_EQ(create(), 0u);
  EXPECT_TRUE(Events.destroy(77));
  EXPECT_EQ(create(), 77u);
}

} // namespace
