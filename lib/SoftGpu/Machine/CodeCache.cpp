//===- CodeCache.cpp - decoded instructions by address --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A radix tree of atomic pointers over page numbers. Pages live as long as the
// cache, so that a cursor needs no reference count; invalidate() empties them.
//
//===----------------------------------------------------------------------===//
#include "CodeCache.h"

#include "Opcodes.h"
#include "SoftGpu/Machine/HostAccess.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <cstring>

using namespace llvm;

namespace kpack::softgpu {

/// No instruction of any target is longer.
static constexpr uint64_t LongestInstruction = 32;

CodeCache::CodeCache(std::unique_ptr<Decoder> D, const MemoryMap &Memory)
    : D(std::move(D)), Memory(Memory) {}

Expected<std::unique_ptr<CodeCache>>
CodeCache::create(const Target &Isa, bool Wave64, const MemoryMap &Memory) {
  auto D = Decoder::create(Isa, Wave64, machineSemantics());
  if (!D)
    return D.takeError();
  return std::unique_ptr<CodeCache>(new CodeCache(std::move(*D), Memory));
}

CodeCache::Page::~Page() {
  for (auto &Word : Words)
    delete Word.load(std::memory_order_relaxed);
}

CodeCache::Directory::~Directory() {
  for (auto &L : Leaves)
    delete L.load(std::memory_order_relaxed);
}

CodeCache::~CodeCache() {
  for (auto &Entry : Directories)
    delete Entry.load(std::memory_order_relaxed);
}

bool CodeCache::seek(Cursor &Position, uint64_t Pc) const {
  uint64_t PageIndex = Pc >> PageBits;
  constexpr uint64_t Mask = (1 << LevelBits) - 1;
  if (PageIndex >> (3 * LevelBits))
    return false;
  const Directory *Dir =
      Directories[PageIndex >> (2 * LevelBits)].load(std::memory_order_acquire);
  if (!Dir)
    return false;
  const Leaf *L = Dir->Leaves[PageIndex >> LevelBits & Mask].load(
      std::memory_order_acquire);
  if (!L)
    return false;
  const Page *Found =
      L->Pages[PageIndex & Mask].load(std::memory_order_acquire);
  if (!Found)
    return false;
  Position = {PageIndex, Found};
  return true;
}

/// Returns the target of \p Slot, which it creates if necessary. The caller
/// holds the lock.
template <typename T> static T &getOrMake(std::atomic<T *> &Slot) {
  T *Object = Slot.load(std::memory_order_relaxed);
  if (!Object) {
    Object = new T;
    Slot.store(Object, std::memory_order_release);
  }
  return *Object;
}

CodeCache::Page &CodeCache::pageFor(uint64_t Pc) {
  uint64_t PageIndex = Pc >> PageBits;
  constexpr uint64_t Mask = (1 << LevelBits) - 1;
  std::unique_ptr<Page> &Owned = Pages[PageIndex];
  if (!Owned) {
    Owned = std::make_unique<Page>();
    Directory &Dir = getOrMake(Directories[PageIndex >> (2 * LevelBits)]);
    Leaf &L = getOrMake(Dir.Leaves[PageIndex >> LevelBits & Mask]);
    L.Pages[PageIndex & Mask].store(Owned.get(), std::memory_order_release);
  }
  return *Owned;
}

/// Copies up to LongestInstruction bytes from \p Pc on to \p Target and returns
/// their number; adjacent ranges count as one. Sets \p Refused if the system
/// refuses to read the next byte.
static size_t copyCode(const HostAccess::Ranges &Ranges, uint64_t Pc,
                       uint8_t *Target, std::optional<HostFault> &Refused) {
  uint64_t Size = 0;
  while (Size < LongestInstruction) {
    const MemoryRange *R = MemoryMap::find(*Ranges, Pc + Size);
    if (!R)
      break;
    // Not the next page: it may be refused, and the instruction may end here.
    uint64_t Host = Pc + Size + R->ToHost;
    uint64_t Part = std::min({LongestInstruction - Size, R->End - (Pc + Size),
                              PageBytes - Host % PageBytes});
    Refused = accessHost(
        Ranges, [&] { std::memcpy(Target + Size, R->host(Pc + Size), Part); });
    if (Refused)
      break;
    Size += Part;
  }
  return Size;
}

const Instruction *CodeCache::fetch(uint64_t Pc, Problem &Why) {
  if (Pc & 3) {
    Why = {Fault::Kind::Undecodable, "", "the program counter is not aligned"};
    return nullptr;
  }
  // A snapshot: another thread may unmap the code meanwhile, but the memory
  // stays until no kernel runs, unless the program takes it away by itself.
  HostAccess::Ranges Ranges = Memory.snapshot();
  uint8_t Copy[LongestInstruction];
  std::optional<HostFault> Refused;
  ArrayRef<uint8_t> Bytes(Copy, copyCode(Ranges, Pc, Copy, Refused));
  if (Bytes.size() < 4 || Pc >> (PageBits + 3 * LevelBits)) {
    Why = {Fault::Kind::MemoryAccess, "",
           "no code at 0x" + utohexstr(Pc, /*LowerCase=*/true) + ": " +
               Memory.describe(Pc) + (Refused ? Refused->reason() : "")};
    return nullptr;
  }
  std::lock_guard<std::mutex> Guard(Lock);
  auto &Word = pageFor(Pc).Words[(Pc >> 2) & 1023];
  // Another thread may have decoded it meanwhile.
  if (const Instruction *Known = Word.load(std::memory_order_relaxed))
    return Known;
  auto I = D->decode(Bytes, Pc);
  if (!I) {
    handleAllErrors(
        I.takeError(),
        [&](const DecodeError &E) {
          bool IsKnown = E.What == DecodeError::Kind::NoSemantics;
          Why = {IsKnown ? Fault::Kind::UnknownInstruction
                         : Fault::Kind::Undecodable,
                 E.Instruction, E.Detail};
        },
        [&](const ErrorInfoBase &E) {
          Why = {Fault::Kind::Undecodable, "", E.message()};
        });
    return nullptr;
  }
  Word.store(I->get(), std::memory_order_release);
  return I->release();
}

void CodeCache::invalidate(uint64_t Begin, uint64_t End) {
  // Also drop instructions that start before the range and reach into it.
  Begin -= std::min(Begin, LongestInstruction);
  std::lock_guard<std::mutex> Guard(Lock);
  for (auto It = Pages.lower_bound(Begin >> PageBits); It != Pages.end();
       ++It) {
    uint64_t Base = It->first << PageBits;
    if (Base >= End)
      break;
    for (size_t N = 0; N < It->second->Words.size(); ++N)
      if (uint64_t Pc = Base + N * 4; Pc >= Begin && Pc < End)
        delete It->second->Words[N].exchange(nullptr,
                                             std::memory_order_relaxed);
  }
}

} // namespace kpack::softgpu
