//===- ResidentGroup.cpp - registers and memory of a workgroup ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layout of the storage: vector registers of all waves, then private memory of
// all waves. Kernels that read memory before writing it get zeros, the same in
// every run.
//
//===----------------------------------------------------------------------===//
#include "ResidentGroup.h"
#include "WaveSetup.h"
#include <sys/mman.h>

using namespace kpack::softgpu;

/// Size for one wave. An extra page keeps equal registers of neighbours out of
/// the same sets of the host's cache.
static constexpr uint64_t VectorBytes =
    VectorRegisterCount * sizeof(Lanes32) + 4096;

uint32_t kpack::softgpu::privateBytes(const DispatchRequest &Request) {
  return (Request.PrivateSegmentSize + 15) & ~15u;
}

unsigned kpack::softgpu::wavesPerGroup(const DispatchRequest &Request,
                                       unsigned Lanes) {
  unsigned WorkItems = unsigned(Request.WorkgroupSize[0]) *
                       Request.WorkgroupSize[1] * Request.WorkgroupSize[2];
  return (WorkItems + Lanes - 1) / Lanes;
}

uint64_t ResidentGroup::bytes(const DispatchRequest &Request,
                              const KernelDescriptor &Kernel) {
  uint64_t Private = uint64_t(privateBytes(Request)) * Kernel.Lanes;
  return (VectorBytes + Private) * wavesPerGroup(Request, Kernel.Lanes);
}

std::unique_ptr<ResidentGroup>
ResidentGroup::create(const Dispatch &Launch, const KernelDescriptor &Kernel) {
  std::unique_ptr<ResidentGroup> G(new ResidentGroup(Launch, Kernel));
  G->StorageBytes = bytes(*Launch.Request, Kernel);
  void *Pages = mmap(nullptr, G->StorageBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, 0);
  if (Pages == MAP_FAILED)
    return nullptr;
  G->Storage = static_cast<uint8_t *>(Pages);
  return G;
}

ResidentGroup::~ResidentGroup() {
  if (Storage)
    munmap(Storage, StorageBytes);
}

void ResidentGroup::start(uint64_t Ordinal, const std::array<uint32_t, 3> &Id,
                          uint64_t PacketAddress) {
  const DispatchRequest &Request = *Launch.Request;
  Index = Ordinal;
  RoundsSinceFailure = 0;
  Group.Launch = &Launch;
  Group.Id = Id;
  Group.Lds.assign(Request.GroupSegmentSize, 0);
  if (Launch.Options->CheckUninitialisedLds)
    Group.LdsWritten.assign(Request.GroupSegmentSize, false);
  std::array<uint32_t, 3> Extent = workgroupExtent(Request, Id);
  uint32_t WorkItems = Extent[0] * Extent[1] * Extent[2];
  unsigned Count = (WorkItems + Kernel.Lanes - 1) / Kernel.Lanes;
  unsigned Capacity = wavesPerGroup(Request, Kernel.Lanes);
  Group.LiveWaves = Count;
  Group.BarrierSignals = 0;
  Group.BarrierPhase = 0;

  uint32_t LaneBytes = privateBytes(Request);
  uint64_t WaveBytes = uint64_t(LaneBytes) * Kernel.Lanes;
  uint8_t *Private = Storage + VectorBytes * Capacity;
  if (Used && WaveBytes)
    std::memset(Private, 0, WaveBytes * Count);
  Used = true;
  Waves.resize(Count);
  for (unsigned I = 0; I < Count; ++I) {
    Wave &W = Waves[I];
    W.Vectors = reinterpret_cast<Lanes32 *>(Storage + VectorBytes * I);
    W.Private = Private + WaveBytes * I;
    W.PrivateBytes = LaneBytes;
    setUpWave(W, Group, Kernel, Extent, I, PacketAddress);
  }
}
