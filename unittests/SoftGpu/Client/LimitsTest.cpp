//===- LimitsTest.cpp - tests of process limits on allocations ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

#include <cerrno>
#include <fstream>
#include <sys/mman.h>

using namespace kpack::softgpu;
using namespace kpack::softgpu::test;

namespace {

/// Takes all mappings that the process may have.
class AllMappings {
public:
  explicit AllMappings(uint64_t Most) : Size(2 * Most * Page) {
    Begin = reserve(Size);
    // Neighbours that differ are mappings of their own.
    for (uint64_t At = 0; At != Size; At += 2 * Page)
      if (::mprotect(Begin + At, Page, PROT_READ) != 0)
        return;
  }
  ~AllMappings() { ::munmap(Begin, Size); }

private:
  uint64_t Size;
  uint8_t *Begin;
};

TEST(Limits, ExhaustedMappingsAreReported) {
  uint64_t Most = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> Most;
  if (Most == 0 || Most > 300'000)
    GTEST_SKIP() << "too many mappings to take: " << Most;
  Client C;
  uint8_t *Around = reserve(3 * Page);
  kfd_ioctl_alloc_memory_of_gpu_args A{};
  A.va_addr = number(Around + Page);
  A.size = Page;
  A.gpu_id = GpuId;
  A.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
  C.demand(0x16, A);
  uint32_t Id = GpuId;
  kfd_ioctl_map_memory_to_gpu_args Map{};
  Map.handle = A.handle;
  Map.device_ids_array_ptr = number(&Id);
  Map.n_devices = 1;

  testing::internal::CaptureStderr();
  int First, Second;
  {
    AllMappings Taken(Most);
    First = C.request(0x18, Map);
    Second = C.request(0x18, Map);
  }
  std::string Said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(First, ENOMEM);
  EXPECT_EQ(Second, ENOMEM);
  EXPECT_EQ(Said, "kpack-run: error: GPU memory: this process has all " +
                      std::to_string(Most) +
                      " mappings that it may have, one or two for each "
                      "allocation; allocate less often, or raise the limit "
                      "(sysctl vm.max_map_count)\n");

  C.demand(0x18, Map);
  kfd_ioctl_free_memory_of_gpu_args Free{A.handle};
  C.demand(0x17, Free);
  EXPECT_EQ(::munmap(Around, 3 * Page), 0);
}

} // namespace
