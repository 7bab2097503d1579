//===- Memory.cpp - memory that ROCr allocates or registers ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks first, then the C API on them.
//
//===----------------------------------------------------------------------===//
#include "Memory.h"
#include "Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <sys/mman.h>

using namespace kpack::softgpu;

static constexpr uint64_t PageBytes = 4096;
/// Of addresses behind every allocation that nothing else gets, so that what
/// goes past its end does not hit the next one.
static constexpr uint64_t GuardBytes = uint64_t(1) << 18;
/// Freed allocations whose addresses are kept from being used again.
static constexpr size_t MaxUnused = 1024;
/// Of the pages that a GPU's page table can hold.
static constexpr uint64_t HugePageBytes = uint64_t(1) << 21;

uint64_t DeviceMemory::Block::extent() const {
  return User ? Size : Size + GuardBytes;
}

Gpu *DeviceMemory::gpuOf(uint32_t Node) const {
  for (Gpu *G : Gpus)
    if (G->node() == Node)
      return G;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// The allocation or registration that begins there; null: there is none.
DeviceMemory::Block *DeviceMemory::find(uint64_t Begin) {
  for (BlockMap *Blocks : {&Allocations, &Registrations})
    if (auto Found = Blocks->find(Begin); Found != Blocks->end())
      return &Found->second;
  return nullptr;
}

/// Larger ones are aligned to larger pages, as the driver does it: the device
/// library's malloc() rounds down to 2 MiB to find the slab of a pointer.
static uint64_t alignmentOf(uint64_t Size) {
  return std::min(llvm::bit_floor(Size), HugePageBytes);
}

/// \p Size bytes without access, at \p Wanted if that is not null. Null: there
/// are none.
static void *reserve(void *Wanted, uint64_t Size, uint64_t Alignment) {
  int Kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  uint64_t Spare = Wanted ? 0 : Alignment - PageBytes;
  void *Pages = ::mmap(Wanted, Size + Spare, PROT_NONE,
                       Wanted ? Kind | MAP_FIXED_NOREPLACE : Kind, -1, 0);
  if (Pages == MAP_FAILED)
    return nullptr;
  if (Wanted && Pages != Wanted) { // old kernels take it for a hint
    ::munmap(Pages, Size);
    return nullptr;
  }
  auto Mapped = reinterpret_cast<uint64_t>(Pages);
  uint64_t Begin = Wanted ? Mapped : llvm::alignTo(Mapped, Alignment);
  uint64_t Before = Begin - Mapped;
  if (Before)
    ::munmap(Pages, Before);
  if (Spare > Before)
    ::munmap(reinterpret_cast<void *>(Begin + Size), Spare - Before);
  return reinterpret_cast<void *>(Begin);
}

HSAKMT_STATUS DeviceMemory::allocate(uint32_t Node, uint64_t Size,
                                     HsaMemFlags Flags, void **Address) {
  std::lock_guard<std::mutex> Guard(Lock);
  bool Local = gpuOf(Node) != nullptr;
  if (Node > Gpus.size())
    return HSAKMT_STATUS_INVALID_NODE_UNIT;
  if (Size == 0 || Size > uint64_t(1) << 46)
    return HSAKMT_STATUS_INVALID_PARAMETER;
  Size = llvm::alignTo(Size, PageBytes);
  // The interpreter has private segments of its own: addresses are enough.
  bool AddressesOnly = Flags.ui32.Scratch;
  if (Local && !AddressesOnly && Size > LocalBytes - Used[Node])
    return HSAKMT_STATUS_NO_MEMORY;
  void *Begin = reserve(Flags.ui32.FixedAddress ? *Address : nullptr,
                        Size + GuardBytes, alignmentOf(Size));
  if (!Begin)
    return HSAKMT_STATUS_NO_MEMORY;
  if (!AddressesOnly && ::mprotect(Begin, Size, PROT_READ | PROT_WRITE)) {
    ::munmap(Begin, Size + GuardBytes);
    return HSAKMT_STATUS_NO_MEMORY;
  }
  Block &B = Allocations[reinterpret_cast<uint64_t>(Begin)];
  B.Size = Size;
  B.Node = Node;
  B.Flags = Flags;
  if (Local && !AddressesOnly)
    Used[Node] += Size;
  *Address = Begin;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS DeviceMemory::free(void *Address) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto Begin = reinterpret_cast<uint64_t>(Address);
  auto Found = Allocations.find(Begin);
  if (Found == Allocations.end())
    return HSAKMT_STATUS_ERROR;
  Block &B = Found->second;
  unmap(Begin, B);
  if (gpuOf(B.Node) && !B.Flags.ui32.Scratch)
    Used[B.Node] -= B.Size;
  Retired R{Begin, B.extent()};
  Allocations.erase(Found);
  if (Dispatches)
    Freed.push_back(R);
  else
    keepAddresses(R);
  return HSAKMT_STATUS_SUCCESS;
}

/// Gives the pages back, and the addresses when there are many of them.
void DeviceMemory::keepAddresses(Retired R) {
  for (Gpu *G : Gpus)
    G->forgetCode(R.Begin, R.Begin + R.Extent);
  auto *Pages = reinterpret_cast<void *>(R.Begin);
  if (::mmap(Pages, R.Extent, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
             0) == MAP_FAILED) {
    ::munmap(Pages, R.Extent);
    return;
  }
  Unused.push_back(R);
  if (Unused.size() > MaxUnused) {
    ::munmap(reinterpret_cast<void *>(Unused.front().Begin),
             Unused.front().Extent);
    Unused.pop_front();
  }
}

void DeviceMemory::beginDispatch() {
  std::lock_guard<std::mutex> Guard(Lock);
  ++Dispatches;
}

void DeviceMemory::endDispatch() {
  std::lock_guard<std::mutex> Guard(Lock);
  if (--Dispatches)
    return;
  for (const Retired &R : Freed)
    keepAddresses(R);
  Freed.clear();
}

HSAKMT_STATUS DeviceMemory::registerUser(void *Address, uint64_t Size,
                                         HsaMemFlags Flags) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto Begin = reinterpret_cast<uint64_t>(Address);
  if (!Begin || !Size || Begin + Size < Begin)
    return HSAKMT_STATUS_INVALID_PARAMETER;
  if (Allocations.count(Begin)) // is device memory already
    return HSAKMT_STATUS_SUCCESS;
  auto [Place, New] = Registrations.try_emplace(Begin);
  Block &B = Place->second;
  if (!New)
    ++B.References;
  B.User = true;
  B.Size = std::max(B.Size, Size);
  B.Flags = Flags;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS DeviceMemory::deregister(void *Address) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto Begin = reinterpret_cast<uint64_t>(Address);
  auto Found = Registrations.find(Begin);
  if (Found == Registrations.end())
    return Allocations.count(Begin) ? HSAKMT_STATUS_SUCCESS
                                    : HSAKMT_STATUS_MEMORY_NOT_REGISTERED;
  if (--Found->second.References)
    return HSAKMT_STATUS_SUCCESS;
  unmap(Begin, Found->second);
  Registrations.erase(Found);
  return HSAKMT_STATUS_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Mapping to GPUs
//===----------------------------------------------------------------------===//

void DeviceMemory::addTo(Gpu &G, uint64_t Begin, const Block &B) {
  Begin |= B.User ? AliasBit : 0;
  G.memory().add({Begin, Begin + B.Size, !B.Flags.ui32.ReadOnly,
                  B.User ? "registered host memory" : "allocation"});
}

/// Registrations may overlap: what others of them cover stays.
void DeviceMemory::unmap(uint64_t Begin, Block &B) {
  uint64_t End = Begin + B.Size;
  uint64_t Alias = B.User ? AliasBit : 0;
  for (uint32_t Node : B.Nodes)
    gpuOf(Node)->memory().remove(Begin | Alias, End | Alias);
  B.Nodes.clear();
  if (!B.User)
    return;
  for (auto &[Other, R] : Registrations) {
    if (Other >= End)
      break;
    if (&R == &B || Other + R.Size <= Begin)
      continue;
    for (uint32_t Node : R.Nodes)
      addTo(*gpuOf(Node), Other, R);
  }
}

HSAKMT_STATUS DeviceMemory::mapTo(void *Address,
                                  llvm::ArrayRef<uint32_t> Nodes) {
  std::lock_guard<std::mutex> Guard(Lock);
  for (uint32_t Node : Nodes)
    if (!gpuOf(Node))
      return HSAKMT_STATUS_INVALID_NODE_UNIT;
  auto Begin = reinterpret_cast<uint64_t>(Address);
  Block *Found = find(Begin);
  if (!Found) {
    // Parts of the scratch area are mapped one by one.
    auto Next = Allocations.upper_bound(Begin);
    bool InScratch =
        Next != Allocations.begin() &&
        std::prev(Next)->second.Flags.ui32.Scratch &&
        Begin - std::prev(Next)->first < std::prev(Next)->second.Size;
    return InScratch ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_PARAMETER;
  }
  Block &B = *Found;
  if (B.Flags.ui32.Scratch)
    return HSAKMT_STATUS_SUCCESS;
  unmap(Begin, B);
  ++B.Mappings;
  B.Nodes.assign(Nodes.begin(), Nodes.end());
  for (uint32_t Node : Nodes)
    addTo(*gpuOf(Node), Begin, B);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS DeviceMemory::mapToAll(void *Address) {
  llvm::SmallVector<uint32_t, 16> Nodes;
  for (Gpu *G : Gpus)
    Nodes.push_back(G->node());
  return mapTo(Address, Nodes);
}

/// Host memory that several threads have registered stays mapped until the last
/// of them unmaps it; an allocation goes at once.
HSAKMT_STATUS DeviceMemory::unmapFromGpus(void *Address) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto Begin = reinterpret_cast<uint64_t>(Address);
  Block *B = find(Begin);
  if (!B) // a part of the scratch area
    return HSAKMT_STATUS_SUCCESS;
  if (B->User && B->Mappings > 1) {
    --B->Mappings;
    return HSAKMT_STATUS_SUCCESS;
  }
  B->Mappings = 0;
  unmap(Begin, *B);
  return HSAKMT_STATUS_SUCCESS;
}

//===----------------------------------------------------------------------===//
// What is known of an address
//===----------------------------------------------------------------------===//

uint64_t DeviceMemory::alternateAddress(void *Address) const {
  std::lock_guard<std::mutex> Guard(Lock);
  auto Begin = reinterpret_cast<uint64_t>(Address);
  return Registrations.count(Begin) ? Begin | AliasBit : 0;
}

HsaPointerInfo DeviceMemory::describe(const void *Address) const {
  std::lock_guard<std::mutex> Guard(Lock);
  HsaPointerInfo Info{};
  uint64_t Wanted = reinterpret_cast<uint64_t>(Address) & ~AliasBit;
  for (const BlockMap *Blocks : {&Allocations, &Registrations}) {
    auto Next = Blocks->upper_bound(Wanted);
    if (Next == Blocks->begin())
      continue;
    const auto &[Begin, B] = *std::prev(Next);
    if (Wanted - Begin >= B.Size || B.Flags.ui32.Scratch)
      continue;
    Info.Type = B.User ? HSA_POINTER_REGISTERED_USER : HSA_POINTER_ALLOCATED;
    Info.Node = B.Node;
    Info.MemFlags = B.Flags;
    Info.CPUAddress = reinterpret_cast<void *>(Begin);
    Info.GPUAddress = Begin | (B.User ? AliasBit : 0);
    Info.SizeInBytes = B.Size;
    Info.NMappedNodes = uint32_t(B.Nodes.size());
    Info.MappedNodes = B.Nodes.data();
    Info.UserData = B.UserData;
    return Info;
  }
  Info.Type = HSA_POINTER_UNKNOWN;
  return Info;
}

std::string DeviceMemory::describeFreed(uint64_t Address) const {
  std::lock_guard<std::mutex> Guard(Lock);
  auto Describe = [Address](const Retired &R) -> std::string {
    uint64_t Size = R.Extent - GuardBytes;
    if (Address < R.Begin || Address - R.Begin >= Size)
      return "";
    return "a " + std::to_string(Size) + "-byte allocation at 0x" +
           llvm::utohexstr(R.Begin, /*LowerCase=*/true);
  };
  for (const Retired &R : Freed)
    if (std::string Text = Describe(R); !Text.empty())
      return Text;
  for (const Retired &R : Unused)
    if (std::string Text = Describe(R); !Text.empty())
      return Text;
  return "";
}

HSAKMT_STATUS DeviceMemory::setUserData(const void *Address, void *UserData) {
  std::lock_guard<std::mutex> Guard(Lock);
  Block *B = find(reinterpret_cast<uint64_t>(Address));
  if (!B)
    return HSAKMT_STATUS_ERROR;
  B->UserData = UserData;
  return HSAKMT_STATUS_SUCCESS;
}

//===----------------------------------------------------------------------===//
// C API
//===----------------------------------------------------------------------===//

HSAKMT_STATUS hsaKmtAllocMemory(HSAuint32 PreferredNode, HSAuint64 SizeInBytes,
                                HsaMemFlags MemFlags, void **MemoryAddress) {
  Driver *D = Driver::opened();
  if (!D)
    return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
  if (!MemoryAddress)
    return HSAKMT_STATUS_INVALID_PARAMETER;
  return D->Memory.allocate(PreferredNode, SizeInBytes, MemFlags,
                            MemoryAddress);
}

HSAKMT_STATUS hsaKmtFreeMemory(void *MemoryAddress, HSAuint64 SizeInBytes) {
  Driver *D = Driver::opened();
  return D ? D->Memory.free(MemoryAddress) : Driver::givenBack();
}

HSAKMT_STATUS hsaKmtRegisterMemoryWithFlags(void *MemoryAddress,
                                            HSAuint64 MemorySizeInBytes,
                                            HsaMemFlags MemFlags) {
  Driver *D = Driver::opened();
  return D ? D->Memory.registerUser(MemoryAddress, MemorySizeInBytes, MemFlags)
           : HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
}

HSAKMT_STATUS hsaKmtRegisterMemory(void *MemoryAddress,
                                   HSAuint64 MemorySizeInBytes) {
  return hsaKmtRegisterMemoryWithFlags(MemoryAddress, MemorySizeInBytes, {});
}

HSAKMT_STATUS hsaKmtDeregisterMemory(void *MemoryAddress) {
  Driver *D = Driver::opened();
  return D ? D->Memory.deregister(MemoryAddress) : Driver::givenBack();
}

HSAKMT_STATUS
hsaKmtMapMemoryToGPUNodes(void *MemoryAddress, HSAuint64 MemorySizeInBytes,
                          HSAuint64 *AlternateVAGPU, HsaMemMapFlags MemMapFlags,
                          HSAuint64 NumberOfNodes, HSAuint32 *NodeArray) {
  Driver *D = Driver::opened();
  if (!D)
    return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
  if (!NodeArray || NumberOfNodes == 0)
    return HSAKMT_STATUS_INVALID_PARAMETER;
  if (AlternateVAGPU)
    *AlternateVAGPU = D->Memory.alternateAddress(MemoryAddress);
  return D->Memory.mapTo(MemoryAddress,
                         llvm::ArrayRef(NodeArray, NumberOfNodes));
}

HSAKMT_STATUS hsaKmtMapMemoryToGPU(void *MemoryAddress,
                                   HSAuint64 MemorySizeInBytes,
                                   HSAuint64 *AlternateVAGPU) {
  Driver *D = Driver::opened();
  if (!D)
    return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
  if (AlternateVAGPU)
    *AlternateVAGPU = D->Memory.alternateAddress(MemoryAddress);
  return D->Memory.mapToAll(MemoryAddress);
}

HSAKMT_STATUS hsaKmtUnmapMemoryToGPU(void *MemoryAddress) {
  Driver *D = Driver::opened();
  return D ? D->Memory.unmapFromGpus(MemoryAddress) : Driver::givenBack();
}

HSAKMT_STATUS hsaKmtQueryPointerInfo(const void *Pointer,
                                     HsaPointerInfo *PointerInfo) {
  Driver *D = Driver::opened();
  if (!D)
    return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
  if (!PointerInfo)
    return HSAKMT_STATUS_INVALID_PARAMETER;
  *PointerInfo = D->Memory.describe(Pointer);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtSetMemoryUserData(const void *Pointer, void *UserData) {
  Driver *D = Driver::opened();
  return D ? D->Memory.setUserData(Pointer, UserData)
           : HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
}
