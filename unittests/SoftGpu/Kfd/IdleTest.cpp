//===- IdleTest.cpp - tests of waits for doorbells ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That no ring is lost. Nothing here depends on how long anything takes.
//
//===----------------------------------------------------------------------===//
#include "../../../lib/SoftGpu/Kfd/Idle.h"

#include "gtest/gtest.h"

#include <atomic>
#include <thread>

using namespace kpack::softgpu;

namespace {

TEST(IdleTest, EarlyRingIsNotLost) {
  ActivityBell Bell;
  uint64_t Seen = 0;
  Bell.await(Seen);
  EXPECT_EQ(Seen, 1u) << "the first call rings";
  Bell.ring();
  Bell.await(Seen);
  EXPECT_EQ(Seen, 2u);
  Bell.await(Seen); // a millisecond
  EXPECT_EQ(Seen, 2u);
}

TEST(IdleTest, RingsWakeAHostThread) {
  ActivityBell Bell;
  std::atomic<unsigned> Changes = 0;
  constexpr unsigned Enough = 100;
  std::thread Host([&] {
    uint64_t Seen = 0, Before = 0;
    while (Changes < Enough) {
      Bell.await(Seen);
      Changes += Seen != Before;
      Before = Seen;
    }
  });
  while (Changes < Enough) {
    Bell.ring();
    std::this_thread::yield();
  }
  Host.join();
}

} // namespace
