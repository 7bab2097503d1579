//===- SdmaQueue.cpp - queues of the copy engines -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes the packets of a copy engine. ROCr writes packets into a ring and
// then stores the new WriteIndex; the queue's thread calls step() until the
// indices are equal (Idle.h has its waits). The engine knows no signals in
// ROCr's sense: packets poll a signal's value, add to it, write its event's
// number to a mailbox, and interrupt.
//
// Both indices count bytes and never wrap; the ring's size is a power of two,
// and a word is at its index modulo the size. An example with a ring of 0x1000
// bytes, which contains a copy of 256 bytes that waits for a word in memory:
//
//   index   at     words  packet
//   0x1fe0  0xfe0  6      poll: wait until a word of a signal is 0
//   0x1ff8  0xff8  7      copy: count 255, source, target
//   0x2014  0x014  8      atomic: add -1 to the copy's own signal
//   0x2034  0x034  4      fence: write the event's number to the mailbox
//   0x2044  0x044  2      trap: interrupt the host
//   0x204c                WriteIndex
//
// The copy begins 8 bytes before the end of the ring: its words 0 and 1 are at
// 0xff8 and 0xffc, and its words 2 to 6 at 0x000 to 0x010. word() masks each
// offset, so packets need no padding.
//
//   step 1  poll: the word is 1. NotYet: ReadIndex stays 0x1fe0, and the thread
//           naps; the bell of another queue's packet wakes it early
//   step 2  poll again: the word is 0. Done: ReadIndex is 0x1ff8
//   step 3  copy: ReadIndex is 0x2014, after the bytes have been written
//   ...     and so on, until ReadIndex is WriteIndex
//
// A packet's length follows from its type in the table Packets, except for two:
// a Nop skips words, and a Write holds its data. Counts are of bytes or words
// minus one. Widths of fields differ between generations (countMask(),
// window()). The layouts are those that ROCr writes (sdma_registers.h) and
// Linux's *_sdma_pkt_open.h.
//
// Invariants: one packet at a time and in order, so a fence comes after the
// copies before it. ReadIndex moves only after a packet is done, with release
// order, so that the host never overwrites a packet that is being read. Each
// access is checked against the memory that the GPU has mapped, and
// accessHost() catches a fault if the process has unmapped it meanwhile.
// Unknown packets and options, and a WriteIndex inside of a packet, stop the
// queue with a message: a skipped packet would be silent corruption.
//
// Cost: a packet is found by a search in 11 rows; a copy is one memmove for
// each contiguous mapping, or for each line of a window.
//
//===----------------------------------------------------------------------===//
#include "SdmaQueue.h"
#include "KfdDriver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace kpack::softgpu;

/// First byte of a packet's first word.
enum Operation : uint8_t {
  Nop = 0,
  Copy = 1,
  Write = 2,
  Fence = 5,
  Trap = 6,
  PollRegisterOrMemory = 8,
  Atomic = 10,
  ConstantFill = 11,
  Timestamp = 13,
  CacheRequest = 17 ///< "GCR"
};

struct SdmaQueue::Packet {
  Operation What;
  uint8_t Kind;       ///< second byte
  uint8_t FirstMajor; ///< first gfx generation with this packet
  uint8_t Words;      ///< without a length that the packet holds itself
  Outcome (SdmaQueue::*Execute)();
};

const SdmaQueue::Packet SdmaQueue::Packets[] = {
    {Nop, 0, 9, 1, &SdmaQueue::nothing},
    {Copy, 0, 9, 7, &SdmaQueue::copyLinear},
    {Copy, 4, 9, 13, &SdmaQueue::copyWindow},
    {Write, 0, 9, 5, &SdmaQueue::writeWords},
    {Fence, 0, 9, 4, &SdmaQueue::fence},
    {Trap, 0, 9, 2, &SdmaQueue::trap},
    {PollRegisterOrMemory, 0, 9, 6, &SdmaQueue::poll},
    {Atomic, 0, 9, 8, &SdmaQueue::atomic},
    {ConstantFill, 0, 9, 5, &SdmaQueue::fill},
    {Timestamp, 2, 9, 3, &SdmaQueue::timestamp},
    {CacheRequest, 1, 10, 5, &SdmaQueue::nothing}};

/// The byte count has 30 bits in engines from version 4.4 on, 22 in older ones.
static uint32_t countMask(const GpuProcessor &P) {
  bool IsLong = P.Major > 10 || (P.Major == 10 && P.Minor >= 3) ||
                (P.Major == 9 && (P.Minor >= 4 || P.Stepping == 10));
  return IsLong ? 0x3fffffff : 0x3fffff;
}

SdmaQueue::SdmaQueue(Driver &D, Gpu &G, const QueueMemory &Shared)
    : Queue(D, G, Shared), CountMask(countMask(G.processor())) {}

//===----------------------------------------------------------------------===//
// The ring
//===----------------------------------------------------------------------===//

/// A packet may wrap around the end of the ring.
uint32_t SdmaQueue::word(uint64_t Index) const {
  uint32_t Word;
  uint64_t Offset = (Begin + Index * 4) & (Shared.Bytes - sizeof(Word));
  std::memcpy(&Word, Shared.Ring + Offset, sizeof(Word));
  return Word;
}

/// Reads an address of two words.
uint64_t SdmaQueue::address(uint64_t Index) const {
  return word(Index) | uint64_t(word(Index + 1)) << 32;
}

/// Reads bits of the first word.
uint32_t SdmaQueue::option(unsigned FirstBit, unsigned Bits) const {
  return word(0) >> FirstBit & ((1u << Bits) - 1);
}

/// Returns null if this generation does not have the packet.
const SdmaQueue::Packet *SdmaQueue::packet() const {
  const Packet *Found = llvm::find_if(Packets, [this](const Packet &P) {
    return P.What == option(0, 8) && P.Kind == option(8, 8) &&
           P.FirstMajor <= TheGpu.processor().Major;
  });
  return Found == std::end(Packets) ? nullptr : Found;
}

uint64_t SdmaQueue::wordsOf(const Packet &P) const {
  if (P.What == Nop) // may be followed by words to skip
    return P.Words + option(16, 14);
  if (P.What == Write) // the count is of words, minus one
    return P.Words + (word(3) & 0xfffff);
  return P.Words;
}

bool SdmaQueue::step() {
  std::atomic_ref<uint64_t> ReadIndex(*Shared.ReadIndex);
  std::atomic_ref<uint64_t> WriteIndex(*Shared.WriteIndex);
  Begin = ReadIndex.load(std::memory_order_relaxed);
  uint64_t End = WriteIndex.load(std::memory_order_acquire);
  if (Begin >= End)
    return false;
  const Packet *P = packet();
  if (!P || Begin % 4) {
    fail("is not emulated");
    return false;
  }
  uint64_t Bytes = wordsOf(*P) * 4;
  if (Bytes > End - Begin) {
    fail("is not complete");
    return false;
  }
  D.Memory.beginDispatch(); // keeps the memory mapped
  Outcome Result = Outcome::Failed;
  HostAccess::Ranges Ranges = TheGpu.memory().snapshot();
  std::optional<HostFault> Refused =
      accessHost(Ranges, [&] { Result = (this->*P->Execute)(); });
  if (Refused)
    Result = failRefused(*Refused, Refused->address(*Ranges));
  D.Memory.endDispatch();
  if (Result != Outcome::Done)
    return false;
  ReadIndex.store(Begin + Bytes, std::memory_order_release);
  return true;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static constexpr const char *Engine = "copy engine";

std::string SdmaQueue::name() const {
  return llvm::formatv("SDMA packet {0:x8} (operation {1}, {2})", word(0),
                       option(0, 8), option(8, 8));
}

/// Fails the packet. A copy queue has no error signal, so ROCr gets the event
/// that the driver sends after it has reset a hung engine.
Queue::Outcome SdmaQueue::fail(const std::string &Problem) {
  constexpr uint32_t Hang = 3;
  Fault F;
  F.Detail =
      name() + " " + Problem + "; set HSA_ENABLE_SDMA=0 to copy by kernels";
  stop(Engine, F);
  raiseMemoryFault(/*Address=*/0, Hang);
  return Outcome::Failed;
}

Queue::Outcome SdmaQueue::failAccess(uint64_t Address, uint64_t Size,
                                     const char *Action) {
  Fault F;
  F.What = Fault::Kind::MemoryAccess;
  F.Address = Address;
  F.Detail = llvm::formatv("{0} of {1} bytes {2}", Action, Size,
                           TheGpu.memory().describe(Address));
  stop(Engine, F);
  raiseMemoryFault(Address);
  return Outcome::Failed;
}

/// Fails the packet: the process has unmapped memory that it had registered.
Queue::Outcome SdmaQueue::failRefused(const HostFault &Refused,
                                      uint64_t Address) {
  Fault F;
  F.What = Fault::Kind::MemoryAccess;
  F.Address = Address;
  F.Detail = llvm::formatv("{0} at {1}{2}", Refused.IsWrite ? "write" : "read",
                           TheGpu.memory().describe(Address), Refused.reason());
  stop(Engine, F);
  raiseMemoryFault(Address);
  return Outcome::Failed;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Returns the contiguous start of [Address, Address + Size); empty if the GPU
/// may not access the first byte in this way.
llvm::MutableArrayRef<uint8_t>
SdmaQueue::memory(uint64_t Address, uint64_t Size, bool Written) const {
  std::optional<MemoryRange> R = TheGpu.memory().find(Address);
  if (!R || (Written && !R->Writable))
    return {};
  return {R->host(Address), std::min(Size, R->End - Address)};
}

Queue::Outcome SdmaQueue::copy(uint64_t TargetAddress, uint64_t SourceAddress,
                               uint64_t Size) {
  while (Size) {
    auto Source = memory(SourceAddress, Size, /*Written=*/false);
    if (Source.empty())
      return failAccess(SourceAddress, Size, "read");
    auto Target = memory(TargetAddress, Source.size(), /*Written=*/true);
    if (Target.empty())
      return failAccess(TargetAddress, Size, "write");
    std::memmove(Target.data(), Source.data(), Target.size());
    SourceAddress += Target.size();
    TargetAddress += Target.size();
    Size -= Target.size();
  }
  return Outcome::Done;
}

/// Returns a variable that a packet writes or polls as a whole, or null after
/// the queue has failed.
template <typename T> T *SdmaQueue::variable(uint64_t Address) {
  auto Bytes = memory(Address, sizeof(T), /*Written=*/true);
  if (Bytes.size() < sizeof(T))
    failAccess(Address, sizeof(T), "access");
  else if (Address % sizeof(T))
    fail("has an address that is not aligned");
  else
    return reinterpret_cast<T *>(Bytes.data());
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Packets that move bytes
//===----------------------------------------------------------------------===//

/// For flushes of caches, which are not emulated.
Queue::Outcome SdmaQueue::nothing() { return Outcome::Done; }

Queue::Outcome SdmaQueue::copyLinear() {
  constexpr uint32_t Swaps = 0x03030000;
  if (option(16, 16) || word(2) & Swaps)
    return fail("has options that are not emulated");
  uint64_t Size = (word(1) & CountMask) + uint64_t(1);
  return copy(address(5), address(3), Size);
}

/// One side of a copy of a box of elements. All numbers count elements.
struct SdmaQueue::Window {
  uint64_t Address;
  uint64_t X, Y, Z;      ///< corner of the box
  uint64_t Pitch, Slice; ///< distance of lines and of planes
};

SdmaQueue::Window SdmaQueue::window(uint64_t First) const {
  uint32_t Corner = word(First + 2), Depth = word(First + 3),
           Slice = word(First + 4);
  Window W;
  W.Address = address(First);
  bool IsWide = TheGpu.processor().Major >= 12;
  uint32_t Mask = IsWide ? 0xffff : 0x3fff;
  W.X = Corner & Mask;
  W.Y = Corner >> 16 & Mask;
  W.Z = Depth & (IsWide ? 0x3fff : 0x7ff);
  W.Pitch = uint64_t(Depth >> (IsWide ? 16 : 13)) + 1;
  W.Slice = uint64_t(Slice & (IsWide ? ~0u : 0xfffffff)) + 1;
  return W;
}

Queue::Outcome SdmaQueue::copyWindow() {
  constexpr uint32_t Swaps = 0x03030000;
  bool IsWide = TheGpu.processor().Major >= 12;
  unsigned Shift = option(29, 3); // log2 of the element size
  if (option(16, 13) || Shift > 4 || (!IsWide && word(12) & Swaps))
    return fail("has options that are not emulated");
  uint32_t Mask = IsWide ? 0xffff : 0x3fff;
  uint64_t Width = (word(11) & Mask) + 1, Height = (word(11) >> 16 & Mask) + 1,
           Planes = (word(12) & (IsWide ? 0x3fff : 0x7ff)) + 1;
  Window Source = window(1), Target = window(6);
  auto Line = [Shift](const Window &W, uint64_t Y, uint64_t Z) {
    return W.Address +
           ((W.X + (W.Y + Y) * W.Pitch + (W.Z + Z) * W.Slice) << Shift);
  };
  for (uint64_t Z = 0; Z < Planes; ++Z)
    for (uint64_t Y = 0; Y < Height; ++Y) {
      if (Ending)
        return Outcome::Cancelled;
      Outcome Result =
          copy(Line(Target, Y, Z), Line(Source, Y, Z), Width << Shift);
      if (Result != Outcome::Done)
        return Result;
    }
  return Outcome::Done;
}

Queue::Outcome SdmaQueue::writeWords() {
  if (option(16, 16))
    return fail("has options that are not emulated");
  uint64_t Count = (word(3) & 0xfffff) + uint64_t(1);
  for (uint64_t Index = 0; Index < Count; ++Index) {
    auto *Target = variable<uint32_t>(address(1) + Index * 4);
    if (!Target)
      return Outcome::Failed;
    *Target = word(4 + Index);
  }
  return Outcome::Done;
}

/// The count is of bytes, minus one. The bits below the element size do not
/// matter: ROCr clears them, Linux sets them.
Queue::Outcome SdmaQueue::fill() {
  unsigned Shift = option(30, 2);
  if (option(16, 14) || Shift > 2)
    return fail("has options that are not emulated");
  uint32_t Below = (1u << Shift) - 1;
  uint64_t Address = address(1),
           Size = (word(4) & CountMask & ~Below) + Below + 1;
  uint32_t Value = word(3);
  const auto *Pattern = reinterpret_cast<const uint8_t *>(&Value);
  for (uint64_t Done = 0; Done < Size;) {
    auto Target = memory(Address + Done, Size - Done, /*Written=*/true);
    if (Target.empty())
      return failAccess(Address + Done, Size - Done, "write");
    for (uint8_t &Byte : Target)
      Byte = Pattern[Done++ & Below];
  }
  return Outcome::Done;
}

//===----------------------------------------------------------------------===//
// Packets for synchronisation
//===----------------------------------------------------------------------===//

/// Writes a word after all earlier packets. The options concern caches only.
Queue::Outcome SdmaQueue::fence() {
  auto *Target = variable<uint32_t>(address(1));
  if (!Target)
    return Outcome::Failed;
  std::atomic_ref<uint32_t>(*Target).store(word(3), std::memory_order_release);
  D.Activity.ring(); // another queue may poll it
  return Outcome::Done;
}

/// Interrupts the host: an event has a mailbox, which a fence has written to.
/// Other queues have heard the bell.
Queue::Outcome SdmaQueue::trap() {
  D.Events.interrupt();
  return Outcome::Done;
}

/// Waits until a comparison with a word in memory holds. Registers are not
/// emulated; without a comparison the packet is a flush of a host cache.
Queue::Outcome SdmaQueue::poll() {
  enum { Always, Less, LessEqual, Equal, NotEqual, GreaterEqual, Greater };
  uint32_t Condition = option(28, 3);
  if (Condition == Always)
    return Outcome::Done;
  constexpr uint32_t ForEver = 0xfff;
  bool IsMemory = option(31, 1);
  if (!IsMemory || Condition > Greater || (word(5) >> 16 & 0xfff) != ForEver)
    return fail("has options that are not emulated");
  auto *Polled = variable<uint32_t>(address(1));
  if (!Polled)
    return Outcome::Failed;
  uint32_t Value =
      std::atomic_ref<uint32_t>(*Polled).load(std::memory_order_acquire) &
      word(4);
  uint32_t Reference = word(3);
  bool IsLess = Value < Reference, IsEqual = Value == Reference;
  bool Met[] = {true,     IsLess,  IsLess || IsEqual,  IsEqual,
                !IsEqual, !IsLess, !IsLess && !IsEqual};
  return Met[Condition] ? Outcome::Done : Outcome::NotYet;
}

Queue::Outcome SdmaQueue::atomic() {
  constexpr uint32_t Add64 = 47;
  if (option(25, 7) != Add64 || option(16, 9))
    return fail("has options that are not emulated");
  auto *Target = variable<uint64_t>(address(1));
  if (!Target)
    return Outcome::Failed;
  std::atomic_ref<uint64_t>(*Target).fetch_add(address(3),
                                               std::memory_order_acq_rel);
  D.Activity.ring();
  return Outcome::Done;
}

Queue::Outcome SdmaQueue::timestamp() {
  auto *Target = variable<uint64_t>(address(1));
  if (!Target)
    return Outcome::Failed;
  *Target = now();
  return Outcome::Done;
}
