//===- ForkTest.cpp - tests of fork() in processes with a GPU -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A child has none of its parent's threads, so it has no queues, and as with
// the kernel's driver its descriptors of the devices are not its own.
//
//===----------------------------------------------------------------------===//
#include "Client.h"

#include <sys/mman.h>
#include <thread>
#include <vector>

using namespace kpack::softgpu;
using namespace kpack::softgpu::test;

namespace {

/// A queue whose kernel runs until it is told to end.
struct RunningQueue {
  RunningQueue() {
    Q.hold(Began, Until);
    awaitValue(Began, 1);
  }
  ~RunningQueue() { C.free(Flags); }
  /// That it goes on as if nothing were.
  void expectGoesOn() {
    EXPECT_FALSE(Q.wait(/*Milliseconds=*/1));
    setValue(Until, 1);
    EXPECT_TRUE(Q.wait());
    Q.store(Result, 42);
    EXPECT_TRUE(Q.wait());
    EXPECT_EQ(*Result, 42u);
  }

  Client C;
  Area Flags = C.allocate();
  uint32_t *Began = Flags.as<uint32_t>(), *Until = Flags.as<uint32_t>(64),
           *Result = Flags.as<uint32_t>(128);
  KernelQueue Q{C};
};

bool isMapped(void *Address) {
  unsigned char Resident;
  return ::mincore(Address, Page, &Resident) == 0;
}

TEST(ClientFork, DescriptorsOfTheParentAreRefused) {
  Child Parent([] {
    RunningQueue R;
    Child Forked([&] {
      kfd_ioctl_get_version_args Version{};
      EXPECT_EQ(R.C.request(0x01, Version), EBADF);
      kfd_ioctl_destroy_queue_args Destroy{};
      Destroy.queue_id = 1;
      EXPECT_EQ(R.C.request(0x03, Destroy), EBADF);
      kfd_ioctl_free_memory_of_gpu_args Free{R.Flags.Handle};
      EXPECT_EQ(R.C.request(0x17, Free), EBADF);
      EXPECT_EQ(::mmap(nullptr, Page, PROT_READ, MAP_SHARED, R.C.Render,
                       off_t(R.Flags.Handle << 36)),
                MAP_FAILED);
      EXPECT_EQ(errno, EBADF);
      // The GPU's memory is not the child's, its own is as it was.
      EXPECT_FALSE(isMapped(R.Flags.Data));
      void *Own = reserve(Page);
      EXPECT_EQ(::munmap(Own, Page), 0);
      return 0;
    });
    EXPECT_EQ(Forked.wait(), 0);
    R.expectGoesOn();
    return 0;
  });
  EXPECT_EQ(Parent.wait(), 0);
}

TEST(ClientFork, ChildOpensItsOwnDevice) {
  Child Parent([] {
    RunningQueue R;
    Child Forked([] {
      RunningQueue Own;
      Own.expectGoesOn();
      return 0;
    });
    EXPECT_EQ(Forked.wait(), 0);
    R.expectGoesOn();
    return 0;
  });
  EXPECT_EQ(Parent.wait(), 0);
}

/// Locks that other threads hold at the moment of a fork() are nobody's then.
TEST(ClientFork, ForkWorksWhileThreadsAreInTheDriver) {
  Child Parent([] {
    RunningQueue R;
    std::atomic<bool> Enough{false};
    std::vector<std::thread> Threads;
    for (int I = 0; I < 2; ++I)
      Threads.emplace_back([&] {
        while (!Enough) {
          Area A = R.C.allocate();
          R.C.destroyEvent(R.C.createEvent());
          R.C.free(A);
        }
      });
    for (int I = 0; I < 20; ++I) {
      Child Forked([] {
        Client C;
        KernelQueue Q(C);
        Area A = C.allocate();
        Q.store(A.as<uint32_t>(), 7);
        EXPECT_TRUE(Q.wait());
        EXPECT_EQ(*A.as<uint32_t>(), 7u);
        C.free(A);
        return 0;
      });
      EXPECT_EQ(Forked.wait(), 0);
    }
    Enough = true;
    for (std::thread &T : Threads)
      T.join();
    R.expectGoesOn();
    return 0;
  });
  EXPECT_EQ(Parent.wait(), 0);
}

} // namespace
