//===- Buffers.h - memory that ROCr allocates or shares ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer is a file in memory, or a part of one (BufferFiles.h), so that it
// can be mapped at any address, more than once, and by another process that
// receives its descriptor. ROCr chooses the addresses. A GPU's access is an
// access of this process at the same address, so a buffer that a GPU may use is
// always mapped there, even if the process has not asked to see it.
//
// The memory map of each GPU holds its accessible memory, like page tables on
// hardware: allocating maps nothing, binding does.
//
// Memory that is unmapped while kernels run stays until no kernel runs on any
// GPU. Its addresses then stay unused for long, so that a stale pointer is
// reported and does not hit the next allocation.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_BUFFERS_H
#define KPACK_LIB_SOFTGPU_KFD_BUFFERS_H

#include "BufferFiles.h"
#include "Gpu.h"

#include "llvm/ADT/ArrayRef.h"

#include <csignal>
#include <deque>
#include <map>
#include <mutex>

namespace kpack::softgpu {

struct BufferMetadata;

/// Thread-safe. Members return 0 or a negated errno unless noted, and refuse
/// addresses and sizes that are not multiples of the page size; map(),
/// unmapped() and replaced() round sizes up, as mmap() and munmap() do.
class BufferTable {
public:
  /// Sets the sigaction() to call once the process registers memory: kernels
  /// may then cause faults that need handlers (HostAccess.h).
  static void useSignals(int (*Sigaction)(int, const struct sigaction *,
                                          struct sigaction *));

  /// Call this before any other member; the GPUs outlive this object.
  void addGpu(Gpu &G) { Gpus.push_back(&G); }

  struct Wanted {
    uint64_t Address = 0; ///< for GPUs; 0 if not known yet
    uint64_t Size = 0;
    uint32_t Flags = 0; ///< KFD_IOC_ALLOC_MEM_FLAGS_*
    Gpu *Owner = nullptr;
    /// Address of the process's memory, if the flags ask for it.
    uint64_t UserAddress = 0;
  };

  int allocate(const Wanted &W, uint64_t &Handle);
  int import(int Fd, uint64_t Address, uint64_t &Handle, uint64_t &Size);
  int free(uint64_t Handle);

  /// Maps at Wanted::Address.
  int mapTo(uint64_t Handle, llvm::ArrayRef<Gpu *> Nodes);
  int unmapFrom(uint64_t Handle, llvm::ArrayRef<Gpu *> Nodes);
  /// Maps a part of the buffer at any address.
  int bind(Gpu &G, uint64_t Handle, uint64_t Offset, uint64_t Size,
           uint64_t Address);
  int unbind(Gpu &G, uint64_t Address, uint64_t Size);
  /// Registers memory of the process.
  int shareHost(uint64_t Address, uint64_t Size, llvm::ArrayRef<Gpu *> Nodes);

  /// Returns the buffer's offset in a render node, for mmap().
  static uint64_t mapOffset(uint64_t Handle) { return Handle << HandleShift; }
  /// Maps \p Size bytes of a buffer for the process to see, as mmap() does: at
  /// \p Address if the flags ask for it, otherwise anywhere. \p Offset is
  /// relative to the render node; mapOffset() is the buffer's first byte. Sets
  /// \p Address to the result.
  int map(uint64_t Offset, uint64_t Size, int Flags, uint64_t &Address);
  /// Returns a descriptor that the caller owns, or a negated errno.
  int share(uint64_t Handle);

  /// Location of a buffer's memory for another process, valid while the buffer
  /// lives.
  struct Loan {
    uint32_t Process, Descriptor, Inode; ///< the lower half of the inode
  };
  int lend(uint64_t Handle, Loan &L);
  int borrow(const Loan &L, uint64_t Address, uint64_t &Handle);

  /// Metadata belong to the memory: importers see them, too.
  int setMetadata(uint64_t Handle, const BufferMetadata &Metadata);
  int getMetadata(uint64_t Handle, BufferMetadata &Metadata);
  /// Returns the memory bytes of a buffer's file, which ends with the metadata
  /// once these are set.
  static uint64_t memoryBytes(uint64_t FileBytes);

  /// Returns the address for GPUs, or 0 if there is none.
  uint64_t addressOf(uint64_t Handle);
  uint64_t bytesFree(const Gpu &Owner) const;

  /// Handles munmap() of the process. Returns true if the table has unmapped
  /// the addresses, or will do so once no kernel runs; false if none of its
  /// memory is there.
  bool unmapped(uint64_t Address, uint64_t Size);
  /// Handles a new mapping of the process at these addresses.
  void replaced(uint64_t Address, uint64_t Size);
  /// Returns "a 4096-byte allocation at 0x7f..." if \p Address was in a freed
  /// buffer, or "".
  std::string describeFreed(uint64_t Address) const;

  /// Bracket every dispatch: memory unmapped in between stays until the end.
  void beginDispatch();
  void endDispatch();

private:
  /// Upper limit of a buffer's size, as a power of two.
  static constexpr unsigned HandleShift = 36;

  struct Buffer {
    Wanted W;
    BufferFile Memory; ///< empty for memory of the process and for doorbells
  };
  /// A half-open range. An ExtentMap maps begins to ends; its ranges do not
  /// overlap.
  struct Extent {
    uint64_t Begin, End;
    bool overlaps(const Extent &Other) const {
      return Begin < Other.End && Other.Begin < End;
    }
  };
  using ExtentMap = std::map<uint64_t, uint64_t>;

  /// Holds the lock and marks the thread as its owner: an allocator of the
  /// program may call munmap() meanwhile.
  class Hold;

  int getDescriptor(uint64_t Handle);

  // The caller holds Lock:
  Buffer *find(uint64_t Handle);
  int remap(const Buffer &B, const BufferFile &New);
  int separate(Buffer &B);
  int place(Buffer &B, uint64_t Offset, uint64_t Size, int Flags,
            uint64_t &Address);
  int bindLocked(Gpu &G, Buffer &B, uint64_t Offset, uint64_t Size,
                 uint64_t Address);
  void unbindLocked(Gpu &G, Extent E);
  void forget(Extent E);
  bool isBound(Extent E) const;
  void leave(Extent E);
  void retire(Extent E);
  void vacate(Extent E);
  void discard(const BufferFile &Memory, Extent E);
  void reclaim(Extent E);

  mutable std::mutex Lock;
  std::vector<Gpu *> Gpus;
  std::map<uint64_t, Buffer> Buffers; ///< by handle
  uint64_t LastHandle = 0;
  CommonFiles Small; ///< files of small buffers
  /// Pages of freed buffers in common files that are still mapped, by address.
  std::map<uint64_t, BufferFile> Leftovers;
  std::map<const Gpu *, uint64_t> Used;   ///< bytes of each GPU's local memory
  std::map<const Gpu *, ExtentMap> Bound; ///< buffers that each GPU may use
  ExtentMap Placed;                       ///< mapped buffers
  ExtentMap ForGpus; ///< the part not mapped by the process itself
  ExtentMap Going;   ///< to be unmapped when no kernel runs
  unsigned Dispatches = 0;
  std::vector<Extent> Unseen; ///< unmapped by the process, but bound to a GPU
  std::deque<Extent> Retired; ///< reserved addresses without memory
  std::deque<Extent> Freed;   ///< places of the last buffers
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_BUFFERS_H
