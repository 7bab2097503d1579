//===- peers.cpp - two GPUs of one process --------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each with memory of its own, and with the other's.
//
//===----------------------------------------------------------------------===//
#include "own.h"

using namespace own;

namespace {
class Peers : public testing::Test {
protected:
  void SetUp() override {
    int Count = 0;
    HIP(hipGetDeviceCount(&Count));
    ASSERT_EQ(Count, 2);
    use(0);
  }
  void TearDown() override { use(0); }
  static void use(int Device) { HIP(hipSetDevice(Device)); }
};
} // namespace

TEST_F(Peers, AreDifferentDevices) {
  hipDeviceProp_t First{}, Second{};
  HIP(hipGetDeviceProperties(&First, 0));
  HIP(hipGetDeviceProperties(&Second, 1));
  EXPECT_STREQ(First.gcnArchName, Second.gcnArchName);
  EXPECT_NE(First.pciBusID, Second.pciBusID);
  EXPECT_EQ(First.totalGlobalMem, size_t(16) << 30);
  char Bus[32] = "";
  HIP(hipDeviceGetPCIBusId(Bus, sizeof(Bus), 1));
  int Found = -1;
  HIP(hipDeviceGetByPCIBusId(&Found, Bus));
  EXPECT_EQ(Found, 1);
}

TEST_F(Peers, ComputeByThemselves) {
  Array First(256, 1);
  use(1);
  Array Second(256, 10);
  HIP(add(Second, 5, 256));
  use(0);
  HIP(add(First, 3, 256));
  EXPECT_EQ(First.read(), all(256, 4));
  EXPECT_EQ(Second.read(), all(256, 15));
}

TEST_F(Peers, CopyToOneAnother) {
  Array First(5000, 11);
  use(1);
  Array Second(5000, 0);
  HIP(hipMemcpyPeer(Second, 1, First, 0, First.bytes()));
  HIP(add(Second, 1, 5000));
  EXPECT_EQ(Second.read(), all(5000, 12));
  Stream S;
  HIP(hipMemcpyPeerAsync(First, 0, Second, 1, First.bytes(), S));
  HIP(hipStreamSynchronize(S));
  EXPECT_EQ(First.read(), all(5000, 12));
}

TEST_F(Peers, UseMemoryOfOneAnother) {
  int Can = 0;
  HIP(hipDeviceCanAccessPeer(&Can, 1, 0));
  ASSERT_EQ(Can, 1);
  Array First(256, 20);
  use(1);
  HIP(hipDeviceEnablePeerAccess(0, 0));
  EXPECT_EQ(hipDeviceEnablePeerAccess(0, 0), hipErrorPeerAccessAlreadyEnabled);
  HIP(add(First, 2, 256));
  HIP(hipDeviceSynchronize());
  HIP(hipDeviceDisablePeerAccess(0));
  EXPECT_EQ(First.read(), all(256, 22));
}

TEST_F(Peers, WaitForOneAnother) {
  Array First(256, 1);
  Stream OfFirst;
  hipEvent_t Ended;
  HIP(hipEventCreate(&Ended));
  HIP(add(First, 1, 256, OfFirst));
  HIP(hipEventRecord(Ended, OfFirst));
  use(1);
  Array Second(256, 0);
  Stream OfSecond;
  HIP(hipStreamWaitEvent(OfSecond, Ended, 0));
  HIP(hipMemcpyAsync(Second, First, First.bytes(), hipMemcpyDeviceToDevice,
                     OfSecond));
  HIP(hipStreamSynchronize(OfSecond));
  EXPECT_EQ(Second.read(), all(256, 2));
  HIP(hipEventDestroy(Ended));
}
