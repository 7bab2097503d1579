//===- KfdFixture.h - fixture: an open driver with two GPUs -----*- C++ -*-===//
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
#ifndef KPACK_UNITTESTS_SOFTGPU_KFD_KFDFIXTURE_H
#define KPACK_UNITTESTS_SOFTGPU_KFD_KFDFIXTURE_H

#include "../../../lib/SoftGpu/Kfd/KfdDriver.h"
#include "../../../lib/SoftGpu/Kfd/Requests.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <map>
#include <sys/mman.h>

namespace kpack::softgpu {

constexpr uint64_t Page = 4096;
constexpr uint32_t Forever = ~uint32_t(0);

class KfdFixture : public testing::Test {
protected:
  void SetUp() override {
    ::setenv("KPACK_SOFTGPU_GPUS", "gfx90a,gfx1030", 1);
    D = Driver::open();
    ASSERT_TRUE(D);
  }
  void TearDown() override {
    while (!Handles.empty())
      free(reinterpret_cast<void *>(Handles.begin()->first));
  }

  /// What the kernel's ioctl() returns, negated errno and all.
  template <typename T> int request(unsigned Number, T &Arguments) {
    return answerRequest(*D, _IOWR(AMDKFD_IOCTL_BASE, Number, T), &Arguments);
  }

  Gpu *gpu(uint32_t Node) const { return D->gpu(Node); }

  /// Nothing where \p Id is 0, which it becomes.
  void destroyQueue(uint32_t &Id) {
    kfd_ioctl_destroy_queue_args A{};
    A.queue_id = Id;
    if (Id)
      EXPECT_EQ(request(0x03, A), 0);
    Id = 0;
  }

  /// Addresses that nothing is at, as the thunk chooses them.
  static uint64_t addresses(uint64_t Size) {
    void *Begin = ::mmap(nullptr, Size + Page, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EXPECT_NE(Begin, MAP_FAILED);
    return reinterpret_cast<uint64_t>(Begin);
  }

  /// Memory that \p Nodes may use, until free() or the end of the test.
  template <typename T = uint8_t>
  T *allocate(std::vector<uint32_t> Nodes, uint64_t Size = Page,
              uint64_t At = 0) {
    Size = (Size + Page - 1) / Page * Page;
    BufferTable::Wanted W;
    W.Address = At ? At : addresses(Size);
    W.Size = Size;
    W.Flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
    W.Owner = gpu(1);
    uint64_t &Handle = Handles[W.Address];
    EXPECT_EQ(D->Memory.allocate(W, Handle), 0);
    // The process sees it first, as the thunk does it.
    EXPECT_EQ(D->Memory.map(BufferTable::mapOffset(Handle), Size, MAP_FIXED,
                            W.Address),
              0);
    EXPECT_EQ(D->Memory.mapTo(Handle, gpus(Nodes)), 0);
    return reinterpret_cast<T *>(W.Address);
  }
  std::vector<Gpu *> gpus(const std::vector<uint32_t> &Nodes) const {
    std::vector<Gpu *> Found;
    for (uint32_t Node : Nodes)
      Found.push_back(gpu(Node));
    return Found;
  }
  /// As the thunk does: the driver first, then the addresses.
  void free(void *Address, uint64_t Size = Page) {
    auto Found = Handles.find(reinterpret_cast<uint64_t>(Address));
    ASSERT_NE(Found, Handles.end());
    EXPECT_EQ(D->Memory.free(Found->second), 0);
    if (!D->Memory.unmapped(Found->first, Size))
      ::munmap(Address, Size);
    Handles.erase(Found);
  }
  uint64_t getHandle(const void *Address) {
    return Handles.at(reinterpret_cast<uint64_t>(Address));
  }

  /// Whether the GPU may use the byte at \p Address.
  bool sees(uint32_t Node, uint64_t Address) {
    return gpu(Node)->memory().find(Address).has_value();
  }
  bool sees(uint32_t Node, const void *Address) {
    return sees(Node, reinterpret_cast<uint64_t>(Address));
  }

  Driver *D = nullptr;
  std::map<uint64_t, uint64_t> Handles; ///< of buffers, by address
};

} // namespace kpack::softgpu

#endif // KPACK_UNITTESTS_SOFTGPU_KFD_KFDFIXTURE_H
