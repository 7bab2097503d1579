//===- LazyMemory.cpp - memory that is filled on access -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills address ranges on access. A program with host-only binaries hands HIP
// pointers to bundles that do not exist yet, at its start and long before it
// needs a kernel. So only addresses are reserved, and the first access creates
// the content.
//
// A range is a mapping with PROT_NONE. Its source divides it into parts of
// whole pages; the source is not called before the first access, and decides
// then. An example with pages of 4 KiB and a bundle with a header and one code
// object of 6 KiB:
//
//   offset   0x0000   0x1000            0x3000                  Size
//            | header | code object     | in no part            |
//            | part 0 | part 1          |
//                                       Used
//
//   thread 1  reads 0x1800: SIGSEGV, since the page has no access; the handler
//             starts thread H and waits for it
//   thread H  touch(0x1800) takes the lock; partAt(0x1800) is [0x1000, 0x3000);
//             maps 8 KiB elsewhere, and fill() writes the code object there
//   thread 2  reads 0x2004: SIGSEGV; its handler starts thread I, whose touch()
//             waits for the lock
//   thread H  mremap() moves the 8 KiB to offset 0x1000, over the old mapping;
//             unlocks and ends
//   thread 1  runs the instruction again, which reads the content
//   thread I  gets the lock, finds 0x1000 in Parts, returns true and ends
//   thread 2  runs the instruction again, which reads the content
//   thread 1  reads 0x3000: in no part, touch() returns false, and the handler
//             passes the fault on to the program's own handler
//
// If no thread can be created, the handler calls touch() itself.
//
// A part is written elsewhere because mprotect() followed by fill() would show
// other threads a page with half of its content, without a fault. mremap() with
// MREMAP_FIXED replaces the mapping at once. fillAll() may write in place,
// since no other thread knows the range yet, and thereby keeps it one mapping.
//
// If memory is short, touch() makes the part readable: it reads as zeros (the
// kernel's zero page), and noMemory() reports it. This is final, since a
// program that has read zeros must not find other content later. Without memory
// to find the part, which lays out the whole range, no later part can be
// filled either: the range is lost. fillAll() reports a shortage, too, but
// leaves the part and all later ones inaccessible, so that the next access
// tries again: no thread has read them. No exception leaves either of them.
//
// Invariants: a page of a range is inaccessible or has its final content, zeros
// if memory was short. Parts has the parts that are done. The lock guards
// sources and Parts; the list of ranges only grows, and Begin, Size and Used
// are atomic, so find() needs no lock and may run in a handler for any fault of
// the process. A range that is released meanwhile is found again under the
// lock. Our code never reads a range with the lock held, so a fault never waits
// for its own thread.
//
// Cost: one mmap(), one fill() and one mremap() for each part, and a thread for
// each fault; several threads may have a fault in one part. find() is linear in
// the number of ranges, which is that of bundles that HIP has registered.
//
// All memory is anonymous: HIP runtimes look the address up in /proc/self/maps
// and read the file instead if one is mapped there.
//
//===----------------------------------------------------------------------===//
#include "LazyMemory.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace kpack::hipshim;

struct LazyMemory::Range {
  std::atomic<char *> Begin{nullptr}; // null if unused
  std::atomic<uint64_t> Size{0};
  std::atomic<uint64_t> Used{0}; // end of the parts
  // The lock guards the rest.
  std::unique_ptr<PageSource> Source;
  const void *Owner = nullptr;
  struct DonePart {
    PageSource::Part At;
    bool IsFilled; // false: there was no memory, and it reads as zeros
  };
  std::vector<DonePart> Parts;
  bool IsLost = false; // all that is in none of Parts reads as zeros
  Range *Next = nullptr;

  bool isDone(const PageSource::Part &P) const { return find(P.Offset); }
  bool isFilled(const PageSource::Part &P) const {
    const DonePart *Done = find(P.Offset);
    return Done && Done->IsFilled;
  }
  /// Returns the done part that contains \p Offset, or null.
  const DonePart *find(uint64_t Offset) const {
    for (const DonePart &D : Parts)
      if (Offset >= D.At.Offset && Offset - D.At.Offset < D.At.Size)
        return &D;
    return nullptr;
  }
};

/// A smaller range could not hold the code of one device.
static constexpr uint64_t LeastSize = uint64_t(16) << 20;

uint64_t LazyMemory::pageSize() {
  static const uint64_t Size = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return Size;
}

LazyMemory::~LazyMemory() {
  for (Range *R = First.load(); R;) {
    Range *Next = R->Next;
    if (char *Begin = R->Begin.load())
      munmap(Begin, R->Size.load());
    delete R;
    R = Next;
  }
}

/// Call with the lock held.
LazyMemory::Range *LazyMemory::unusedRange() {
  for (Range *R = First.load(); R; R = R->Next)
    if (!R->Begin.load() && !R->Source)
      return R;
  auto *R = new (std::nothrow) Range();
  if (!R)
    return nullptr;
  R->Next = First.load();
  First.store(R, std::memory_order_release);
  return R;
}

LazyMemory::Range *LazyMemory::reserve(uint64_t Size,
                                       std::unique_ptr<PageSource> Source) {
  void *Begin = MAP_FAILED;
  for (; Begin == MAP_FAILED && Size >= LeastSize; Size /= 2) {
    Begin = mmap(nullptr, Size, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (Begin != MAP_FAILED)
      break;
  }
  if (Begin == MAP_FAILED)
    return nullptr;
  std::lock_guard<std::mutex> Guard(Lock);
  Range *R = unusedRange();
  if (!R) {
    munmap(Begin, Size);
    return nullptr;
  }
  R->Source = std::move(Source);
  R->Size.store(Size, std::memory_order_relaxed);
  R->Used.store(Size, std::memory_order_relaxed);
  R->Begin.store(static_cast<char *>(Begin), std::memory_order_release);
  return R;
}

void LazyMemory::release(Range *R) {
  std::lock_guard<std::mutex> Guard(Lock);
  char *Begin = R->Begin.exchange(nullptr);
  munmap(Begin, R->Size.load());
  R->Source.reset();
  R->Owner = nullptr;
  R->Parts.clear();
  R->IsLost = false;
}

const char *LazyMemory::begin(const Range *R) const { return R->Begin.load(); }

void LazyMemory::setOwner(Range *R, const void *Owner) {
  std::lock_guard<std::mutex> Guard(Lock);
  R->Owner = Owner;
}

LazyMemory::Range *LazyMemory::takeOwned(const void *Owner) {
  std::lock_guard<std::mutex> Guard(Lock);
  for (Range *R = First.load(); R; R = R->Next)
    if (R->Begin.load() && R->Owner == Owner) {
      R->Owner = nullptr;
      return R;
    }
  return nullptr;
}

LazyMemory::Range *LazyMemory::find(const void *Address) const {
  for (Range *R = First.load(std::memory_order_acquire); R; R = R->Next) {
    const char *Begin = R->Begin.load(std::memory_order_acquire);
    // Subtract as integers: the address may be outside of any object.
    uint64_t Offset = reinterpret_cast<uintptr_t>(Address) -
                      reinterpret_cast<uintptr_t>(Begin);
    if (Begin && Offset < R->Size.load(std::memory_order_relaxed))
      return R;
  }
  return nullptr;
}

bool LazyMemory::touch(const void *Address) {
  if (!find(Address))
    return false;
  std::lock_guard<std::mutex> Guard(Lock);
  uint64_t PartEnd = 0;
  return touchLocked(Address, PartEnd);
}

/// \p PartEnd receives the address of the end of the part.
bool LazyMemory::touchLocked(const void *Address, uint64_t &PartEnd) {
  Range *R = find(Address); // it may have been released meanwhile
  if (!R)
    return false;
  char *Begin = R->Begin.load();
  PageSource::Part P = complete(
      *R, static_cast<uint64_t>(static_cast<const char *>(Address) - Begin));
  if (!P.Size)
    return false;
  PartEnd = reinterpret_cast<uintptr_t>(Begin) + P.Offset + P.Size;
  return R->isFilled(P) || readAsZeros(Begin + P.Offset, P.Size);
}

/// Fills the part at \p Offset unless it is done, and returns it; its size is 0
/// if there is none. No exception may leave the signal handler.
PageSource::Part LazyMemory::complete(Range &R, uint64_t Offset) {
  if (R.IsLost)
    return lostPart(R, Offset);
  PageSource::Part P{Offset / pageSize() * pageSize(), pageSize()};
  try {
    P = R.Source->partAt(Offset, R.Size.load());
    R.Used.store(R.Source->usedSize(R.Size.load()));
    if (!P.Size || R.isDone(P))
      return P; // another thread was faster
    R.Parts.push_back({P, false});
  } catch (const std::bad_alloc &) {
    R.Source->noMemory(P);
    R.IsLost = true;
    return lostPart(R, Offset);
  }
  try {
    fillPart(R, P);
    R.Parts.back().IsFilled = true;
  } catch (const std::bad_alloc &) {
    R.Source->noMemory(P);
  }
  return P;
}

/// Returns the done part that contains \p Offset, or the space up to the next
/// one; the range is lost.
PageSource::Part LazyMemory::lostPart(const Range &R, uint64_t Offset) {
  if (const Range::DonePart *Done = R.find(Offset))
    return Done->At;
  uint64_t End = R.Used.load();
  for (const Range::DonePart &D : R.Parts)
    if (D.At.Offset > Offset)
      End = std::min(End, D.At.Offset);
  uint64_t First = Offset / pageSize() * pageSize();
  return First < End ? PageSource::Part{First, End - First}
                     : PageSource::Part();
}

void LazyMemory::fillAll(Range *R) {
  std::lock_guard<std::mutex> Guard(Lock);
  PageSource::Part P{0, pageSize()};
  try {
    fillInPlace(*R, P);
  } catch (const std::bad_alloc &) {
    R->Source->noMemory(P);
    makeLazy(*R, P.Offset);
  }
}

/// \p P is the part that is being filled.
void LazyMemory::fillInPlace(Range &R, PageSource::Part &P) {
  char *Begin = R.Begin.load();
  uint64_t Size = R.Size.load();
  size_t Count = 0;
  for (PageSource::Part Q = R.Source->partAt(0, Size); Q.Size;
       Q = partBehind(R, Q))
    ++Count;
  R.Parts.reserve(Count);
  uint64_t Used = R.Source->usedSize(Size);
  R.Used.store(Used);
  // Parts that are moved into place would never merge into one mapping.
  if (mprotect(Begin, Used, PROT_READ | PROT_WRITE) != 0)
    throw std::bad_alloc();
  for (P = R.Source->partAt(0, Size); P.Size; P = partBehind(R, P)) {
    R.Source->fill(P, Begin + P.Offset);
    R.Parts.push_back({P, true});
    PagesFilled += P.Size / pageSize();
  }
}

/// Makes the parts from \p Offset on lazy again.
void LazyMemory::makeLazy(Range &R, uint64_t Offset) {
  R.Parts.erase(std::remove_if(R.Parts.begin(), R.Parts.end(),
                               [=](const Range::DonePart &D) {
                                 return D.At.Offset >= Offset;
                               }),
                R.Parts.end());
  char *Begin = R.Begin.load() + Offset;
  uint64_t Size = R.Size.load() - Offset;
  // A part may be half written; clear it.
  madvise(Begin, Size, MADV_DONTNEED);
  mprotect(Begin, Size, PROT_NONE);
}

/// Returns the part after \p P; its size is 0 after the last one.
PageSource::Part LazyMemory::partBehind(Range &R, const PageSource::Part &P) {
  uint64_t Next = P.Offset + P.Size;
  return Next < R.Source->usedSize(R.Size.load())
             ? R.Source->partAt(Next, R.Size.load())
             : PageSource::Part();
}

bool LazyMemory::isWhole(Range *R) {
  std::lock_guard<std::mutex> Guard(Lock);
  if (R->IsLost)
    return false;
  try {
    PageSource::Part P = R->Source->partAt(0, R->Size.load());
    for (; P.Size; P = partBehind(*R, P))
      if (!R->isFilled(P))
        return false;
  } catch (const std::bad_alloc &) {
    return false; // not laid out, so nothing is filled
  }
  return true;
}

bool LazyMemory::overlaps(const void *Begin, uint64_t Size) const {
  uint64_t First = reinterpret_cast<uintptr_t>(Begin);
  for (Range *R = this->First.load(std::memory_order_acquire); R; R = R->Next) {
    uint64_t Start =
        reinterpret_cast<uintptr_t>(R->Begin.load(std::memory_order_acquire));
    if (Start && (First - Start < R->Size.load(std::memory_order_relaxed) ||
                  (Start >= First && Start - First < Size)))
      return true;
  }
  return false;
}

void LazyMemory::touchAll(const void *Begin, uint64_t Size) {
  uint64_t Address = reinterpret_cast<uintptr_t>(Begin);
  uint64_t End = Size > UINT64_MAX - Address ? UINT64_MAX : Address + Size;
  std::lock_guard<std::mutex> Guard(Lock);
  while (Address < End) {
    uint64_t PartEnd = 0;
    if (!touchLocked(reinterpret_cast<const void *>(Address), PartEnd))
      return; // the caller finds the end of the parts when it reads on
    Address = PartEnd;
  }
}

size_t LazyMemory::extents(Extent *Result, size_t Most) const {
  size_t Count = 0;
  for (Range *R = First.load(std::memory_order_acquire); R; R = R->Next) {
    auto Begin =
        reinterpret_cast<uintptr_t>(R->Begin.load(std::memory_order_acquire));
    if (!Begin)
      continue;
    if (Count < Most)
      Result[Count] = {Begin, Begin + R->Used.load(), Begin + R->Size.load()};
    ++Count;
  }
  return Count;
}

/// Maps the kernel's zero page, which needs no memory. Returns false if the
/// process cannot have another mapping.
bool LazyMemory::readAsZeros(char *Begin, uint64_t Size) {
  return mprotect(Begin, Size, PROT_READ) == 0;
}

void LazyMemory::fillPart(Range &R, const PageSource::Part &P) {
  char *Target = R.Begin.load() + P.Offset;
  void *Beside = mmap(nullptr, P.Size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (Beside == MAP_FAILED)
    throw std::bad_alloc();
  try {
    R.Source->fill(P, static_cast<char *>(Beside));
    if (mremap(Beside, P.Size, P.Size, MREMAP_MAYMOVE | MREMAP_FIXED, Target) ==
        MAP_FAILED)
      throw std::bad_alloc();
  } catch (const std::bad_alloc &) {
    munmap(Beside, P.Size);
    throw;
  }
  PagesFilled += P.Size / pageSize();
}
