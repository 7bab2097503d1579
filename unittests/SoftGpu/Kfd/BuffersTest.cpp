//===- BuffersTest.cpp - tests of allocations and mappings ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each GPU may use and what the process sees, before and after.
//
//===----------------------------------------------------------------------===//
#include "../../../lib/SoftGpu/Kfd/Hardware.h"
#include "KfdFixture.h"

#include "SoftGpu/Kfd/Preload/Emulator.h"
#include "kpack/Support/UniqueFd.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace kpack;
using namespace kpack::softgpu;

namespace {

class KfdBuffers : public KfdFixture {
protected:
  BufferTable &memory() { return D->Memory; }

  BufferTable::Wanted wanted(uint64_t Size = Page) {
    BufferTable::Wanted W;
    W.Address = addresses(Size);
    W.Size = Size;
    W.Flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
    W.Owner = gpu(2);
    return W;
  }
};

TEST_F(KfdBuffers, AGpuSeesWhatIsMappedToIt) {
  uint8_t *P = allocate({});
  EXPECT_FALSE(sees(1, P));
  EXPECT_EQ(memory().mapTo(getHandle(P), gpus({1, 2})), 0);
  EXPECT_TRUE(sees(1, P));
  EXPECT_TRUE(sees(1, P + Page - 1));
  EXPECT_FALSE(sees(1, P + Page));
  EXPECT_EQ(memory().unmapFrom(getHandle(P), gpus({1})), 0);
  EXPECT_FALSE(sees(1, P));
  EXPECT_TRUE(sees(2, P));
  free(P);
  EXPECT_FALSE(sees(2, P));
}

/// A GPU's access is one of the process, which need not have mapped anything.
TEST_F(KfdBuffers, BuffersNeedNoProcessMapping) {
  uint8_t *P = allocate({1}, 3 * Page);
  P[0] = P[3 * Page - 1] = 7;
  // A view of it elsewhere, as mmap() of a render node makes one.
  uint64_t View = 0;
  ASSERT_EQ(
      memory().map(BufferTable::mapOffset(getHandle(P)), 3 * Page, 0, View), 0);
  EXPECT_EQ(*reinterpret_cast<uint8_t *>(View + 3 * Page - 1), 7);
  EXPECT_TRUE(memory().unmapped(View, 3 * Page));
  EXPECT_EQ(P[0], 7);
}

TEST_F(KfdBuffers, GpuKeepsMemoryTheProcessUnmaps) {
  uint8_t *P = allocate({1});
  *P = 5;
  EXPECT_TRUE(memory().unmapped(reinterpret_cast<uint64_t>(P), Page));
  EXPECT_EQ(*P, 5); // it is the GPU that still has it
  EXPECT_EQ(memory().unmapFrom(getHandle(P), gpus({1})), 0);
  EXPECT_EXIT(
      std::exit(*static_cast<volatile uint8_t *>(P)),
      [](int Status) { return Status != 0; }, "");
  EXPECT_EQ(memory().free(getHandle(P)), 0);
  Handles.clear();
}

TEST_F(KfdBuffers, AddressesOfFreedMemoryAreNotUsedAgain) {
  uint8_t *First = allocate({1});
  free(First);
  for (int I = 0; I < 50; ++I) {
    uint8_t *Next = allocate({1});
    EXPECT_NE(Next, First);
    free(Next);
  }
  auto Address = reinterpret_cast<uint64_t>(First);
  EXPECT_NE(memory().describeFreed(Address + 8).find("4096-byte allocation"),
            std::string::npos);
  EXPECT_EQ(memory().describeFreed(Address + Page), "");
  // Somebody may ask for these very addresses.
  EXPECT_EQ(allocate({1}, Page, Address), First);
  EXPECT_EQ(memory().describeFreed(Address + 8), "");
  *First = 1;
}

TEST_F(KfdBuffers, FreedMemoryStaysWhileAKernelRuns) {
  uint8_t *P = allocate({1});
  *P = 77;
  memory().beginDispatch();
  free(P);
  EXPECT_FALSE(sees(1, P));
  EXPECT_EQ(*P, 77);
  memory().endDispatch();
  EXPECT_EXIT(
      std::exit(*static_cast<volatile uint8_t *>(P)),
      [](int Status) { return Status != 0; }, "");
}

/// The descriptors of this process that are files of buffers.
static std::vector<int> bufferFiles() {
  std::vector<int> Found;
  for (auto &Entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code Problem;
    auto Name = std::filesystem::read_symlink(Entry, Problem).string();
    if (Name.find("softgpu buffer") != std::string::npos)
      Found.push_back(std::stoi(Entry.path().filename()));
  }
  return Found;
}

/// The pages of these files that take memory.
static uint64_t residentPages() {
  uint64_t Pages = 0;
  for (int Fd : bufferFiles()) {
    struct stat Status;
    EXPECT_EQ(::fstat(Fd, &Status), 0);
    Pages += uint64_t(Status.st_blocks) * 512 / Page;
  }
  return Pages;
}

TEST_F(KfdBuffers, SmallBuffersShareFiles) {
  size_t Before = bufferFiles().size();
  std::vector<uint8_t *> All;
  for (int I = 0; I < 200; ++I) {
    All.push_back(allocate({1}));
    EXPECT_EQ(*All.back(), 0);
    *All.back() = uint8_t(I);
  }
  EXPECT_LE(bufferFiles().size(), Before + 4);
  for (int I = 0; I < 200; ++I)
    EXPECT_EQ(*All[size_t(I)], uint8_t(I));
  for (uint8_t *P : All)
    free(P);
  EXPECT_LE(bufferFiles().size(), Before + 1);
}

TEST_F(KfdBuffers, SharedSmallBufferGetsAFile) {
  uint8_t *First = allocate({1}), *P = allocate({1, 2}, 2 * Page);
  First[0] = 3;
  P[0] = 4;
  P[2 * Page - 1] = 5;
  UniqueFd Fd(memory().share(getHandle(P)));
  ASSERT_TRUE(Fd);
  uint64_t Handle = 0, Size = 0;
  EXPECT_EQ(memory().import(Fd.get(), addresses(2 * Page), Handle, Size), 0);
  EXPECT_EQ(Size, 2 * Page);
  uint64_t View = 0;
  ASSERT_EQ(memory().map(BufferTable::mapOffset(Handle), Size, 0, View), 0);
  auto *Other = reinterpret_cast<uint8_t *>(View);
  EXPECT_EQ(Other[0], 4);
  EXPECT_EQ(Other[2 * Page - 1], 5);
  P[1] = 6;
  EXPECT_EQ(Other[1], 6);
  Other[2] = 7;
  EXPECT_EQ(P[2], 7);
  EXPECT_EQ(First[0], 3);
  EXPECT_TRUE(sees(2, P + 2 * Page - 1));
  EXPECT_TRUE(memory().unmapped(View, Size));
  EXPECT_EQ(memory().free(Handle), 0);
}

/// Runs \p Work in a thread that cannot map anything at \p Address: false where
/// the system refuses such a filter of system calls.
template <typename Function>
static bool runWithoutMapsAt(const void *Address, Function Work) {
  // The lower half of the address, on little-endian hosts.
  auto Low = uint32_t(reinterpret_cast<uintptr_t>(Address));
  sock_filter Filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, Low, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  bool IsFiltered = false;
  std::thread([&] {
    sock_fprog Program{std::size(Filter), Filter};
    IsFiltered =
        ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
        ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &Program, 0, 0) == 0;
    if (IsFiltered)
      Work();
  }).join();
  return IsFiltered;
}

/// A second attempt to share it succeeds, with the bytes that the process has
/// stored in both mapped parts.
TEST_F(KfdBuffers, UnshareableSmallBufferIsUnchanged) {
  uint8_t *P = allocate({}, 3 * Page);
  std::memset(P, 1, 3 * Page);
  EXPECT_TRUE(memory().unmapped(reinterpret_cast<uint64_t>(P + Page), Page));
  int Result = 0;
  if (!runWithoutMapsAt(P + 2 * Page,
                        [&] { Result = memory().share(getHandle(P)); }))
    GTEST_SKIP() << "no filters of system calls";
  EXPECT_EQ(Result, -ENOMEM);
  P[0] = 2;
  P[2 * Page] = 3;
  UniqueFd Fd(memory().share(getHandle(P)));
  ASSERT_TRUE(Fd);
  for (auto [Offset, Byte] :
       {std::pair<uint64_t, uint8_t>{0, 2}, {1, 1}, {Page, 1}, {2 * Page, 3}}) {
    uint8_t Shared = 0;
    EXPECT_EQ(::pread(Fd.get(), &Shared, 1, off_t(Offset)), 1);
    EXPECT_EQ(Shared, Byte) << Offset;
  }
  free(P, 3 * Page);
}

TEST_F(KfdBuffers, LentSmallBufferGetsAFile) {
  uint8_t *P = allocate({1});
  *P = 9;
  BufferTable::Loan L{};
  ASSERT_EQ(memory().lend(getHandle(P), L), 0);
  uint64_t Handle = 0, View = 0;
  ASSERT_EQ(memory().borrow(L, addresses(Page), Handle), 0);
  ASSERT_EQ(memory().map(BufferTable::mapOffset(Handle), Page, 0, View), 0);
  EXPECT_EQ(*reinterpret_cast<uint8_t *>(View), 9);
  free(P);
  EXPECT_EQ(*reinterpret_cast<uint8_t *>(View), 9);
  EXPECT_TRUE(memory().unmapped(View, Page));
  EXPECT_EQ(memory().free(Handle), 0);
}

/// Small buffers share a file, and metadata are after a buffer's memory.
TEST_F(KfdBuffers, MetadataOfASmallBufferLeaveNeighbours) {
  uint8_t *First = allocate({1}), *Second = allocate({1});
  First[0] = 5;
  std::memset(Second, 6, Page);
  BufferMetadata Metadata{};
  EXPECT_EQ(memory().getMetadata(getHandle(First), Metadata), 0);
  EXPECT_EQ(Metadata.Size, 0u);
  Metadata.Size = 4;
  Metadata.Data[0] = 42;
  EXPECT_EQ(memory().setMetadata(getHandle(First), Metadata), 0);
  EXPECT_EQ(First[0], 5);
  EXPECT_TRUE(std::all_of(Second, Second + Page,
                          [](uint8_t Byte) { return Byte == 6; }));
  Metadata = {};
  EXPECT_EQ(memory().getMetadata(getHandle(Second), Metadata), 0);
  EXPECT_EQ(Metadata.Size, 0u);
  EXPECT_EQ(memory().getMetadata(getHandle(First), Metadata), 0);
  EXPECT_EQ(Metadata.Data[0], 42u);
  free(First);
  free(Second);
}

/// Also where others of their file stay.
TEST_F(KfdBuffers, PagesOfFreedSmallBuffersAreReleased) {
  uint64_t Before = residentPages();
  std::vector<uint8_t *> All;
  for (int I = 0; I < 500; ++I) {
    uint8_t *P = allocate({1}, 16 * Page);
    std::memset(P, 1, 16 * Page);
    if (I % 50 == 0)
      All.push_back(P);
    else
      free(P, 16 * Page);
  }
  EXPECT_LE(residentPages(), Before + 16 * (All.size() + 1));
  for (uint8_t *P : All) {
    EXPECT_EQ(P[16 * Page - 1], 1);
    free(P, 16 * Page);
  }
}

/// Whichever part the process unmaps first, and whether it does so before it
/// frees the buffer or afterwards.
TEST_F(KfdBuffers, PagesOfPartlyUnmappedSmallBuffersAreReleased) {
  uint8_t *Other = allocate({1}); // their file stays
  uint64_t Before = residentPages();
  for (bool FreeFirst : {true, false})
    for (std::vector<uint64_t> Order :
         {std::vector<uint64_t>{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}}) {
      uint8_t *P = allocate({1}, 4 * Page);
      std::memset(P, 1, 4 * Page);
      uint64_t Handle = getHandle(P);
      Handles.erase(reinterpret_cast<uint64_t>(P));
      if (FreeFirst)
        EXPECT_EQ(memory().free(Handle), 0);
      for (size_t I = 0; I != Order.size(); ++I) {
        EXPECT_EQ(P[Order[I] * Page], 1);
        EXPECT_TRUE(memory().unmapped(
            reinterpret_cast<uint64_t>(P + Order[I] * Page), Page));
        if (!FreeFirst && I == 1) {
          EXPECT_EQ(memory().unmapFrom(Handle, gpus({1})), 0);
          EXPECT_EQ(memory().free(Handle), 0);
        }
      }
      EXPECT_EQ(residentPages(), Before);
    }
  *Other = 1;
}

/// Nothing is to be unmapped any more that would give them back.
TEST_F(KfdBuffers, PagesOfAnUnmappedSmallBufferAreReleasedEarly) {
  uint8_t *Other = allocate({1}), *P = allocate({}, 2 * Page);
  std::memset(P, 1, 2 * Page);
  uint64_t Before = residentPages(), Handle = getHandle(P);
  Handles.erase(reinterpret_cast<uint64_t>(P));
  EXPECT_TRUE(memory().unmapped(reinterpret_cast<uint64_t>(P), Page));
  memory().beginDispatch();
  EXPECT_TRUE(memory().unmapped(reinterpret_cast<uint64_t>(P + Page), Page));
  EXPECT_EQ(memory().free(Handle), 0);
  EXPECT_EQ(P[Page], 1); // the kernel may use it
  EXPECT_EQ(residentPages(), Before - 1);
  memory().endDispatch();
  EXPECT_EQ(residentPages(), Before - 2);
  *Other = 1;
}

/// They have moved to a separate file.
TEST_F(KfdBuffers, PagesOfSharedSmallBuffersAreReleased) {
  uint8_t *Other = allocate({1}), *P = allocate({1}, 16 * Page);
  std::memset(P, 1, 16 * Page);
  uint64_t Before = residentPages();
  ASSERT_TRUE(UniqueFd(memory().share(getHandle(P))));
  EXPECT_EQ(residentPages(), Before);
  EXPECT_EQ(P[16 * Page - 1], 1);
  *Other = 1;
  free(P, 16 * Page);
}

/// They are those of the buffer that is mapped there.
TEST_F(KfdBuffers, PagesOfASmallBufferSurviveItsNeighbour) {
  uint8_t *P = allocate({1}, 2 * Page);
  std::memset(P, 1, 2 * Page);
  uint64_t Handle = 0;
  EXPECT_EQ(memory().free(getHandle(P)), 0);
  Handles.erase(reinterpret_cast<uint64_t>(P));
  BufferTable::Wanted W = wanted();
  W.Address = reinterpret_cast<uint64_t>(P);
  ASSERT_EQ(memory().allocate(W, Handle), 0);
  EXPECT_EQ(memory().free(Handle), 0);
  EXPECT_EQ(P[0], 1);
  uint64_t Before = residentPages();
  EXPECT_TRUE(memory().unmapped(W.Address, 2 * Page));
  EXPECT_EQ(residentPages(), Before - 2);
}

TEST_F(KfdBuffers, GpuMemoryIsLimited) {
  BufferTable::Wanted All = wanted(hardware::LocalBytes), More = wanted();
  uint64_t Handle = 0, Other = 0;
  ASSERT_EQ(memory().allocate(All, Handle), 0);
  EXPECT_EQ(memory().bytesFree(*gpu(2)), 0u);
  EXPECT_EQ(memory().allocate(More, Other), -ENOMEM);
  EXPECT_EQ(memory().free(Handle), 0);
  EXPECT_EQ(memory().allocate(More, Other), 0);
  EXPECT_EQ(memory().free(Other), 0);
  EXPECT_EQ(memory().bytesFree(*gpu(2)), hardware::LocalBytes);
}

TEST_F(KfdBuffers, WrongCallsAreRefused) {
  uint64_t Handle = 0;
  for (auto [Address, Size] : {std::pair<uint64_t, uint64_t>{Page, 0},
                               {Page, ~uint64_t(0)},
                               {Page + 1, Page},
                               {Page, 100},
                               {uint64_t(1) << 47, Page}}) {
    BufferTable::Wanted W = wanted();
    W.Address = Address;
    W.Size = Size;
    EXPECT_EQ(memory().allocate(W, Handle), -EINVAL);
  }
  EXPECT_EQ(memory().free(12345), -EINVAL);
  EXPECT_EQ(memory().mapTo(12345, gpus({1})), -EINVAL);
  uint8_t *P = allocate({});
  EXPECT_EQ(memory().bind(*gpu(1), getHandle(P), Page, Page, addresses(Page)),
            -EINVAL);
  uint64_t At = 0;
  EXPECT_EQ(memory().map(BufferTable::mapOffset(getHandle(P)), 2 * Page, 0, At),
            -EINVAL);
}

/// Virtual memory management: parts of buffers, where one wants them.
TEST_F(KfdBuffers, PartsAreBoundAtGivenAddresses) {
  uint8_t *P = allocate({}, 2 * Page);
  uint64_t Address = addresses(Page);
  ASSERT_EQ(memory().bind(*gpu(1), getHandle(P), Page, Page, Address), 0);
  EXPECT_TRUE(sees(1, Address));
  *reinterpret_cast<uint8_t *>(Address) = 9;
  uint64_t View = 0;
  ASSERT_EQ(
      memory().map(BufferTable::mapOffset(getHandle(P)), 2 * Page, 0, View), 0);
  EXPECT_EQ(*reinterpret_cast<uint8_t *>(View + Page), 9);
  EXPECT_EQ(memory().unbind(*gpu(1), Address, Page), 0);
  EXPECT_FALSE(sees(1, Address));
  // Nobody but the GPU had mapped it there.
  EXPECT_EXIT(
      std::exit(*reinterpret_cast<volatile uint8_t *>(Address)),
      [](int Status) { return Status != 0; }, "");
  EXPECT_TRUE(memory().unmapped(View, 2 * Page));
  // A view of the second page alone.
  View = 0;
  ASSERT_EQ(
      memory().map(BufferTable::mapOffset(getHandle(P)) + Page, Page, 0, View),
      0);
  EXPECT_EQ(*reinterpret_cast<uint8_t *>(View), 9);
  EXPECT_TRUE(memory().unmapped(View, Page));
}

/// What the process does with addresses that it has given back is its own.
TEST_F(KfdBuffers, NewMappingOverFreedMemoryStays) {
  uint64_t Reserved = addresses(16 * Page);
  uint8_t *P = allocate({1}, Page, Reserved + 4 * Page);
  free(P);
  EXPECT_FALSE(memory().unmapped(Reserved, 16 * Page));
  ASSERT_EQ(::munmap(reinterpret_cast<void *>(Reserved), 16 * Page), 0);
  auto *Own = static_cast<uint8_t *>(::mmap(
      reinterpret_cast<void *>(Reserved), 16 * Page, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
  std::fill(Own, Own + 16 * Page, uint8_t(3));
  for (int I = 0; I < 1100; ++I) // more than are remembered
    free(allocate({1}));
  EXPECT_EQ(Own[4 * Page], 3);
  ::munmap(Own, 16 * Page);
}

/// Over memory that a GPU may use, or while a kernel runs.
TEST_F(KfdBuffers, NewMappingOverLiveMemoryStays) {
  uint8_t *Bound = allocate({1}), *Freed = allocate({1});
  memory().beginDispatch();
  uint64_t Handle = getHandle(Bound);
  free(Freed);
  for (uint8_t *P : {Bound, Freed}) {
    memory().replaced(reinterpret_cast<uint64_t>(P), Page);
    ASSERT_EQ(::mmap(P, Page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
              P);
    *P = 8;
  }
  memory().endDispatch();
  EXPECT_EQ(memory().free(Handle), 0);
  Handles.clear();
  EXPECT_EQ(*Bound, 8);
  EXPECT_EQ(*Freed, 8);
}

/// One page of many that the process gives back at once.
TEST_F(KfdBuffers, PagesAroundABufferAreUnmappedAtOnce) {
  uint64_t Reserved = addresses(8 * Page);
  uint8_t *P = allocate({1}, Page, Reserved);
  *P = 6;
  EXPECT_TRUE(memory().unmapped(Reserved, 8 * Page));
  EXPECT_EQ(*P, 6); // the GPU has it
  EXPECT_NE(::mmap(reinterpret_cast<void *>(Reserved + 4 * Page), Page,
                   PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
                   -1, 0),
            MAP_FAILED);
}

TEST_F(KfdBuffers, ThousandsOfBuffersAreAllocated) {
  std::vector<uint8_t *> All;
  for (int I = 0; I < 3000; ++I)
    All.push_back(allocate({1}));
  for (uint8_t *P : All)
    free(P);
}

/// As two processes do, by a descriptor that one sends to the other.
TEST_F(KfdBuffers, MemoryIsSharedByDescriptor) {
  uint8_t *P = allocate({1});
  *P = 42;
  UniqueFd Shared(memory().share(getHandle(P)));
  ASSERT_TRUE(Shared);
  uint64_t Address = addresses(Page), Handle = 0, Size = 0;
  ASSERT_EQ(memory().import(Shared.get(), Address, Handle, Size), 0);
  EXPECT_EQ(Size, Page);
  ASSERT_EQ(memory().mapTo(Handle, gpus({2})), 0);
  EXPECT_EQ(*reinterpret_cast<uint8_t *>(Address), 42);
  EXPECT_TRUE(sees(2, Address));
  EXPECT_EQ(memory().free(Handle), 0);
}

TEST_F(KfdBuffers, RegisteredMemoryMayHaveAnotherAddress) {
  alignas(Page) static uint8_t Host[Page];
  BufferTable::Wanted W = wanted();
  W.Flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR;
  W.UserAddress = reinterpret_cast<uint64_t>(Host);
  uint64_t Handle = 0;
  ASSERT_EQ(memory().allocate(W, Handle), 0);
  ASSERT_EQ(memory().mapTo(Handle, gpus({1})), 0);
  EXPECT_EQ(gpu(1)->memory().host(W.Address + 100), Host + 100);
  EXPECT_FALSE(sees(1, Host));
  EXPECT_EQ(memory().free(Handle), 0);
  EXPECT_FALSE(sees(1, W.Address));
}

TEST_F(KfdBuffers, HostMemoryIsSharedAsItIs) {
  uint64_t Host = addresses(2 * Page);
  ASSERT_EQ(memory().shareHost(Host, 2 * Page, gpus({1, 2})), 0);
  EXPECT_TRUE(sees(1, Host));
  EXPECT_TRUE(sees(2, Host + 2 * Page - 1));
  // It is the process's own to unmap.
  EXPECT_FALSE(memory().unmapped(Host, Page));
  EXPECT_FALSE(sees(1, Host));
  EXPECT_TRUE(sees(1, Host + Page));
  EXPECT_FALSE(memory().unmapped(Host, 2 * Page));
}

} // namespace
