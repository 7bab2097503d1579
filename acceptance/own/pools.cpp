//===- pools.cpp - memory that comes and goes in the order of a stream ----===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// hipMallocAsync(), hipFreeAsync() and the pools behind them.
//
//===----------------------------------------------------------------------===//
#include "own.h"

using namespace own;

namespace {
hipMemPoolProps onFirstGpu() {
  hipMemPoolProps Wanted{};
  Wanted.allocType = hipMemAllocationTypePinned;
  Wanted.location = {hipMemLocationTypeDevice, 0};
  return Wanted;
}

uint64_t used(hipMemPool_t Pool) {
  uint64_t Bytes = ~uint64_t(0);
  EXPECT_EQ(hipMemPoolGetAttribute(Pool, hipMemPoolAttrUsedMemCurrent, &Bytes),
            hipSuccess);
  return Bytes;
}
/// Never destroyed: HIP 5.2 loops for ever in hipStreamDestroy() if memory was
/// freed on the stream.
hipStream_t newStream() {
  hipStream_t Stream = nullptr;
  EXPECT_EQ(hipStreamCreate(&Stream), hipSuccess);
  return Stream;
}
} // namespace

TEST(Pools, AllocateInTheOrderOfAStream) {
  hipStream_t S = newStream();
  int *Data = nullptr, Host[256];
  SUPPORTED(hipMallocAsync(reinterpret_cast<void **>(&Data), sizeof(Host), S));
  HIP(hipMemsetAsync(Data, 0, sizeof(Host), S));
  HIP(add(Data, 8, 256, S));
  HIP(hipMemcpyAsync(Host, Data, sizeof(Host), hipMemcpyDeviceToHost, S));
  HIP(hipFreeAsync(Data, S));
  HIP(hipStreamSynchronize(S));
  EXPECT_EQ(std::vector<int>(Host, Host + 256), all(256, 8));
}

TEST(Pools, CountWhatIsUsed) {
  hipStream_t S = newStream();
  hipMemPool_t Pool = nullptr;
  hipMemPoolProps Wanted = onFirstGpu();
  SUPPORTED(hipMemPoolCreate(&Pool, &Wanted));
  uint64_t Keep = 1 << 20, Found = 0;
  HIP(hipMemPoolSetAttribute(Pool, hipMemPoolAttrReleaseThreshold, &Keep));
  HIP(hipMemPoolGetAttribute(Pool, hipMemPoolAttrReleaseThreshold, &Found));
  EXPECT_EQ(Found, Keep);
  int *First = nullptr, *Second = nullptr;
  HIP(hipMallocFromPoolAsync(reinterpret_cast<void **>(&First), 8192, Pool, S));
  HIP(hipMallocFromPoolAsync(reinterpret_cast<void **>(&Second), 8192, Pool,
                             S));
  EXPECT_NE(First, Second);
  HIP(hipMemsetAsync(First, 0, 8192, S));
  HIP(hipMemsetAsync(Second, 0, 8192, S));
  HIP(add(First, 1, 2048, S));
  HIP(add(Second, 2, 2048, S));
  HIP(hipStreamSynchronize(S));
  EXPECT_EQ(contents(First, 2048), all(2048, 1));
  EXPECT_EQ(contents(Second, 2048), all(2048, 2));
  EXPECT_GE(used(Pool), 16384u);
  HIP(hipFreeAsync(First, S));
  HIP(hipFreeAsync(Second, S));
  HIP(hipStreamSynchronize(S));
  EXPECT_EQ(used(Pool), 0u);
  HIP(hipMemPoolTrimTo(Pool, 0));
  HIP(hipMemPoolDestroy(Pool));
}

TEST(Pools, AreTheDevices) {
  hipMemPool_t Default = nullptr, Current = nullptr, Own = nullptr;
  SUPPORTED(hipDeviceGetDefaultMemPool(&Default, 0));
  HIP(hipDeviceGetMemPool(&Current, 0));
  EXPECT_EQ(Current, Default);
  hipMemPoolProps Wanted = onFirstGpu();
  HIP(hipMemPoolCreate(&Own, &Wanted));
  HIP(hipDeviceSetMemPool(0, Own));
  HIP(hipDeviceGetMemPool(&Current, 0));
  EXPECT_EQ(Current, Own);
  // The null stream has no pool with HIP 5.2, which crashes.
  hipStream_t S = newStream();
  int *Data = nullptr;
  HIP(hipMallocAsync(reinterpret_cast<void **>(&Data), 4096, S));
  EXPECT_GE(used(Own), 4096u);
  HIP(hipFreeAsync(Data, S));
  HIP(hipDeviceSynchronize());
  HIP(hipDeviceSetMemPool(0, Default));
  HIP(hipMemPoolDestroy(Own));
}
