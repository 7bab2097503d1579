//===- MachineTest.cpp - tests of kernel launches and faults --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels in assembler with descriptors made by hand: what AMDGPUUsage promises
// a kernel at its entry is written to memory and compared with numbers worked
// out here. What compilers make of it is tested in test/SoftGpu.
//
//===----------------------------------------------------------------------===//
#include "Assembler.h"
#include "SoftGpu/Machine/Wave.h"
#include "SoftGpu/Machine/WorkerPool.h"

#include "SoftGpu/Machine/HostAccess.h"
#include "SoftGpu/Machine/Machine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"

#include "gtest/gtest.h"
#include <atomic>
#include <csignal>
#include <sys/mman.h>
#include <thread>

using namespace kpack::softgpu;
using namespace llvm::amdhsa;

namespace {

/// In COMPUTE_PGM_RSRC2; LLVM has renamed its constant.
constexpr unsigned UserSgprCountShift = 1;

/// One kernel in memory, with a buffer for its results as its only argument.
class Rig {
public:
  static constexpr size_t OutWords = 8192;

  Rig(const char *Processor, llvm::StringRef Text, MachineOptions Options = {})
      : Processor(Processor) {
    std::vector<uint8_t> Code = assemble(Processor, Text);
    Image.reset(new (std::align_val_t(4096)) uint8_t[ImageBytes]());
    Descriptor = new (Image.get()) kernel_descriptor_t();
    Descriptor->kernel_code_entry_byte_offset = EntryOffset;
    Descriptor->compute_pgm_rsrc1 =
        3u << COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_32_SHIFT | 1;
    std::copy(Code.begin(), Code.end(), Image.get() + EntryOffset);
    Out.assign(OutWords, 0);
    OutPointer = reinterpret_cast<uint64_t>(Out.data());
    addRange(Image.get(), ImageBytes, "code object");
    addRange(Out.data(), Out.size() * 4, "allocation");
    addRange(&OutPointer, sizeof(OutPointer), "kernel arguments");
    auto Made = Machine::create(Processor, Memory, Options);
    if (!Made)
      ADD_FAILURE() << llvm::toString(Made.takeError());
    else
      Gpu = std::move(*Made);
    Request.KernelObject = reinterpret_cast<uint64_t>(Image.get());
    Request.KernargAddress = reinterpret_cast<uint64_t>(&OutPointer);
    Request.KernelName = "k";
  }

  void properties(unsigned Bits) { Descriptor->kernel_code_properties |= Bits; }
  void userSgprs(unsigned Count) {
    Descriptor->compute_pgm_rsrc2 |= Count << UserSgprCountShift;
  }
  void rsrc2(unsigned Bits) { Descriptor->compute_pgm_rsrc2 |= Bits; }
  void vgprs(unsigned Granules) {
    Descriptor->compute_pgm_rsrc1 |= Granules - 1;
  }

  DispatchResult run() { return Gpu->dispatch(Request); }
  /// Runs, and a fault fails the test.
  void runWell() {
    DispatchResult R = run();
    ASSERT_FALSE(R.Failure) << R.Failure->message();
  }
  /// The message of the fault; empty: there was none.
  std::string failure() {
    DispatchResult R = run();
    return R.Failure ? R.Failure->message() : std::string();
  }

  std::string Processor;
  MemoryMap Memory;
  kernel_descriptor_t *Descriptor = nullptr;
  DispatchRequest Request;
  std::vector<uint32_t> Out;
  std::unique_ptr<Machine> Gpu;

private:
  static constexpr size_t ImageBytes = 8192, EntryOffset = 256;
  struct Aligned {
    void operator()(uint8_t *P) const {
      ::operator delete[](P, std::align_val_t(4096));
    }
  };
  void addRange(const void *Begin, size_t Size, const char *What) {
    auto B = reinterpret_cast<uint64_t>(Begin);
    Memory.add({B, B + Size, true, What});
  }
  std::unique_ptr<uint8_t[], Aligned> Image;
  uint64_t OutPointer = 0;
};

constexpr unsigned KernargPointer =
    KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR;
constexpr unsigned Wave32 = KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32;
constexpr unsigned IdX = COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X;
constexpr unsigned IdY = COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Y;
constexpr unsigned IdZ = COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Z;
constexpr unsigned ItemsXyz =
    2u << COMPUTE_PGM_RSRC2_ENABLE_VGPR_WORKITEM_ID_SHIFT;

//===----------------------------------------------------------------------===//
// Registers at the entry
//===----------------------------------------------------------------------===//

/// Stores s0 to s15, which are moved to v2 first, as 16 words.
std::string storeSgprs(unsigned Pointer) {
  std::string P = std::to_string(Pointer), Text;
  Text += "v_mov_b32 v1, 0\n"
          "s_load_dwordx2 s[20:21], s[" +
          P + ":" + std::to_string(Pointer + 1) +
          "], 0x0\n"
          "s_waitcnt lgkmcnt(0)\n";
  for (unsigned I = 0; I < 16; ++I)
    Text +=
        "v_mov_b32 v2, s" + std::to_string(I) + "\n" +
        "global_store_dword v1, v2, s[20:21] offset:" + std::to_string(4 * I) +
        "\n";
  return Text + "s_endpgm\n";
}

TEST(WaveSetup, UserSgprsComeInTheHardwaresOrder) {
  Rig R("gfx90a", storeSgprs(8));
  R.properties(KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER |
               KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR |
               KERNEL_CODE_PROPERTY_ENABLE_SGPR_QUEUE_PTR | KernargPointer |
               KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_ID |
               KERNEL_CODE_PROPERTY_ENABLE_SGPR_FLAT_SCRATCH_INIT);
  R.userSgprs(14);
  R.rsrc2(IdX | COMPUTE_PGM_RSRC2_ENABLE_PRIVATE_SEGMENT);
  R.Request.PacketAddress = 0x1122334455667788;
  R.Request.QueueAddress = 0x99aabbccddeeff00;
  R.Request.DispatchId = 0x123456789abcdef0;
  R.runWell();
  EXPECT_TRUE(isPrivateBuffer(R.Out.data()));
  EXPECT_EQ(R.Out[4], 0x55667788u);
  EXPECT_EQ(R.Out[5], 0x11223344u);
  EXPECT_EQ(R.Out[6], 0xddeeff00u);
  EXPECT_EQ(R.Out[7], 0x99aabbccu);
  EXPECT_EQ(R.Out[8], uint32_t(R.Request.KernargAddress));
  EXPECT_EQ(R.Out[10], 0x9abcdef0u);
  EXPECT_EQ(R.Out[11], 0x12345678u);
  EXPECT_EQ(R.Out[12], uint32_t(PrivateBufferBase));
  EXPECT_EQ(R.Out[13], uint32_t(PrivateBufferBase >> 32));
  EXPECT_EQ(R.Out[14], 0u); // workgroup 0
  EXPECT_EQ(R.Out[15], 0u); // wave offset of the private segment
}

TEST(WaveSetup, ArgumentsArePreloaded) {
  Rig R("gfx90a", storeSgprs(0));
  R.properties(KernargPointer);
  R.userSgprs(4);
  R.Descriptor->kernarg_preload = 2; // two dwords from offset 0: s2, s3
  R.rsrc2(IdX);
  R.runWell();
  auto Pointer = reinterpret_cast<uint64_t>(R.Out.data());
  EXPECT_EQ(R.Out[2], uint32_t(Pointer));
  EXPECT_EQ(R.Out[3], uint32_t(Pointer >> 32));
}

TEST(WaveSetup, SystemSgprsFollowTheUserSgprs) {
  Rig R("gfx1030", storeSgprs(0));
  R.properties(KernargPointer | Wave32);
  R.userSgprs(6); // more than are filled
  R.rsrc2(IdY | IdZ | COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_INFO);
  R.Request.GridSize = {70, 3, 4};
  R.Request.WorkgroupSize = {70, 3, 4};
  R.runWell();
  EXPECT_EQ(R.Out[6], 0u);
  EXPECT_EQ(R.Out[7], 0u);
  // 840 work-items are 27 waves of 32; every wave stored, and all but one are
  // not the first.
  EXPECT_EQ(R.Out[8] & 0x3f, 27u);
}

TEST(WaveSetup, SynthesizedDispatchPacketIsReadable) {
  Rig R("gfx1100", "s_load_b64 s[20:21], s[2:3], 0x0\n"
                   "s_load_b64 s[4:5], s[0:1], 0x4\n" // sizes x, y; z
                   "s_load_b64 s[6:7], s[0:1], 0xc\n" // grid x, y
                   "s_waitcnt lgkmcnt(0)\n"
                   "v_mov_b32 v0, 0\n"
                   "v_mov_b32 v1, s4\n"
                   "v_mov_b32 v2, s5\n"
                   "v_mov_b32 v3, s6\n"
                   "v_mov_b32 v4, s7\n"
                   "global_store_b128 v0, v[1:4], s[20:21]\n"
                   "s_endpgm\n");
  R.properties(KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR | KernargPointer |
               Wave32);
  R.userSgprs(4);
  R.Request.GridSize = {12, 10, 3};
  R.Request.WorkgroupSize = {4, 5, 3};
  size_t Before = R.Memory.snapshot()->size();
  R.runWell();
  EXPECT_EQ(R.Out[0], 4u | 5u << 16);
  EXPECT_EQ(R.Out[1], 3u);
  EXPECT_EQ(R.Out[2], 12u);
  EXPECT_EQ(R.Out[3], 10u);
  EXPECT_EQ(R.Memory.snapshot()->size(), Before);
}

/// Work-item ids of all dimensions: word 4 * flat id.
struct IdCase {
  const char *Processor;
  const char *Text;
  bool Wave32;
};

const char *const StoreSeparateIds =
    "s_load_dwordx2 s[20:21], s[0:1], 0x0\n"
    "s_waitcnt lgkmcnt(0)\n"
    "v_mul_u32_u24 v3, 5, v1\n" // flat = x + 5 y + 15 z
    "v_mul_u32_u24 v4, 15, v2\n"
    "v_add3_u32 v3, v0, v3, v4\n"
    "v_lshlrev_b32 v3, 4, v3\n"
    "global_store_dwordx3 v3, v[0:2], s[20:21]\n"
    "s_endpgm\n";
const char *const StorePackedIds = "s_load_dwordx2 s[20:21], s[0:1], 0x0\n"
                                   "s_waitcnt lgkmcnt(0)\n"
                                   "v_bfe_u32 v1, v0, 10, 10\n"
                                   "v_bfe_u32 v2, v0, 20, 10\n"
                                   "v_and_b32 v0, 0x3ff, v0\n"
                                   "v_mul_u32_u24 v3, 5, v1\n"
                                   "v_mul_u32_u24 v4, 15, v2\n"
                                   "v_add3_u32 v3, v0, v3, v4\n"
                                   "v_lshlrev_b32 v3, 4, v3\n"
                                   "global_store_dwordx3 v3, v[0:2], s[20:21]\n"
                                   "s_endpgm\n";

TEST(WaveSetup, WorkItemIdsArePackedOrSeparate) {
  const IdCase Cases[] = {
      {"gfx906", StoreSeparateIds, false},  {"gfx90a", StorePackedIds, false},
      {"gfx942", StorePackedIds, false},    {"gfx1030", StoreSeparateIds, true},
      {"gfx1030", StoreSeparateIds, false}, {"gfx1100", StorePackedIds, true},
      {"gfx1201", StorePackedIds, false}};
  for (const IdCase &C : Cases) {
    SCOPED_TRACE(C.Processor);
    if (!Target::get(C.Processor)) {
      ADD_FAILURE() << "unknown";
      continue;
    }
    Rig R(C.Processor, C.Text);
    R.properties(KernargPointer | (C.Wave32 ? Wave32 : 0));
    R.userSgprs(2);
    R.rsrc2(ItemsXyz);
    R.Request.GridSize = {5, 3, 7};
    R.Request.WorkgroupSize = {5, 3, 7};
    R.runWell();
    for (uint32_t Z = 0; Z < 7; ++Z)
      for (uint32_t Y = 0; Y < 3; ++Y)
        for (uint32_t X = 0; X < 5; ++X) {
          const uint32_t *At = &R.Out[4 * (X + 5 * Y + 15 * Z)];
          EXPECT_EQ(At[0], X);
          EXPECT_EQ(At[1], Y);
          EXPECT_EQ(At[2], Z);
        }
    // 105 work-items: lanes behind them do nothing.
    EXPECT_TRUE(llvm::all_of(llvm::ArrayRef(R.Out).drop_front(420),
                             [](uint32_t W) { return W == 0; }));
  }
}

TEST(WaveSetup, DisabledWorkItemIdsAreAbsent) {
  Rig R("gfx1100", "s_load_b64 s[20:21], s[0:1], 0x0\n"
                   "s_waitcnt lgkmcnt(0)\n"
                   "v_mov_b32 v1, 1\n"
                   "v_lshlrev_b32 v0, 2, v0\n"
                   "global_atomic_add_u32 v0, v1, s[20:21]\n"
                   "s_endpgm\n");
  R.properties(KernargPointer | Wave32);
  R.userSgprs(2);
  R.Request.GridSize = {4, 8, 1};
  R.Request.WorkgroupSize = {4, 8, 1};
  R.runWell();
  for (unsigned X = 0; X < 4; ++X)
    EXPECT_EQ(R.Out[X], 8u); // x alone is in v0
  EXPECT_EQ(R.Out[1 << 8], 0u);
}

TEST(WaveSetup, Gfx12HasWorkgroupIdsInTrapRegisters) {
  Rig R("gfx1201", "s_load_b64 s[20:21], s[0:1], 0x0\n"
                   "s_wait_kmcnt 0x0\n"
                   "s_and_b32 s2, ttmp7, 0xffff\n"
                   "s_lshr_b32 s3, ttmp7, 16\n"
                   "s_mul_i32 s4, s2, 3\n"
                   "s_mul_i32 s5, s3, 6\n"
                   "s_add_co_i32 s4, s4, s5\n"
                   "s_add_co_i32 s4, s4, ttmp9\n" // x + 3 y + 6 z
                   "s_lshl_b32 s4, s4, 2\n"
                   "v_mov_b32 v0, s4\n"
                   "v_mov_b32 v1, s4\n"
                   "global_store_b32 v0, v1, s[20:21]\n"
                   "s_endpgm\n");
  R.properties(KernargPointer | Wave32);
  R.userSgprs(2);
  R.rsrc2(IdX | IdY | IdZ);
  R.Request.GridSize = {3, 2, 4};
  R.runWell();
  for (unsigned I = 0; I < 24; ++I)
    EXPECT_EQ(R.Out[I], 4 * I);
}

// LLVM reads y without a mask where the kernel does not use z.
TEST(WaveSetup, Gfx12HasNoWorkgroupIdZUnlessAskedFor) {
  Rig R("gfx1201", "s_load_b64 s[20:21], s[0:1], 0x0\n"
                   "s_wait_kmcnt 0x0\n"
                   "v_mov_b32 v0, ttmp7\n"
                   "v_lshlrev_b32 v0, 2, v0\n"
                   "v_mov_b32 v1, 1\n"
                   "global_atomic_add_u32 v0, v1, s[20:21]\n"
                   "s_endpgm\n");
  R.properties(KernargPointer | Wave32);
  R.userSgprs(2);
  R.rsrc2(IdX | IdY);
  R.Request.GridSize = {1, 3, 4};
  R.runWell();
  for (unsigned Y = 0; Y < 3; ++Y)
    EXPECT_EQ(R.Out[Y], 4u);
}

TEST(WaveSetup, LastWorkgroupsAreSmaller) {
  Rig R("gfx90a", "s_load_dwordx2 s[20:21], s[0:1], 0x0\n"
                  "s_waitcnt lgkmcnt(0)\n"
                  "s_lshl_b32 s2, s2, 2\n"
                  "v_mov_b32 v1, s2\n"
                  "v_mov_b32 v2, 1\n"
                  "global_atomic_add v1, v2, s[20:21]\n"
                  "s_endpgm\n");
  R.properties(KernargPointer);
  R.userSgprs(2);
  R.rsrc2(IdX);
  R.Request.GridSize = {250, 1, 1};
  R.Request.WorkgroupSize = {100, 1, 1};
  R.runWell();
  EXPECT_EQ(R.Out[0], 100u);
  EXPECT_EQ(R.Out[1], 100u);
  EXPECT_EQ(R.Out[2], 50u);
  EXPECT_EQ(R.Out[3], 0u);
}

//===----------------------------------------------------------------------===//
// Refused dispatches
//===----------------------------------------------------------------------===//

TEST(Dispatch, BadDescriptorsAreRefused) {
  Rig R("gfx90a", "s_endpgm\n");
  EXPECT_EQ(R.failure(), "");
  auto With = [&](auto Change) {
    kernel_descriptor_t Good = *R.Descriptor;
    DispatchRequest Request = R.Request;
    Change();
    std::string Message = R.failure();
    *R.Descriptor = Good;
    R.Request = Request;
    return Message;
  };
  EXPECT_NE(With([&] { R.properties(Wave32); }).find("wave64 only"),
            std::string::npos);
  EXPECT_NE(With([&] { R.properties(KernargPointer); }).find("user SGPRs"),
            std::string::npos);
  EXPECT_NE(With([&] { R.rsrc2(1u << 24); }).find("exceptions"),
            std::string::npos);
  EXPECT_NE(With([&] { R.rsrc2(3u << 11); }).find("work-item id"),
            std::string::npos);
  EXPECT_NE(With([&] {
              R.Descriptor->compute_pgm_rsrc1 |= 1u << 26;
            }).find("f16 overflow"),
            std::string::npos);
  EXPECT_NE(With([&] {
              R.Descriptor->kernel_code_entry_byte_offset = 1 << 20;
            }).find("entry point"),
            std::string::npos);
  EXPECT_NE(With([&] {
              R.Descriptor->kernel_code_entry_byte_offset = INT64_MIN;
            }).find("entry point"),
            std::string::npos);
  EXPECT_NE(
      With([&] { R.Request.KernelObject = 64; }).find("not device memory"),
      std::string::npos);
  EXPECT_NE(With([&] {
              R.Request.KernelObject = ~uint64_t(63);
            }).find("not device memory"),
            std::string::npos);
  EXPECT_NE(With([&] { R.Request.KernelObject += 4; }).find("multiple of 64"),
            std::string::npos);
  EXPECT_EQ(R.failure(), "");
}

TEST(Dispatch, ImpossibleSizesAreRefused) {
  Rig R("gfx1201", "s_endpgm\n");
  R.properties(Wave32);
  auto Size = [&](std::array<uint32_t, 3> Grid, std::array<uint16_t, 3> Group) {
    R.Request.GridSize = Grid;
    R.Request.WorkgroupSize = Group;
    return R.failure();
  };
  EXPECT_EQ(Size({1024, 1, 1}, {1024, 1, 1}), "");
  EXPECT_NE(Size({0, 1, 1}, {1, 1, 1}).find("is 0"), std::string::npos);
  EXPECT_NE(Size({1, 1, 1}, {1, 0, 1}).find("is 0"), std::string::npos);
  EXPECT_NE(Size({64, 64, 64}, {64, 4, 5}).find("1280 work-items"),
            std::string::npos);
  EXPECT_NE(Size({~0u, 65535, 65535}, {65535, 65535, 65535}).find("work-items"),
            std::string::npos);
  EXPECT_NE(Size({1, 65537, 1}, {1, 1, 1}).find("16 bits"), std::string::npos);
  Size({1, 1, 1}, {1, 1, 1});
  R.Request.GroupSegmentSize = 65537;
  EXPECT_NE(R.failure().find("65537 bytes of LDS"), std::string::npos);
  R.Request.GroupSegmentSize = 16;
  R.Descriptor->group_segment_fixed_size = 32;
  EXPECT_NE(R.failure().find("32 of its own"), std::string::npos);
  R.Request.GroupSegmentSize = 32;
  R.Request.PrivateSegmentSize = 1 << 20;
  EXPECT_NE(R.failure().find("private memory"), std::string::npos);
  // Less than the descriptor's is what HIP gives to a stack of unknown depth.
  R.Request.PrivateSegmentSize = 0;
  R.Descriptor->private_segment_fixed_size = 4;
  EXPECT_EQ(R.failure(), "");
}

TEST(Dispatch, UnknownProcessorsAreRefused) {
  MemoryMap Memory;
  for (const char *Name : {"gfx600", "gfx99999", "", "sm_90"})
    EXPECT_TRUE(llvm::errorToBool(Machine::create(Name, Memory).takeError()))
        << Name;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

TEST(Dispatch, CountsInstructionsAndWaves) {
  for (unsigned Threads : {1u, 4u}) {
    MachineOptions Options;
    Options.Threads = Threads;
    Rig R("gfx90a",
          "s_mov_b32 s0, 10\n"
          "loop: s_sub_u32 s0, s0, 1\n"
          "s_cmp_lg_u32 s0, 0\n"
          "s_cbranch_scc1 loop\n"
          "s_endpgm\n",
          Options);
    R.Request.GridSize = {1000, 1, 1};
    R.Request.WorkgroupSize = {100, 1, 1};
    DispatchResult Result = R.run();
    ASSERT_FALSE(Result.Failure) << Result.Failure->message();
    EXPECT_EQ(Result.Waves, 20u);
    EXPECT_EQ(Result.Instructions, 20u * 32);
  }
}

// Waves exchange numbers through LDS; each waits for the one before it.
TEST(Dispatch, BarriersOrderTheWavesOfAWorkgroup) {
  Rig R("gfx90a", "s_load_dwordx2 s[20:21], s[0:1], 0x0\n"
                  "v_lshlrev_b32 v1, 2, v0\n"
                  "v_mul_u32_u24 v2, 3, v0\n"
                  "ds_write_b32 v1, v2\n"
                  "s_waitcnt lgkmcnt(0)\n"
                  "s_barrier\n"
                  "v_sub_u32 v3, 0x3fc, v1\n"
                  "ds_read_b32 v4, v3\n"
                  "s_waitcnt lgkmcnt(0)\n"
                  "global_store_dword v1, v4, s[20:21]\n"
                  "s_endpgm\n");
  R.properties(KernargPointer);
  R.userSgprs(2);
  R.Request.GridSize = {256, 1, 1};
  R.Request.WorkgroupSize = {256, 1, 1};
  R.Request.GroupSegmentSize = 1024;
  R.runWell();
  for (unsigned I = 0; I < 256; ++I)
    EXPECT_EQ(R.Out[I], 3 * (255 - I));
}

// Even workgroups wait for the number of their odd neighbour, which begins
// later.
TEST(Dispatch, WorkgroupsThatWaitForOthersMakeProgress) {
  for (unsigned Threads : {1u, 3u}) {
    MachineOptions Options;
    Options.Threads = Threads;
    Rig R("gfx90a",
          "s_load_dwordx2 s[20:21], s[0:1], 0x0\n"
          "s_lshl_b32 s3, s2, 2\n"
          "v_mov_b32 v0, s3\n"
          "v_mov_b32 v1, 7\n"
          "s_waitcnt lgkmcnt(0)\n"
          "s_bitcmp1_b32 s2, 0\n"
          "s_cbranch_scc1 store\n"
          "wait: global_load_dword v2, v0, s[20:21] offset:4 glc\n"
          "s_waitcnt vmcnt(0)\n"
          "v_readfirstlane_b32 s4, v2\n"
          "s_cmp_eq_u32 s4, 7\n"
          "s_cbranch_scc0 wait\n"
          "store: global_store_dword v0, v1, s[20:21]\n"
          "s_endpgm\n",
          Options);
    R.properties(KernargPointer);
    R.userSgprs(2);
    R.rsrc2(IdX);
    R.Request.GridSize = {60, 1, 1};
    R.runWell();
    for (unsigned I = 0; I < 60; ++I)
      EXPECT_EQ(R.Out[I], 7u);
  }
}

/// A barrier of a whole grid: every workgroup sees what all others have added,
/// also where one thread runs them and more than it begins otherwise.
TEST(Dispatch, CooperativeWorkgroupsWaitForAll) {
  for (const char *Processor : {"gfx90a", "gfx1030"}) {
    MachineOptions Options;
    Options.Threads = 1;
    Rig R(Processor,
          "s_load_dwordx2 s[20:21], s[0:1], 0x0\n"
          "s_lshl_b32 s3, s2, 2\n"
          "v_mov_b32 v0, s3\n"
          "v_mov_b32 v1, 0\n"
          "v_mov_b32 v2, 1\n"
          "v_mov_b32 v4, 127\n"
          "s_mov_b32 m0, 0x30000\n"
          "s_waitcnt lgkmcnt(0)\n"
          "s_cmp_eq_u32 s2, 0\n" // it is taken first
          "s_cbranch_scc0 begin\n"
          "ds_gws_init v4 offset:2 gds\n"
          "begin:\n"
          "s_mov_b64 exec, 1\n"
          "global_atomic_add v1, v2, s[20:21] offset:4\n"
          "ds_gws_barrier v4 offset:2 gds\n"
          "global_load_dword v3, v1, s[20:21] offset:4\n"
          "ds_gws_barrier v4 offset:2 gds\n"
          "s_waitcnt vmcnt(0)\n"
          "global_atomic_add v1, v2, s[20:21] offset:4\n"
          "global_store_dword v0, v3, s[20:21] offset:8\n"
          "s_endpgm\n",
          Options);
    R.properties(KernargPointer);
    R.userSgprs(2);
    R.rsrc2(IdX);
    R.Request.GridSize = {128, 1, 1};
    R.Request.Cooperative = true;
    R.runWell();
    EXPECT_EQ(R.Out[1], 256u);
    for (unsigned I = 0; I < 128; ++I)
      EXPECT_EQ(R.Out[2 + I], 128u);
  }
}

TEST(Dispatch, SeveralAtOnce) {
  MachineOptions Options;
  Options.Threads = 2;
  Rig R("gfx1100",
        "s_load_b64 s[20:21], s[0:1], 0x0\n"
        "v_mov_b32 v1, 0\n"
        "v_mov_b32 v2, 1\n"
        "s_waitcnt lgkmcnt(0)\n"
        "global_atomic_add_u32 v1, v2, s[20:21]\n"
        "s_endpgm\n",
        Options);
  R.properties(KernargPointer | Wave32);
  R.userSgprs(2);
  R.Request.GridSize = {640, 1, 1};
  R.Request.WorkgroupSize = {64, 1, 1};
  std::vector<std::thread> Callers;
  for (unsigned T = 0; T < 4; ++T)
    Callers.emplace_back([&] {
      for (unsigned I = 0; I < 5; ++I)
        EXPECT_FALSE(R.run().Failure);
    });
  for (std::thread &T : Callers)
    T.join();
  EXPECT_EQ(R.Out[0], 640u * 20);
}

TEST(Dispatch, ChangedCodeIsDecodedAgainAfterInvalidation) {
  Rig R("gfx90a", "s_nop 0\ns_endpgm\n");
  EXPECT_EQ(R.run().Instructions, 2u);
  std::vector<uint8_t> End = assemble("gfx90a", "s_endpgm\n");
  uint64_t Entry = R.Request.KernelObject + 256;
  std::copy(End.begin(), End.end(), reinterpret_cast<uint8_t *>(Entry));
  R.Gpu->invalidateCode(Entry, Entry + 4);
  EXPECT_EQ(R.run().Instructions, 1u);
}

TEST(Dispatch, InvalidatorOutlivesItsMachine) {
  std::function<void(uint64_t, uint64_t)> Forget;
  {
    Rig R("gfx90a", "s_endpgm\n");
    EXPECT_EQ(R.failure(), "");
    Forget = R.Gpu->codeInvalidator();
    Forget(0, ~uint64_t(0));
    EXPECT_EQ(R.failure(), "");
  }
  Forget(0, ~uint64_t(0));
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

TEST(Fault, InstructionLimitIsExactOnOneThread) {
  MachineOptions Options;
  Options.Threads = 1;
  Options.InstructionLimit = 12345;
  Rig R("gfx90a", "loop: s_branch loop\n", Options);
  DispatchResult Result = R.run();
  ASSERT_TRUE(Result.Failure);
  EXPECT_EQ(Result.Failure->What, Fault::Kind::InstructionLimit);
  EXPECT_EQ(Result.Instructions, 12345u);
  EXPECT_EQ(Result.Failure->Instruction.find("s_branch"), 0u);
}

TEST(Fault, InstructionLimitEndsAllThreads) {
  MachineOptions Options;
  Options.Threads = 3;
  Options.InstructionLimit = 100000;
  Rig R("gfx90a", "loop: s_branch loop\n", Options);
  R.Request.GridSize = {50, 1, 1};
  DispatchResult Result = R.run();
  ASSERT_TRUE(Result.Failure);
  EXPECT_EQ(Result.Failure->What, Fault::Kind::InstructionLimit);
  EXPECT_GE(Result.Instructions, 100000u);
}

TEST(Fault, FirstWorkgroupThatFailsIsReportedWhoeverIsFaster) {
  // Workgroup 0 counts to 20000 before it does what the others do at once.
  for (const char *First : {"s_cbranch_scc0 fault\n", "s_nop 0\n"}) {
    MachineOptions Options;
    Options.Threads = 3;
    Rig R("gfx90a",
          std::string("s_cmp_eq_u32 s0, 0\n") + First +
              "s_mov_b32 s4, 20000\n"
              "count: s_sub_u32 s4, s4, 1\n"
              "s_cmp_lg_u32 s4, 0\n"
              "s_cbranch_scc1 count\n"
              "fault: s_trap 2\n"
              "s_endpgm\n",
          Options);
    R.rsrc2(IdX);
    R.Request.GridSize = {40, 1, 1};
    for (unsigned I = 0; I < 50; ++I) {
      DispatchResult Result = R.run();
      ASSERT_TRUE(Result.Failure);
      EXPECT_EQ(Result.Failure->What, Fault::Kind::Trap);
      EXPECT_EQ(Result.Failure->Workgroup[0], 0u);
    }
  }
}

TEST(Fault, WorkgroupThatWaitsForAFailedOneDoesNotHoldUpTheReport) {
  // Workgroup 0 waits for a word that nobody writes, awake or asleep.
  for (const char *Pause : {"s_nop 0\n", "s_sleep 1\n"}) {
    MachineOptions Options;
    Options.Threads = 2;
    Rig R("gfx90a",
          std::string("s_load_dwordx2 s[20:21], s[0:1], 0x0\n"
                      "s_cmp_eq_u32 s2, 0\n"
                      "s_cbranch_scc0 fault\n"
                      "s_waitcnt lgkmcnt(0)\n"
                      "wait: ") +
              Pause +
              "s_load_dword s4, s[20:21], 0x0\n"
              "s_waitcnt lgkmcnt(0)\n"
              "s_cmp_eq_u32 s4, 7\n"
              "s_cbranch_scc0 wait\n"
              "s_endpgm\n"
              "fault: s_trap 2\n",
          Options);
    R.properties(KernargPointer);
    R.userSgprs(2);
    R.rsrc2(IdX);
    R.Request.GridSize = {30, 1, 1};
    DispatchResult Result = R.run();
    ASSERT_TRUE(Result.Failure);
    EXPECT_EQ(Result.Failure->What, Fault::Kind::Trap);
    EXPECT_EQ(Result.Failure->Workgroup[0], 1u);
  }
}

TEST(Fault, UnknownInstructionNamesPlaceAndText) {
  Rig R("gfx90a",
        "s_nop 0\nimage_load v[0:3], v0, s[0:7] dmask:0xf unorm\ns_endpgm\n");
  R.Request.GridSize = {3, 1, 1};
  DispatchResult Result = R.run();
  if (!Result.Failure)
    GTEST_FAIL() << "no fault";
  EXPECT_EQ(Result.Failure->What, Fault::Kind::UnknownInstruction);
  EXPECT_EQ(Result.Failure->PcOffset, 4u);
  EXPECT_EQ(Result.Failure->Pc, R.Request.KernelObject + 256 + 4);
  EXPECT_NE(Result.Failure->Instruction.find("image_load"), std::string::npos);
  std::string Message = Result.Failure->message();
  EXPECT_EQ(
      Message.find("instruction without semantics in k at +0x4 'image_load"),
      0u)
      << Message;
}

TEST(Fault, CodeThatEndsWithoutEndpgm) {
  Rig R("gfx90a", "s_nop 0\n");
  DispatchResult Result = R.run();
  ASSERT_TRUE(Result.Failure);
  // Zeros follow, v_cndmask_b32_e32 v0, s0, v0, up to the end of the image.
  EXPECT_EQ(Result.Failure->What, Fault::Kind::MemoryAccess);
  EXPECT_EQ(Result.Failure->Address, R.Request.KernelObject + 8192);
  EXPECT_EQ(Result.Failure->Pc, R.Request.KernelObject + 8192);
}

TEST(Fault, MemoryFaultNamesLaneAddressAndNearestAllocation) {
  Rig R("gfx90a", "s_load_dwordx2 s[20:21], s[0:1], 0x0\n"
                  "v_mul_u32_u24 v1, 0x400, v0\n"
                  "s_waitcnt lgkmcnt(0)\n"
                  "global_store_dword v1, v0, s[20:21]\n"
                  "s_endpgm\n");
  R.properties(KernargPointer);
  R.userSgprs(2);
  R.Request.GridSize = {64, 1, 1};
  R.Request.WorkgroupSize = {64, 1, 1};
  DispatchResult Result = R.run();
  ASSERT_TRUE(Result.Failure);
  // 32 KiB of words: lane 32 is the first one behind the end.
  EXPECT_EQ(Result.Failure->What, Fault::Kind::MemoryAccess);
  EXPECT_EQ(Result.Failure->Lane, 32);
  EXPECT_EQ(Result.Failure->Address,
            reinterpret_cast<uint64_t>(R.Out.data()) + Rig::OutWords * 4);
  EXPECT_NE(Result.Failure->message().find("lane 32"), std::string::npos);
}

// One thread holds 64 workgroups at once. The next one starts after the program
// has taken the arguments away.
TEST(Fault, ArgumentsThatAreUnmappedMeanwhile) {
  MachineOptions Options;
  Options.Threads = 1;
  Rig R("gfx90a",
        "v_mov_b32 v0, 0\n"
        "v_mov_b32 v1, 1\n"
        "global_atomic_add v0, v1, s[2:3]\n"
        "wait: global_load_dword v2, v0, s[2:3] offset:4 glc\n"
        "s_waitcnt vmcnt(0)\n"
        "v_readfirstlane_b32 s4, v2\n"
        "s_cmp_eq_u32 s4, 7\n"
        "s_cbranch_scc0 wait\n"
        "s_endpgm\n",
        Options);
  R.properties(KernargPointer);
  R.userSgprs(4);
  R.Descriptor->kernarg_preload = 2;
  R.Request.GridSize = {65, 1, 1};
  R.Request.WorkgroupSize = {1, 1, 1};
  std::thread Program([&] {
    while (std::atomic_ref(R.Out[0]).load() != 64)
      std::this_thread::yield();
    R.Memory.remove(R.Request.KernargAddress, R.Request.KernargAddress + 8);
    std::atomic_ref(R.Out[1]).store(7);
  });
  std::string Message = R.failure();
  Program.join();
  EXPECT_NE(Message.find("memory access fault at 0x" +
                         llvm::utohexstr(R.Request.KernargAddress, true) +
                         " in k at +0x0, workgroup 64,0,0 wave 0: preloaded "
                         "arguments: "),
            std::string::npos)
      << Message;
}

/// A page of device memory that the system refuses to read.
class RefusedPage {
public:
  RefusedPage(MemoryMap &Memory, const char *What) {
    catchHostFaults({::sigaction, ::pthread_sigmask});
    Page = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
                  /*fd=*/-1, 0);
    EXPECT_NE(Page, MAP_FAILED);
    Memory.add({address(), address() + 4096, true, What});
  }
  ~RefusedPage() { ::munmap(Page, 4096); }
  RefusedPage(const RefusedPage &) = delete;
  RefusedPage &operator=(const RefusedPage &) = delete;

  uint64_t address() const { return reinterpret_cast<uint64_t>(Page); }
  /// Expects a message of \p R that ends with this.
  void expect(Rig &R, const std::string &Start) const {
    std::string Message = R.failure();
    std::string End = Start + " at 0x" + llvm::utohexstr(address(), true) +
                      "; the program may not read it itself";
    EXPECT_TRUE(llvm::StringRef(Message).ends_with(End)) << Message;
  }

private:
  void *Page;
};

TEST(Fault, ArgumentsThatTheSystemRefusesToRead) {
  Rig R("gfx90a", "s_endpgm\n");
  R.properties(KernargPointer);
  R.userSgprs(4);
  R.Descriptor->kernarg_preload = 2;
  RefusedPage Page(R.Memory, "kernel arguments");
  R.Request.KernargAddress = Page.address();
  Page.expect(R, "wave 0: preloaded arguments: byte 0 of the 4096 bytes of "
                 "kernel arguments");
}

TEST(Fault, DescriptorThatTheSystemRefusesToRead) {
  Rig R("gfx90a", "s_endpgm\n");
  RefusedPage Page(R.Memory, "code object");
  R.Request.KernelObject = Page.address();
  Page.expect(R, "are not device memory: byte 0 of the 4096 bytes of code "
                 "object");
}

TEST(Fault, CodeThatTheSystemRefusesToRead) {
  Rig R("gfx90a", "s_endpgm\n");
  RefusedPage Page(R.Memory, "code object");
  R.Descriptor->kernel_code_entry_byte_offset =
      int64_t(Page.address() - R.Request.KernelObject);
  Page.expect(R, "no code at 0x" + llvm::utohexstr(Page.address(), true) +
                     ": byte 0 of the 4096 bytes of code object");
}

// The last instruction before it.
TEST(Fault, CodeNextToWhatTheSystemRefusesToReadRuns) {
  Rig R("gfx90a", "s_endpgm\n");
  catchHostFaults({::sigaction, ::pthread_sigmask});
  std::vector<uint8_t> Code = assemble("gfx90a", "s_endpgm\n");
  void *Pages = ::mmap(nullptr, 8192, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, 0);
  ASSERT_NE(Pages, MAP_FAILED);
  auto Begin = reinterpret_cast<uint64_t>(Pages);
  uint64_t Entry = Begin + 4096 - Code.size();
  std::memcpy(reinterpret_cast<void *>(Entry), Code.data(), Code.size());
  ASSERT_EQ(::mprotect(static_cast<char *>(Pages) + 4096, 4096, PROT_NONE), 0);
  R.Memory.add({Begin, Begin + 8192, true, "code object"});
  R.Descriptor->kernel_code_entry_byte_offset =
      int64_t(Entry - R.Request.KernelObject);
  EXPECT_EQ(R.failure(), "");
  ::munmap(Pages, 8192);
}

TEST(Fault, BarrierThatNobodyElseReachesIsADeadlock) {
  // gfx12: wave 0 waits without a signal.
  Rig R("gfx1201", "s_barrier_wait -1\ns_endpgm\n");
  R.properties(Wave32);
  R.Request.GridSize = {64, 1, 1};
  R.Request.WorkgroupSize = {64, 1, 1};
  DispatchResult Result = R.run();
  ASSERT_TRUE(Result.Failure);
  EXPECT_EQ(Result.Failure->What, Fault::Kind::Deadlock);
  EXPECT_NE(Result.Failure->Detail.find("waves 0, 1"), std::string::npos);
}

TEST(Fault, EndedWavesTakeNoPartInBarriers) {
  Rig R("gfx1201", "v_readfirstlane_b32 s2, v0\n"
                   "s_cmp_lg_u32 s2, 0\n"
                   "s_cbranch_scc1 end\n" // all but wave 0
                   "s_barrier_signal -1\n"
                   "s_barrier_wait -1\n"
                   "end: s_endpgm\n");
  R.properties(Wave32);
  R.Request.GridSize = {128, 1, 1};
  R.Request.WorkgroupSize = {128, 1, 1};
  EXPECT_EQ(R.failure(), "");
}

TEST(Fault, MachineIsUsableAfterAFault) {
  Rig R("gfx90a", "s_trap 2\ns_endpgm\n");
  DispatchResult Result = R.run();
  ASSERT_TRUE(Result.Failure);
  EXPECT_EQ(Result.Failure->What, Fault::Kind::Trap);
  R.Descriptor->kernel_code_entry_byte_offset += 4;
  EXPECT_EQ(R.failure(), "");
}

TEST(Fault, MessageHasEverythingInOneLine) {
  Fault F;
  F.What = Fault::Kind::MemoryAccess;
  F.Kernel = "vadd";
  F.Pc = 0x7000010;
  F.PcOffset = 0x10;
  F.Instruction = "global_load_dword v1, v0, s[0:1]";
  F.Lane = 3;
  F.Address = 0xdead;
  F.Workgroup = {1, 2, 3};
  F.Wave = 4;
  F.Detail = "in no allocation";
  EXPECT_EQ(F.message(),
            "memory access fault at 0xdead in vadd at +0x10 "
            "'global_load_dword v1, v0, s[0:1]', workgroup 1,2,3 wave 4 "
            "lane 3: in no allocation");
  F.PcOffset = uint64_t(-0x20);
  EXPECT_NE(F.message().find(" at -0x20 "), std::string::npos);
  Fault Early;
  Early.Detail = "a grid or workgroup size is 0";
  EXPECT_EQ(Early.message(), "bad dispatch: a grid or workgroup size is 0");
}

//===----------------------------------------------------------------------===//
// Worker threads
//===----------------------------------------------------------------------===//

TEST(WorkerPool, CallerWorksAndReturnsLast) {
  WorkerPool Pool(4);
  for (unsigned Round = 0; Round < 50; ++Round) {
    std::atomic<int> Left{100}, Inside{0};
    Pool.run(
        [&] {
          ++Inside;
          while (Left.fetch_sub(1) > 0)
            std::this_thread::yield();
          --Inside;
        },
        100);
    EXPECT_EQ(Inside, 0);
    EXPECT_LE(Left, 0);
  }
}

TEST(WorkerPool, SingleThreadRunsInTheCaller) {
  WorkerPool Pool(1);
  std::thread::id Here = std::this_thread::get_id(), There;
  Pool.run([&] { There = std::this_thread::get_id(); }, 1000);
  EXPECT_EQ(Here, There);
}

// The second run needs no helper of the first.
TEST(WorkerPool, NestedRunsMakeProgress) {
  WorkerPool Pool(2);
  std::atomic<int> Ended{0};
  Pool.run([&] { Pool.run([&] { ++Ended; }, 8); }, 8);
  EXPECT_GE(Ended, 1);
}

} // namespace
