//===- Memory.cpp - checked accesses of device code -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Memory.h. Most accesses hit the last range of the same wave. For the
// others the wave keeps a snapshot of the memory map, so that it takes no lock
// until the map changes.
//
//===----------------------------------------------------------------------===//
#include "Memory.h"

#include "SoftGpu/Machine/FaultSearch.h"
#include "SoftGpu/Machine/FindingLog.h"

#include "llvm/ADT/STLExtras.h"

namespace kpack::softgpu {

static llvm::StringRef verb(Access Kind) {
  return Kind == Access::Read    ? "read"
         : Kind == Access::Write ? "write"
                                 : "atomic";
}

static bool permits(const MemoryRange &Range, Access Kind) {
  return Kind == Access::Read || Range.Writable;
}

/// Returns the range that contains \p Address and makes it LastRange; null if
/// there is none.
static const MemoryRange *findRange(Wave &W, uint64_t Address) {
  const MemoryMap &Map = *W.Group->Launch->Memory;
  // Read this before the snapshot: a change in between is then noticed next
  // time.
  uint64_t Generation = Map.generation();
  if (W.LastGeneration != Generation) {
    W.Ranges = Map.snapshot();
    W.LastGeneration = Generation;
    W.LastRange = MemoryRange();
  }
  if (W.LastRange.contains(Address, 1))
    return &W.LastRange;
  auto Found = llvm::upper_bound(
      *W.Ranges, Address,
      [](uint64_t A, const MemoryRange &R) { return A < R.End; });
  if (Found == W.Ranges->end() || Address < Found->Begin)
    return nullptr;
  W.LastRange = *Found;
  return &W.LastRange;
}

void useRange(Wave &W, uint64_t Address) {
  if (!FaultSearch::current()) // a search must see every access
    findRange(W, Address);
}

/// Returns the first byte of [Address, Address + Size) that may not be
/// accessed. Adjacent ranges count as one if they are adjacent in the process,
/// too.
static std::optional<uint64_t> firstForbidden(Wave &W, uint64_t Address,
                                              uint64_t Size, Access Kind) {
  std::optional<uint64_t> ToHost;
  while (Size) {
    const MemoryRange *Range = findRange(W, Address);
    if (!Range || !permits(*Range, Kind) ||
        ToHost.value_or(Range->ToHost) != Range->ToHost)
      return Address;
    ToHost = Range->ToHost;
    uint64_t Part = std::min(Size, Range->End - Address);
    Address += Part;
    Size -= Part;
  }
  return std::nullopt;
}

/// Returns false after a fault. Atomics are aligned on hardware, too.
static bool checkAlignment(Wave &W, const Instruction &I, int Lane,
                           uint64_t Address, unsigned Size, Access Kind) {
  unsigned Align = std::min(Size & -Size, 4u);
  if (Kind == Access::Atomic)
    Align = Size;
  else if (!W.Group->Launch->Options->CheckAlignment)
    return true;
  if (Address % Align == 0)
    return true;
  W.fault(Fault::Kind::MisalignedAccess, I,
          verb(Kind) + " of " + llvm::Twine(Size) + " bytes, aligned to " +
              llvm::Twine(Address & -Address),
          Lane, Address);
  return false;
}

/// Faults and returns null for the access that is searched for.
static uint8_t *search(FaultSearch &Search, Wave &W, const Instruction &I,
                       int Lane, uint64_t Address, unsigned Size, Access Kind) {
  if (!Search.isRefused(Address, Size))
    return Search.place();
  W.fault(Fault::Kind::MemoryAccess, I,
          verb(Kind) + " of " + llvm::Twine(Size) + " bytes at " +
              W.Group->Launch->Memory->describe(Address) + Search.What.reason(),
          Lane, Address);
  return nullptr;
}

uint8_t *globalPointer(Wave &W, const Instruction &I, int Lane,
                       uint64_t Address, unsigned Size, Access Kind) {
  if (FaultSearch *Search = FaultSearch::current())
    return search(*Search, W, I, Lane, Address, Size, Kind);
  std::optional<uint64_t> Forbidden = firstForbidden(W, Address, Size, Kind);
  if (!Forbidden)
    return checkAlignment(W, I, Lane, Address, Size, Kind)
               ? W.LastRange.host(Address)
               : nullptr;
  const MemoryRange *Range = findRange(W, *Forbidden);
  std::string Where =
      Range ? std::string("in a read-only range (") + Range->What + ")"
            : W.Group->Launch->Memory->describe(*Forbidden);
  W.fault(Fault::Kind::MemoryAccess, I,
          verb(Kind) + " of " + llvm::Twine(Size) + " bytes " + Where, Lane,
          Address);
  return nullptr;
}

/// Faults, or does as hardware: see Workgroup::Outside.
static uint8_t *outsideOfLds(Wave &W, const Instruction &I, int Lane,
                             uint32_t Offset, unsigned Size, Access Kind) {
  Workgroup &Group = *W.Group;
  auto Report = [&](auto &&Sink) {
    Sink(Fault::Kind::LdsAccess, I,
         verb(Kind) + " of " + llvm::Twine(Size) + " bytes at LDS offset " +
             llvm::Twine(Offset) + ", the workgroup has " +
             llvm::Twine(Group.Lds.size()),
         Lane, Offset);
  };
  FindingLog *Log = Group.Launch->Findings;
  if (!Log) {
    Report([&](auto &&...Details) { W.fault(Details...); });
    return nullptr;
  }
  Report([&](auto &&...Details) { Log->add(W, Details...); });
  uint8_t (&Place)[64] = Group.Outside[Group.LastOutside ^= 1];
  std::memset(Place, 0, sizeof Place);
  return Place;
}

uint8_t *ldsPointer(Wave &W, const Instruction &I, int Lane, uint32_t Offset,
                    unsigned Size, Access Kind) {
  Workgroup &Group = *W.Group;
  if (Offset > Group.Lds.size() || Size > Group.Lds.size() - Offset)
    return outsideOfLds(W, I, Lane, Offset, Size, Kind);
  if (!checkAlignment(W, I, Lane, Offset, Size, Kind))
    return nullptr;
  if (!Group.LdsWritten.empty()) {
    auto Begin = Group.LdsWritten.begin() + Offset, End = Begin + Size;
    if (Kind != Access::Write && std::find(Begin, End, false) != End) {
      W.fault(Fault::Kind::UninitialisedLds, I,
              verb(Kind) + " of " + llvm::Twine(Size) +
                  " bytes of LDS that nothing has written",
              Lane, Offset);
      return nullptr;
    }
    std::fill(Begin, End, true);
  }
  return Group.Lds.data() + Offset;
}

uint8_t *privatePointer(Wave &W, const Instruction &I, int Lane,
                        uint32_t Offset, unsigned Size, Access Kind) {
  if (Offset <= W.PrivateBytes && Size <= W.PrivateBytes - Offset) {
    if (!checkAlignment(W, I, Lane, Offset, Size, Kind))
      return nullptr;
    return W.Private + uint64_t(Lane) * W.PrivateBytes + Offset;
  }
  W.fault(Fault::Kind::ScratchAccess, I,
          verb(Kind) + " of " + llvm::Twine(Size) +
              " bytes at private offset " + llvm::Twine(Offset) +
              ", a work-item has " + llvm::Twine(W.PrivateBytes),
          Lane, Offset);
  return nullptr;
}

} // namespace kpack::softgpu
