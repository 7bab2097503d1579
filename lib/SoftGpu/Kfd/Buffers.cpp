//===- Buffers.cpp - memory that ROCr allocates or shares -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file maps and unmaps by direct system calls: the C library's functions
// are replaced by our preloaded library, which would call back into this table.
//
//===----------------------------------------------------------------------===//
#include "Buffers.h"

#include "Abi.h"
#include "Hardware.h"
#include "SoftGpu/Kfd/Preload/Emulator.h"

#include "SoftGpu/Machine/HostAccess.h"
#include "Support/FileSizeGuard.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cerrno>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::softgpu;

/// Number of freed allocations whose addresses are not reused yet.
static constexpr size_t MostRetired = 1024;
/// End of a process's address space.
static constexpr uint64_t AddressEnd = uint64_t(1) << 47;

static uint64_t wholePages(uint64_t Size) {
  return (Size + PageBytes - 1) & ~(PageBytes - 1);
}

static bool isExtent(uint64_t Address, uint64_t Size) {
  return Size && Address % PageBytes == 0 && Size % PageBytes == 0 &&
         Address < AddressEnd && Size <= AddressEnd - Address;
}

/// Returns the address, or MAP_FAILED and sets errno.
static void *systemMap(uint64_t Address, uint64_t Size, int Protection,
                       int Flags, int Fd, uint64_t Offset) {
  return reinterpret_cast<void *>(
      ::syscall(SYS_mmap, Address, Size, Protection, Flags, Fd, Offset));
}

/// Maps \p Size bytes of a buffer for this process but not its children. Fails
/// as above.
static void *mapPart(const BufferFile &Part, uint64_t Address, uint64_t Size,
                     int Fixed) {
  void *Pages = systemMap(Address, Size, PROT_READ | PROT_WRITE,
                          MAP_SHARED | Fixed, Part.get(), Part.Offset);
  if (Pages != MAP_FAILED)
    ::madvise(Pages, Size, MADV_DONTFORK);
  return Pages;
}

static void systemUnmap(uint64_t Address, uint64_t Size) {
  ::syscall(SYS_munmap, Address, Size);
}

/// True while this thread holds the table's lock.
static thread_local bool IsHeld = false;

class BufferTable::Hold {
public:
  explicit Hold(const BufferTable &Table) : Guard(Table.Lock) { IsHeld = true; }
  ~Hold() { IsHeld = false; }

private:
  std::lock_guard<std::mutex> Guard;
};

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

/// Removes \p Hole from all extents.
template <typename Extents, typename Extent>
static void cut(Extents &All, Extent Hole) {
  if (llvm::none_of(All, [&](const Extent &E) { return E.overlaps(Hole); }))
    return;
  Extents Left;
  for (const Extent &E : All) {
    if (E.Begin < std::min(E.End, Hole.Begin))
      Left.push_back({E.Begin, std::min(E.End, Hole.Begin)});
    if (std::max(E.Begin, Hole.End) < E.End)
      Left.push_back({std::max(E.Begin, Hole.End), E.End});
  }
  All = std::move(Left);
}

using Ends = std::map<uint64_t, uint64_t>; ///< end of each extent by its begin

static void cut(Ends &All, uint64_t Begin, uint64_t End) {
  auto At = All.lower_bound(Begin);
  if (At != All.begin() && std::prev(At)->second > Begin)
    --At;
  while (At != All.end() && At->first < End) {
    auto [OldBegin, OldEnd] = *At;
    At = All.erase(At);
    if (OldBegin < Begin)
      All[OldBegin] = Begin;
    if (OldEnd > End)
      All[End] = OldEnd;
  }
}

/// Adds an extent and replaces whatever it overlaps.
static void put(Ends &All, uint64_t Begin, uint64_t End) {
  cut(All, Begin, End);
  All[Begin] = End;
}

static bool anyIn(const Ends &All, uint64_t Begin, uint64_t End) {
  auto Next = All.lower_bound(End);
  return Next != All.begin() && std::prev(Next)->second > Begin;
}

/// Returns the parts of \p All in [Begin, End).
static std::vector<std::pair<uint64_t, uint64_t>>
within(const Ends &All, uint64_t Begin, uint64_t End) {
  std::vector<std::pair<uint64_t, uint64_t>> Parts;
  auto At = All.upper_bound(Begin);
  if (At != All.begin())
    --At;
  for (; At != All.end() && At->first < End; ++At)
    if (Begin < At->second)
      Parts.push_back({std::max(At->first, Begin), std::min(At->second, End)});
  return Parts;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

BufferTable::Buffer *BufferTable::find(uint64_t Handle) {
  auto Found = Buffers.find(Handle);
  return Found == Buffers.end() ? nullptr : &Found->second;
}

/// True if the flags ask for memory that the driver provides.
static bool needsMemory(uint32_t Flags) {
  return !(Flags &
           (KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL |
            KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP));
}

static BufferKind kindOf(const BufferTable::Wanted &W) {
  return {W.Owner->id(), W.Flags};
}

/// True for a small buffer that is unlikely to be mapped at a second address.
static bool isSmall(const BufferTable::Wanted &W) {
  return W.Address != 0 && W.Size <= CommonFiles::MostBytes;
}

int BufferTable::allocate(const Wanted &W, uint64_t &Handle) {
  if (!isExtent(W.Address, W.Size))
    return -EINVAL;
  Hold Guard(*this);
  bool Local = W.Flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
  if (Local && W.Size > hardware::LocalBytes - Used[W.Owner])
    return -ENOMEM;
  BufferFile Memory;
  if (needsMemory(W.Flags)) {
    Memory = isSmall(W) ? Small.add(kindOf(W), W.Size)
                        : makeBufferFile(kindOf(W), W.Size);
    if (!Memory)
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
  UniqueFd Memory = moveUp(UniqueFd(::fcntl(Fd, F_DUPFD_CLOEXEC, 3)));
  if (!Memory || ::fstat(Memory.get(), &Status) != 0)
    return -errno;
  Size = memoryBytes(uint64_t(Status.st_size));
  if (!isExtent(Address, Size))
    return -EINVAL;
  Hold Guard(*this);
  Handle = ++LastHandle;
  Wanted W;
  W.Address = Address;
  W.Size = Size;
  BufferFile File;
  File.Fd = std::make_shared<const UniqueFd>(std::move(Memory));
  Buffers.try_emplace(Handle, Buffer{W, std::move(File)});
  return 0;
}

/// Maps \p New wherever the buffer is mapped, or leaves all mappings unchanged
/// on failure.
int BufferTable::remap(const Buffer &B, const BufferFile &New) {
  uint64_t Base = B.W.Address;
  auto Parts = within(Placed, Base, Base + B.W.Size);
  auto Map = [Base](const BufferFile &File, auto Part) {
    auto [Begin, End] = Part;
    return mapPart(File.after(Begin - Base), Begin, End - Begin, MAP_FIXED) !=
           MAP_FAILED;
  };
  for (size_t I = 0; I != Parts.size(); ++I) {
    if (Map(New, Parts[I]))
      continue;
    int Problem = -errno;
    // Include the part that failed: mmap() may have unmapped its old pages.
    for (size_t J = 0; J <= I; ++J)
      Map(B.Memory, Parts[J]);
    return Problem;
  }
  return 0;
}

/// Moves the buffer's content to a separate file, or leaves the buffer
/// unchanged on failure. Stores by host threads or kernels during the copy may
/// be lost.
int BufferTable::separate(Buffer &B) {
  if (!B.Memory.IsCommon)
    return 0;
  BufferFile Own = copyBufferFile(kindOf(B.W), B.Memory, B.W.Size);
  if (!Own)
    return -errno;
  if (int Problem = remap(B, Own))
    return Problem;
  // A kernel may still use old pages that the process has unmapped.
  if (!anyIn(Going, B.W.Address, B.W.Address + B.W.Size))
    giveBack(B.Memory, B.W.Size);
  B.Memory = std::move(Own);
  return 0;
}

int BufferTable::free(uint64_t Handle) {
  Hold Guard(*this);
  Buffer *B = find(Handle);
  if (!B)
    return -EINVAL;
  if (Extent At{B->W.Address, B->W.Address + B->W.Size}; At.Begin) {
    for (Gpu *G : Gpus)
      unbindLocked(*G, At);
    Freed.push_back(At);
    if (Freed.size() > MostRetired)
      Freed.pop_front();
    // The file may live on with its other buffers.
    if (B->Memory.IsCommon)
      discard(B->Memory, At);
  }
  if (B->W.Flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM)
    Used[B->W.Owner] -= B->W.Size;
  Buffers.erase(Handle);
  return 0;
}

uint64_t BufferTable::addressOf(uint64_t Handle) {
  Hold Guard(*this);
  Buffer *B = find(Handle);
  return B ? B->W.Address : 0;
}

uint64_t BufferTable::bytesFree(const Gpu &Owner) const {
  Hold Guard(*this);
  auto Found = Used.find(&Owner);
  return hardware::LocalBytes - (Found == Used.end() ? 0 : Found->second);
}

/// Returns the descriptor that the buffer owns, or a negated errno if it has
/// none.
int BufferTable::getDescriptor(uint64_t Handle) {
  Hold Guard(*this);
  Buffer *B = find(Handle);
  if (!B || !B->Memory)
    return -EINVAL;
  int Problem = separate(*B);
  return Problem ? Problem : B->Memory.get();
}

int BufferTable::share(uint64_t Handle) {
  Hold Guard(*this);
  Buffer *B = find(Handle);
  if (!B || !B->Memory)
    return -EINVAL;
  if (int Problem = separate(*B))
    return Problem;
  int Fd = ::fcntl(B->Memory.get(), F_DUPFD_CLOEXEC, 3);
  return Fd < 0 ? -errno : Fd;
}

uint64_t BufferTable::memoryBytes(uint64_t FileBytes) {
  return FileBytes % PageBytes == sizeof(BufferMetadata)
             ? FileBytes - sizeof(BufferMetadata)
             : FileBytes;
}

int BufferTable::setMetadata(uint64_t Handle, const BufferMetadata &Metadata) {
  Hold Guard(*this);
  Buffer *B = find(Handle);
  if (!B || !B->Memory || Metadata.Size > sizeof(Metadata.Data))
    return -EINVAL;
  // In a common file, the next buffer is at this offset.
  if (int Problem = separate(*B))
    return Problem;
  FileSizeGuard Limit;
  ssize_t Written =
      ::pwrite(B->Memory.get(), &Metadata, sizeof(Metadata), off_t(B->W.Size));
  if (Written < 0)
    return -errno;
  return Written == sizeof(Metadata) ? 0 : -ENOSPC;
}

int BufferTable::getMetadata(uint64_t Handle, BufferMetadata &Metadata) {
  Hold Guard(*this);
  Buffer *B = find(Handle);
  if (!B || !B->Memory)
    return -EINVAL;
  Metadata = {};
  if (B->Memory.IsCommon)
    return 0; // metadata not set
  ssize_t Read =
      ::pread(B->Memory.get(), &Metadata, sizeof(Metadata), off_t(B->W.Size));
  if (Read < 0)
    return -errno;
  // Another process has written it, so check it.
  return (Read == 0 || Read == sizeof(Metadata)) &&
                 Metadata.Size <= sizeof(Metadata.Data)
             ? 0
             : -EIO;
}

//===----------------------------------------------------------------------===//
// Memory of the process
//===----------------------------------------------------------------------===//

/// Null: no preloaded library lies between the program and the C library.
static std::atomic<SignalAction *> NextSigaction{nullptr};

void BufferTable::useSignals(SignalAction *Sigaction) {
  NextSigaction = Sigaction;
}

/// Catches faults: the process may unmap memory that it has registered.
static void catchFaults() {
  SignalAction *Next = NextSigaction;
  catchHostFaults({Next ? Next : ::sigaction, ::pthread_sigmask});
}

//===----------------------------------------------------------------------===//
// Accesses of GPUs
//===----------------------------------------------------------------------===//

/// Returns the pages of a freed buffer in a common file, which was at \p E, to
/// the system. Pages that the process or a kernel can still reach wait for
/// reclaim().
void BufferTable::discard(const BufferFile &Memory, Extent E) {
  for (uint64_t At = E.Begin; At != E.End; At += PageBytes) {
    BufferFile Page = Memory.after(At - E.Begin);
    bool IsMapped =
        anyIn(Placed, At, At + PageBytes) || anyIn(Going, At, At + PageBytes);
    // The mapped pages may be those of a buffer that was freed earlier.
    if (!IsMapped || !Leftovers.try_emplace(At, Page).second)
      giveBack(Page, PageBytes);
  }
}

/// Returns pages of freed buffers that were mapped at \p E to the system.
void BufferTable::reclaim(Extent E) {
  auto First = Leftovers.lower_bound(E.Begin);
  auto Last = Leftovers.lower_bound(E.End);
  for (const auto &[Address, Page] : llvm::make_range(First, Last))
    giveBack(Page, PageBytes);
  Leftovers.erase(First, Last);
}

/// Drops the table's knowledge of \p E, which another mapping replaces.
void BufferTable::forget(Extent E) {
  reclaim(E);
  cut(Unseen, E);
  cut(Retired, E);
  cut(Freed, E);
  cut(Going, E.Begin, E.End);
  cut(Placed, E.Begin, E.End);
  cut(ForGpus, E.Begin, E.End);
}

/// Maps the buffer's memory at \p Address and sets \p Address to the result,
/// for this process but not its children.
int BufferTable::place(Buffer &B, uint64_t Offset, uint64_t Size, int Flags,
                       uint64_t &Address) {
  if (B.Memory) {
    int Fixed = Flags & (MAP_FIXED | MAP_FIXED_NOREPLACE);
    // separate() remaps the buffer at its main address only.
    if (!Fixed || Address != B.W.Address + Offset)
      if (int Problem = separate(B))
        return Problem;
    void *Pages = mapPart(B.Memory.after(Offset), Address, Size, Fixed);
    if (Pages == MAP_FAILED)
      return -errno;
    Address = reinterpret_cast<uint64_t>(Pages);
  }
  Extent At{Address, Address + wholePages(Size)};
  forget(At);
  put(Placed, At.Begin, At.End);
  return 0;
}

int BufferTable::bindLocked(Gpu &G, Buffer &B, uint64_t Offset, uint64_t Size,
                            uint64_t Address) {
  if (!isExtent(Address, Size) || !Address || Offset % PageBytes ||
      Offset > B.W.Size || Size > B.W.Size - Offset)
    return -EINVAL;
  Extent At{Address, Address + Size};
  bool IsMapped =
      anyIn(Placed, At.Begin, At.End) && !anyIn(ForGpus, At.Begin, At.End);
  if (int Problem = place(B, Offset, Size, MAP_FIXED, Address))
    return Problem;
  if (!IsMapped && B.Memory)
    put(ForGpus, At.Begin, At.End);
  put(Bound[&G], At.Begin, At.End);
  MemoryRange Range{At.Begin, At.End, /*Writable=*/true, "allocation"};
  if (B.W.Flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) {
    Range.What = "registered host memory";
    Range.ToHost = B.W.UserAddress - B.W.Address;
    catchFaults();
  }
  G.memory().add(Range);
  return 0;
}

void BufferTable::unbindLocked(Gpu &G, Extent E) {
  for (auto [Begin, End] : within(Bound[&G], E.Begin, E.End)) {
    G.memory().remove(Begin, End);
    G.forgetCode(Begin, End);
  }
  cut(Bound[&G], E.Begin, E.End);
  for (const Extent &Waiting : std::exchange(Unseen, {}))
    leave(Waiting);
  for (auto [Begin, End] : within(ForGpus, E.Begin, E.End))
    if (!isBound({Begin, End}))
      vacate({Begin, End});
}

bool BufferTable::isBound(Extent E) const {
  return llvm::any_of(Bound, [E](const auto &Entry) {
    return anyIn(Entry.second, E.Begin, E.End);
  });
}

int BufferTable::mapTo(uint64_t Handle, llvm::ArrayRef<Gpu *> Nodes) {
  Hold Guard(*this);
  Buffer *B = find(Handle);
  if (!B)
    return -EINVAL;
  if (B->W.Flags & KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL)
    return 0;
  for (Gpu *G : Nodes)
    if (int Problem = bindLocked(*G, *B, 0, B->W.Size, B->W.Address))
      return Problem;
  return 0;
}

int BufferTable::unmapFrom(uint64_t Handle, llvm::ArrayRef<Gpu *> Nodes) {
  Hold Guard(*this);
  Buffer *B = find(Handle);
  if (!B)
    return -EINVAL;
  for (Gpu *G : Nodes)
    unbindLocked(*G, {B->W.Address, B->W.Address + B->W.Size});
  return 0;
}

int BufferTable::bind(Gpu &G, uint64_t Handle, uint64_t Offset, uint64_t Size,
                      uint64_t Address) {
  Hold Guard(*this);
  Buffer *B = find(Handle);
  return B ? bindLocked(G, *B, Offset, Size, Address) : -EINVAL;
}

int BufferTable::unbind(Gpu &G, uint64_t Address, uint64_t Size) {
  if (!isExtent(Address, Size))
    return -EINVAL;
  Hold Guard(*this);
  unbindLocked(G, {Address, Address + Size});
  return 0;
}

int BufferTable::shareHost(uint64_t Address, uint64_t Size,
                           llvm::ArrayRef<Gpu *> Nodes) {
  if (!isExtent(Address, Size))
    return -EINVAL;
  catchFaults();
  for (Gpu *G : Nodes)
    G->memory().add(
        {Address, Address + Size, /*Writable=*/true, "registered host memory"});
  return 0;
}

//===----------------------------------------------------------------------===//
// Mappings of the process
//===----------------------------------------------------------------------===//

int BufferTable::map(uint64_t Offset, uint64_t Size, int Flags,
                     uint64_t &Address) {
  Hold Guard(*this);
  Buffer *B = find(Offset >> HandleShift);
  uint64_t Inside = Offset & (mapOffset(1) - 1);
  if (!B || !Size || Inside > B->W.Size || Size > B->W.Size - Inside ||
      !B->Memory)
    return -EINVAL;
  return place(*B, Inside, Size, Flags, Address);
}

bool BufferTable::unmapped(uint64_t Address, uint64_t Size) {
  Size = wholePages(Size);
  if (IsHeld || !isExtent(Address, Size))
    return false;
  Hold Guard(*this);
  Extent E{Address, Address + Size};
  // Allocate nothing if the memory is not ours: the caller may be in the middle
  // of an allocator.
  cut(Retired, E); // the process may now reuse it
  if (!anyIn(Placed, E.Begin, E.End)) {
    for (Gpu *G : Gpus) // the memory may have been registered
      G->memory().remove(E.Begin, E.End);
    return false;
  }
  std::vector<Extent> Others{E};
  for (auto [Begin, End] : within(Placed, E.Begin, E.End)) {
    leave({Begin, End});
    cut(Others, Extent{Begin, End});
  }
  for (const Extent &Other : Others)
    systemUnmap(Other.Begin, Other.End - Other.Begin);
  return true;
}

void BufferTable::replaced(uint64_t Address, uint64_t Size) {
  Size = wholePages(Size);
  if (IsHeld || !isExtent(Address, Size))
    return;
  Hold Guard(*this);
  forget({Address, Address + Size});
}

/// Unmaps \p E once it is bound to no GPU and no kernel runs.
void BufferTable::leave(Extent E) {
  if (isBound(E)) {
    Unseen.push_back(E);
    return;
  }
  cut(Placed, E.Begin, E.End);
  cut(ForGpus, E.Begin, E.End);
  if (Dispatches)
    put(Going, E.Begin, E.End);
  else
    retire(E);
}

/// Unmaps the buffer at \p E, where the process has reserved addresses but not
/// mapped the buffer itself. The addresses stay reserved.
void BufferTable::vacate(Extent E) {
  if (Dispatches) // then they stay until the process unmaps or replaces them
    return;
  forget(E);
  systemMap(E.Begin, E.End - E.Begin, PROT_NONE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/// Returns the pages to the system, and the oldest addresses once there are too
/// many.
void BufferTable::retire(Extent E) {
  for (Gpu *G : Gpus)
    G->forgetCode(E.Begin, E.End);
  if (systemMap(E.Begin, E.End - E.Begin, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
                0) == MAP_FAILED) {
    systemUnmap(E.Begin, E.End - E.Begin);
    reclaim(E);
    return;
  }
  reclaim(E);
  Retired.push_back(E);
  if (Retired.size() <= MostRetired)
    return;
  systemUnmap(Retired.front().Begin,
              Retired.front().End - Retired.front().Begin);
  Retired.pop_front();
}

void BufferTable::beginDispatch() {
  Hold Guard(*this);
  ++Dispatches;
}

void BufferTable::endDispatch() {
  Hold Guard(*this);
  if (--Dispatches)
    return;
  for (auto [Begin, End] : std::exchange(Going, {}))
    retire({Begin, End});
}

std::string BufferTable::describeFreed(uint64_t Address) const {
  Hold Guard(*this);
  auto Found = llvm::find_if(Freed, [Address](const Extent &E) {
    return E.Begin <= Address && Address < E.End;
  });
  if (Found == Freed.end())
    return "";
  return "a " + std::to_string(Found->End - Found->Begin) +
         "-byte allocation at 0x" +
         llvm::utohexstr(Found->Begin, /*LowerCase=*/true);
}
