//===- LazyMemory.h - filled when touched -----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Address ranges without memory behind them. The first access to one raises
// SIGSEGV; touch(), called from the handler (FaultHandler.h), asks the range's
// source which part that is and what belongs there, and puts it in place.
//
//   reserve()   address space only: nothing is asked of the source
//   touch()     a part is filled beside the range and then moved into it in one
//               system call, so that no thread ever sees half of it
//   touchAll()  the same for all parts that a system call is about to read
//   release()   gives the address space back
//
// A touch is synchronous: it happens in the middle of an instruction of whoever
// reads the range, never inside malloc, stdio or our own locks. So what fills
// the range, on another thread, never waits for a lock of the one that waits
// for it. The one rule: our own code never reads a range with the lock held.
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

/// What belongs into a range. Called with the lock of LazyMemory held.
class PageSource {
public:
  virtual ~PageSource() = default;

  struct Part {
    uint64_t Offset = 0; // of a page, from the start of the range
    uint64_t Size = 0;   // whole pages; 0: nothing belongs there
  };
  /// The part that holds \p Offset, in a range of \p RangeSize bytes.
  virtual Part partAt(uint64_t Offset, uint64_t RangeSize) = 0;
  /// Writes the part to \p To, which has P.Size bytes that are zero.
  virtual void fill(const Part &P, char *To) = 0;
  /// There is no memory to fill the part: it reads as zeros or, after
  /// LazyMemory::fillAll(), is tried again when it is touched.
  virtual void noMemory(const Part &P) noexcept = 0;
  /// How much of the range has parts, in whole pages; only after partAt().
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

  /// Up to \p Size bytes of address space, less when there is little (a limit
  /// on it, for example). Null when there is none at all.
  Range *reserve(uint64_t Size, std::unique_ptr<PageSource> Source);
  void release(Range *R);
  const char *begin(const Range *R) const;

  /// The handle under which someone else knows the range.
  void setOwner(Range *R, const void *Owner);
  /// The range with this owner, which from now on has none; or null.
  Range *takeOwned(const void *Owner);

  /// Whether \p Address is in a range. Takes no lock, since the fault may be a
  /// crash anywhere.
  bool contains(const void *Address) const { return find(Address); }
  /// Fills the part at \p Address. False when nothing belongs there.
  bool touch(const void *Address);

  /// Fills all parts of the range in place, before anybody else knows it:
  /// memory like any other then. If memory is short, the source is told
  /// (PageSource::noMemory), and the parts from that one on stay lazy.
  void fillAll(Range *R);

  /// Whether all parts of the range have been filled.
  bool isWhole(Range *R);

  /// Whether a byte of [\p Begin, \p Begin + \p Size) is in a range. No lock.
  bool overlaps(const void *Begin, uint64_t Size) const;
  /// Fills all parts there.
  void touchAll(const void *Begin, uint64_t Size);

  /// A range: [Begin, Used) can be read, [Used, End) cannot.
  struct Extent {
    uintptr_t Begin, Used, End;
  };
  /// Writes up to \p Most ranges to \p To, in no order, and returns how many
  /// there are. Takes no lock.
  size_t extents(Extent *To, size_t Most) const;

  /// Around fork(), so that the child's lock is free and its ranges whole.
  void lock() { Lock.lock(); }
  void unlock() { Lock.unlock(); }

  uint64_t pagesFilled() const { return PagesFilled.load(); }
  static uint64_t pageSize();

private:
  Range *find(const void *Address) const;
  bool touchLocked(const void *Address, uint64_t &PartEnd);
  Range *unusedRange();
  static void readAsZeros(char *Begin, uint64_t Size);
  void fillPart(Range &R, const PageSource::Part &P);
  void fillInPlace(Range &R, PageSource::Part &P);
  static void makeLazy(Range &R, uint64_t Offset);
  PageSource::Part partBehind(Range &R, const PageSource::Part &P);

  std::mutex Lock;
  // Only grows, ranges are used again: so it can be walked without the lock.
  std::atomic<Range *> First{nullptr};
  std::atomic<uint64_t> PagesFilled{0};
};

} // namespace kpack::hipshim

#endif // KPACK_LIB_HIPSHIM_LAZYMEMORY_H
