//===- KmtFixture.h - an open driver with two GPUs --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Node 1 is a gfx90a, node 2 a gfx1030. The driver is one a process and stays
// as the tests before have left it; each test gives back what it takes.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_SOFTGPU_KMT_KMTFIXTURE_H
#define KPACK_UNITTESTS_SOFTGPU_KMT_KMTFIXTURE_H

#include "../../../lib/SoftGpu/Kmt/Driver.h"

#include "gtest/gtest.h"
#include <cstdlib>

namespace kpack::softgpu {

constexpr uint64_t Page = 4096;

class KmtFixture : public testing::Test {
protected:
  void SetUp() override {
    ::setenv("KPACK_SOFTGPU_GPUS", "gfx90a,gfx1030", 1);
    ASSERT_EQ(hsaKmtOpenKFD(), HSAKMT_STATUS_SUCCESS);
  }
  void TearDown() override {
    ASSERT_EQ(hsaKmtCloseKFD(), HSAKMT_STATUS_SUCCESS);
  }

  /// Null after a failure.
  template <typename T = uint8_t>
  T *allocate(uint32_t Node, uint64_t Size, HsaMemFlags Flags = {}) {
    void *Address = nullptr;
    EXPECT_EQ(hsaKmtAllocMemory(Node, Size, Flags, &Address),
              HSAKMT_STATUS_SUCCESS);
    return static_cast<T *>(Address);
  }
  void map(void *Address, std::vector<uint32_t> Nodes) {
    uint64_t Alternate = 1;
    EXPECT_EQ(hsaKmtMapMemoryToGPUNodes(Address, 1, &Alternate, {},
                                        Nodes.size(), Nodes.data()),
              HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(Alternate, 0u);
  }
  void free(void *Address, uint64_t Size = Page) {
    EXPECT_EQ(hsaKmtFreeMemory(Address, Size), HSAKMT_STATUS_SUCCESS);
  }
  /// Whether the GPU may use the byte at \p Address.
  bool sees(uint32_t Node, uint64_t Address) {
    return Driver::opened()->gpu(Node)->memory().find(Address).has_value();
  }
  bool sees(uint32_t Node, const void *Address) {
    return sees(Node, reinterpret_cast<uint64_t>(Address));
  }

  HsaEvent *createEvent(bool ManualReset = false,
                        HSA_EVENTTYPE Type = HSA_EVENTTYPE_SIGNAL) {
    HsaEventDescriptor Descriptor{};
    Descriptor.EventType = Type;
    HsaEvent *E = nullptr;
    EXPECT_EQ(hsaKmtCreateEvent(&Descriptor, ManualReset, false, &E),
              HSAKMT_STATUS_SUCCESS);
    return E;
  }
};

} // namespace kpack::softgpu

#endif // KPACK_UNITTESTS_SOFTGPU_KMT_KMTFIXTURE_H
