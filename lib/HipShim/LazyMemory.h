//===- LazyMemory.h - memory that is filled on access -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Address ranges without memory. The first access to one raises SIGSEGV;
// touch(), called on a thread that the handler starts and waits for
// (FaultHandler.h), asks the range's source for the part at the address and its
// content, and maps it.
//
//   reserve()   takes address space only; the source is not called
//   touch()     fills a part outside of the range and then moves it into place
//               with one system call, so that no thread sees half of it
//   touchAll()  does the same for all parts that a system call is about to read
//   release()   gives the address space back
//
// A touch is synchronous: it interrupts an instruction of the thread that reads
// the range, never malloc, stdio or our locks. So the thread that fills the
// range never waits for a lock of the thread that waits for it. The one rule is
// that our code never reads a range with the lock held.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_LAZYMEMORY_H
#define KPACK_LIB_HIPSHIM_LAZYMEMORY_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace kpack::hipshim {

/// The content of a range. Called with the lock of LazyMemory held.
class PageSource {
public:
  virtual ~PageSource() = default;

  struct Part {
    uint64_t Offset = 0; // page-aligned, from the start of the range
    uint64_t Size = 0;   // whole pages; 0 if the range ends before
  };
  /// Returns the part that contains \p Offset, in a range of \p RangeSize
  /// bytes.
  virtual Part partAt(uint64_t Offset, uint64_t RangeSize) = 0;
  /// Writes the part to \p Target, which has P.Size zero bytes.
  virtual void fill(const Part &P, char *Target) = 0;
  /// Called if there is no memory for the part: it reads as zeros from then on
  /// or, after LazyMemory::fillAll(), is tried again when it is touched. After
  /// an exception of partAt() in a touch, all parts that are not filled read as
  /// zeros.
  virtual void noMemory(const Part &P) noexcept = 0;
  /// Returns the size of all parts together, in whole pages; call only after
  /// partAt().
  virtual uint64_t usedSize(uint64_t RangeSize) const { return RangeSize; }
};

/// Every member may be called from any number of threads at once.
class LazyMemory {
public:
  struct Range;

  LazyMemory() = default;
  ~LazyMemory();
  LazyMemory(const LazyMemory &) = delete;
  LazyMemory &operator=(const LazyMemory &) = delete;

  /// Reserves up to \p Size bytes of address space, less if it is short (ulimit
  /// -v, for example); null if there is none.
  Range *reserve(uint64_t Size, std::unique_ptr<PageSource> Source);
  void release(Range *R);
  const char *begin(const Range *R) const;

  /// Associates the range with \p Owner, a handle under which the program knows
  /// it.
  void setOwner(Range *R, const void *Owner);
  /// Returns the range of this owner and ends the association; or null.
  Range *takeOwned(const void *Owner);

  /// Whether \p Address is in a range. Takes no lock, since the fault may be a
  /// crash anywhere.
  bool contains(const void *Address) const { return find(Address); }
  /// Fills the part at \p Address. Returns false if no part contains it, or
  /// there is no memory for a mapping of zeros in its place.
  bool touch(const void *Address);

  /// Fills all parts of the range in place, before other threads know it; it is
  /// ordinary memory then. If memory is short, calls PageSource::noMemory(),
  /// and the parts from that one on stay lazy.
  void fillAll(Range *R);

  /// True if all parts of the range are filled, none with zeros for want of
  /// memory.
  bool isWhole(Range *R);

  /// True if a byte of [\p Begin, \p Begin + \p Size) is in a range. Takes no
  /// lock.
  bool overlaps(const void *Begin, uint64_t Size) const;
  /// Fills all parts in [\p Begin, \p Begin + \p Size).
  void touchAll(const void *Begin, uint64_t Size);

  /// A range. [Begin, Used) can be read, [Used, End) cannot.
  struct Extent {
    uintptr_t Begin, Used, End;
  };
  /// Writes up to \p Most ranges to \p Result, unsorted, and returns the number
  /// of ranges that exist. Takes no lock.
  size_t extents(Extent *Result, size_t Most) const;

  /// Call around fork(), so that the child's lock is free and its ranges whole.
  void lock() { Lock.lock(); }
  void unlock() { Lock.unlock(); }

  uint64_t pagesFilled() const { return PagesFilled.load(); }
  static uint64_t pageSize();

private:
  Range *find(const void *Address) const;
  bool touchLocked(const void *Address, uint64_t &PartEnd);
  Range *unusedRange();
  PageSource::Part complete(Range &R, uint64_t Offset);
  static PageSource::Part lostPart(const Range &R, uint64_t Offset);
  static bool readAsZeros(char *Begin, uint64_t Size);
  void fillPart(Range &R, const PageSource::Part &P);
  void fillInPlace(Range &R, PageSource::Part &P);
  static void makeLazy(Range &R, uint64_t Offset);
  PageSource::Part partBehind(Range &R, const PageSource::Part &P);

  std::mutex Lock;
  // The list only grows and ranges are reused, so it can be walked without the
  // lock.
  std::atomic<Range *> First{nullptr};
  std::atomic<uint64_t> PagesFilled{0};
};

} // namespace kpack::hipshim

#endif // KPACK_LIB_HIPSHIM_LAZYMEMORY_H
