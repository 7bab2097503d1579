//===- MemoryTest.cpp - allocations and registrations ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each GPU may use, before and after.
//
//===----------------------------------------------------------------------===//
#include "KmtFixture.h"
#include <vector>

using namespace kpack::softgpu;

namespace {

class KmtMemory : public KmtFixture {
protected:
  static uint64_t alias(const void *Address) {
    return reinterpret_cast<uint64_t>(Address) | AliasBit;
  }
  uint64_t registerAndMap(void *Address, uint64_t Size) {
    EXPECT_EQ(hsaKmtRegisterMemory(Address, Size), HSAKMT_STATUS_SUCCESS);
    uint64_t Alternate = 0;
    EXPECT_EQ(hsaKmtMapMemoryToGPU(Address, Size, &Alternate),
              HSAKMT_STATUS_SUCCESS);
    return Alternate;
  }
  void unmapAndDeregister(void *Address) {
    EXPECT_EQ(hsaKmtUnmapMemoryToGPU(Address), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(hsaKmtDeregisterMemory(Address), HSAKMT_STATUS_SUCCESS);
  }
};

TEST_F(KmtMemory, AGpuSeesWhatIsMappedToIt) {
  uint8_t *P = allocate(1, 100);
  EXPECT_FALSE(sees(1, P));
  map(P, {1});
  EXPECT_TRUE(sees(1, P));
  EXPECT_TRUE(sees(1, P + Page - 1)); // sizes are pages
  EXPECT_FALSE(sees(1, P + Page));
  EXPECT_FALSE(sees(2, P));
  map(P, {2}); // the list replaces the one before
  EXPECT_FALSE(sees(1, P));
  EXPECT_TRUE(sees(2, P));
  std::fill(P, P + Page, uint8_t(1)); // and the host sees it always
  free(P);
  EXPECT_FALSE(sees(2, P));
}

TEST_F(KmtMemory, LargerAllocationsAreAlignedToLargerPages) {
  struct {
    uint64_t Size, Alignment;
  } Cases[] = {{1, Page},
               {3 * Page, 2 * Page},
               {uint64_t(1) << 20, uint64_t(1) << 20},
               {uint64_t(1) << 21, uint64_t(1) << 21},
               {(uint64_t(5) << 21) + 1, uint64_t(1) << 21}};
  for (auto [Size, Alignment] : Cases) {
    // One of them may be aligned by chance.
    std::vector<uint8_t *> Kept;
    for (int I = 0; I < 8; ++I) {
      Kept.push_back(allocate(1, Size));
      EXPECT_EQ(reinterpret_cast<uint64_t>(Kept.back()) % Alignment, 0u)
          << Size;
      Kept.back()[0] = Kept.back()[Size - 1] = 1;
    }
    for (uint8_t *P : Kept)
      free(P);
  }
}

TEST_F(KmtMemory, AddressesOfFreedMemoryAreNotUsedAgain) {
  uint8_t *First = allocate(1, Page);
  free(First);
  for (int I = 0; I < 50; ++I) {
    uint8_t *Next = allocate(1, Page);
    EXPECT_NE(Next, First);
    free(Next);
  }
  auto Address = reinterpret_cast<uint64_t>(First);
  DeviceMemory &Memory = Driver::opened()->Memory;
  EXPECT_NE(Memory.describeFreed(Address + 8).find("4096-byte allocation"),
            std::string::npos);
  EXPECT_EQ(Memory.describeFreed(Address + Page), "");
}

TEST_F(KmtMemory, FreedMemoryStaysWhileAKernelRuns) {
  DeviceMemory &Memory = Driver::opened()->Memory;
  uint8_t *P = allocate(1, Page);
  map(P, {1});
  *P = 77;
  Memory.beginDispatch();
  free(P);
  EXPECT_FALSE(sees(1, P));
  EXPECT_EQ(*P, 77);
  Memory.endDispatch();
  EXPECT_EXIT(
      std::exit(*static_cast<volatile uint8_t *>(P)),
      [](int Status) { return Status != 0; }, "");
}

TEST_F(KmtMemory, AGpuHasSoMuchAndNoMore) {
  HsaMemFlags Flags{};
  void *All = nullptr, *More = nullptr;
  ASSERT_EQ(hsaKmtAllocMemory(2, DeviceMemory::LocalBytes, Flags, &All),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtAllocMemory(2, Page, Flags, &More), HSAKMT_STATUS_NO_MEMORY);
  EXPECT_EQ(hsaKmtAllocMemory(1, Page, Flags, &More), HSAKMT_STATUS_SUCCESS);
  free(More);
  free(All, DeviceMemory::LocalBytes);
  EXPECT_EQ(hsaKmtAllocMemory(2, Page, Flags, &More), HSAKMT_STATUS_SUCCESS);
  free(More);
}

TEST_F(KmtMemory, WrongCallsAreRefused) {
  HsaMemFlags Flags{};
  void *P = nullptr;
  EXPECT_EQ(hsaKmtAllocMemory(1, 0, Flags, &P),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(hsaKmtAllocMemory(1, ~uint64_t(0), Flags, &P),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(hsaKmtAllocMemory(7, Page, Flags, &P),
            HSAKMT_STATUS_INVALID_NODE_UNIT);
  int Local = 0;
  EXPECT_EQ(hsaKmtFreeMemory(&Local, Page), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(hsaKmtDeregisterMemory(&Local),
            HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
  uint32_t Cpu = 0;
  uint8_t *Good = allocate(0, Page);
  EXPECT_EQ(hsaKmtMapMemoryToGPUNodes(Good, Page, nullptr, {}, 1, &Cpu),
            HSAKMT_STATUS_INVALID_NODE_UNIT);
  free(Good);
}

TEST_F(KmtMemory, ReadOnlyMemoryIsSoForTheGpu) {
  HsaMemFlags Flags{};
  Flags.ui32.ReadOnly = 1;
  uint8_t *P = allocate(0, Page, Flags);
  map(P, {1});
  auto Range =
      Driver::opened()->gpu(1)->memory().find(reinterpret_cast<uint64_t>(P));
  ASSERT_TRUE(Range);
  EXPECT_FALSE(Range->Writable);
  free(P);
}

TEST_F(KmtMemory, RegisteredMemoryHasAnAddressOfItsOwn) {
  std::vector<uint8_t> Host(100);
  EXPECT_EQ(registerAndMap(Host.data(), 100), alias(Host.data()));
  for (uint32_t Node : {1u, 2u}) {
    EXPECT_TRUE(sees(Node, alias(Host.data())));
    EXPECT_TRUE(sees(Node, alias(Host.data() + 99)));
    EXPECT_FALSE(sees(Node, alias(Host.data() + 100)));
    EXPECT_FALSE(sees(Node, Host.data()));
  }
  EXPECT_EQ(hostPointer(alias(Host.data())), Host.data());
  unmapAndDeregister(Host.data());
  EXPECT_FALSE(sees(1, alias(Host.data())));
}

TEST_F(KmtMemory, RegistrationsOfTheSameMemoryAreCounted) {
  std::vector<uint8_t> Host(100);
  registerAndMap(Host.data(), 100);
  registerAndMap(Host.data(), 100);
  unmapAndDeregister(Host.data());
  EXPECT_TRUE(sees(1, alias(Host.data())));
  unmapAndDeregister(Host.data());
  EXPECT_FALSE(sees(1, alias(Host.data())));
}

TEST_F(KmtMemory, RegistrationsMayOverlap) {
  std::vector<uint8_t> Host(300);
  registerAndMap(Host.data(), 200);
  registerAndMap(Host.data() + 100, 200);
  unmapAndDeregister(Host.data());
  EXPECT_FALSE(sees(1, alias(Host.data() + 99)));
  EXPECT_TRUE(sees(1, alias(Host.data() + 100)));
  EXPECT_TRUE(sees(1, alias(Host.data() + 299)));
  unmapAndDeregister(Host.data() + 100);
  EXPECT_FALSE(sees(1, alias(Host.data() + 150)));
}

TEST_F(KmtMemory, PointersAreKnownOnBothSides) {
  uint8_t *P = allocate(2, 3 * Page);
  map(P, {1, 2});
  int Data = 0;
  EXPECT_EQ(hsaKmtSetMemoryUserData(P, &Data), HSAKMT_STATUS_SUCCESS);
  HsaPointerInfo Info;
  ASSERT_EQ(hsaKmtQueryPointerInfo(P + 2 * Page, &Info), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Info.Type, HSA_POINTER_ALLOCATED);
  EXPECT_EQ(HSAuint32(Info.Node), 2u);
  EXPECT_EQ(static_cast<void *>(Info.CPUAddress), P);
  EXPECT_EQ(HSAuint64(Info.SizeInBytes), 3 * Page);
  EXPECT_EQ(HSAuint32(Info.NMappedNodes), 2u);
  EXPECT_EQ(static_cast<void *>(Info.UserData), &Data);
  hsaKmtQueryPointerInfo(P + 3 * Page, &Info);
  EXPECT_EQ(Info.Type, HSA_POINTER_UNKNOWN);
  free(P);

  std::vector<uint8_t> Host(100);
  uint64_t Device = registerAndMap(Host.data(), 100);
  for (uint64_t Side : {Device, reinterpret_cast<uint64_t>(Host.data())}) {
    hsaKmtQueryPointerInfo(reinterpret_cast<void *>(Side + 50), &Info);
    EXPECT_EQ(Info.Type, HSA_POINTER_REGISTERED_USER);
    EXPECT_EQ(HSAuint64(Info.GPUAddress), Device);
    EXPECT_EQ(static_cast<void *>(Info.CPUAddress), Host.data());
  }
  unmapAndDeregister(Host.data());
}

} // namespace
