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
//   thread I  gets the lock, finds 0x1000 in Filled, returns true and ends
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
// kernel's zero page), and noMemory() reports it. No exception leaves touch().
//
// Invariants: unless memory is short, a page of a range is inaccessible or has
// its final content. Filled has the parts that are done or read as zeros. The
// lock guards sources and Filled; the list of ranges only grows, and Begin,
// Size and Used are atomic, so find() needs no lock and may run in a handler
// for any fault of the process. A range that is released meanwhile is found
// again under the lock. Our code never reads a range with the lock held, so a
// fault never waits for its own thread.
//
// Cost: one fault, one thread, two mappings and one copy for each part; find()
// is linear in the number of ranges, which is that of bundles that HIP has
// registered.
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
  std::vector<uint64_t> Filled; // offsets of parts
  Range *Next = nullptr;
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
  R->Filled.clear();
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

/// \p PartEnd receives the address of the end of the filled part.
bool LazyMemory::touchLocked(const void *Address, uint64_t &PartEnd) {
  Range *R = find(Address); // it may have been released meanwhile
  if (!R)
    return false;
  char *Begin = R->Begin.load();
  uint64_t Offset = static_cast<const char *>(Address) - Begin;
  // No exception may leave the signal handler.
  PageSource::Part P{Offset / pageSize() * pageSize(), pageSize()};
  try {
    P = R->Source->partAt(Offset, R->Size.load());
    R->Used.store(R->Source->usedSize(R->Size.load()));
    if (!P.Size)
      return false;
    fillPart(*R, P);
  } catch (const std::bad_alloc &) {
    R->Source->noMemory(P);
    readAsZeros(Begin + P.Offset, P.Size);
  }
  PartEnd = reinterpret_cast<uintptr_t>(Begin) + P.Offset + P.Size;
  return true;
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
  R.Filled.reserve(Count);
  uint64_t Used = R.Source->usedSize(Size);
  R.Used.store(Used);
  // Parts that are moved into place would never merge into one mapping.
  if (mprotect(Begin, Used, PROT_READ | PROT_WRITE) != 0)
    throw std::bad_alloc();
  for (P = R.Source->partAt(0, Size); P.Size; P = partBehind(R, P)) {
    R.Source->fill(P, Begin + P.Offset);
    R.Filled.push_back(P.Offset);
    PagesFilled += P.Size / pageSize();
  }
}

/// Makes the parts from \p Offset on lazy again.
void LazyMemory::makeLazy(Range &R, uint64_t Offset) {
  R.Filled.erase(
      std::remove_if(R.Filled.begin(), R.Filled.end(),
                     [=](uint64_t Position) { return Position >= Offset; }),
      R.Filled.end());
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
  PageSource::Part P = R->Source->partAt(0, R->Size.load());
  for (; P.Size; P = partBehind(*R, P))
    if (std::find(R->Filled.begin(), R->Filled.end(), P.Offset) ==
        R->Filled.end())
      return false;
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

/// Maps the kernel's zero page, which needs no memory.
void LazyMemory::readAsZeros(char *Begin, uint64_t Size) {
  mprotect(Begin, Size, PROT_READ);
}

void LazyMemory::fillPart(Range &R, const PageSource::Part &P) {
  if (std::find(R.Filled.begin(), R.Filled.end(), P.Offset) != R.Filled.end())
    return; // another thread was faster
  R.Filled.push_back(P.Offset);
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
