//===- Buffers.h - memory that ROCr allocates or shares ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer is a file in memory, or a part of one (BufferFiles.h), so that it
// can be mapped at any address, more than once, and by another process that is
// given its descriptor. ROCr chooses the addresses; a GPU's access is an access
// of this process at that address, so a buffer that a GPU may use is always
// mapped there, whether the process wanted to see it or not.
//
// Which GPU may use what is in the memory map of each GPU, as page tables are
// on hardware: allocating maps nothing, binding does.
//
// What is unmapped while a kernel runs stays until no kernel runs that might be
// about to touch it. After that its addresses stay unused for long, so that a
// stale pointer is reported and does not hit the next allocation.
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

/// Members return 0 or a negated errno where nothing else is said, and are
/// thread-safe. Addresses and sizes are multiples of pages, or are refused.
class BufferTable {
public:
  /// What sets handlers of signals: for when the process registers memory.
  static void useSignals(int (*Sigaction)(int, const struct sigaction *,
                                          struct sigaction *));

  /// Before anything else; the GPUs outlive this object.
  void addGpu(Gpu &G) { Gpus.push_back(&G); }

  struct Wanted {
    uint64_t Address = 0; ///< at which GPUs will use it; 0: none yet
    uint64_t Size = 0;
    uint32_t Flags = 0; ///< KFD_IOC_ALLOC_MEM_FLAGS_*
    Gpu *Owner = nullptr;
    /// Memory of the process, if the flags say so.
    uint64_t UserAddress = 0;
  };

  int allocate(const Wanted &W, uint64_t &Handle);
  int import(int Fd, uint64_t Address, uint64_t &Handle, uint64_t &Size);
  int free(uint64_t Handle);

  /// At the address that was wanted when it was allocated.
  int mapTo(uint64_t Handle, llvm::ArrayRef<Gpu *> Nodes);
  int unmapFrom(uint64_t Handle, llvm::ArrayRef<Gpu *> Nodes);
  /// A part of it, anywhere.
  int bind(Gpu &G, uint64_t Handle, uint64_t Offset, uint64_t Size,
           uint64_t Address);
  int unbind(Gpu &G, uint64_t Address, uint64_t Size);
  /// Memory of the process.
  int shareHost(uint64_t Address, uint64_t Size, llvm::ArrayRef<Gpu *> Nodes);

  /// The offset in a render node at which a buffer is mapped.
  static uint64_t mapOffset(uint64_t Handle) { return Handle << HandleShift; }
  /// Maps \p Size bytes of a buffer from \p Offset on, which is mapOffset() for
  /// its first byte, for the process to see, as mmap() does: at \p Address if
  /// the flags say so, otherwise anywhere; \p Address becomes where it is.
  int map(uint64_t Offset, uint64_t Size, int Flags, uint64_t &Address);
  /// A descriptor of the caller's own, or a negated errno.
  int share(uint64_t Handle);

  /// Where another process finds a buffer's memory, as long as it is there.
  struct Loan {
    uint32_t Process, Descriptor, Inode; ///< the lower half of the inode
  };
  int lend(uint64_t Handle, Loan &L);
  int borrow(const Loan &L, uint64_t Address, uint64_t &Handle);

  /// Metadata are of the memory: who imports it has them, too.
  int setMetadata(uint64_t Handle, const BufferMetadata &Metadata);
  int getMetadata(uint64_t Handle, BufferMetadata &Metadata);
  /// The bytes of memory in a buffer's file, which ends with its metadata once
  /// these are set.
  static uint64_t memoryBytes(uint64_t FileBytes);

  /// Where GPUs use it; 0: nowhere.
  uint64_t addressOf(uint64_t Handle);
  uint64_t bytesFree(const Gpu &Owner) const;

  /// The process unmaps addresses: true if it was done here, or is to be done
  /// when no kernel runs; false if there is nothing of ours.
  bool unmapped(uint64_t Address, uint64_t Size);
  /// The process maps something else there.
  void replaced(uint64_t Address, uint64_t Size);
  /// "a 4096-byte allocation at 0x7f..." that was there once; empty: none.
  std::string describeFreed(uint64_t Address) const;

  /// Around every dispatch: memory that goes meanwhile stays.
  void beginDispatch();
  void endDispatch();

private:
  /// A buffer has fewer bytes than two to this.
  static constexpr unsigned HandleShift = 36;

  struct Buffer {
    Wanted W;
    BufferFile Memory; ///< not of memory of the process, nor of doorbells
  };
  /// Half-open. The map is of ends, by begins; they do not overlap.
  struct Extent {
    uint64_t Begin, End;
    bool overlaps(const Extent &Other) const {
      return Begin < Other.End && Other.Begin < End;
    }
  };
  using ExtentMap = std::map<uint64_t, uint64_t>;

  /// Of the table, with a word of the thread that it is held: the allocator of
  /// a program may unmap memory inside of it.
  class Hold;

  int descriptorOf(uint64_t Handle);

  // Under Lock:
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
  CommonFiles Small; ///< of small buffers
  /// Pages of freed buffers in common files that are still mapped, by address.
  std::map<uint64_t, BufferFile> Leftovers;
  std::map<const Gpu *, uint64_t> Used;   ///< bytes of GPUs' own memory
  std::map<const Gpu *, ExtentMap> Bound; ///< buffers that it may use
  ExtentMap Placed;                       ///< buffers in the address space
  ExtentMap ForGpus; ///< of these what the process has not mapped itself
  ExtentMap Going;   ///< to be unmapped when no kernel runs
  unsigned Dispatches = 0;
  std::vector<Extent> Unseen; ///< unmapped, but a GPU may use it still
  std::deque<Extent> Retired; ///< addresses that nothing is at
  std::deque<Extent> Freed;   ///< where the last buffers were
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_BUFFERS_H
