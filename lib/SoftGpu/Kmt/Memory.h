//===- Memory.h - memory that ROCr allocates or registers -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory is host memory, and what is allocated has the same address on
// both sides. Host memory that is registered gets another one for the device,
// as HIP expects (hipHostUnregister() of HIP 5.2 aborts without it):
// MemoryMap.h, AliasBit.
//
// Which GPU may use what is in the memory map of each GPU, as page tables are
// on hardware: allocating maps nothing, hsaKmtMapMemoryToGPUNodes() does.
//
// What is freed is out of every map at once. The memory itself stays while a
// kernel runs that might be about to touch it, and its addresses stay unused
// for long after that, so that a stale pointer is reported and does not hit the
// next allocation.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KMT_MEMORY_H
#define KPACK_LIB_SOFTGPU_KMT_MEMORY_H

#include "Gpu.h"
#include "Thunk.h"
#include "llvm/ADT/ArrayRef.h"
#include <deque>
#include <map>
#include <mutex>

namespace kpack::softgpu {

/// All members are thread-safe.
class DeviceMemory {
public:
  /// Bytes of its own that a GPU is said to have.
  static constexpr uint64_t LocalBytes = uint64_t(16) << 30;

  /// Before anything else; the GPUs outlive this object.
  void addGpu(Gpu &G) { Gpus.push_back(&G); }

  HSAKMT_STATUS allocate(uint32_t Node, uint64_t Size, HsaMemFlags Flags,
                         void **Address);
  HSAKMT_STATUS free(void *Address);
  HSAKMT_STATUS registerUser(void *Address, uint64_t Size, HsaMemFlags Flags);
  HSAKMT_STATUS deregister(void *Address);
  /// \p Nodes replace those that it was mapped to before.
  HSAKMT_STATUS mapTo(void *Address, llvm::ArrayRef<uint32_t> Nodes);
  HSAKMT_STATUS mapToAll(void *Address);
  /// 0: it is the same as on the host.
  uint64_t alternateAddress(void *Address) const;
  HSAKMT_STATUS unmapFromGpus(void *Address);
  HsaPointerInfo describe(const void *Address) const;
  HSAKMT_STATUS setUserData(const void *Address, void *UserData);
  /// "a 4096-byte allocation at 0x7f..." that was there once; empty: none.
  std::string describeFreed(uint64_t Address) const;

  /// Around every dispatch: memory that is freed meanwhile stays.
  void beginDispatch();
  void endDispatch();

private:
  struct Block {
    uint64_t Size = 0; ///< bytes that may be used
    uint32_t Node = 0;
    HsaMemFlags Flags{};
    bool User = false;           ///< registered, not allocated
    unsigned References = 1;     ///< how often it was registered
    unsigned Mappings = 0;       ///< how often it was mapped
    std::vector<uint32_t> Nodes; ///< it is mapped to
    void *UserData = nullptr;

    /// Address space, with the guard behind allocations.
    uint64_t extent() const;
  };
  using BlockMap = std::map<uint64_t, Block>; ///< by address
  struct Retired {
    uint64_t Begin;
    uint64_t Extent;
  };

  // Under Lock:
  Gpu *gpuOf(uint32_t Node) const;
  Block *find(uint64_t Begin);
  void unmap(uint64_t Begin, Block &B);
  void addTo(Gpu &G, uint64_t Begin, const Block &B);
  void keepAddresses(Retired R);

  mutable std::mutex Lock;
  std::vector<Gpu *> Gpus;
  BlockMap Allocations;
  BlockMap Registrations;
  std::map<uint32_t, uint64_t> Used; ///< bytes, by node
  unsigned Dispatches = 0;
  std::vector<Retired> Freed; ///< when the last dispatch has ended
  std::deque<Retired> Unused; ///< address space that nothing is in
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KMT_MEMORY_H
