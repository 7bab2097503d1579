//===- EventsTest.cpp - events: waking and waiting ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that waits is let in first and only then is the event set, by its
// counter of waiters; nothing here depends on how long anything takes.
//
//===----------------------------------------------------------------------===//
#include "KmtFixture.h"
#include <thread>

using namespace kpack::softgpu;

namespace {

class KmtEvents : public KmtFixture {};

constexpr uint32_t Forever = HSA_EVENTTIMEOUT_INFINITE;

TEST_F(KmtEvents, AutoResetServesOneWait) {
  HsaEvent *E = createEvent();
  EXPECT_EQ(hsaKmtWaitOnEvent(E, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
  hsaKmtSetEvent(E);
  EXPECT_EQ(hsaKmtQueryEventState(E), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtWaitOnEvent(E, Forever), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtWaitOnEvent(E, 1), HSAKMT_STATUS_WAIT_TIMEOUT);
  EXPECT_EQ(hsaKmtDestroyEvent(E), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtSetEvent(E), HSAKMT_STATUS_INVALID_HANDLE);
}

TEST_F(KmtEvents, ManualResetStays) {
  HsaEvent *E = createEvent(/*ManualReset=*/true);
  hsaKmtSetEvent(E);
  EXPECT_EQ(hsaKmtWaitOnEvent(E, Forever), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtWaitOnEvent(E, Forever), HSAKMT_STATUS_SUCCESS);
  hsaKmtResetEvent(E);
  EXPECT_EQ(hsaKmtWaitOnEvent(E, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
  hsaKmtDestroyEvent(E);
}

TEST_F(KmtEvents, WaitForAnyAndForAll) {
  HsaEvent *Both[] = {createEvent(), createEvent()};
  hsaKmtSetEvent(Both[1]);
  EXPECT_EQ(hsaKmtWaitOnMultipleEvents(Both, 2, /*All=*/false, Forever),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtWaitOnMultipleEvents(Both, 2, false, 0),
            HSAKMT_STATUS_WAIT_TIMEOUT);
  hsaKmtSetEvent(Both[0]);
  hsaKmtSetEvent(Both[1]);
  EXPECT_EQ(hsaKmtWaitOnMultipleEvents(Both, 2, /*All=*/true, Forever),
            HSAKMT_STATUS_SUCCESS);
  for (HsaEvent *E : Both)
    hsaKmtDestroyEvent(E);
}

/// Each answers the other: a lost wake-up would be a hang.
TEST_F(KmtEvents, NoWakeUpIsLost) {
  HsaEvent *Ping = createEvent(), *Pong = createEvent();
  std::thread Other([&] {
    for (int I = 0; I < 3000; ++I) {
      hsaKmtWaitOnEvent(Ping, Forever);
      hsaKmtSetEvent(Pong);
    }
  });
  for (int I = 0; I < 3000; ++I) {
    hsaKmtSetEvent(Ping);
    ASSERT_EQ(hsaKmtWaitOnEvent(Pong, Forever), HSAKMT_STATUS_SUCCESS);
  }
  Other.join();
  hsaKmtDestroyEvent(Ping);
  hsaKmtDestroyEvent(Pong);
}

TEST_F(KmtEvents, DestroyingWakesWhoWaits) {
  HsaEvent *E = createEvent();
  std::thread Waiter([&] {
    // Either it has begun to wait, or it finds no event any more.
    EXPECT_NE(hsaKmtWaitOnEvent(E, Forever), HSAKMT_STATUS_SUCCESS);
  });
  hsaKmtDestroyEvent(E);
  Waiter.join();
}

TEST_F(KmtEvents, DeviceCodeSignalsByMailbox) {
  HsaEvent *E = createEvent(), *Other = createEvent();
  uint64_t Mailbox = E->EventData.HWData2;
  EXPECT_TRUE(sees(1, Mailbox));
  EXPECT_TRUE(sees(2, Mailbox));
  *reinterpret_cast<uint64_t *>(Mailbox) = E->EventId;
  Driver::opened()->Events.interrupt();
  EXPECT_EQ(hsaKmtWaitOnEvent(E, Forever), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtWaitOnEvent(Other, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
  Driver::opened()->Events.interrupt(); // the mailbox is empty again
  EXPECT_EQ(hsaKmtWaitOnEvent(E, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
  hsaKmtDestroyEvent(E);
  hsaKmtDestroyEvent(Other);
}

TEST_F(KmtEvents, MemoryFaultsBringTheirData) {
  HsaMemoryAccessFault Fault{};
  Fault.VirtualAddress = 0x1234;
  EXPECT_FALSE(Driver::opened()->Events.memoryFault(Fault));
  HsaEvent *E = createEvent(/*ManualReset=*/true, HSA_EVENTTYPE_MEMORY);
  EXPECT_TRUE(Driver::opened()->Events.memoryFault(Fault));
  EXPECT_EQ(hsaKmtWaitOnEvent(E, Forever), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(HSAuint64(E->EventData.EventData.MemoryAccessFault.VirtualAddress),
            0x1234u);
  hsaKmtDestroyEvent(E);
}

} // namespace
