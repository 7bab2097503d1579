//===- softgpu-machine-fuzzer.cpp - fuzzer of the emulated GPU ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte chooses a target, the second what is checked, the others are
// the code of a kernel that has an argument, a stack and LDS. It must end or
// fault, and may write to its buffer only. Sibling: softgpu-decoder-fuzzer.cpp.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Machine/Machine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

using namespace kpack::softgpu;
using namespace llvm::amdhsa;

namespace {

/// In COMPUTE_PGM_RSRC2; LLVM has renamed its constant.
constexpr unsigned UserSgprCountShift = 1;

struct Configuration {
  const char *Processor;
  bool Wave32;
};
constexpr Configuration Configurations[] = {
    {"gfx90a", false},  {"gfx942", false},  {"gfx1030", true},
    {"gfx1030", false}, {"gfx1100", true},  {"gfx1100", false},
    {"gfx1201", true},  {"gfx1201", false},
};

/// What the kernel can reach. The buffer lies between bytes that it must not
/// change.
struct alignas(4096) Arena {
  static constexpr size_t CodeBytes = 4096, BufferWords = 1024, GuardWords = 64;
  kernel_descriptor_t Descriptor;
  uint8_t Gap[256 - sizeof(kernel_descriptor_t)];
  uint8_t Code[CodeBytes];
  uint64_t Argument;
  uint32_t Before[GuardWords];
  uint32_t Buffer[BufferWords];
  uint32_t After[GuardWords];
};

uint64_t addressOf(const void *P) { return reinterpret_cast<uint64_t>(P); }

void describeKernel(kernel_descriptor_t &D, const Configuration &C) {
  D = kernel_descriptor_t();
  D.kernel_code_entry_byte_offset = 256;
  // As many registers as there are, on gfx90a and gfx942 64 of them vector
  // registers; the stack's resource has no registers where it is not needed.
  D.compute_pgm_rsrc1 = 3u << COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_32_SHIFT | 31;
  D.compute_pgm_rsrc3 = 15;
  D.kernel_code_properties =
      KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR |
      KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER |
      (C.Wave32 ? KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32 : 0);
  D.compute_pgm_rsrc2 =
      6u << UserSgprCountShift | COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X;
}

/// Two workgroups of 80 work-items: a whole wave and a part of one.
DispatchRequest requestFor(const Arena &A) {
  DispatchRequest R;
  R.KernelObject = addressOf(&A.Descriptor);
  R.KernargAddress = addressOf(&A.Argument);
  R.GridSize = {160, 1, 1};
  R.WorkgroupSize = {80, 1, 1};
  R.GroupSegmentSize = 1024;
  R.PrivateSegmentSize = 256;
  return R;
}

/// Made when it is first needed, for decoders are slow to make.
Machine &machineFor(MemoryMap &Memory, unsigned Which, unsigned Checks) {
  static std::unique_ptr<Machine> Machines[std::size(Configurations)][4];
  std::unique_ptr<Machine> &Gpu = Machines[Which][Checks];
  if (!Gpu) {
    MachineOptions Options;
    Options.Threads = 1;
    Options.InstructionLimit = 2000;
    Options.CheckUninitialisedLds = Checks & 1;
    Options.CheckAlignment = Checks & 2;
    Gpu = cantFail(
        Machine::create(Configurations[Which].Processor, Memory, Options));
  }
  return *Gpu;
}

void require(bool Condition) {
  if (!Condition)
    std::abort();
}

constexpr uint32_t Guard = 0x5a5a5a5a;

bool isGuard(uint32_t Word) { return Word == Guard; }

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  if (Size < 2 || Size - 2 > Arena::CodeBytes)
    return 0;
  static Arena A;
  static MemoryMap Memory;
  auto Map = [](const void *Begin, size_t Bytes, bool Writable) {
    Memory.add({addressOf(Begin), addressOf(Begin) + Bytes, Writable, "fuzz"});
  };
  const unsigned Which = Data[0] % std::size(Configurations);
  describeKernel(A.Descriptor, Configurations[Which]);
  std::copy(Data + 2, Data + Size, A.Code);
  A.Argument = addressOf(A.Buffer);
  llvm::fill(A.Before, Guard);
  llvm::fill(A.After, Guard);
  Memory.remove(addressOf(&A), addressOf(&A + 1));
  Map(&A, offsetof(Arena, Code) + Size - 2, /*Writable=*/false);
  Map(&A.Argument, sizeof(A.Argument), /*Writable=*/false);
  Map(A.Buffer, sizeof(A.Buffer), /*Writable=*/true);

  Machine &Gpu = machineFor(Memory, Which, Data[1] & 3);
  DispatchResult Result = Gpu.dispatch(requestFor(A));
  Gpu.invalidateCode(addressOf(&A), addressOf(&A + 1));
  require(!Result.Failure || !Result.Failure->message().empty());
  require(std::equal(Data + 2, Data + Size, A.Code));
  require(A.Argument == addressOf(A.Buffer));
  require(llvm::all_of(A.Before, isGuard) && llvm::all_of(A.After, isGuard));
  return 0;
}
