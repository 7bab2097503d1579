//===- QueueTest.cpp - queues and their packets ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A queue as ROCr makes one, with kernels of a few instructions for gfx90a.
// Encodings: llvm-mc -mcpu=gfx90a -show-encoding.
//
//===----------------------------------------------------------------------===//
#include "KmtFixture.h"
#include <cstring>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <sys/mman.h>
#include <thread>

using namespace kpack::softgpu;

namespace {

constexpr uint32_t Forever = HSA_EVENTTIMEOUT_INFINITE;
constexpr uint32_t RingPackets = 16;

class KmtQueue : public KmtFixture {
protected:
  struct Shared {
    amd_queue_t Queue;
    amd_signal_t Inactive, Done, Dependency;
    uint64_t Kernargs[8];
    uint32_t Result;
    uint32_t Commands[16];
  };

  void SetUp() override {
    KmtFixture::SetUp();
    S = allocate<Shared>(0, sizeof(Shared));
    Ring = allocate<uint8_t>(0, RingPackets * 64);
    Code = allocate<uint32_t>(1, Page);
    for (void *P : {static_cast<void *>(S), static_cast<void *>(Ring),
                    static_cast<void *>(Code)})
      map(P, {1});
    for (uint32_t I = 0; I < RingPackets; ++I)
      header(I) = HSA_PACKET_TYPE_INVALID;
    Event = createEvent();
    for (amd_signal_t *Signal : {&S->Inactive, &S->Done, &S->Dependency}) {
      Signal->event_mailbox_ptr = Event->EventData.HWData2;
      Signal->event_id = Event->EventId;
    }
    S->Done.value = 1;
    S->Dependency.value = 1;
    S->Queue.read_dispatch_id_field_base_byte_offset =
        offsetof(amd_queue_t, read_dispatch_id);
    S->Queue.queue_inactive_signal = handle(S->Inactive);
    HsaQueueResource Resource{};
    Resource.Queue_read_ptr_aql =
        const_cast<uint64_t *>(&S->Queue.read_dispatch_id);
    Resource.Queue_write_ptr_aql =
        const_cast<uint64_t *>(&S->Queue.write_dispatch_id);
    ASSERT_EQ(hsaKmtCreateQueue(1, HSA_QUEUE_COMPUTE_AQL, 100,
                                HSA_QUEUE_PRIORITY_NORMAL, Ring,
                                RingPackets * 64, nullptr, &Resource),
              HSAKMT_STATUS_SUCCESS);
    Id = Resource.QueueId;
  }

  void TearDown() override {
    destroy();
    hsaKmtDestroyEvent(Event);
    free(S);
    free(Ring);
    free(Code);
    KmtFixture::TearDown();
  }

  void destroy() {
    if (Id)
      EXPECT_EQ(hsaKmtDestroyQueue(Id), HSAKMT_STATUS_SUCCESS);
    Id = 0;
  }

  static hsa_signal_t handle(amd_signal_t &Signal) {
    return {reinterpret_cast<uint64_t>(&Signal)};
  }
  uint16_t &header(uint64_t Packet) {
    return *reinterpret_cast<uint16_t *>(Ring + Packet % RingPackets * 64);
  }
  static int64_t load(amd_signal_t &Signal) {
    return std::atomic_ref<int64_t>(const_cast<int64_t &>(Signal.value))
        .load(std::memory_order_acquire);
  }
  static void store(amd_signal_t &Signal, int64_t Value) {
    std::atomic_ref<int64_t>(const_cast<int64_t &>(Signal.value))
        .store(Value, std::memory_order_release);
  }

  /// A descriptor at \p At with \p Words behind it; the kernel argument is in
  /// s[0:1].
  uint64_t kernel(std::initializer_list<uint32_t> Words, unsigned At = 0) {
    uint32_t *D = Code + At;
    std::fill(D, D + 16, 0);
    D[4] = 64;      // entry, from here
    D[13] = 2 << 1; // user SGPRs
    D[14] = 1 << 3; // the kernel arguments' address
    std::copy(Words.begin(), Words.end(), D + 16);
    return reinterpret_cast<uint64_t>(D);
  }
  /// Writes \p Value (0 to 64) to where the first argument points to.
  uint64_t storeKernel(uint32_t Value, uint32_t Last = 0xbf810000) {
    S->Kernargs[0] = reinterpret_cast<uint64_t>(&S->Result);
    return kernel({0xc0060000, 0,               // s_load_dwordx2 s[0:1]
                   0x7e000280,                  // v_mov_b32 v0, 0
                   0x7e020200 | (0x80 + Value), // v_mov_b32 v1, Value
                   0xbf8cc07f,                  // s_waitcnt lgkmcnt(0)
                   0xdc708000, 0x00000100,      // global_store_dword
                   Last});                      // s_endpgm
  }
  /// Stores 1 and then branches to itself for ever.
  uint64_t endlessKernel() { return storeKernel(1, 0xbf82ffff); }

  /// Puts a packet into the ring as a host thread does.
  template <typename T> void submit(T Packet) {
    static_assert(sizeof(T) == 64);
    uint64_t Index = std::atomic_ref<uint64_t>(
                         const_cast<uint64_t &>(S->Queue.write_dispatch_id))
                         .fetch_add(1, std::memory_order_acq_rel);
    std::memcpy(Ring + Index % RingPackets * 64 + 2,
                reinterpret_cast<char *>(&Packet) + 2, 62);
    std::atomic_ref<uint16_t>(header(Index))
        .store(Packet.header, std::memory_order_release);
  }
  void dispatch(uint64_t Kernel, hsa_signal_t Completion) {
    hsa_kernel_dispatch_packet_t P{};
    P.header = HSA_PACKET_TYPE_KERNEL_DISPATCH;
    P.setup = 1;
    P.workgroup_size_x = 64;
    P.workgroup_size_y = P.workgroup_size_z = 1;
    P.grid_size_x = 64;
    P.grid_size_y = P.grid_size_z = 1;
    P.kernel_object = Kernel;
    P.kernarg_address = S->Kernargs;
    P.completion_signal = Completion;
    submit(P);
  }
  void barrier(uint8_t Type, std::initializer_list<hsa_signal_t> Signals) {
    hsa_barrier_and_packet_t P{};
    P.header = Type;
    std::copy(Signals.begin(), Signals.end(), P.dep_signal);
    P.completion_signal = handle(S->Done);
    submit(P);
  }
  /// Until \p Signal has \p Value.
  void await(amd_signal_t &Signal, int64_t Value) {
    while (load(Signal) != Value)
      ASSERT_EQ(hsaKmtWaitOnEvent(Event, Forever), HSAKMT_STATUS_SUCCESS);
  }

  Shared *S = nullptr;
  uint8_t *Ring = nullptr;
  uint32_t *Code = nullptr;
  HsaEvent *Event = nullptr;
  HSA_QUEUEID Id = 0;
};

TEST_F(KmtQueue, KernelsRunInOrderAndComplete) {
  const uint64_t Kernel = storeKernel(42);
  dispatch(Kernel, handle(S->Done));
  await(S->Done, 0);
  EXPECT_EQ(S->Result, 42u);
  EXPECT_GT(S->Done.start_ts, 0u);
  EXPECT_GE(S->Done.end_ts, S->Done.start_ts);
  EXPECT_EQ(S->Queue.read_dispatch_id, 1u);
  EXPECT_EQ(header(0), HSA_PACKET_TYPE_INVALID);
  // More of them than the ring has slots. The kernel is not written again: the
  // queue reads it meanwhile.
  for (int Round = 0; Round < 5; ++Round) {
    store(S->Done, 10);
    for (int I = 0; I < 10; ++I)
      dispatch(Kernel, handle(S->Done));
    await(S->Done, 0);
  }
  EXPECT_EQ(S->Queue.read_dispatch_id, 51u);
}

TEST_F(KmtQueue, CodeIsForgottenWithItsMemory) {
  dispatch(storeKernel(1), handle(S->Done));
  await(S->Done, 0);
  free(Code);
  // The same addresses again, as a caller may ask for.
  auto *Old = Code;
  ASSERT_EQ(::munmap(Old, Page + (1 << 18)), 0); // with its guard
  void *Again = Old;
  HsaMemFlags Flags{};
  Flags.ui32.FixedAddress = 1;
  ASSERT_EQ(hsaKmtAllocMemory(1, Page, Flags, &Again), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Again, Old);
  map(Again, {1});
  store(S->Done, 1);
  dispatch(storeKernel(2), handle(S->Done));
  await(S->Done, 0);
  EXPECT_EQ(S->Result, 2u);
}

/// What ROCr submits after it has written code.
TEST_F(KmtQueue, CacheInvalidationForgetsCode) {
  dispatch(storeKernel(1), handle(S->Done));
  await(S->Done, 0);
  uint64_t Kernel = storeKernel(3); // written over the first
  std::fill(S->Commands, S->Commands + 7, 0);
  S->Commands[0] = 3u << 30 | 5u << 16 | 0x58u << 8; // ACQUIRE_MEM, 7 words
  auto Begin = reinterpret_cast<uint64_t>(S->Commands);
  hsa_barrier_and_packet_t P{};
  uint32_t Words[16] = {};
  Words[0] = 1u << 16; // vendor packet: PM4 in a buffer
  Words[2] = uint32_t(Begin);
  Words[3] = uint32_t(Begin >> 32);
  Words[4] = 7;
  std::memcpy(&P, Words, 64);
  submit(P);
  store(S->Done, 1);
  dispatch(Kernel, handle(S->Done));
  await(S->Done, 0);
  EXPECT_EQ(S->Result, 3u);
}

TEST_F(KmtQueue, BarrierAndWaitsForAll) {
  store(S->Inactive, 0);
  barrier(HSA_PACKET_TYPE_BARRIER_AND,
          {handle(S->Dependency), {0}, handle(S->Inactive)});
  dispatch(storeKernel(5), {0});
  EXPECT_EQ(load(S->Done), 1);
  EXPECT_EQ(std::atomic_ref<uint32_t>(S->Result).load(), 0u);
  store(S->Dependency, 0);
  hsaKmtSetEvent(Event);
  await(S->Done, 0);
}

TEST_F(KmtQueue, BarrierOrWaitsForOne) {
  amd_signal_t &Never = S->Inactive;
  store(Never, 1);
  barrier(HSA_PACKET_TYPE_BARRIER_OR, {handle(Never), handle(S->Dependency)});
  store(S->Dependency, 0);
  await(S->Done, 0);
  EXPECT_EQ(load(Never), 1);
}

TEST_F(KmtQueue, BarrierValueCompares) {
  hsa_amd_barrier_value_packet_t P{};
  P.header.header = HSA_PACKET_TYPE_VENDOR_SPECIFIC;
  P.header.AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE;
  P.signal = handle(S->Dependency);
  P.mask = 0xff;
  P.value = 7;
  P.cond = HSA_SIGNAL_CONDITION_GTE;
  P.completion_signal = handle(S->Done);
  hsa_barrier_and_packet_t Packet;
  std::memcpy(&Packet, &P, 64);
  submit(Packet);
  store(S->Dependency, 0x106); // 6 behind the mask
  store(S->Dependency, 0x107);
  await(S->Done, 0);
}

TEST_F(KmtQueue, AFaultStopsTheQueueAndIsSignalled) {
  uint32_t *FarAway = reinterpret_cast<uint32_t *>(uint64_t(0x10000));
  uint64_t Kernel = storeKernel(1);
  S->Kernargs[0] = reinterpret_cast<uint64_t>(FarAway);
  dispatch(Kernel, handle(S->Done));
  await(S->Inactive, 0x20000000); // nobody has an event for memory faults
  EXPECT_EQ(load(S->Done), 1);
}

TEST_F(KmtQueue, AMemoryFaultIsAnEvent) {
  HsaEvent *Memory = createEvent(/*ManualReset=*/true, HSA_EVENTTYPE_MEMORY);
  uint64_t Kernel = storeKernel(1);
  S->Kernargs[0] = 0x10000;
  dispatch(Kernel, handle(S->Done));
  ASSERT_EQ(hsaKmtWaitOnEvent(Memory, Forever), HSAKMT_STATUS_SUCCESS);
  const auto &Fault = Memory->EventData.EventData.MemoryAccessFault;
  EXPECT_EQ(HSAuint32(Fault.NodeId), 1u);
  EXPECT_EQ(HSAuint64(Fault.VirtualAddress), 0x10000u);
  EXPECT_EQ(Fault.Failure.NotPresent, 1u);
  EXPECT_EQ(Fault.Flags, HSA_EVENTID_MEMORY_FATAL_PROCESS);
  destroy();
  hsaKmtDestroyEvent(Memory);
}

TEST_F(KmtQueue, TrapsAndIllegalInstructionsHaveErrors) {
  dispatch(kernel({0xbf920002}), handle(S->Done)); // s_trap 2
  await(S->Inactive, 0x80000000);
}

TEST_F(KmtQueue, UnknownPacketsAreErrors) {
  barrier(HSA_PACKET_TYPE_AGENT_DISPATCH, {});
  await(S->Inactive, 32);
}

TEST_F(KmtQueue, SignalsOutsideOfDeviceMemoryAreErrors) {
  amd_signal_t OnTheStack{};
  dispatch(storeKernel(1), handle(OnTheStack));
  await(S->Inactive, 32);
}

TEST_F(KmtQueue, DestroyingEndsAKernel) {
  dispatch(endlessKernel(), handle(S->Done));
  while (std::atomic_ref<uint32_t>(S->Result).load() != 1) // it has begun
    std::this_thread::yield();
  destroy();
  EXPECT_EQ(load(S->Done), 1);
}

TEST_F(KmtQueue, AnInactiveQueueBeginsNothing) {
  hsaKmtUpdateQueue(Id, 0, HSA_QUEUE_PRIORITY_NORMAL, nullptr, 0, nullptr);
  dispatch(storeKernel(9), handle(S->Done));
  hsaKmtUpdateQueue(Id, 100, HSA_QUEUE_PRIORITY_NORMAL, nullptr, 0, nullptr);
  await(S->Done, 0);
  EXPECT_EQ(S->Result, 9u);
}

TEST_F(KmtQueue, WrongQueuesAreRefused) {
  HsaQueueResource R{};
  uint64_t Index = 0;
  R.Queue_read_ptr_aql = R.Queue_write_ptr_aql = &Index;
  auto Create = [&](uint32_t Node, HSA_QUEUE_TYPE Type, void *Address,
                    uint64_t Size) {
    return hsaKmtCreateQueue(Node, Type, 100, HSA_QUEUE_PRIORITY_NORMAL,
                             Address, Size, nullptr, &R);
  };
  EXPECT_EQ(Create(0, HSA_QUEUE_COMPUTE_AQL, Ring, 1024),
            HSAKMT_STATUS_INVALID_NODE_UNIT);
  EXPECT_EQ(Create(1, HSA_QUEUE_SDMA, Ring, 1024), HSAKMT_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(Create(1, HSA_QUEUE_COMPUTE_AQL, Ring, 1000),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Create(1, HSA_QUEUE_COMPUTE_AQL, Ring + 4, 1024),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Create(1, HSA_QUEUE_COMPUTE_AQL, nullptr, 1024),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(hsaKmtDestroyQueue(12345), HSAKMT_STATUS_INVALID_HANDLE);
}

} // namespace
