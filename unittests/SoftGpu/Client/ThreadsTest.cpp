//===- ThreadsTest.cpp - tests of threads that share a driver -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As ThreadSanitizer wants it: everything at once, while kernels run on another
// queue. What threads share is told by signals and events, as in a program.
//
//===----------------------------------------------------------------------===//
#include "Client.h"

#include <cstring>
#include <sys/mman.h>
#include <thread>
#include <vector>

using namespace kpack::softgpu;
using namespace kpack::softgpu::test;

namespace {

/// Runs \p Body(Client, number) on threads of a process, beside a kernel.
void onThreads(unsigned Count,
               const std::function<void(Client &, unsigned)> &Body) {
  Child Program([&] {
    Client C;
    Area Flags = C.allocate();
    KernelQueue Running(C);
    Running.hold(Flags.as<uint32_t>(), Flags.as<uint32_t>(64));
    awaitValue(Flags.as<uint32_t>(), 1);
    std::vector<std::thread> Threads;
    for (unsigned I = 0; I < Count; ++I)
      Threads.emplace_back([&, I] { Body(C, I); });
    for (std::thread &T : Threads)
      T.join();
    setValue(Flags.as<uint32_t>(64), 1);
    EXPECT_TRUE(Running.wait());
    C.free(Flags);
    return 0;
  });
  EXPECT_EQ(Program.wait(), 0);
}

TEST(ClientThreads, MakeQueuesAndMapMemory) {
  onThreads(4, [](Client &C, unsigned Number) {
    for (uint32_t Round = 1; Round <= 10; ++Round) {
      KernelQueue Q(C);
      Area A = C.allocate(4 * Page);
      for (uint32_t I = 0; I < 4; ++I)
        Q.store(A.as<uint32_t>(I * Page), Number * 100 + Round);
      ASSERT_TRUE(Q.wait());
      CopyQueue Copies(C);
      Copies.copy(A.Data + 64, A.Data, 4);
      ASSERT_TRUE(Copies.wait());
      EXPECT_EQ(*A.as<uint32_t>(64), Number * 100 + Round);
      EXPECT_EQ(*A.as<uint32_t>(3 * Page), Number * 100 + Round);
      C.free(A);
    }
  });
}

/// Memory of the process that is registered, used and unmapped.
TEST(ClientThreads, RegisterHostMemory) {
  onThreads(4, [](Client &C, unsigned Number) {
    KernelQueue Q(C);
    for (uint32_t Round = 1; Round <= 20; ++Round) {
      void *Host = ::mmap(nullptr, Page, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      alignas(8) uint64_t Words[4] = {};
      auto &Share = reinterpret_cast<kfd_ioctl_svm_args &>(Words);
      Share.start_addr = number(Host);
      Share.size = Page;
      Share.op = KFD_IOCTL_SVM_OP_SET_ATTR;
      Share.nattr = 1;
      Share.attrs[0] = {KFD_IOCTL_SVM_ATTR_ACCESS, GpuId};
      ASSERT_EQ(C.request(0x20, Words), 0);
      Q.store(static_cast<uint32_t *>(Host), Number + Round);
      ASSERT_TRUE(Q.wait());
      EXPECT_EQ(*static_cast<uint32_t *>(Host), Number + Round);
      ASSERT_EQ(::munmap(Host, Page), 0);
    }
  });
}

TEST(ClientThreads, EventsAreSetAndDestroyedConcurrently) {
  onThreads(4, [](Client &C, unsigned) {
    for (unsigned Round = 0; Round < 20; ++Round) {
      uint32_t Event = C.createEvent();
      std::thread Waiting([&] {
        kfd_event_data Data{};
        Data.event_id = Event;
        int Result = C.waitFor(Data, 60000);
        EXPECT_TRUE(Result == KFD_IOC_WAIT_RESULT_COMPLETE || Result == -EIO ||
                    Result == -EINVAL);
      });
      if (Round % 2) {
        kfd_ioctl_set_event_args Set{};
        Set.event_id = Event;
        C.demand(0x0a, Set);
      }
      C.destroyEvent(Event);
      Waiting.join();
    }
  });
}

/// A kernel whose code goes while it begins: it runs, or it is a fault.
TEST(ClientThreads, FreeCodeThatRuns) {
  onThreads(2, [](Client &C, unsigned Number) {
    Area A = C.allocate();
    for (uint32_t Round = 0; Round < 50; ++Round) {
      KernelQueue Q(C);
      Q.store(A.as<uint32_t>(), Number);
      for (uint32_t I = 0; I < Round % 8; ++I)
        std::this_thread::yield();
      Q.freeCode();
    }
    C.free(A);
  });
}

/// Devices that are opened, copied and closed, whose numbers are others' next.
TEST(ClientThreads, OpenAndCloseDevices) {
  onThreads(4, [](Client &, unsigned) {
    for (unsigned Round = 0; Round < 20; ++Round) {
      Client Own;
      int Copy = ::dup(Own.Kfd);
      kfd_ioctl_get_version_args Version{};
      EXPECT_EQ(::ioctl(Copy, AMDKFD_IOC_GET_VERSION, &Version), 0);
      EXPECT_EQ(Version.minor_version, kfd::MinorVersion);
      ::close(Copy);
      Area A = Own.allocate();
      std::memset(A.Data, int(Round), Page);
      Own.free(A);
    }
  });
}

} // namespace
