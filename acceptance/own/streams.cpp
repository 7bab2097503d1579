//===- streams.cpp - streams and events -----------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That work is done in the order that is asked for, and not earlier: kernels
// wait for a number that the host writes, so nothing depends on how fast what
// is. Masks of compute units are streams' too.
//
//===----------------------------------------------------------------------===//
#include "own.h"

#include <atomic>
#include <dlfcn.h>
#include <thread>

using namespace own;

namespace {
/// A kernel that runs until the host lets it end.
class Gate {
public:
  Gate() {
    EXPECT_EQ(hipHostMalloc(reinterpret_cast<void **>(&Words), 8,
                            hipHostMallocCoherent),
              hipSuccess);
    Words[0] = Words[1] = 0;
  }
  ~Gate() {
    open();
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(hipHostFree(Words), hipSuccess);
  }
  hipError_t enter(hipStream_t On) {
    return launchOn(On, waitKernel(), dim3(1), dim3(1),
                    static_cast<const int *>(Words), 1, Words + 1);
  }
  void open() { std::atomic_ref(Words[0]).store(1); }
  int seen() { return std::atomic_ref(Words[1]).load(); }
  int *word() { return Words; }

private:
  int *Words = nullptr;
};
} // namespace

TEST(Streams, KeepTheirOrder) {
  Stream S;
  Array Data(64);
  for (int Round = 0; Round < 50; ++Round) {
    HIP(add(Data, 1, 64, S));
    HIP(hipMemsetAsync(Data, Round == 24 ? 0 : 1, 4, S));
  }
  HIP(hipStreamSynchronize(S));
  std::vector<int> Expected = all(64, 50);
  Expected[0] = 0x01010101;
  EXPECT_EQ(Data.read(), Expected);
}

TEST(Streams, RunBesideOneAnother) {
  Stream Waiting, Other;
  Gate Closed;
  Array Data(64);
  HIP(Closed.enter(Waiting));
  HIP(add(Data, 5, 64, Other));
  HIP(hipStreamSynchronize(Other));
  EXPECT_EQ(hipStreamQuery(Waiting), hipErrorNotReady);
  EXPECT_EQ(Closed.seen(), 0);
  Closed.open();
  HIP(hipStreamSynchronize(Waiting));
  EXPECT_EQ(hipStreamQuery(Waiting), hipSuccess);
  EXPECT_EQ(Closed.seen(), 1);
  EXPECT_EQ(Data.read(), all(64, 5));
}

TEST(Streams, WaitForEvents) {
  Stream First, Second;
  Gate Closed;
  Array Data(64, 1);
  hipEvent_t Ended;
  HIP(hipEventCreateWithFlags(&Ended, hipEventDisableTiming));
  HIP(Closed.enter(First));
  HIP(add(Data, 1, 64, First));
  HIP(hipEventRecord(Ended, First));
  HIP(hipStreamWaitEvent(Second, Ended, 0));
  HIP(hipMemsetAsync(Data, 0, 128, Second));
  EXPECT_EQ(hipEventQuery(Ended), hipErrorNotReady);
  EXPECT_EQ(hipStreamQuery(Second), hipErrorNotReady);
  Closed.open();
  HIP(hipStreamSynchronize(Second));
  EXPECT_EQ(hipEventQuery(Ended), hipSuccess);
  std::vector<int> Expected = all(64, 2);
  std::fill_n(Expected.begin(), 32, 0);
  EXPECT_EQ(Data.read(), Expected);
  HIP(hipEventDestroy(Ended));
}

TEST(Streams, EventsHaveTimes) {
  Stream S;
  Gate Closed;
  hipEvent_t Begin, End;
  float Milliseconds = -1;
  HIP(hipEventCreate(&Begin));
  HIP(hipEventCreate(&End));
  HIP(hipEventRecord(Begin, S));
  HIP(hipEventSynchronize(Begin)); // a busy machine is late with it
  HIP(Closed.enter(S));
  HIP(hipEventRecord(End, S));
  EXPECT_EQ(hipEventElapsedTime(&Milliseconds, Begin, End), hipErrorNotReady);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  Closed.open();
  HIP(hipEventSynchronize(End));
  HIP(hipEventElapsedTime(&Milliseconds, Begin, End));
  EXPECT_GE(Milliseconds, 20);
  EXPECT_LT(Milliseconds, 60000);
  HIP(hipEventDestroy(Begin));
  HIP(hipEventDestroy(End));
}

// The null stream waits for streams that say nothing else, and they for it.
TEST(Streams, BlockTheNullStream) {
  Stream Blocking(hipStreamDefault);
  Gate Closed;
  Array Data(64, 1);
  HIP(Closed.enter(Blocking));
  HIP(add(Data, 1, 64, Blocking));
  HIP(add(Data, 1, 64));
  EXPECT_EQ(hipStreamQuery(nullptr), hipErrorNotReady);
  Closed.open();
  HIP(hipStreamSynchronize(nullptr));
  EXPECT_EQ(Data.read(), all(64, 3));
}

TEST(Streams, CallTheHost) {
  static std::atomic<int> Calls, Seen;
  Calls = Seen = 0;
  Stream S;
  Gate Closed;
  HIP(Closed.enter(S));
  HIP(hipStreamAddCallback(
      S,
      [](hipStream_t, hipError_t Error, void *Closed) {
        EXPECT_EQ(Error, hipSuccess);
        Seen = static_cast<Gate *>(Closed)->seen();
        ++Calls;
      },
      &Closed, 0));
  EXPECT_EQ(Calls, 0);
  Closed.open();
  HIP(hipStreamSynchronize(S));
  EXPECT_EQ(Calls, 1);
  EXPECT_EQ(Seen, 1);
}

// HIP 5.2 declares this function and has not got it.
TEST(Streams, LaunchFunctionsOfTheHost) {
  using LaunchHostFunc = hipError_t(hipStream_t, hipHostFn_t, void *);
  auto *Launch = reinterpret_cast<LaunchHostFunc *>(
      dlsym(RTLD_DEFAULT, "hipLaunchHostFunc"));
  if (!Launch)
    GTEST_SKIP() << "hipLaunchHostFunc: not in this HIP";
  static std::atomic<int> Number;
  Number = 0;
  Stream S;
  Array Data(64);
  std::vector<int> Host = all(64, 0);
  HIP(add(Data, 4, 64, S));
  HIP(hipMemcpyAsync(Host.data(), Data, Data.bytes(), hipMemcpyDeviceToHost,
                     S));
  HIP(Launch(
      S,
      [](void *Host) { Number = (*static_cast<std::vector<int> *>(Host))[63]; },
      &Host));
  HIP(hipStreamSynchronize(S));
  EXPECT_EQ(Number, 4);
}

TEST(Streams, WriteAndWaitForValues) {
  int Supported = 0;
  HIP(hipDeviceGetAttribute(&Supported, hipDeviceAttributeCanUseStreamWaitValue,
                            0));
  if (!Supported)
    GTEST_SKIP() << "hipDeviceAttributeCanUseStreamWaitValue: 0";
  Stream S, Other;
  uint32_t *Signal = nullptr;
  SUPPORTED(hipExtMallocWithFlags(reinterpret_cast<void **>(&Signal), 8,
                                  hipMallocSignalMemory));
  HIP(hipStreamWriteValue32(S, Signal, 0, 0));
  HIP(hipStreamSynchronize(S));
  Array Data(64);
  HIP(hipStreamWaitValue32(S, Signal, 7, hipStreamWaitValueEq, ~0u));
  HIP(add(Data, 3, 64, S));
  EXPECT_EQ(hipStreamQuery(S), hipErrorNotReady);
  HIP(hipStreamWriteValue32(Other, Signal, 7, 0));
  HIP(hipStreamSynchronize(S));
  EXPECT_EQ(Data.read(), all(64, 3));
  HIP(hipFree(Signal));
}

TEST(Streams, HavePriorities) {
  int Least = 0, Greatest = 0;
  HIP(hipDeviceGetStreamPriorityRange(&Least, &Greatest));
  EXPECT_LT(Greatest, Least);
  Array Data(64);
  for (int Priority = Greatest; Priority <= Least; ++Priority) {
    hipStream_t S;
    int Found = 99;
    HIP(hipStreamCreateWithPriority(&S, hipStreamNonBlocking, Priority));
    HIP(hipStreamGetPriority(S, &Found));
    EXPECT_EQ(Found, Priority);
    HIP(add(Data, 1, 64, S));
    HIP(hipStreamSynchronize(S));
    HIP(hipStreamDestroy(S));
  }
  EXPECT_EQ(Data.read(), all(64, Least - Greatest + 1));
}

// The emulated GPU takes a mask and lets kernels run anywhere; what a program
// can see of it is what it has said.
TEST(Streams, HaveMasksOfComputeUnits) {
  hipStream_t S;
  const uint32_t Mask = 1;
  uint32_t Found = 0;
  HIP(hipExtStreamCreateWithCUMask(&S, 1, &Mask));
  HIP(hipExtStreamGetCUMask(S, 1, &Found));
  // gfx10 and later are masked in pairs of units.
  EXPECT_TRUE(Found == 1 || Found == 3) << Found;
  Array Data(1000);
  HIP(add(Data, 6, 1000, S));
  HIP(hipStreamSynchronize(S));
  EXPECT_EQ(Data.read(), all(1000, 6));
  HIP(hipStreamDestroy(S));
}

TEST(Streams, OfManyThreads) {
  Array Data(64 * 8);
  std::vector<std::thread> Threads;
  for (int Number = 0; Number < 8; ++Number)
    Threads.emplace_back([&Data, Number] {
      Stream S;
      for (int Round = 0; Round < 20; ++Round)
        EXPECT_EQ(add(Data + 64 * Number, Number, 64, S), hipSuccess);
      EXPECT_EQ(hipStreamSynchronize(S), hipSuccess);
    });
  for (std::thread &Each : Threads)
    Each.join();
  std::vector<int> Host = Data.read();
  for (int I = 0; I < 64 * 8; ++I)
    ASSERT_EQ(Host[size_t(I)], I / 64 * 20) << I;
}
