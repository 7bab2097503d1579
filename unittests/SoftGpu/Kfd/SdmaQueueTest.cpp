//===- SdmaQueueTest.cpp - tests of the copy engines' packets -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packets as ROCr writes them, on gfx90a, and on gfx1030 where that differs.
//
//===----------------------------------------------------------------------===//
#include "KfdFixture.h"
#include <cstring>
#include <numeric>

using namespace kpack::softgpu;

namespace {

using Words = std::vector<uint32_t>;

uint32_t low(const void *P) { return uint32_t(reinterpret_cast<uint64_t>(P)); }
uint32_t high(const void *P) {
  return uint32_t(reinterpret_cast<uint64_t>(P) >> 32);
}

class KfdSdma : public KfdFixture {
protected:
  static constexpr uint32_t RingBytes = 256;
  struct Shared {
    uint64_t Read, Write;
    uint64_t Signal;
    uint64_t Times[2];
    uint32_t Polled;
    uint32_t Fenced;
  };

  void SetUp() override {
    KfdFixture::SetUp();
    S = allocate<Shared>({1, 2});
    Ring = allocate<uint8_t>({1, 2});
    From = allocate<uint8_t>({1, 2}, 2 * Page);
    To = allocate<uint8_t>({1, 2}, 2 * Page);
    std::iota(From, From + 2 * Page, uint8_t(3));
    std::memset(To, 0, 2 * Page);
    Mailboxes = allocate<uint64_t>({1}, EventTable::MaxEvents * 8);
    D->Events.useMailboxes(Mailboxes);
    Event = D->Events.create(KFD_IOC_EVENT_SIGNAL, /*AutoReset=*/true);
    Faults = D->Events.create(KFD_IOC_EVENT_MEMORY, /*AutoReset=*/false);
    create(1);
  }
  void TearDown() override {
    destroyQueue(Id);
    D->Events.destroy(Event);
    D->Events.destroy(Faults);
    D->Events.useMailboxes(nullptr);
    free(Mailboxes, EventTable::MaxEvents * 8);
    KfdFixture::TearDown();
  }

  void create(uint32_t Node, uint32_t Type = KFD_IOC_QUEUE_TYPE_SDMA) {
    destroyQueue(Id);
    S->Read = S->Write = 0;
    kfd_ioctl_create_queue_args A{};
    A.gpu_id = gpu(Node)->id();
    A.queue_type = Type;
    A.queue_percentage = 100;
    A.ring_base_address = reinterpret_cast<uint64_t>(Ring);
    A.ring_size = RingBytes;
    A.read_pointer_address = reinterpret_cast<uint64_t>(&S->Read);
    A.write_pointer_address = reinterpret_cast<uint64_t>(&S->Write);
    ASSERT_EQ(request(0x02, A), 0);
    Id = A.queue_id;
  }
  void submit(const Words &Packet) {
    uint64_t At = S->Write;
    for (uint32_t Word : Packet) {
      std::memcpy(Ring + At % RingBytes, &Word, 4);
      At += 4;
    }
    std::atomic_ref(S->Write).store(At, std::memory_order_release);
  }
  /// Until all that was submitted is done.
  void await() {
    while (std::atomic_ref(S->Read).load(std::memory_order_acquire) != S->Write)
      D->Activity.ring();
  }
  void run(const Words &Packet) {
    submit(Packet);
    await();
  }
  kfd_hsa_memory_exception_data awaitFault() {
    kfd_event_data Data{};
    Data.event_id = Faults;
    EXPECT_EQ(D->Events.wait(Data, /*All=*/true, Forever),
              EventTable::WaitResult::Met);
    return Data.memory_exception_data;
  }
  /// That the queue takes no packet, and says so as a hang of its engine.
  void expectRefused(const Words &Packet) {
    create(1);
    D->Events.reset(Faults);
    submit(Packet);
    EXPECT_EQ(awaitFault().ErrorType, 3u);
    EXPECT_EQ(S->Read, 0u);
  }

  static Words copyLinear(void *To, const void *From, uint32_t Bytes) {
    return {1, Bytes - 1, 0, low(From), high(From), low(To), high(To)};
  }
  static Words poll(const uint32_t &Where, uint32_t How, uint32_t Value,
                    uint32_t Mask = ~0u) {
    return {8 | How << 28 | 1u << 31, low(&Where), high(&Where), Value, Mask,
            0xfff << 16 | 4};
  }

  Shared *S = nullptr;
  uint8_t *Ring = nullptr, *From = nullptr, *To = nullptr;
  uint64_t *Mailboxes = nullptr;
  uint32_t Event = 0, Faults = 0, Id = 0;
};

TEST_F(KfdSdma, CopiesAndWrapsAround) {
  // 28 bytes do not divide the ring: some packets go on at its begin.
  for (unsigned Round = 0; Round < 50; ++Round)
    run(copyLinear(To + Round * 3, From + Round * 3, 3));
  EXPECT_EQ(std::memcmp(To, From, 150), 0);
  EXPECT_EQ(To[150], 0);
  EXPECT_EQ(S->Read, 50u * 28);
}

TEST_F(KfdSdma, XgmiQueuesCopyToo) {
  create(1, KFD_IOC_QUEUE_TYPE_SDMA_XGMI);
  run(copyLinear(To, From, Page));
  EXPECT_EQ(std::memcmp(To, From, Page), 0);
}

/// Ranges that lie side by side, as virtual memory management makes them, and
/// host memory that the GPU knows by another address.
TEST_F(KfdSdma, CopiesAcrossAllocations) {
  uint64_t Base = addresses(2 * Page);
  allocate({1}, Page, Base);
  auto *Second = allocate({1}, Page, Base + Page);
  auto *Parts = reinterpret_cast<uint8_t *>(Base);
  run(copyLinear(Parts, From, 2 * Page));
  EXPECT_EQ(std::memcmp(Parts, From, 2 * Page), 0);
  MemoryRange Alias{0x10000, 0x10000 + Page};
  Alias.ToHost = reinterpret_cast<uint64_t>(Second) - Alias.Begin;
  gpu(1)->memory().add(Alias);
  run(copyLinear(To, reinterpret_cast<void *>(0x10000), Page));
  EXPECT_EQ(std::memcmp(To, Second, Page), 0);
  gpu(1)->memory().remove(Alias.Begin, Alias.End);
}

TEST_F(KfdSdma, CopiesABox) {
  // 2 planes of 3 lines of 5 elements of 4 bytes; corners (1,2,1) and (2,0,0).
  unsigned Element = 2;
  Words Packet = {1 | 4 << 8 | Element << 29,
                  low(From),
                  high(From),
                  1 | 2 << 16,
                  1 | (16 - 1) << 13,
                  16 * 8 - 1,
                  low(To),
                  high(To),
                  2,
                  (20 - 1) << 13,
                  20 * 4 - 1,
                  (5 - 1) | (3 - 1) << 16,
                  2 - 1};
  run(Packet);
  unsigned Copied = 0;
  for (unsigned Z = 0; Z < 2; ++Z)
    for (unsigned Y = 0; Y < 3; ++Y)
      for (unsigned Byte = 0; Byte < 20; ++Byte, ++Copied)
        ASSERT_EQ(To[(2 + Y * 20 + Z * 80) * 4 + Byte],
                  From[(1 + (2 + Y) * 16 + (1 + Z) * 128) * 4 + Byte]);
  EXPECT_EQ(Copied, 120u);
  EXPECT_EQ(To[7], 0);
  EXPECT_EQ(To[(2 + 5) * 4], 0);
}

TEST_F(KfdSdma, FillsAndWrites) {
  run({11 | 2u << 30, low(To), high(To), 0x44332211, 8}); // as ROCr: bytes - 4
  EXPECT_EQ(
      std::memcmp(To, "\x11\x22\x33\x44\x11\x22\x33\x44\x11\x22\x33\x44", 13),
      0);
  run({11, low(To), high(To), 0x55, 2}); // bytes, one but them
  EXPECT_EQ(std::memcmp(To, "\x55\x55\x55\x44", 4), 0);
  run({2, low(To), high(To), 1, 0x66666666, 0x77777777});
  EXPECT_EQ(std::memcmp(To, "ffffwwww\x11", 9), 0);
}

/// What ROCr writes around a copy, in its order.
TEST_F(KfdSdma, SignalsAndTimestamps) {
  S->Signal = 1;
  S->Polled = 5;
  uint64_t *Mailbox = Mailboxes + Event;
  submit(poll(S->Polled, 3, 0));
  submit({13 | 2 << 8, low(&S->Times[0]), high(&S->Times[0])});
  submit({8, 0, 0x80000000, 0, 0, 0}); // flush of a cache of the host's
  submit(copyLinear(To, From, 100));
  submit({13 | 2 << 8, low(&S->Times[1]), high(&S->Times[1])});
  submit(
      {10 | 47u << 25, low(&S->Signal), high(&S->Signal), ~0u, ~0u, 0, 0, 0});
  submit({5, low(Mailbox), high(Mailbox), Event});
  submit({6, Event});
  submit({3 << 16, 1, 2, 3}); // nothing, in four words
  EXPECT_EQ(std::atomic_ref(S->Read).load(), 0u);
  EXPECT_EQ(To[0], 0);
  std::atomic_ref(S->Polled).store(0);
  D->Activity.ring();
  kfd_event_data Data{};
  Data.event_id = Event;
  EXPECT_EQ(D->Events.wait(Data, /*All=*/true, Forever),
            EventTable::WaitResult::Met);
  EXPECT_EQ(S->Signal, 0u);
  EXPECT_EQ(*Mailbox, 0u);
  EXPECT_EQ(std::memcmp(To, From, 100), 0);
  EXPECT_GT(S->Times[0], 0u);
  EXPECT_GE(S->Times[1], S->Times[0]);
  await();
}

TEST_F(KfdSdma, PollsCompare) {
  S->Polled = 0x105;
  struct {
    uint32_t How, Value;
  } Met[] = {{0, 9}, {1, 6}, {2, 5}, {3, 5}, {4, 4}, {5, 5}, {6, 4}};
  for (auto [How, Value] : Met)
    run(poll(S->Polled, How, Value, 0xff));
  struct {
    uint32_t How, Value;
  } Unmet[] = {{1, 5}, {2, 4}, {3, 4}, {4, 5}, {5, 6}, {6, 5}};
  for (auto [How, Value] : Unmet) {
    uint64_t Before = S->Read;
    submit(poll(S->Polled, How, Value, 0xff));
    submit({5, low(&S->Fenced), high(&S->Fenced), How});
    EXPECT_EQ(std::atomic_ref(S->Read).load(), Before);
    EXPECT_NE(std::atomic_ref(S->Fenced).load(), How);
    create(1); // it is left where it waits
  }
}

/// Engines since that of gfx90a count with 30 bits, older ones with 22.
TEST_F(KfdSdma, CopiesMuch) {
  constexpr uint64_t Size = 5 << 20;
  auto *Source = allocate({1}, Size), *Target = allocate({1}, Size);
  std::iota(Source, Source + Size, uint8_t(9));
  run(copyLinear(Target, Source, Size));
  EXPECT_EQ(std::memcmp(Target, Source, Size), 0);
  free(Source, Size);
  free(Target, Size);
}

TEST_F(KfdSdma, OnlyNewerEnginesHaveCacheRequests) {
  Words Flush = {17 | 1 << 8, 0, 0, 0, 0};
  expectRefused(Flush);
  create(2);
  run(Flush);
  EXPECT_EQ(S->Read, 20u);
}

TEST_F(KfdSdma, UnemulatedPacketIsAnError) {
  auto Changed = [&](unsigned Index, uint32_t Bits) {
    Words Packet = copyLinear(To, From, 16);
    Packet[Index] |= Bits;
    return Packet;
  };
  expectRefused({4, 0, 0, 0, 0, 0});  // indirect buffer
  expectRefused(Changed(0, 1 << 8));  // tiled
  expectRefused(Changed(0, 1 << 27)); // broadcast
  expectRefused(Changed(2, 1 << 16)); // bytes swapped
  expectRefused({11 | 3u << 30, low(To), high(To), 0, 8});
  expectRefused({8 | 3 << 28, 16, 0, 0, ~0u, 0xfff << 16}); // a register
  expectRefused({10 | 15 << 25, low(To), high(To), 1, 0, 0, 0, 0});
  expectRefused({5, low(To + 2), high(To), 1}); // not aligned
  expectRefused({1, 15, 0, low(From)});         // the rest is not there
}

TEST_F(KfdSdma, AccessesOutsideOfAllocationsAreFaults) {
  submit(copyLinear(To + Page, From, 2 * Page));
  kfd_hsa_memory_exception_data Fault = awaitFault();
  EXPECT_EQ(Fault.va, reinterpret_cast<uint64_t>(To) + 2 * Page);
  EXPECT_EQ(Fault.gpu_id, gpu(1)->id());
  EXPECT_EQ(Fault.failure.NotPresent, 1u);
  EXPECT_EQ(Fault.ErrorType, 0u);
  create(1);
  D->Events.reset(Faults);
  submit({5, 0x1000, 0, 1});
  EXPECT_EQ(awaitFault().va, 0x1000u);
}

} // namespace
