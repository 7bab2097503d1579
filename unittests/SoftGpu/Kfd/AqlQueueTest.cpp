//===- AqlQueueTest.cpp - tests of queues of kernel launches --------------===//
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
#include "KfdFixture.h"
#include <cstring>
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <thread>

using namespace kpack::softgpu;

namespace {

constexpr uint32_t RingPackets = 16;

class KfdQueue : public KfdFixture {
protected:
  struct Shared {
    amd_queue_t Queue;
    amd_signal_t Inactive, Done, Dependency;
    uint64_t Kernargs[8];
    uint32_t Result;
    uint32_t Commands[16];
  };

  void SetUp() override {
    KfdFixture::SetUp();
    S = allocate<Shared>({1}, sizeof(Shared));
    Ring = allocate<uint8_t>({1}, RingPackets * 64);
    Code = allocate<uint32_t>({1});
    for (uint32_t I = 0; I < RingPackets; ++I)
      header(I) = HSA_PACKET_TYPE_INVALID;
    Event = D->Events.create(KFD_IOC_EVENT_SIGNAL, /*AutoReset=*/true);
    for (amd_signal_t *Signal : {&S->Inactive, &S->Done, &S->Dependency}) {
      Signal->event_mailbox_ptr = 1; // that it has one
      Signal->event_id = Event;
    }
    S->Done.value = 1;
    S->Dependency.value = 1;
    S->Queue.read_dispatch_id_field_base_byte_offset =
        offsetof(amd_queue_t, read_dispatch_id);
    S->Queue.queue_inactive_signal = handle(S->Inactive);
    kfd_ioctl_create_queue_args A = arguments();
    ASSERT_EQ(request(0x02, A), 0);
    Id = A.queue_id;
  }

  void TearDown() override {
    destroyQueue(Id);
    D->Events.destroy(Event);
    KfdFixture::TearDown();
  }

  kfd_ioctl_create_queue_args arguments() {
    kfd_ioctl_create_queue_args A{};
    A.gpu_id = gpu(1)->id();
    A.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
    A.queue_percentage = 100;
    A.ring_base_address = reinterpret_cast<uint64_t>(Ring);
    A.ring_size = RingPackets * 64;
    A.read_pointer_address =
        reinterpret_cast<uint64_t>(&S->Queue.read_dispatch_id);
    A.write_pointer_address =
        reinterpret_cast<uint64_t>(&S->Queue.write_dispatch_id);
    return A;
  }

  void update(uint32_t Percentage) {
    kfd_ioctl_update_queue_args A{};
    A.queue_id = Id;
    A.queue_percentage = Percentage;
    EXPECT_EQ(request(0x07, A), 0);
  }
  EventTable::WaitResult wait(kfd_event_data &Data) {
    return D->Events.wait(Data, /*All=*/true, Forever);
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
    kfd_event_data Data{};
    Data.event_id = Event;
    while (load(Signal) != Value)
      ASSERT_EQ(wait(Data), EventTable::WaitResult::Met);
  }

  Shared *S = nullptr;
  uint8_t *Ring = nullptr;
  uint32_t *Code = nullptr;
  uint32_t Event = 0;
  uint32_t Id = 0;
};

TEST_F(KfdQueue, KernelsRunInOrderAndComplete) {
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

TEST_F(KfdQueue, CodeIsForgottenWithItsMemory) {
  dispatch(storeKernel(1), handle(S->Done));
  await(S->Done, 0);
  auto *Old = Code;
  free(Code);
  // The same addresses again, as a caller may ask for.
  ASSERT_EQ(allocate<uint32_t>({1}, Page, reinterpret_cast<uint64_t>(Old)),
            Old);
  store(S->Done, 1);
  dispatch(storeKernel(2), handle(S->Done));
  await(S->Done, 0);
  EXPECT_EQ(S->Result, 2u);
}

/// What ROCr submits after it has written code.
TEST_F(KfdQueue, CacheInvalidationForgetsCode) {
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

TEST_F(KfdQueue, BarrierAndWaitsForAll) {
  store(S->Inactive, 0);
  barrier(HSA_PACKET_TYPE_BARRIER_AND,
          {handle(S->Dependency), {0}, handle(S->Inactive)});
  dispatch(storeKernel(5), {0});
  EXPECT_EQ(load(S->Done), 1);
  EXPECT_EQ(std::atomic_ref<uint32_t>(S->Result).load(), 0u);
  store(S->Dependency, 0);
  kfd_ioctl_set_event_args Set{};
  Set.event_id = Event;
  EXPECT_EQ(request(0x0a, Set), 0);
  await(S->Done, 0);
}

TEST_F(KfdQueue, BarrierOrWaitsForOne) {
  amd_signal_t &Never = S->Inactive;
  store(Never, 1);
  barrier(HSA_PACKET_TYPE_BARRIER_OR, {handle(Never), handle(S->Dependency)});
  store(S->Dependency, 0);
  await(S->Done, 0);
  EXPECT_EQ(load(Never), 1);
}

TEST_F(KfdQueue, BarrierValueCompares) {
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

TEST_F(KfdQueue, AFaultStopsTheQueueAndIsSignalled) {
  uint32_t *FarAway = reinterpret_cast<uint32_t *>(uint64_t(0x10000));
  uint64_t Kernel = storeKernel(1);
  S->Kernargs[0] = reinterpret_cast<uint64_t>(FarAway);
  dispatch(Kernel, handle(S->Done));
  await(S->Inactive, 0x20000000); // nobody has an event for memory faults
  EXPECT_EQ(load(S->Done), 1);
}

TEST_F(KfdQueue, AMemoryFaultIsAnEvent) {
  kfd_event_data Data{};
  Data.event_id = D->Events.create(KFD_IOC_EVENT_MEMORY, /*AutoReset=*/false);
  uint64_t Kernel = storeKernel(1);
  S->Kernargs[0] = 0x10000;
  dispatch(Kernel, handle(S->Done));
  ASSERT_EQ(wait(Data), EventTable::WaitResult::Met);
  const auto &Fault = Data.memory_exception_data;
  EXPECT_EQ(Fault.gpu_id, gpu(1)->id());
  EXPECT_EQ(Fault.va, 0x10000u);
  EXPECT_EQ(Fault.failure.NotPresent, 1u);
  destroyQueue(Id);
  D->Events.destroy(Data.event_id);
}

TEST_F(KfdQueue, TrapsAndIllegalInstructionsHaveErrors) {
  dispatch(kernel({0xbf920002}), handle(S->Done)); // s_trap 2
  await(S->Inactive, 0x80000000);
}

TEST_F(KfdQueue, UnknownPacketsAreErrors) {
  barrier(HSA_PACKET_TYPE_AGENT_DISPATCH, {});
  await(S->Inactive, 32);
}

TEST_F(KfdQueue, SignalsOutsideOfDeviceMemoryAreErrors) {
  amd_signal_t OnTheStack{};
  dispatch(storeKernel(1), handle(OnTheStack));
  await(S->Inactive, 32);
}

TEST_F(KfdQueue, DestroyingEndsAKernel) {
  dispatch(endlessKernel(), handle(S->Done));
  while (std::atomic_ref<uint32_t>(S->Result).load() != 1) // it has begun
    std::this_thread::yield();
  destroyQueue(Id);
  EXPECT_EQ(load(S->Done), 1);
}

TEST_F(KfdQueue, AnInactiveQueueBeginsNothing) {
  update(0);
  dispatch(storeKernel(9), handle(S->Done));
  update(100);
  await(S->Done, 0);
  EXPECT_EQ(S->Result, 9u);
}

TEST_F(KfdQueue, CooperativeLaunchesAreGrantedToKernels) {
  kfd_ioctl_alloc_queue_gws_args A{};
  A.queue_id = Id;
  A.num_gws = 1;
  A.first_gws = 7;
  EXPECT_EQ(request(0x1e, A), 0);
  EXPECT_EQ(A.first_gws, 0u);
  A.num_gws = 65;
  EXPECT_EQ(request(0x1e, A), -EINVAL);
  A.num_gws = 1;
  A.queue_id = 12345;
  EXPECT_EQ(request(0x1e, A), -EINVAL);
}

TEST_F(KfdQueue, WrongQueuesAreRefused) {
  using Arguments = kfd_ioctl_create_queue_args;
  void (*Wrong[])(Arguments &) = {
      [](Arguments &A) { A.gpu_id = 77; },
      [](Arguments &A) { A.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE; },
      [](Arguments &A) { A.ring_size = 1000; },
      [](Arguments &A) { A.ring_size = 32; },
      [](Arguments &A) { A.ring_base_address += 4; },
      [](Arguments &A) { A.ring_base_address = 0; },
      [](Arguments &A) { A.read_pointer_address += 4; },
      [](Arguments &A) { A.write_pointer_address = 0; }};
  for (auto *Change : Wrong) {
    Arguments A = arguments();
    Change(A);
    EXPECT_EQ(request(0x02, A), -EINVAL);
  }
  kfd_ioctl_destroy_queue_args None{};
  None.queue_id = 12345;
  EXPECT_EQ(request(0x03, None), -EINVAL);
}

} // namespace
