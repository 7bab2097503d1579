//===- AqlQueue.cpp - queues of kernel launches ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs on the queue's thread; see Queue.h. Packets come from the program, so
// every address in a packet is checked against the GPU's memory map.
//
//===----------------------------------------------------------------------===//
#include "AqlQueue.h"
#include "KernelNames.h"
#include "KfdDriver.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstdio>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

using namespace kpack::softgpu;

/// Values of a queue's error signal that ROCr's AqlQueue error handler knows.
namespace QueueError {
static constexpr int64_t CodeObject = 8;
static constexpr int64_t Packet = 32;
static constexpr int64_t VendorPacket = 256;
static constexpr int64_t Aperture = 0x20000000;
static constexpr int64_t IllegalInstruction = 0x40000000;
static constexpr int64_t Exception = 0x80000000;
} // namespace QueueError

/// Reads a packet. Every layout \p T has 64 bytes.
template <typename T> static T as(const uint8_t *Packet) {
  static_assert(sizeof(T) == 64);
  T Value;
  std::memcpy(&Value, Packet, sizeof(T));
  return Value;
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

/// Returns null for handle 0, and for a signal that is misaligned or outside of
/// device memory.
amd_signal_t *AqlQueue::signal(hsa_signal_t Handle) {
  if (Handle.handle % alignof(amd_signal_t))
    return nullptr;
  return reinterpret_cast<amd_signal_t *>(
      deviceMemory(Handle.handle, sizeof(amd_signal_t)));
}

static std::atomic_ref<int64_t> valueOf(amd_signal_t &Signal) {
  return std::atomic_ref<int64_t>(const_cast<int64_t &>(Signal.value));
}

/// Wakes the signal's waiters: host threads by its event, other queues by the
/// bell.
void AqlQueue::raise(amd_signal_t &Signal) {
  if (Signal.event_mailbox_ptr)
    D.Events.set(Signal.event_id);
  D.Activity.ring();
}

void AqlQueue::complete(amd_signal_t &Signal) {
  Signal.end_ts = now();
  // The host may destroy the signal as soon as it sees the value.
  amd_signal_t Before;
  Before.event_mailbox_ptr = Signal.event_mailbox_ptr;
  Before.event_id = Signal.event_id;
  valueOf(Signal).fetch_sub(1, std::memory_order_release);
  raise(Before);
}

/// Returns ROCr's descriptor of this queue; null if the read index is not in
/// one.
amd_queue_t *AqlQueue::descriptor() {
  constexpr uint64_t Offset = offsetof(amd_queue_t, read_dispatch_id);
  uint64_t Address = reinterpret_cast<uint64_t>(Shared.ReadIndex) - Offset;
  if (Address % alignof(amd_queue_t) ||
      !deviceMemory(Address, sizeof(amd_queue_t)))
    return nullptr;
  auto *Descriptor = reinterpret_cast<amd_queue_t *>(Address);
  return Descriptor->read_dispatch_id_field_base_byte_offset == Offset
             ? Descriptor
             : nullptr;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

void AqlQueue::raiseQueueError(int64_t Error) {
  amd_queue_t *Descriptor = descriptor();
  amd_signal_t *Inactive =
      Descriptor ? signal(Descriptor->queue_inactive_signal) : nullptr;
  if (!Inactive)
    return;
  valueOf(*Inactive).store(Error, std::memory_order_release);
  raise(*Inactive);
}

Queue::Outcome AqlQueue::fail(int64_t Error, const std::string &What) {
  Fault F;
  F.Detail = What;
  stop("queue", F);
  raiseQueueError(Error);
  return Outcome::Failed;
}

static int64_t queueError(Fault::Kind What) {
  switch (What) {
  case Fault::Kind::UnknownInstruction:
  case Fault::Kind::Undecodable:
    return QueueError::IllegalInstruction;
  case Fault::Kind::MemoryAccess:
  case Fault::Kind::MisalignedAccess:
  case Fault::Kind::LdsAccess:
  case Fault::Kind::ScratchAccess:
    return QueueError::Aperture;
  case Fault::Kind::BadDispatch:
    return QueueError::CodeObject;
  case Fault::Kind::UninitialisedLds:
  case Fault::Kind::Trap:
  case Fault::Kind::InstructionLimit:
  case Fault::Kind::Deadlock:
    return QueueError::Exception;
  }
  return QueueError::Exception;
}

/// Stops the queue and reports the error to ROCr, as hardware does.
Queue::Outcome AqlQueue::failKernel(uint64_t Descriptor, const Fault &What) {
  stop(kernelName(TheGpu.memory(), Descriptor), What);
  if (What.What != Fault::Kind::MemoryAccess || !raiseMemoryFault(What.Address))
    raiseQueueError(queueError(What.What));
  return Outcome::Failed;
}

//===----------------------------------------------------------------------===//
// Packets
//===----------------------------------------------------------------------===//

/// Executes one packet, if there is one and its dependencies are met.
bool AqlQueue::step() {
  std::atomic_ref<uint64_t> ReadIndex(*Shared.ReadIndex);
  std::atomic_ref<uint64_t> WriteIndex(*Shared.WriteIndex);
  uint64_t Read = ReadIndex.load(std::memory_order_relaxed);
  if (Read >= WriteIndex.load(std::memory_order_acquire))
    return false;
  uint8_t *Packet = Shared.Ring + (Read * PacketBytes & (Shared.Bytes - 1));
  // The host writes the header last. Until then the packet is not ours.
  std::atomic_ref<uint16_t> Header(*reinterpret_cast<uint16_t *>(Packet));
  uint16_t Found = Header.load(std::memory_order_acquire);
  if ((Found & 0xff) == HSA_PACKET_TYPE_INVALID)
    return false;
  hsa_signal_t Handle;
  std::memcpy(&Handle,
              Packet + offsetof(hsa_barrier_and_packet_t, completion_signal),
              sizeof(Handle));
  amd_signal_t *Completion = signal(Handle);
  if (Handle.handle && !Completion) {
    fail(QueueError::Packet, "the completion signal is not device memory");
    return false;
  }
  DispatchId = Read;
  if (Completion && !MetDependencies)
    Completion->start_ts = now();
  if (execute(Packet, Found) != Outcome::Done)
    return false;
  MetDependencies = 0;
  Header.store(HSA_PACKET_TYPE_INVALID, std::memory_order_release);
  ReadIndex.store(Read + 1, std::memory_order_release);
  if (Completion)
    complete(*Completion);
  return true;
}

Queue::Outcome AqlQueue::execute(uint8_t *Packet, uint16_t Header) {
  switch (Header & 0xff) {
  case HSA_PACKET_TYPE_KERNEL_DISPATCH:
    return kernelDispatch(Packet);
  case HSA_PACKET_TYPE_BARRIER_AND:
    return barrier(Packet, /*All=*/true);
  case HSA_PACKET_TYPE_BARRIER_OR:
    return barrier(Packet, /*All=*/false);
  case HSA_PACKET_TYPE_VENDOR_SPECIFIC:
    return vendorPacket(Packet);
  }
  return fail(QueueError::Packet,
              llvm::formatv("packet of type {0}, which a GPU's queue does not "
                            "take",
                            Header & 0xff));
}

static void printStats(const GpuProcessor &P, const DispatchRequest &Request,
                       const DispatchResult &Result, uint64_t Nanoseconds) {
  const auto &G = Request.GridSize;
  const auto &W = Request.WorkgroupSize;
  std::string Line = llvm::formatv(
      "kpack-run: stats: {0} {1} grid={2}x{3}x{4} workgroup={5}x{6}x{7} "
      "waves={8} instructions={9} ms={10:f3}\n",
      P.Name, Request.KernelName, G[0], G[1], G[2], W[0], W[1], W[2],
      Result.Waves, Result.Instructions, double(Nanoseconds) / 1e6);
  std::fputs(Line.c_str(), stderr);
}

Queue::Outcome AqlQueue::kernelDispatch(uint8_t *Packet) {
  auto P = as<hsa_kernel_dispatch_packet_t>(Packet);
  DispatchRequest Request;
  Request.KernelObject = P.kernel_object;
  Request.KernargAddress = reinterpret_cast<uint64_t>(P.kernarg_address);
  Request.GridSize = {P.grid_size_x, P.grid_size_y, P.grid_size_z};
  Request.WorkgroupSize = {P.workgroup_size_x, P.workgroup_size_y,
                           P.workgroup_size_z};
  Request.GroupSegmentSize = P.group_segment_size;
  Request.PrivateSegmentSize = P.private_segment_size;
  Request.PacketAddress = reinterpret_cast<uint64_t>(Packet);
  Request.QueueAddress = reinterpret_cast<uint64_t>(descriptor());
  Request.DispatchId = DispatchId;
  Request.Cooperative = IsCooperative;
  Request.Cancel = &Ending;
  if (D.Settings.Stats || D.Settings.Machine.Trace)
    Request.KernelName = kernelName(TheGpu.memory(), P.kernel_object);
  D.Memory.beginDispatch();
  uint64_t Start = now();
  DispatchResult Result = TheGpu.dispatch(Request);
  D.Memory.endDispatch();
  if (!Result.Findings.empty())
    D.Findings.add(kernelName(TheGpu.memory(), P.kernel_object),
                   Result.Findings);
  if (Ending)
    return Outcome::Cancelled;
  if (Result.Failure)
    return failKernel(P.kernel_object, *Result.Failure);
  if (D.Settings.Stats)
    printStats(TheGpu.processor(), Request, Result, now() - Start);
  return Outcome::Done;
}

/// A dependency counts once it was seen met; its signal may change afterwards.
Queue::Outcome AqlQueue::barrier(const uint8_t *Packet, bool All) {
  auto P = as<hsa_barrier_and_packet_t>(Packet);
  constexpr unsigned Every = (1u << 5) - 1;
  unsigned Present = 0;
  for (unsigned Index = 0; Index < 5; ++Index) {
    hsa_signal_t Handle = P.dep_signal[Index];
    if (!Handle.handle)
      continue;
    amd_signal_t *Dependency = signal(Handle);
    if (!Dependency)
      return fail(QueueError::Packet,
                  "a barrier's signal is not device memory");
    Present |= 1u << Index;
    if (valueOf(*Dependency).load(std::memory_order_acquire) == 0)
      MetDependencies |= 1u << Index;
  }
  bool Met = All ? (MetDependencies | (Every & ~Present)) == Every
                 : MetDependencies != 0;
  return Met ? Outcome::Done : Outcome::NotYet;
}

/// Executes AMD's packets; byte 2 selects the format.
Queue::Outcome AqlQueue::vendorPacket(const uint8_t *Packet) {
  constexpr uint8_t Pm4IndirectBuffer = 1;
  switch (Packet[2]) {
  case Pm4IndirectBuffer:
    return pm4Commands(Packet);
  case HSA_AMD_PACKET_TYPE_BARRIER_VALUE:
    return barrierValue(Packet);
  }
  return fail(QueueError::VendorPacket,
              llvm::formatv("vendor packet of unknown format {0}", Packet[2]));
}

Queue::Outcome AqlQueue::barrierValue(const uint8_t *Packet) {
  auto P = as<hsa_amd_barrier_value_packet_t>(Packet);
  if (!P.signal.handle)
    return Outcome::Done;
  amd_signal_t *Dependency = signal(P.signal);
  if (!Dependency)
    return fail(QueueError::Packet, "a barrier's signal is not device memory");
  int64_t Value = valueOf(*Dependency).load(std::memory_order_acquire) & P.mask;
  bool Met = false;
  switch (P.cond) {
  case HSA_SIGNAL_CONDITION_EQ:
    Met = Value == P.value;
    break;
  case HSA_SIGNAL_CONDITION_NE:
    Met = Value != P.value;
    break;
  case HSA_SIGNAL_CONDITION_LT:
    Met = Value < P.value;
    break;
  case HSA_SIGNAL_CONDITION_GTE:
    Met = Value >= P.value;
    break;
  default:
    return fail(QueueError::VendorPacket, "a barrier's condition is unknown");
  }
  return Met ? Outcome::Done : Outcome::NotYet;
}

/// Executes commands of the graphics engine. ROCr uses them to invalidate the
/// caches of code that it has loaded (AqlQueue::ExecutePM4).
Queue::Outcome AqlQueue::pm4Commands(const uint8_t *Packet) {
  constexpr uint32_t Nop = 0x10, AcquireMem = 0x58;
  uint32_t Jump[4];
  std::memcpy(Jump, Packet + 4, sizeof(Jump));
  uint64_t Begin = Jump[1] | uint64_t(Jump[2] & 0xffff) << 32;
  uint64_t Words = Jump[3] & 0xfffff;
  const auto *Commands =
      Begin % 4
          ? nullptr
          : reinterpret_cast<const uint32_t *>(deviceMemory(Begin, Words * 4));
  if (!Commands)
    return fail(QueueError::VendorPacket,
                "a command buffer is not device memory");
  for (uint64_t Index = 0; Index < Words;) {
    uint32_t Header = Commands[Index];
    uint32_t Kind = Header >> 30, Opcode = Header >> 8 & 0xff;
    uint64_t Length = (Header >> 16 & 0x3fff) + 2;
    if (Kind != 3 || Length > Words - Index ||
        (Opcode != Nop && Opcode != AcquireMem))
      return fail(QueueError::VendorPacket,
                  llvm::formatv("PM4 command {0:x8} is not emulated", Header));
    // The fields select caches and addresses. The only cache here is that of
    // decoded code, and dropping too much of it does no harm.
    if (Opcode == AcquireMem)
      TheGpu.forgetCode(0, ~uint64_t(0));
    Index += Length;
  }
  return Outcome::Done;
}
