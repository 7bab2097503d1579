//===- Client.cpp - a program that uses the emulated driver ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What it submits, and how it waits. The layout of packets: lib/SoftGpu/Kfd and
// its tests, which ask the driver without the C library between.
//
//===----------------------------------------------------------------------===//
#include "Client.h"

#include <cstring>
#include <fcntl.h>
#include <hsa/hsa.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>

using namespace kpack::softgpu;
using namespace kpack::softgpu::test;

//===----------------------------------------------------------------------===//
// The devices and their memory
//===----------------------------------------------------------------------===//

Client::Client()
    : Kfd(::open("/dev/kfd", O_RDWR | O_CLOEXEC)),
      Render(::open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC)) {
  EXPECT_GE(Kfd, 0);
  EXPECT_GE(Render, 0);
  kfd_ioctl_get_version_args Version{};
  demand(0x01, Version);
  EXPECT_EQ(Version.major_version, kfd::MajorVersion);
}

Client::~Client() {
  ::close(Render);
  ::close(Kfd);
}

uint8_t *kpack::softgpu::test::reserve(uint64_t Size) {
  void *Begin = ::mmap(nullptr, Size, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  EXPECT_NE(Begin, MAP_FAILED);
  return static_cast<uint8_t *>(Begin);
}

Area Client::allocate(uint64_t Size) const {
  kfd_ioctl_alloc_memory_of_gpu_args A{};
  A.va_addr = number(reserve(Size));
  A.size = Size;
  A.gpu_id = GpuId;
  A.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
  demand(0x16, A);
  Area Made{A.handle, reinterpret_cast<uint8_t *>(A.va_addr), Size};
  map(Made, A.mmap_offset);
  return Made;
}

void Client::map(Area &A, uint64_t Offset) const {
  EXPECT_EQ(::mmap(A.Data, A.Size, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED, Render, off_t(Offset)),
            A.Data);
  uint32_t Id = GpuId;
  kfd_ioctl_map_memory_to_gpu_args Map{};
  Map.handle = A.Handle;
  Map.device_ids_array_ptr = number(&Id);
  Map.n_devices = 1;
  demand(0x18, Map);
}

void Client::free(Area &A) const {
  kfd_ioctl_free_memory_of_gpu_args Free{A.Handle};
  demand(0x17, Free);
  EXPECT_EQ(::munmap(A.Data, A.Size), 0);
  A = Area();
}

int Client::lend(const Area &A, kfd::IpcImport &Loan) const {
  kfd::IpcExport Export{};
  Export.Handle = A.Handle;
  if (int Problem = request(0x81, Export))
    return Problem;
  Loan = {};
  Loan.GpuId = GpuId;
  std::memcpy(Loan.ShareHandle, Export.ShareHandle, sizeof(Loan.ShareHandle));
  return 0;
}

int Client::borrow(kfd::IpcImport Loan, Area &A) const {
  uint8_t *At = reserve(Page);
  Loan.Address = number(At);
  if (int Problem = request(0x80, Loan)) {
    ::munmap(At, Page);
    return Problem;
  }
  A = {Loan.Handle, At, Page};
  map(A, Loan.MapOffset);
  return 0;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

uint32_t Client::createEvent(uint32_t Type) const {
  kfd_ioctl_create_event_args A{};
  A.event_type = Type;
  A.auto_reset = Type == KFD_IOC_EVENT_SIGNAL;
  demand(0x08, A);
  return A.event_id;
}

void Client::destroyEvent(uint32_t Id) const {
  kfd_ioctl_destroy_event_args A{};
  A.event_id = Id;
  demand(0x09, A);
}

int Client::waitFor(kfd_event_data &Event, uint32_t Milliseconds) const {
  kfd_ioctl_wait_events_args A{};
  A.events_ptr = number(&Event);
  A.num_events = 1;
  A.timeout = Milliseconds;
  int Problem = request(0x0c, A);
  return Problem ? -Problem : int(A.wait_result);
}

void kpack::softgpu::test::awaitValue(uint32_t *Variable, uint32_t Value) {
  while (std::atomic_ref(*Variable).load(std::memory_order_acquire) != Value)
    std::this_thread::yield();
}

void kpack::softgpu::test::setValue(uint32_t *Variable, uint32_t Value) {
  std::atomic_ref(*Variable).store(Value, std::memory_order_release);
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

static constexpr uint64_t DoorbellBytes = 8192; ///< a page of them

ClientQueue::ClientQueue(Client &C, uint32_t Type, uint64_t ReadOffset,
                         uint64_t WriteOffset)
    : C(C), Ring(C.allocate(RingBytes)), Shared(C.allocate()) {
  if (Type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL)
    for (uint64_t At = 0; At < RingBytes; At += 64)
      *Ring.as<uint16_t>(At) = HSA_PACKET_TYPE_INVALID;
  kfd_ioctl_create_queue_args A{};
  A.gpu_id = GpuId;
  A.queue_type = Type;
  A.queue_percentage = 100;
  A.ring_base_address = number(Ring.Data);
  A.ring_size = RingBytes;
  A.read_pointer_address = number(Shared.Data + ReadOffset);
  A.write_pointer_address = number(Shared.Data + WriteOffset);
  C.demand(0x02, A);
  Id = A.queue_id;
  Doorbells = ::mmap(nullptr, DoorbellBytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                     C.Kfd, off_t(A.doorbell_offset & ~(DoorbellBytes - 1)));
  EXPECT_NE(Doorbells, MAP_FAILED);
  Doorbell = static_cast<uint64_t *>(Doorbells) +
             A.doorbell_offset % DoorbellBytes / sizeof(uint64_t);
}

void ClientQueue::destroy() {
  kfd_ioctl_destroy_queue_args A{};
  A.queue_id = Id;
  if (Id)
    C.demand(0x03, A);
  Id = 0;
}

ClientQueue::~ClientQueue() {
  destroy();
  ::munmap(Doorbells, DoorbellBytes);
  C.free(Shared);
  C.free(Ring);
}

void ClientQueue::ring(uint64_t Index) {
  std::atomic_ref(*Doorbell).store(Index);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

struct KernelQueue::Layout {
  amd_queue_t Queue;
  amd_signal_t Done;
  uint64_t Arguments[RingBytes / 64][2];
};

/// Of a descriptor (16 words) and its code; the arguments' address is in
/// s[0:1].
static constexpr size_t KernelWords = 64, StoreKernel = 0, HoldKernel = 1,
                        GatherKernel = 2;

static void writeKernel(uint32_t *At, std::initializer_list<uint32_t> Code) {
  At[4] = 64;      // the entry, from here
  At[13] = 2 << 1; // user SGPRs
  At[14] = 1 << 3; // the kernel arguments' address
  std::copy(Code.begin(), Code.end(), At + 16);
}

KernelQueue::KernelQueue(Client &C)
    : ClientQueue(C, KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
                  offsetof(Layout, Queue.read_dispatch_id),
                  offsetof(Layout, Queue.write_dispatch_id)),
      Code(C.allocate()), Event(C.createEvent()) {
  static_assert(sizeof(Layout) <= Page);
  layout().Done.event_mailbox_ptr = 1; // that it has one
  layout().Done.event_id = Event;
  auto *Words = Code.as<uint32_t>();
  writeKernel(Words + StoreKernel * KernelWords,
              {0xc0060080, 0,          // s_load_dwordx2 s[2:3], s[0:1], 0
               0xc0020100, 8,          // s_load_dword s4, s[0:1], 8
               0x7e000280,             // v_mov_b32 v0, 0
               0xbf8cc07f,             // s_waitcnt lgkmcnt(0)
               0x7e020204,             // v_mov_b32 v1, s4
               0xdc708000, 0x00020100, // global_store_dword v0, v1, s[2:3]
               0xbf810000});           // s_endpgm
  writeKernel(Words + HoldKernel * KernelWords,
              {0xc00a0100, 0,          // s_load_dwordx4 s[4:7], s[0:1], 0
               0x7e000280,             // v_mov_b32 v0, 0
               0x7e020281,             // v_mov_b32 v1, 1
               0xbf8cc07f,             // s_waitcnt lgkmcnt(0)
               0xdc708000, 0x00040100, // global_store_dword v0, v1, s[4:5]
               0xdc518000, 0x02060000, // global_load_dword v2, v0, s[6:7]
               0xbf8c0f70,             // s_waitcnt vmcnt(0)
               0x7e040502,             // v_readfirstlane_b32 s2, v2
               0xbf068002,             // s_cmp_eq_u32 s2, 0
               0xbf85fffa,             // s_cbranch_scc1: to the load
               0xbf810000});           // s_endpgm
  writeKernel(Words + GatherKernel * KernelWords,
              {0xc0060080, 0,          // s_load_dwordx2 s[2:3], s[0:1], 0
               0x24000086,             // v_lshlrev_b32 v0, 6, v0
               0xbf8cc07f,             // s_waitcnt lgkmcnt(0)
               0xdc508000, 0x00020000, // global_load_dword v0, v0, s[2:3]
               0xbf8c0f70,             // s_waitcnt vmcnt(0)
               0xbf810000});           // s_endpgm
}

KernelQueue::~KernelQueue() {
  destroy();
  C.destroyEvent(Event);
  freeCode();
}

void KernelQueue::freeCode() {
  if (Code.Data)
    C.free(Code);
}

void KernelQueue::submit(size_t Kernel, uint64_t First, uint64_t Second) {
  Layout &L = layout();
  std::atomic_ref Write(const_cast<uint64_t &>(L.Queue.write_dispatch_id));
  std::atomic_ref Left(const_cast<int64_t &>(L.Done.value));
  uint64_t Index = Write.load(std::memory_order_relaxed);
  uint64_t Slot = Index % (RingBytes / 64);
  L.Arguments[Slot][0] = First;
  L.Arguments[Slot][1] = Second;
  hsa_kernel_dispatch_packet_t P{};
  P.setup = 1;
  P.workgroup_size_x = P.grid_size_x = 64;
  P.workgroup_size_y = P.workgroup_size_z = 1;
  P.grid_size_y = P.grid_size_z = 1;
  P.kernel_object = number(Code.as<uint32_t>() + Kernel * KernelWords);
  P.kernarg_address = L.Arguments[Slot];
  P.completion_signal = {number(&L.Done)};
  Left.fetch_add(1);
  Write.store(Index + 1, std::memory_order_release);
  uint8_t *At = Ring.Data + Slot * 64;
  std::memcpy(At + 2, reinterpret_cast<char *>(&P) + 2, 62);
  std::atomic_ref(*reinterpret_cast<uint16_t *>(At))
      .store(HSA_PACKET_TYPE_KERNEL_DISPATCH, std::memory_order_release);
  ring(Index);
}

void KernelQueue::store(uint32_t *To, uint32_t Value) {
  submit(StoreKernel, number(To), Value);
}

void KernelQueue::gather(const uint8_t *From) {
  submit(GatherKernel, number(From), 0);
}

void KernelQueue::hold(uint32_t *Began, uint32_t *Until) {
  submit(HoldKernel, number(Began), number(Until));
}

bool KernelQueue::wait(uint32_t Milliseconds) {
  std::atomic_ref Left(const_cast<int64_t &>(layout().Done.value));
  while (Left.load(std::memory_order_acquire) != 0) {
    kfd_event_data Data{};
    Data.event_id = Event;
    if (C.waitFor(Data, Milliseconds) != KFD_IOC_WAIT_RESULT_COMPLETE)
      return Left.load(std::memory_order_acquire) == 0;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

CopyQueue::CopyQueue(Client &C)
    : ClientQueue(C, KFD_IOC_QUEUE_TYPE_SDMA, /*ReadOffset=*/0,
                  /*WriteOffset=*/8) {}

void CopyQueue::copy(void *To, const void *From, uint32_t Bytes) {
  uint64_t Source = number(From), Target = number(To);
  uint32_t Words[] = {1,
                      Bytes - 1,
                      0,
                      uint32_t(Source),
                      uint32_t(Source >> 32),
                      uint32_t(Target),
                      uint32_t(Target >> 32)};
  std::atomic_ref Write(*Shared.as<uint64_t>(8));
  uint64_t At = Write.load(std::memory_order_relaxed);
  for (uint32_t Word : Words) {
    std::memcpy(Ring.Data + At % RingBytes, &Word, sizeof(Word));
    At += sizeof(Word);
  }
  Write.store(At, std::memory_order_release);
  ring(At);
}

bool CopyQueue::wait(uint32_t Milliseconds) {
  std::atomic_ref Read(*Shared.as<uint64_t>()), Write(*Shared.as<uint64_t>(8));
  auto End = std::chrono::steady_clock::now() +
             std::chrono::milliseconds(Milliseconds);
  while (Read.load(std::memory_order_acquire) !=
         Write.load(std::memory_order_relaxed)) {
    if (std::chrono::steady_clock::now() > End)
      return false;
    std::this_thread::yield();
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

Child::Child(const std::function<int()> &Body) {
  std::fflush(nullptr);
  Id = ::fork();
  if (Id != 0)
    return;
  rlimit NoCore{0, 0};
  ::setrlimit(RLIMIT_CORE, &NoCore);
  ::alarm(120);
  int Code = Body();
  std::fflush(nullptr);
  ::_exit(testing::Test::HasFailure() ? 99 : Code);
}

Child::~Child() {
  if (Id <= 0)
    return;
  kill();
  wait();
}

int Child::wait() {
  int Status = 0;
  EXPECT_EQ(::waitpid(Id, &Status, 0), Id);
  Id = -1;
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : 128 + WTERMSIG(Status);
}

void Child::kill() { ::kill(Id, SIGKILL); }

Channel::Channel() { EXPECT_EQ(::pipe(Ends), 0); }

Channel::~Channel() {
  ::close(Ends[0]);
  ::close(Ends[1]);
}
