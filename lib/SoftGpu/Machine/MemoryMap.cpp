//===- MemoryMap.cpp - host memory that kernels may access ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A change creates a new sorted vector and publishes it; readers of the old one
// keep it alive. Changes are rare (an allocation, a launch), reads happen in
// every slow path of Memory.cpp.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Machine/MemoryMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace kpack::softgpu;
using llvm::Twine;

/// An address up to this far from a range is reported as near it: an overrun of
/// a buffer, not a wild pointer.
static constexpr uint64_t NearBytes = 1 << 20;

MemoryMap::MemoryMap() : Ranges(std::make_shared<const Snapshot>()) {}

static bool endsBefore(const MemoryRange &R, uint64_t Address) {
  return R.End <= Address;
}

/// Returns \p Old without [Begin, End), sorted as before.
static MemoryMap::Snapshot without(const MemoryMap::Snapshot &Old,
                                   uint64_t Begin, uint64_t End) {
  MemoryMap::Snapshot New;
  New.reserve(Old.size() + 2);
  for (const MemoryRange &R : Old) {
    if (R.End <= Begin || R.Begin >= End) {
      New.push_back(R);
      continue;
    }
    if (R.Begin < Begin) {
      New.push_back(R);
      New.back().End = Begin;
    }
    if (R.End > End) {
      New.push_back(R);
      New.back().Begin = End;
    }
  }
  return New;
}

void MemoryMap::add(MemoryRange Range) {
  if (Range.Begin >= Range.End)
    return;
  std::lock_guard<std::mutex> Guard(Lock);
  Snapshot New = without(*Ranges, Range.Begin, Range.End);
  New.insert(llvm::lower_bound(New, Range.Begin, endsBefore), Range);
  Ranges = std::make_shared<const Snapshot>(std::move(New));
  Generation.fetch_add(1, std::memory_order_release);
}

void MemoryMap::remove(uint64_t Begin, uint64_t End) {
  if (Begin >= End)
    return;
  std::lock_guard<std::mutex> Guard(Lock);
  auto Next = llvm::lower_bound(*Ranges, Begin, endsBefore);
  if (Next == Ranges->end() || Next->Begin >= End)
    return;
  Ranges = std::make_shared<const Snapshot>(without(*Ranges, Begin, End));
  Generation.fetch_add(1, std::memory_order_release);
}

std::shared_ptr<const MemoryMap::Snapshot> MemoryMap::snapshot() const {
  std::lock_guard<std::mutex> Guard(Lock);
  return Ranges;
}

const MemoryRange *MemoryMap::find(const Snapshot &In, uint64_t Address) {
  auto R = llvm::lower_bound(In, Address, endsBefore);
  return R == In.end() || Address < R->Begin ? nullptr : &*R;
}

std::optional<MemoryRange> MemoryMap::find(uint64_t Address) const {
  std::shared_ptr<const Snapshot> Now = snapshot();
  const MemoryRange *R = find(*Now, Address);
  return R ? std::optional(*R) : std::nullopt;
}

/// Returns "a 4096-byte allocation at 0x7f..." or, for a range with a name,
/// "the 4096 bytes of kernel arguments at 0x7f...".
static std::string nameOf(const MemoryRange &R) {
  std::string Size = std::to_string(R.End - R.Begin);
  std::string Place = " at 0x" + llvm::utohexstr(R.Begin, /*LowerCase=*/true);
  if (llvm::StringRef(R.What) == "allocation")
    return "a " + Size + "-byte allocation" + Place;
  return "the " + Size + " bytes of " + R.What + Place;
}

static std::string countBytes(uint64_t N) {
  return N == 1 ? "1 byte" : std::to_string(N) + " bytes";
}

std::string MemoryMap::describe(uint64_t Address) const {
  std::shared_ptr<const Snapshot> Now = snapshot();
  auto Next = llvm::lower_bound(*Now, Address, endsBefore);
  if (Next != Now->end() && Address >= Next->Begin)
    return "byte " + std::to_string(Address - Next->Begin) + " of " +
           nameOf(*Next);
  uint64_t Past = ~uint64_t(0), Before = ~uint64_t(0);
  if (Next != Now->begin())
    Past = Address - std::prev(Next)->End;
  if (Next != Now->end())
    Before = Next->Begin - Address;
  if (Past <= Before && Past < NearBytes)
    return (Past ? countBytes(Past) + " past" : std::string("at")) +
           " the end of " + nameOf(*std::prev(Next));
  if (Before < NearBytes)
    return countBytes(Before) + " before " + nameOf(*Next);
  return "in no allocation";
}
