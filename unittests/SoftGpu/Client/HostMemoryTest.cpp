//===- HostMemoryTest.cpp - tests of unmapped registered memory -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By system calls, which no library sees: as free() in the C library does it.
// What becomes of it is a memory fault of the GPU, with a line that says what
// was accessed; signals of anything else are the program's as before.
//
//===----------------------------------------------------------------------===//
#include "Client.h"

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>

using namespace kpack::softgpu;
using namespace kpack::softgpu::test;

namespace {

constexpr uint64_t HostBytes = 2 * Page;

uint8_t *hostMemory(int Fd = -1) {
  void *Host = ::mmap(nullptr, HostBytes, PROT_READ | PROT_WRITE,
                      Fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, Fd, 0);
  EXPECT_NE(Host, MAP_FAILED);
  return static_cast<uint8_t *>(Host);
}

/// The last thing before an access: what is mapped next may be mapped there.
void unmap(void *Begin) { EXPECT_EQ(::syscall(SYS_munmap, Begin, Page), 0); }

/// Shared virtual memory, as ROCm 6 registers host memory.
void share(Client &C, uint8_t *Host) {
  alignas(8) uint64_t Words[4] = {};
  auto &Share = reinterpret_cast<kfd_ioctl_svm_args &>(Words);
  Share.start_addr = number(Host);
  Share.size = HostBytes;
  Share.op = KFD_IOCTL_SVM_OP_SET_ATTR;
  Share.nattr = 1;
  Share.attrs[0] = {KFD_IOCTL_SVM_ATTR_ACCESS, GpuId};
  EXPECT_EQ(C.request(0x20, Words), 0);
}

/// A buffer of it at another address of the GPU's (hipHostRegister).
uint8_t *registered(Client &C, uint8_t *Host) {
  kfd_ioctl_alloc_memory_of_gpu_args A{};
  A.va_addr = number(reserve(HostBytes));
  A.size = HostBytes;
  A.gpu_id = GpuId;
  A.flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR;
  A.mmap_offset = number(Host);
  C.demand(0x16, A);
  uint32_t Id = GpuId;
  kfd_ioctl_map_memory_to_gpu_args Map{};
  Map.handle = A.handle;
  Map.device_ids_array_ptr = number(&Id);
  Map.n_devices = 1;
  C.demand(0x18, Map);
  return reinterpret_cast<uint8_t *>(A.va_addr);
}

/// What a program hears of a fault.
struct Heard {
  uint64_t Address = 0;
  bool NotPresent = false, ReadOnly = false;
  std::string Line;
};

/// \p Submit does something that fails.
template <typename Queue>
Heard getFault(Client &C, Queue &Q, const std::function<void()> &Submit) {
  kfd_event_data Data{};
  Data.event_id = C.createEvent(KFD_IOC_EVENT_MEMORY);
  testing::internal::CaptureStderr();
  Submit();
  EXPECT_EQ(C.waitFor(Data, 20000), int(KFD_IOC_WAIT_RESULT_COMPLETE));
  Heard H;
  H.Line = testing::internal::GetCapturedStderr();
  const auto &Fault = Data.memory_exception_data;
  H.Address = Fault.va;
  H.NotPresent = Fault.failure.NotPresent;
  H.ReadOnly = Fault.failure.ReadOnly;
  C.destroyEvent(Data.event_id);
  EXPECT_FALSE(Q.wait(1));
  return H;
}

void expectLine(const Heard &H, const std::string &Part) {
  EXPECT_NE(H.Line.find(Part), std::string::npos) << H.Line;
}

std::string hex(const void *Address) {
  char Text[32];
  std::snprintf(Text, sizeof(Text), "0x%lx", number(Address));
  return Text;
}

void inAProcess(const std::function<void(Client &)> &Body, int End = 0) {
  Child Program([&] {
    Client C;
    Body(C);
    return 0;
  });
  EXPECT_EQ(Program.wait(), End);
}

TEST(ClientHostMemory, UnmappedIsNotPresent) {
  inAProcess([](Client &C) {
    uint8_t *Host = hostMemory();
    share(C, Host);
    KernelQueue Q(C);
    Q.store(reinterpret_cast<uint32_t *>(Host + Page + 64), 7);
    EXPECT_TRUE(Q.wait());
    Heard H = getFault(C, Q, [&] {
      unmap(Host + Page);
      Q.store(reinterpret_cast<uint32_t *>(Host + Page + 64), 8);
    });
    EXPECT_EQ(H.Address, number(Host + Page + 64));
    EXPECT_TRUE(H.NotPresent);
    EXPECT_FALSE(H.ReadOnly);
    expectLine(H, "memory access fault at " + hex(Host + Page + 64));
    expectLine(H, "'global_store_dword v0, v1, s[2:3]'");
    expectLine(H, "lane 0: write of 4 bytes at byte 4160 of the 8192 bytes of "
                  "registered host memory at " +
                      hex(Host) + "; the program has unmapped it\n");
    // Others go on, and what is left of the memory is there.
    KernelQueue Other(C);
    Other.store(reinterpret_cast<uint32_t *>(Host), 9);
    EXPECT_TRUE(Other.wait());
    EXPECT_EQ(*Host, 9);
  });
}

/// The lane is found although those before it have overwritten the addresses.
TEST(ClientHostMemory, FaultNamesTheLane) {
  inAProcess([](Client &C) {
    uint8_t *Host = hostMemory();
    uint8_t *Device = registered(C, Host);
    KernelQueue Q(C);
    Heard H = getFault(C, Q, [&] {
      unmap(Host + Page);
      Q.gather(Device + Page / 2);
    });
    EXPECT_EQ(H.Address, number(Device + Page));
    expectLine(H, "lane 32: read of 4 bytes at byte 4096 of the 8192 bytes of "
                  "registered host memory at " +
                      hex(Device) + "; the program has unmapped it\n");
  });
}

TEST(ClientHostMemory, ReadOnlyIsReadAndNotWritten) {
  inAProcess([](Client &C) {
    uint8_t *Host = hostMemory();
    share(C, Host);
    EXPECT_EQ(::mprotect(Host, Page, PROT_READ), 0);
    KernelQueue Q(C);
    Q.gather(Host);
    EXPECT_TRUE(Q.wait());
    Heard H =
        getFault(C, Q, [&] { Q.store(reinterpret_cast<uint32_t *>(Host), 8); });
    EXPECT_FALSE(H.NotPresent);
    EXPECT_TRUE(H.ReadOnly);
    expectLine(H, "; the program may not write it itself\n");
  });
}

TEST(ClientHostMemory, ProtectedIsNotRead) {
  inAProcess([](Client &C) {
    uint8_t *Host = hostMemory();
    share(C, Host);
    EXPECT_EQ(::mprotect(Host, Page, PROT_NONE), 0);
    KernelQueue Q(C);
    Heard H = getFault(C, Q, [&] { Q.gather(Host); });
    EXPECT_TRUE(H.NotPresent);
    expectLine(H, "lane 0: read of 4 bytes at byte 0 of");
    expectLine(H, "; the program may not read it itself\n");
  });
}

TEST(ClientHostMemory, TruncatedFileIsAFault) {
  inAProcess([](Client &C) {
    int Fd = int(::syscall(SYS_memfd_create, "cut", 0));
    EXPECT_EQ(::ftruncate(Fd, HostBytes), 0);
    uint8_t *Host = hostMemory(Fd);
    share(C, Host);
    EXPECT_EQ(::ftruncate(Fd, Page), 0);
    KernelQueue Q(C);
    Heard H = getFault(C, Q, [&] { Q.gather(Host + Page / 2); });
    EXPECT_EQ(H.Address, number(Host + Page));
    expectLine(H, "lane 32: read of 4 bytes");
    expectLine(H, "; its file ends before it\n");
  });
}

TEST(ClientHostMemory, CopiesAreFaults) {
  inAProcess([](Client &C) {
    uint8_t *Host = hostMemory();
    share(C, Host);
    Area A = C.allocate(HostBytes);
    {
      CopyQueue Q(C);
      Heard H = getFault(C, Q, [&] {
        unmap(Host + Page);
        Q.copy(A.Data, Host, uint32_t(HostBytes));
      });
      EXPECT_GE(H.Address, number(Host + Page));
      EXPECT_LT(H.Address, number(Host) + HostBytes);
      EXPECT_TRUE(H.NotPresent);
      expectLine(H, "copy engine: memory access fault at 0x");
      expectLine(H, ": read at byte ");
      expectLine(H, "; the program has unmapped it\n");
    }
    EXPECT_EQ(::mprotect(Host, Page, PROT_READ), 0);
    CopyQueue Q(C);
    Heard H = getFault(C, Q, [&] { Q.copy(Host, A.Data, 64); });
    EXPECT_TRUE(H.ReadOnly);
    expectLine(H, ": write at byte ");
    C.free(A);
  });
}

//===----------------------------------------------------------------------===//
// The program's own signals
//===----------------------------------------------------------------------===//

sigjmp_buf Back;
volatile sig_atomic_t Handled = 0;
void jumpBack(int) {
  Handled = Handled + 1;
  siglongjmp(Back, 1);
}
void jumpBackToo(int Signal, siginfo_t *, void *) { jumpBack(Signal); }

void touch(uint8_t *Address) {
  if (sigsetjmp(Back, /*savemask=*/1) == 0)
    *const_cast<volatile uint8_t *>(Address) = 1;
}

/// That kernels' faults and the program's own go where they belong.
void expectApart(Client &C, uint8_t *Host) {
  Handled = 0;
  EXPECT_EQ(::mprotect(Host + Page, Page, PROT_NONE), 0);
  touch(Host + Page);
  touch(Host + Page);
  EXPECT_EQ(Handled, 2);
  KernelQueue Q(C);
  Heard H = getFault(C, Q, [&] { Q.gather(Host + Page); });
  EXPECT_EQ(Handled, 2);
  expectLine(H, "memory access fault");
  touch(Host + Page);
  EXPECT_EQ(Handled, 3);
}

TEST(ClientHostMemory, EarlierHandlerGetsTheProgramsFaults) {
  inAProcess([](Client &C) {
    struct sigaction Own = {};
    Own.sa_handler = jumpBack;
    EXPECT_EQ(::sigaction(SIGSEGV, &Own, nullptr), 0);
    uint8_t *Host = hostMemory();
    share(C, Host);
    expectApart(C, Host);
  });
}

TEST(ClientHostMemory, LaterHandlerGetsTheProgramsFaults) {
  inAProcess([](Client &C) {
    uint8_t *Host = hostMemory();
    ::signal(SIGSEGV, jumpBack);
    share(C, Host);
    struct sigaction Own = {}, Old = {};
    Own.sa_sigaction = jumpBackToo;
    Own.sa_flags = SA_SIGINFO | SA_NODEFER;
    EXPECT_EQ(::sigaction(SIGSEGV, &Own, &Old), 0);
    EXPECT_EQ(Old.sa_handler, jumpBack);
    expectApart(C, Host);
    EXPECT_EQ(::sigaction(SIGSEGV, nullptr, &Old), 0);
    EXPECT_EQ(Old.sa_sigaction, jumpBackToo);
    ::signal(SIGSEGV, SIG_DFL);
    EXPECT_EQ(::signal(SIGSEGV, jumpBack), SIG_DFL);
    expectApart(C, Host);
  });
}

/// Registered memory is no excuse for the program itself.
TEST(ClientHostMemory, ProgramsOwnFaultEndsIt) {
  auto Registered = [](Client &C) {
    ::signal(SIGSEGV, SIG_DFL);
    ::signal(SIGBUS, SIG_DFL);
    uint8_t *Host = hostMemory();
    share(C, Host);
    unmap(Host + Page);
    return Host + Page;
  };
  inAProcess([&](Client &C) { *Registered(C) = 1; }, 128 + SIGSEGV);
  inAProcess(
      [&](Client &C) {
        Registered(C);
        ::raise(SIGBUS);
      },
      128 + SIGBUS);
}

} // namespace
