//===- virtual_memory.cpp - addresses and memory by themselves ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// hipMemAddressReserve(), hipMemCreate(), hipMemMap() and hipMemSetAccess().
// HIP 5.2 has them in its headers, with a structure that has changed since, and
// cannot do it; Debian's 5.7 was built without it.
//
//===----------------------------------------------------------------------===//
#include "own.h"

#include <atomic>
#include <thread>
#include <unistd.h>

using namespace own;

namespace {
/// hipMemAllocationProp as of HIP 5.3.
struct Properties {
  int Type = hipMemAllocationTypePinned;
  int Handle = hipMemHandleTypeNone;
  hipMemLocation Where = {hipMemLocationTypeDevice, 0};
  void *MetaData = nullptr;
  unsigned char Compression = 0, Rdma = 0;
  unsigned short Usage = 0;
  operator const hipMemAllocationProp *() const {
    return reinterpret_cast<const hipMemAllocationProp *>(this);
  }
};

hipMemAccessDesc readAndWrite() {
  hipMemAccessDesc Access{};
  Access.location = {hipMemLocationTypeDevice, 0};
  Access.flags = hipMemAccessFlagsProtReadWrite;
  return Access;
}

class VirtualMemory : public testing::Test {
protected:
  void SetUp() override {
    // hipDeviceAttributeVirtualMemoryManagementSupported as of HIP 5.3.
    int Supported = 0;
    if (hipDeviceGetAttribute(&Supported, hipDeviceAttribute_t(89), 0) !=
            hipSuccess ||
        !Supported)
      GTEST_SKIP() << "this HIP says that it does not support this";
    SUPPORTED(hipMemGetAllocationGranularity(
        &Size, Wanted, hipMemAllocationGranularityMinimum));
    ASSERT_GT(Size, 0u);
    ASSERT_EQ(Size % 4096, 0u);
    SUPPORTED(hipMemAddressReserve(&Addresses, 4 * Size, 0, nullptr, 0));
    Data = static_cast<int *>(Addresses);
    Count = int(Size / sizeof(int));
  }
  void TearDown() override {
    if (Addresses) {
      HIP(hipMemAddressFree(Addresses, 4 * Size));
    }
  }
  /// Memory at a number of the reserved parts.
  void map(int Part, hipMemGenericAllocationHandle_t Memory) {
    hipMemAccessDesc Access = readAndWrite();
    int *At = Data + Part * Count;
    HIP(hipMemMap(At, Size, 0, Memory, 0));
    HIP(hipMemSetAccess(At, Size, &Access, 1));
  }
  /// HIP 6.4 lets go of what was mapped on the thread that handles signals,
  /// which may not have come to it when the program frees that: it then calls
  /// what is no longer there. The same thread calls the callback, after it.
  void unmap(int Part) {
    HIP(hipMemUnmap(Data + Part * Count, Size));
    std::atomic<bool> Called{false};
    HIP(hipStreamAddCallback(
        nullptr,
        [](hipStream_t, hipError_t, void *Called) {
          static_cast<std::atomic<bool> *>(Called)->store(true);
        },
        &Called, 0));
    while (!Called)
      std::this_thread::yield();
  }

  Properties Wanted;
  size_t Size = 0;
  void *Addresses = nullptr;
  int *Data = nullptr, Count = 0;
};
} // namespace

TEST_F(VirtualMemory, IsOneArrayOfTwoParts) {
  hipMemGenericAllocationHandle_t First = nullptr, Second = nullptr;
  HIP(hipMemCreate(&First, Size, Wanted, 0));
  HIP(hipMemCreate(&Second, Size, Wanted, 0));
  map(0, First);
  map(1, Second);
  HIP(hipMemset(Data, 0, 2 * Size));
  HIP(add(Data, 9, 2 * Count));
  EXPECT_TRUE(contents(Data, 2 * Count) == all(2 * Count, 9));
  unmap(0);
  unmap(1);
  HIP(hipMemRelease(First));
  HIP(hipMemRelease(Second));
}

TEST_F(VirtualMemory, IsAtTwoAddresses) {
  hipMemGenericAllocationHandle_t Memory = nullptr;
  HIP(hipMemCreate(&Memory, Size, Wanted, 0));
  map(0, Memory);
  map(2, Memory);
  HIP(hipMemset(Data, 0, Size));
  HIP(add(Data + 2 * Count, 4, Count));
  HIP(add(Data, 5, Count));
  EXPECT_TRUE(contents(Data + 2 * Count, Count) == all(Count, 9));
  unmap(0);
  unmap(2);
  HIP(hipMemRelease(Memory));
}

TEST_F(VirtualMemory, KeepsWhatItHoldsWhenItMoves) {
  hipMemGenericAllocationHandle_t Memory = nullptr, Found = nullptr;
  HIP(hipMemCreate(&Memory, Size, Wanted, 0));
  map(1, Memory);
  HIP(hipMemset(Data + Count, 0, Size));
  HIP(add(Data + Count, 77, Count));
  HIP(hipDeviceSynchronize());
  // HIP does not count those who have the handle: it is released once.
  HIP(hipMemRetainAllocationHandle(&Found, Data + Count));
  EXPECT_EQ(Found, Memory);
  unmap(1);
  map(3, Memory);
  EXPECT_TRUE(contents(Data + 3 * Count, Count) == all(Count, 77));
  unmap(3);
  HIP(hipMemRelease(Memory));
}

TEST_F(VirtualMemory, SaysItsAccess) {
  hipMemGenericAllocationHandle_t Memory = nullptr;
  HIP(hipMemCreate(&Memory, Size, Wanted, 0));
  map(0, Memory);
  unsigned long long Flags = 99;
  hipMemLocation Where = {hipMemLocationTypeDevice, 0};
  HIP(hipMemGetAccess(&Flags, &Where, Data));
  EXPECT_EQ(Flags, hipMemAccessFlagsProtReadWrite);
  unmap(0);
  HIP(hipMemRelease(Memory));
}

TEST_F(VirtualMemory, IsSharedByADescriptor) {
  hipMemGenericAllocationHandle_t Memory = nullptr, Imported = nullptr;
  Wanted.Handle = hipMemHandleTypePosixFileDescriptor;
  HIP(hipMemCreate(&Memory, Size, Wanted, 0));
  map(0, Memory);
  HIP(hipMemset(Data, 0, Size));
  HIP(add(Data, 13, Count));
  HIP(hipDeviceSynchronize());
  int Descriptor = -1;
  SUPPORTED(hipMemExportToShareableHandle(
      &Descriptor, Memory, hipMemHandleTypePosixFileDescriptor, 0));
  ASSERT_GE(Descriptor, 0);
  // Up to HIP 6 an address of the descriptor, as of 7 its number.
  void *Given = version() < 70000000
                    ? static_cast<void *>(&Descriptor)
                    : reinterpret_cast<void *>(size_t(Descriptor));
  HIP(hipMemImportFromShareableHandle(&Imported, Given,
                                      hipMemHandleTypePosixFileDescriptor));
  map(1, Imported);
  EXPECT_TRUE(contents(Data + Count, Count) == all(Count, 13));
  unmap(0);
  unmap(1);
  HIP(hipMemRelease(Imported));
  HIP(hipMemRelease(Memory));
  close(Descriptor);
}
