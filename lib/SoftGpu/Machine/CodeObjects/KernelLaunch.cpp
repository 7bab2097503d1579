//===- KernelLaunch.cpp - arguments and launch of a kernel ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lays out explicit and hidden arguments by the metadata (AMDGPUUsage, "Code
// Object V5 Metadata", hidden value kinds). Hidden pointers to services of a
// runtime (hostcall, heap, printf buffer, queue) are null, as there is no
// runtime.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Machine/CodeObjects/CodeObject.h"
#include "SoftGpu/Machine/Wave.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MathExtras.h"

using namespace kpack::softgpu;
using namespace llvm;

/// Stack in addition to the fixed part, for a kernel with a call graph that the
/// compiler does not know (recursion, function pointers). HIP's runtime also
/// uses 16 KiB.
static constexpr uint32_t DynamicStackBytes = 16384;

namespace {

/// Kernel arguments, in the memory map during the object's life.
class KernargSegment {
public:
  KernargSegment(MemoryMap &Memory, uint32_t Size)
      : Memory(Memory), Size(std::max(Size, 1u)),
        Storage(this->Size + Alignment) {
    Bytes = reinterpret_cast<uint8_t *>(
        alignAddr(Storage.data(), Align(Alignment)));
    Memory.add({address(), address() + this->Size, /*Writable=*/true,
                "kernel arguments"});
  }
  ~KernargSegment() { Memory.remove(address(), address() + Size); }
  KernargSegment(const KernargSegment &) = delete;
  KernargSegment &operator=(const KernargSegment &) = delete;

  uint64_t address() const { return reinterpret_cast<uint64_t>(Bytes); }

  /// Writes the low bytes of \p Value, as many as the argument has.
  void putNumber(const KernelArgument &A, uint64_t Value) {
    std::memcpy(Bytes + A.Offset, &Value, std::min<size_t>(A.Size, 8));
  }
  void put(const KernelArgument &A, ArrayRef<uint8_t> Value) {
    std::memcpy(Bytes + A.Offset, Value.data(), A.Size);
  }

private:
  static constexpr size_t Alignment = 64;
  MemoryMap &Memory;
  uint32_t Size;
  std::vector<uint8_t> Storage;
  uint8_t *Bytes = nullptr;
};

bool isHidden(const KernelArgument &A) {
  return StringRef(A.ValueKind).starts_with("hidden_");
}

/// Returns the value of a hidden argument: 0 for a runtime's services, and for
/// offsets and remainders, since a launch has whole blocks only.
uint64_t hiddenValue(StringRef Kind, const std::array<uint32_t, 3> &Blocks,
                     const std::array<uint32_t, 3> &Threads,
                     uint32_t DynamicLds) {
  return StringSwitch<uint64_t>(Kind)
      .Case("hidden_block_count_x", Blocks[0])
      .Case("hidden_block_count_y", Blocks[1])
      .Case("hidden_block_count_z", Blocks[2])
      .Case("hidden_group_size_x", Threads[0])
      .Case("hidden_group_size_y", Threads[1])
      .Case("hidden_group_size_z", Threads[2])
      .Case("hidden_grid_dims", Blocks[2] * Threads[2] > 1   ? 3
                                : Blocks[1] * Threads[1] > 1 ? 2
                                                             : 1)
      .Case("hidden_dynamic_lds_size", DynamicLds)
      .Case("hidden_private_base", PrivateAperture >> 32)
      .Case("hidden_shared_base", SharedAperture >> 32)
      .Default(0);
}

Error checkArguments(const Kernel &K, ArrayRef<ArrayRef<uint8_t>> Arguments) {
  size_t Index = 0;
  for (const KernelArgument &A : K.Arguments) {
    if (isHidden(A))
      continue;
    if (Index < Arguments.size() && Arguments[Index].size() != A.Size)
      return createStringError("kernel '" + K.Name + "': argument " +
                               Twine(Index) + " has " +
                               Twine(Arguments[Index].size()) +
                               " bytes; the kernel takes " + Twine(A.Size));
    ++Index;
  }
  if (Index != Arguments.size())
    return createStringError("kernel '" + K.Name +
                             "': " + Twine(Arguments.size()) +
                             " arguments; the kernel takes " + Twine(Index));
  return Error::success();
}

void fillArguments(KernargSegment &Segment, const Kernel &K,
                   ArrayRef<ArrayRef<uint8_t>> Arguments,
                   const std::array<uint32_t, 3> &Blocks,
                   const std::array<uint32_t, 3> &Threads,
                   uint32_t DynamicLds) {
  for (const KernelArgument &A : K.Arguments) {
    if (isHidden(A)) {
      Segment.putNumber(A,
                        hiddenValue(A.ValueKind, Blocks, Threads, DynamicLds));
      continue;
    }
    Segment.put(A, Arguments.front());
    Arguments = Arguments.drop_front();
  }
}

Error fillSizes(DispatchRequest &Request, const Kernel &K,
                const std::array<uint32_t, 3> &Blocks,
                const std::array<uint32_t, 3> &Threads, uint32_t DynamicLds) {
  for (unsigned D = 0; D < 3; ++D) {
    uint64_t Items = uint64_t(Blocks[D]) * Threads[D];
    if (Items == 0 || Items > UINT32_MAX || Threads[D] > 1024)
      return createStringError("kernel '" + K.Name + "': " + Twine(Blocks[D]) +
                               " blocks of " + Twine(Threads[D]) +
                               " threads; give 1 to 1024 threads and a grid "
                               "below 2^32 work-items");
    Request.GridSize[D] = uint32_t(Items);
    Request.WorkgroupSize[D] = uint16_t(Threads[D]);
  }
  if (DynamicLds > UINT32_MAX - K.GroupSegmentSize)
    return createStringError("kernel '" + K.Name + "': " + Twine(DynamicLds) +
                             " bytes of dynamic LDS are too many");
  Request.GroupSegmentSize = K.GroupSegmentSize + DynamicLds;
  Request.PrivateSegmentSize = K.PrivateSegmentSize;
  if (K.DynamicStack)
    Request.PrivateSegmentSize =
        SaturatingAdd(K.PrivateSegmentSize, DynamicStackBytes);
  return Error::success();
}

} // namespace

void CodeObject::rememberMachine(Machine &Gpu) {
  std::lock_guard<std::mutex> Guard(Lock);
  // A new machine may have the address of a destroyed one.
  Users[&Gpu] = Gpu.codeInvalidator();
}

Expected<DispatchResult>
CodeObject::launch(Machine &Gpu, StringRef Name, std::array<uint32_t, 3> Blocks,
                   std::array<uint32_t, 3> Threads, uint32_t DynamicLds,
                   ArrayRef<ArrayRef<uint8_t>> Arguments) {
  auto Found = Kernels.find(Name);
  if (Found == Kernels.end())
    return createStringError("kernel '" + Name +
                             "': not in the code object; see llvm-readelf "
                             "--notes for those that are");
  const Kernel &K = Found->second;
  if (Gpu.processor() != Processor)
    return createStringError("kernel '" + Name + "': compiled for " +
                             Processor + ", and the GPU is " + Gpu.processor());
  if (Error E = checkArguments(K, Arguments))
    return E;
  DispatchRequest Request;
  if (Error E = fillSizes(Request, K, Blocks, Threads, DynamicLds))
    return E;
  KernargSegment Segment(Memory, K.KernargSize);
  fillArguments(Segment, K, Arguments, Blocks, Threads, DynamicLds);
  Request.KernelObject = K.Descriptor;
  Request.KernargAddress = Segment.address();
  Request.KernelName = K.Name;
  rememberMachine(Gpu);
  return Gpu.dispatch(Request);
}
