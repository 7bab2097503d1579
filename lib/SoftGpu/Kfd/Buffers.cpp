//===- Buffers.cpp - memory that ROCr allocates or shares -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mappings are made and taken away by system calls: the C library's functions
// are those of our own preloaded library, which would ask here.
//
//===----------------------------------------------------------------------===//
#include "Buffers.h"

#include "Abi.h"
#include "Hardware.h"

#include "kpack/Support/MemoryFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kpack::softgpu;

static constexpr uint64_t PageBytes = 4096;
/// Freed allocations whose addresses are kept from being used again.
static constexpr size_t MostRetired = 1024;
/// Behind what a process can have.
static constexpr uint64_t AddressEnd = uint64_t(1) << 47;

static bool isExtent(uint64_t Address, uint64_t Size) {
  return Size && Address % PageBytes == 0 && Size % PageBytes == 0 &&
         Address < AddressEnd && Size <= AddressEnd - Address;
}

/// Where it is; MAP_FAILED: errno says why not.
static void *systemMap(uint64_t Address, uint64_t Size, int Protection,
                       int Flags, int Fd, uint64_t Offset) {
  return reinterpret_cast<void *>(
      ::syscall(SYS_mmap, Address, Size, Protection, Flags, Fd, Offset));
}

static void systemUnmap(uint64_t Address, uint64_t Size) {
  ::syscall(SYS_munmap, Address, Size);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

BufferTable::Buffer *BufferTable::find(uint64_t Handle) {
  auto Found = Buffers.find(Handle);
  return Found == Buffers.end() ? nullptr : &Found->second;
}

/// Whether the flags ask for memory that we are to provide.
static bool needsMemory(uint32_t Flags) {
  return !(Flags &
           (KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL |
            KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP));
}

int BufferTable::allocate(const Wanted &W, uint64_t &Handle) {
  if (!isExtent(W.Address, W.Size))
    return -EINVAL;
  std::lock_guard<std::mutex> Guard(Lock);
  bool Local = W.Flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
  if (Local && W.Size > hardware::LocalBytes - Used[W.Owner])
    return -ENOMEM;
  UniqueFd Memory;
  if (needsMemory(W.Flags)) {
    Memory = memoryFile("softgpu buffer");
    if (Memory.get() < 0 || ::ftruncate(Memory.get(), off_t(W.Size)) != 0)
      return -errno;
  }
  if (Local)
    Used[W.Owner] += W.Size;
  Handle = ++LastHandle;
  Buffers.try_emplace(Handle, Buffer{W, std::move(Memory)});
  return 0;
}

int BufferTable::import(int Fd, uint64_t Address, uint64_t &Handle,
                        uint64_t &Size) {
  struct stat Status;
  UniqueFd Memory(::fcntl(Fd, F_DUPFD_CLOEXEC, 3));
  if (Memory.get() < 0 || ::fstat(Memory.get(), &Status) != 0)
    return -errno;
  Size = uint64_t(Status.st_size);
  if (!isExtent(Address, Size))
    return -EINVAL;
  std::lock_guard<std::mutex> Guard(Lock);
  Handle = ++LastHandle;
  Wanted W;
  W.Address = Address;
  W.Size = Size;
  Buffers.try_emplace(Handle, Buffer{W, std::move(Memory)});
  return 0;
}

int BufferTable::free(uint64_t Handle) {
  std::lock_guard<std::mutex> Guard(Lock);
  Buffer *B = find(Handle);
  if (!B)
    return -EINVAL;
  if (Extent At{B->W.Address, B->W.Address + B->W.Size}; At.Begin) {
    for (Gpu *G : Gpus)
      unbindLocked(*G, At);
    Freed.push_back(At);
    if (Freed.size() > MostRetired)
      Freed.pop_front();
  }
  if (B->W.Flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM)
    Used[B->W.Owner] -= B->W.Size;
  Buffers.erase(Handle);
  return 0;
}

uint64_t BufferTable::addressOf(uint64_t Handle) {
  std::lock_guard<std::mutex> Guard(Lock);
  Buffer *B = find(Handle);
  return B ? B->W.Address : 0;
}

uint64_t BufferTable::bytesFree(const Gpu &Owner) const {
  std::lock_guard<std::mutex> Guard(Lock);
  auto Found = Used.find(&Owner);
  return hardware::LocalBytes - (Found == Used.end() ? 0 : Found->second);
}

int BufferTable::share(uint64_t Handle) {
  std::lock_guard<std::mutex> Guard(Lock);
  Buffer *B = find(Handle);
  if (!B || B->Memory.get() < 0)
    return -EINVAL;
  int Fd = ::fcntl(B->Memory.get(), F_DUPFD_CLOEXEC, 3);
  return Fd < 0 ? -errno : Fd;
}

//===----------------------------------------------------------------------===//
// What GPUs may use
//===----------------------------------------------------------------------===//

/// Adds \p E to \p Map, in the place of all that overlaps it.
static void put(std::map<uint64_t, uint64_t> &Map, uint64_t Begin,
                uint64_t End) {
  auto At = Map.lower_bound(Begin);
  if (At != Map.begin() && std::prev(At)->second > Begin)
    --At;
  while (At != Map.end() && At->first < End)
    At = Map.erase(At);
  Map[Begin] = End;
}

static bool anyIn(const std::map<uint64_t, uint64_t> &Map, uint64_t Begin,
                  uint64_t End) {
  auto Next = Map.lower_bound(End);
  return Next != Map.begin() && std::prev(Next)->second > Begin;
}

/// Puts the buffer's memory at \p At. What was to leave these addresses has
/// left them with that.
int BufferTable::place(Buffer &B, uint64_t Offset, Extent At) {
  if (B.Memory.get() >= 0 &&
      systemMap(At.Begin, At.End - At.Begin, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_FIXED, B.Memory.get(), Offset) == MAP_FAILED)
    return -errno;
  auto IsThere = [&](const Extent &E) { return E.overlaps(At); };
  llvm::erase_if(Unseen, IsThere);
  llvm::erase_if(Going, IsThere);
  llvm::erase_if(Retired, IsThere);
  llvm::erase_if(Freed, IsThere);
  put(Placed, At.Begin, At.End);
  return 0;
}

int BufferTable::bindLocked(Gpu &G, Buffer &B, uint64_t Offset, uint64_t Size,
                            uint64_t Address, bool Writable) {
  if (!isExtent(Address, Size) || !Address || Offset % PageBytes ||
      Offset > B.W.Size || Size > B.W.Size - Offset)
    return -EINVAL;
  Extent At{Address, Address + Size};
  if (int Problem = place(B, Offset, At))
    return Problem;
  put(Bound[&G], At.Begin, At.End);
  MemoryRange Range{At.Begin, At.End, Writable, "allocation"};
  if (B.W.Flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) {
    Range.What = "registered host memory";
    Range.ToHost = B.W.UserAddress - B.W.Address;
  }
  G.memory().add(Range);
  return 0;
}

/// Whole bindings, as ROCr takes away what it has made.
void BufferTable::unbindLocked(Gpu &G, Extent E) {
  ExtentMap &Here = Bound[&G];
  for (auto At = Here.lower_bound(E.Begin);
       At != Here.end() && At->first < E.End;) {
    G.memory().remove(At->first, At->second);
    G.forgetCode(At->first, At->second);
    At = Here.erase(At);
  }
  for (const Extent &Waiting : std::exchange(Unseen, {}))
    leave(Waiting);
}

bool BufferTable::isBound(Extent E) const {
  return llvm::any_of(Bound, [E](const auto &Entry) {
    return anyIn(Entry.second, E.Begin, E.End);
  });
}

int BufferTable::mapTo(uint64_t Handle, llvm::ArrayRef<Gpu *> Nodes) {
  std::lock_guard<std::mutex> Guard(Lock);
  Buffer *B = find(Handle);
  if (!B)
    return -EINVAL;
  if (B->W.Flags & KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL)
    return 0;
  for (Gpu *G : Nodes)
    if (int Problem =
            bindLocked(*G, *B, 0, B->W.Size, B->W.Address, /*Writable=*/true))
      return Problem;
  return 0;
}

int BufferTable::unmapFrom(uint64_t Handle, llvm::ArrayRef<Gpu *> Nodes) {
  std::lock_guard<std::mutex> Guard(Lock);
  Buffer *B = find(Handle);
  if (!B)
    return -EINVAL;
  for (Gpu *G : Nodes)
    unbindLocked(*G, {B->W.Address, B->W.Address + B->W.Size});
  return 0;
}

int BufferTable::bind(Gpu &G, uint64_t Handle, uint64_t Offset, uint64_t Size,
                      uint64_t Address, bool Writable) {
  std::lock_guard<std::mutex> Guard(Lock);
  Buffer *B = find(Handle);
  return B ? bindLocked(G, *B, Offset, Size, Address, Writable) : -EINVAL;
}

int BufferTable::unbind(Gpu &G, uint64_t Address, uint64_t Size) {
  if (!isExtent(Address, Size))
    return -EINVAL;
  std::lock_guard<std::mutex> Guard(Lock);
  unbindLocked(G, {Address, Address + Size});
  return 0;
}

int BufferTable::shareHost(uint64_t Address, uint64_t Size,
                           llvm::ArrayRef<Gpu *> Nodes) {
  if (!isExtent(Address, Size))
    return -EINVAL;
  for (Gpu *G : Nodes)
    G->memory().add({Address, Address + Size, /*Writable=*/true,
                     "range of registered host memory"});
  return 0;
}

//===----------------------------------------------------------------------===//
// What the process sees
//===----------------------------------------------------------------------===//

int BufferTable::map(uint64_t Offset, uint64_t Size, int Flags,
                     uint64_t &Address) {
  std::lock_guard<std::mutex> Guard(Lock);
  Buffer *B = find(Offset >> PageShift);
  if (!B || !Size || Size > B->W.Size || B->Memory.get() < 0)
    return -EINVAL;
  void *Pages =
      systemMap(Address, Size, PROT_READ | PROT_WRITE,
                MAP_SHARED | (Flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)),
                B->Memory.get(), 0);
  if (Pages == MAP_FAILED)
    return -errno;
  Address = reinterpret_cast<uint64_t>(Pages);
  return place(*B, 0, {Address, Address + Size});
}

bool BufferTable::unmapped(uint64_t Address, uint64_t Size) {
  std::lock_guard<std::mutex> Guard(Lock);
  if (!anyIn(Placed, Address, Address + Size)) {
    for (Gpu *G : Gpus) // it may have been registered
      G->memory().remove(Address, Address + Size);
    return false;
  }
  leave({Address, Address + Size});
  return true;
}

/// Takes \p E away as soon as no GPU may use it and no kernel runs that could.
void BufferTable::leave(Extent E) {
  if (isBound(E)) {
    Unseen.push_back(E);
    return;
  }
  for (auto At = Placed.lower_bound(E.Begin);
       At != Placed.end() && At->first < E.End;)
    At = Placed.erase(At);
  if (Dispatches)
    Going.push_back(E);
  else
    retire(E);
}

/// Gives the pages back, and the addresses when there are many of them.
void BufferTable::retire(Extent E) {
  for (Gpu *G : Gpus)
    G->forgetCode(E.Begin, E.End);
  if (systemMap(E.Begin, E.End - E.Begin, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
                0) == MAP_FAILED) {
    systemUnmap(E.Begin, E.End - E.Begin);
    return;
  }
  Retired.push_back(E);
  if (Retired.size() <= MostRetired)
    return;
  systemUnmap(Retired.front().Begin,
              Retired.front().End - Retired.front().Begin);
  Retired.pop_front();
}

void BufferTable::beginDispatch() {
  std::lock_guard<std::mutex> Guard(Lock);
  ++Dispatches;
}

void BufferTable::endDispatch() {
  std::lock_guard<std::mutex> Guard(Lock);
  if (--Dispatches)
    return;
  for (const Extent &E : std::exchange(Going, {}))
    retire(E);
}

std::string BufferTable::describeFreed(uint64_t Address) const {
  std::lock_guard<std::mutex> Guard(Lock);
  auto Found = llvm::find_if(Freed, [Address](const Extent &E) {
    return E.Begin <= Address && Address < E.End;
  });
  if (Found == Freed.end())
    return "";
  return "a " + std::to_string(Found->End - Found->Begin) +
         "-byte allocation at 0x" +
         llvm::utohexstr(Found->Begin, /*LowerCase=*/true);
}
