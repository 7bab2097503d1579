//===- GpuRuntimeTest.cpp - tests of devices, on fake runtimes ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GpuRuntime/GpuRuntime.h"

#include "../Jit/Executor/FakeGpus.h"

#include <gtest/gtest.h>

#include <future>

using namespace kpack;

namespace {

class GpuRuntimeTest : public testing::Test {
protected:
  GpuRuntimeTest() {
    Gpus.reset();
    Gpus.HipTargets = {"gfx90a:sramecc+:xnack-", "gfx1030"};
    Gpus.CudaTargets = {"sm_80", "sm_90"};
    fakeCurrentDevice() = 0;
  }

  /// Like users do.
  static std::unique_ptr<GpuRuntime> ready(std::unique_ptr<GpuRuntime> Found) {
    if (Found && Found->initialize(ForModules) == 0)
      return Found;
    return nullptr;
  }
  static int current(const GpuRuntime &Gpu) {
    int Device = -1;
    EXPECT_EQ(Gpu.currentDevice(Device), 0);
    return Device;
  }

  FakeGpus &Gpus = FakeGpus::get();
};

// It has all that modules need, and no graphs.
TEST_F(GpuRuntimeTest, IsFoundInTheProgram) {
  auto Hip = findHip(), Cuda = findCuda();
  ASSERT_TRUE(Hip && Cuda);
  EXPECT_EQ(Hip->firstMissing(ForModules), nullptr);
  EXPECT_EQ(Cuda->firstMissing(ForModules), nullptr);
  EXPECT_STREQ(Hip->firstMissing(ForMemory), "hipMalloc");
  EXPECT_STREQ(Cuda->firstMissing(ForGraphs), "cuMemAlloc_v2");
  EXPECT_EQ(Hip->errorName(100), "hipErrorNoDevice");
  EXPECT_EQ(Cuda->errorName(1), "CUDA_ERROR_OF_THE_TEST");
}

TEST_F(GpuRuntimeTest, DeviceIsRestored) {
  auto Hip = ready(findHip()), Cuda = ready(findCuda());
  ASSERT_TRUE(Hip && Cuda);
  for (GpuRuntime *Gpu : {Hip.get(), Cuda.get()}) {
    {
      OnDevice Other(*Gpu, 1);
      EXPECT_EQ(Other.failure(), 0);
      EXPECT_EQ(current(*Gpu), 1);
      if (Gpu == Hip.get()) {
        OnDevice Inner(*Gpu, 0);
        EXPECT_EQ(Inner.failure(), 0);
        EXPECT_EQ(current(*Gpu), 0);
      }
      EXPECT_EQ(current(*Gpu), 1);
    }
    EXPECT_EQ(current(*Gpu), 0);
  }
}

TEST_F(GpuRuntimeTest, DeviceStaysWhereItIsNotEntered) {
  auto Hip = ready(findHip()), Cuda = ready(findCuda());
  ASSERT_TRUE(Hip && Cuda);
  {
    OnDevice Same(*Hip, 0);
    EXPECT_EQ(Same.failure(), 0);
    fakeCurrentDevice() = 1; // is the program's own
  }
  EXPECT_EQ(fakeCurrentDevice(), 1);
  Gpus.SetDeviceError = 101;
  {
    OnDevice Other(*Hip, 0);
    EXPECT_EQ(Other.failure(), 101);
    fakeCurrentDevice() = 7;
    Gpus.SetDeviceError = 0;
  }
  EXPECT_EQ(fakeCurrentDevice(), 7);
  OnDevice Gone(*Cuda, 2);
  EXPECT_EQ(Gone.failure(), 101);
  EXPECT_EQ(current(*Cuda), 0);
}

TEST_F(GpuRuntimeTest, TargetsOfDevicesAreRead) {
  auto Hip = ready(findHip()), Cuda = ready(findCuda());
  ASSERT_TRUE(Hip && Cuda);
  std::string Target;
  EXPECT_EQ(Hip->target(1, Target), 0);
  EXPECT_EQ(Target, "gfx1030");
  EXPECT_EQ(Hip->target(2, Target), 101);
  EXPECT_EQ(Cuda->target(1, Target), 0);
  EXPECT_EQ(Target, "sm_90");
  EXPECT_EQ(Cuda->target(2, Target), 101);
  Gpus.HipTargets.push_back("a GPU that is none");
  EXPECT_EQ(Hip->target(2, Target), 0);
  EXPECT_EQ(Target, "");
}

// Tools that watch a runtime call back, and wait for other threads.
TEST_F(GpuRuntimeTest, HoldsNoLockWhileItCalls) {
  auto Hip = ready(findHip()), Cuda = ready(findCuda());
  ASSERT_TRUE(Hip && Cuda);
  std::future<int> Other;
  bool IsDone = false;
  auto WaitFor = [&](auto Function) {
    Gpus.Callback = [&, Function] {
      Other = std::async(std::launch::async, Function);
      IsDone =
          Other.wait_for(std::chrono::minutes(1)) == std::future_status::ready;
    };
  };
  WaitFor([&] { return OnDevice(*Cuda, 1).failure(); });
  EXPECT_EQ(OnDevice(*Cuda, 1).failure(), 0);
  EXPECT_TRUE(IsDone);
  EXPECT_EQ(Other.get(), 0);
  EXPECT_EQ(OnDevice(*Cuda, 1).failure(), 0);
  // Both threads have made the context.
  EXPECT_EQ(Gpus.ContextReferences, (std::map<int, int>{{8, 1}}));

  IsDone = false;
  std::string Target, OfOther;
  WaitFor([&] { return Hip->target(1, OfOther); });
  EXPECT_EQ(Hip->target(1, Target), 0);
  EXPECT_TRUE(IsDone);
  EXPECT_EQ(Other.get(), 0);
  EXPECT_EQ(Target, "gfx1030");
  EXPECT_EQ(OfOther, "gfx1030");
}

TEST_F(GpuRuntimeTest, RetainsAContextOnce) {
  auto Cuda = ready(findCuda());
  ASSERT_TRUE(Cuda);
  std::vector<std::future<int>> All;
  for (int I = 0; I < 16; ++I)
    All.push_back(std::async(std::launch::async, [&Cuda, I] {
      OnDevice Current(*Cuda, I % 2);
      return Current.failure() ? -1 : current(*Cuda);
    }));
  for (int I = 0; I < 16; ++I)
    EXPECT_EQ(All[size_t(I)].get(), I % 2);
  EXPECT_EQ(Gpus.ContextReferences, (std::map<int, int>{{7, 1}, {8, 1}}));
}

TEST_F(GpuRuntimeTest, AddressesAreClassified) {
  auto Hip = ready(findHip()), Cuda = ready(findCuda());
  ASSERT_TRUE(Hip && Cuda);
  char There[64] = "", Here = 0;
  Gpus.Allocations[reinterpret_cast<uintptr_t>(There)] = sizeof(There);
  for (GpuRuntime *Gpu : {Hip.get(), Cuda.get()}) {
    AddressFacts Known = Gpu->factsOf(1, There + 16);
    EXPECT_EQ(Known.Reach, AddressFacts::Reachable);
    EXPECT_EQ(Known.Start, reinterpret_cast<uintptr_t>(There));
    EXPECT_EQ(Known.Bytes, sizeof(There));
    EXPECT_EQ(Gpu->factsOf(1, &Here).Reach, AddressFacts::Foreign);
    EXPECT_EQ(current(*Gpu), 0);
  }
  // No error is left for the program to find.
  EXPECT_EQ(Gpus.LastError, 0);
  EXPECT_FALSE(Hip->canRead(&Here));
  EXPECT_TRUE(Hip->canRead(There));
  EXPECT_EQ(Gpus.LastError, 0);
}

} // namespace
