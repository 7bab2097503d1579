//===- RequestsTest.cpp - tests of requests to /dev/kfd -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Those whose answers ROCr or device code depends on, and what must be refused.
//
//===----------------------------------------------------------------------===//
#include "KfdFixture.h"

#include <cerrno>
#include <drm/drm.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack::softgpu;

namespace {

class KfdRequests : public KfdFixture {};

TEST(KfdConfiguration, SettingsWithoutMeaningAreRefused) {
  auto Refused = [](const char *Name, const char *Value) {
    ::setenv(Name, Value, 1);
    auto C = Configuration::fromEnvironment();
    ::unsetenv(Name);
    return llvm::errorToBool(C.takeError());
  };
  EXPECT_TRUE(Refused("KPACK_SOFTGPU_GPUS", "gfx90a,gfx803"));
  EXPECT_TRUE(Refused("KPACK_SOFTGPU_GPUS", "gfx90a,"));
  EXPECT_TRUE(Refused("KPACK_SOFTGPU_CHECK", "races"));
  EXPECT_TRUE(Refused("KPACK_SOFTGPU_OUT_OF_BOUNDS", "pass"));
  EXPECT_TRUE(Refused("KPACK_SOFTGPU_STATS", "yes"));
  EXPECT_TRUE(Refused("KPACK_SOFTGPU_THREADS", "99999"));
  EXPECT_TRUE(Refused("KPACK_SOFTGPU_INSTRUCTION_LIMIT", "-1"));
}

TEST_F(KfdRequests, AperturesMatchTheInterpreter) {
  kfd_process_device_apertures Apertures[3] = {};
  kfd_ioctl_get_process_apertures_new_args A{};
  ASSERT_EQ(request(0x14, A), 0);
  ASSERT_EQ(A.num_of_nodes, 2u);
  A.kfd_process_device_apertures_ptr = reinterpret_cast<uint64_t>(Apertures);
  A.num_of_nodes = 3;
  ASSERT_EQ(request(0x14, A), 0);
  EXPECT_EQ(A.num_of_nodes, 2u);
  for (uint32_t I = 0; I < 2; ++I) {
    EXPECT_EQ(Apertures[I].gpu_id, gpu(I + 1)->id());
    EXPECT_EQ(Apertures[I].lds_base, SharedAperture);
    EXPECT_EQ(Apertures[I].scratch_base, PrivateAperture);
  }
  EXPECT_EQ(Apertures[2].gpu_id, 0u);
}

TEST_F(KfdRequests, MemoryIsAllocatedMappedAndFreed) {
  kfd_ioctl_alloc_memory_of_gpu_args A{};
  A.va_addr = addresses(Page);
  A.size = Page;
  A.gpu_id = gpu(1)->id();
  A.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
  ASSERT_EQ(request(0x16, A), 0);
  uint32_t Ids[] = {gpu(1)->id(), gpu(2)->id()};
  kfd_ioctl_map_memory_to_gpu_args Map{};
  Map.handle = A.handle;
  Map.device_ids_array_ptr = reinterpret_cast<uint64_t>(Ids);
  Map.n_devices = 2;
  ASSERT_EQ(request(0x18, Map), 0);
  EXPECT_EQ(Map.n_success, 2u);
  EXPECT_TRUE(sees(2, A.va_addr));
  Ids[1] = 77;
  EXPECT_EQ(request(0x18, Map), -EINVAL);
  kfd_ioctl_free_memory_of_gpu_args Free{A.handle};
  ASSERT_EQ(request(0x17, Free), 0);
  EXPECT_EQ(request(0x17, Free), -EINVAL);
  EXPECT_FALSE(sees(2, A.va_addr));
}

/// A structure that ends with an array, whose length is in the request.
TEST_F(KfdRequests, HostMemoryIsSharedByAttributes) {
  uint64_t Words[5] = {}; // the structure, and an attribute each
  auto &Head = *reinterpret_cast<kfd_ioctl_svm_args *>(Words);
  Head.start_addr = addresses(Page);
  Head.size = Page;
  Head.op = KFD_IOCTL_SVM_OP_SET_ATTR;
  Head.nattr = 2;
  Head.attrs[0] = {KFD_IOCTL_SVM_ATTR_ACCESS, gpu(1)->id()};
  Head.attrs[1] = {KFD_IOCTL_SVM_ATTR_GRANULARITY, 9};
  ASSERT_EQ(request(0x20, Words), 0);
  EXPECT_TRUE(sees(1, Head.start_addr));
  EXPECT_FALSE(sees(2, Head.start_addr));
  Head.attrs[0].type = KFD_IOCTL_SVM_ATTR_NO_ACCESS;
  ASSERT_EQ(request(0x20, Words), 0);
  EXPECT_FALSE(sees(1, Head.start_addr));
  Head.nattr = 3; // more than there are
  EXPECT_EQ(request(0x20, Words), -EINVAL);
}

/// As the kernel does it: what is not there is zero.
TEST_F(KfdRequests, ShorterStructuresAreExtended) {
  struct {
    uint32_t Major, Minor;
    uint32_t NotOurs = 5;
  } Longer;
  ASSERT_EQ(request(0x01, Longer), 0);
  EXPECT_EQ(Longer.Major, 1u);
  EXPECT_EQ(Longer.NotOurs, 5u);
  struct {
    uint32_t Major;
    uint32_t NotGiven;
  } Shorter{0, 7};
  ASSERT_EQ(answerRequest(*D, _IOWR(AMDKFD_IOCTL_BASE, 1, uint32_t), &Shorter),
            0);
  EXPECT_EQ(Shorter.Major, 1u);
  EXPECT_EQ(Shorter.NotGiven, 7u);
}

TEST_F(KfdRequests, MemoryIsSharedByAHandle) {
  auto *Data = allocate<uint64_t>({1});
  *Data = 42;
  kfd::IpcExport Export{};
  Export.Handle = getHandle(Data);
  Export.Flags = 0x1234;
  ASSERT_EQ(request(0x81, Export), 0);
  kfd::IpcImport Import{};
  std::copy_n(Export.ShareHandle, 4, Import.ShareHandle);
  Import.GpuId = gpu(2)->id();
  Import.Address = addresses(Page);
  ASSERT_EQ(request(0x80, Import), 0);
  EXPECT_EQ(Import.Flags, 0x1234u);
  EXPECT_EQ(Import.MapOffset, BufferTable::mapOffset(Import.Handle));
  EXPECT_EQ(D->Memory.map(Import.MapOffset, Page, MAP_FIXED, Import.Address),
            0);
  auto *Same = reinterpret_cast<uint64_t *>(Import.Address);
  EXPECT_EQ(*Same, 42u);
  EXPECT_EQ(D->Memory.free(Import.Handle), 0);
  EXPECT_TRUE(D->Memory.unmapped(Import.Address, Page));

  Import.ShareHandle[2] ^= 1; // another file behind that number
  EXPECT_EQ(request(0x80, Import), -EINVAL);
  int Ends[2]; // no memory, whatever its inode
  ASSERT_EQ(::pipe(Ends), 0);
  struct stat Pipe;
  ASSERT_EQ(::fstat(Ends[1], &Pipe), 0);
  Import.ShareHandle[1] = uint32_t(Ends[1]);
  Import.ShareHandle[2] = uint32_t(Pipe.st_ino);
  EXPECT_EQ(request(0x80, Import), -EINVAL);
  ::close(Ends[0]);
  ::close(Ends[1]);
  Import.ShareHandle[0] = ~0u >> 1; // no such process
  EXPECT_EQ(request(0x80, Import), -ENOENT);
  Import.GpuId = 77;
  EXPECT_EQ(request(0x80, Import), -EINVAL);
  Export.Handle = 12345;
  EXPECT_EQ(request(0x81, Export), -EINVAL);
}

/// As the kernel does it, for the structure and for what that points to.
TEST_F(KfdRequests, BadPointersAreErrors) {
  const uint64_t Nothing = addresses(Page);
  const std::vector<unsigned> All = {
      0x01, 0x02, 0x03, 0x04, 0x05, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c,
      0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1c,
      0x1d, 0x1e, 0x20, 0x21, 0x23, 0x24, 0x25, 0x26, 0x80, 0x81, 0x82};
  for (uint64_t Bad : {Nothing, uint64_t(0), ~uint64_t(7)})
    for (unsigned Number : All)
      for (uint32_t Bytes : {8, 24, 200}) {
        unsigned long Whole =
            _IOC(_IOC_READ | _IOC_WRITE, AMDKFD_IOCTL_BASE, Number, Bytes);
        EXPECT_EQ(answerRequest(*D, Whole, reinterpret_cast<void *>(Bad)),
                  -EFAULT)
            << Number;
      }

  kfd_ioctl_get_process_apertures_new_args Apertures{};
  Apertures.kfd_process_device_apertures_ptr = Nothing;
  Apertures.num_of_nodes = 2;
  EXPECT_EQ(request(0x14, Apertures), -EFAULT);

  kfd_ioctl_wait_events_args Wait{};
  Wait.events_ptr = Nothing;
  Wait.num_events = 1;
  EXPECT_EQ(request(0x0c, Wait), -EFAULT);
  Wait.num_events = ~0u;
  EXPECT_EQ(request(0x0c, Wait), -ENOMEM);

  auto *Data = allocate<uint64_t>({1});
  kfd_ioctl_map_memory_to_gpu_args Map{};
  Map.handle = getHandle(Data);
  Map.device_ids_array_ptr = Nothing;
  Map.n_devices = 1;
  EXPECT_EQ(request(0x18, Map), -EFAULT);
  EXPECT_EQ(request(0x19, Map), -EFAULT);

  kfd_ioctl_create_queue_args Queue{};
  Queue.gpu_id = gpu(1)->id();
  Queue.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
  Queue.ring_size = 4096;
  uint64_t Good = reinterpret_cast<uint64_t>(Data);
  for (unsigned BadOne = 0; BadOne != 3; ++BadOne) {
    Queue.ring_base_address = BadOne == 0 ? Nothing : Good;
    Queue.read_pointer_address = BadOne == 1 ? Nothing : Good;
    Queue.write_pointer_address = BadOne == 2 ? Nothing : Good;
    EXPECT_EQ(request(0x02, Queue), -EFAULT);
  }
  Queue.ring_size = 8192; // Data has a page
  Queue.ring_base_address = Queue.write_pointer_address = Good;
  EXPECT_EQ(request(0x02, Queue), -EFAULT);

  kfd_ioctl_create_event_args Event{};
  Event.event_page_offset = 12345; // no such handle
  EXPECT_EQ(request(0x08, Event), -EINVAL);
}

TEST_F(KfdRequests, BadPointersOfARenderNodeAreErrors) {
  const uint64_t Nothing = addresses(Page);
  EXPECT_EQ(
      answerRenderRequest(DRM_IOCTL_VERSION, reinterpret_cast<void *>(Nothing)),
      -EFAULT);
  drm_version V{};
  ASSERT_EQ(answerRenderRequest(DRM_IOCTL_VERSION, &V), 0);
  EXPECT_EQ(V.name_len, 6u);
  V.name = reinterpret_cast<char *>(Nothing);
  EXPECT_EQ(answerRenderRequest(DRM_IOCTL_VERSION, &V), -EFAULT);
  char Name[4] = {};
  V.name = Name;
  V.name_len = 3;
  ASSERT_EQ(answerRenderRequest(DRM_IOCTL_VERSION, &V), 0);
  EXPECT_STREQ(Name, "amd");
  EXPECT_EQ(V.name_len, 6u);
}

TEST_F(KfdRequests, UnemulatedRequestIsNamedOnce) {
  uint32_t A = 0;
  testing::internal::CaptureStderr();
  EXPECT_EQ(request(0x1f, A), -ENOTTY);
  EXPECT_EQ(request(0x1f, A), -ENOTTY);
  EXPECT_EQ(answerRequest(*D, _IOWR('X', 1, uint32_t), &A), -ENOTTY);
  std::string Said = testing::internal::GetCapturedStderr();
  EXPECT_NE(Said.find("request 0x1f to /dev/kfd"), std::string::npos);
  EXPECT_EQ(Said.find("0x1f"), Said.rfind("0x1f"));
}

} // namespace
