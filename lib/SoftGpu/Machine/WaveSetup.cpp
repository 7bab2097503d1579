//===- WaveSetup.cpp - initial registers of a wave ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// User SGPRs in the hardware's order, system SGPRs after them, work-item ids
// in VGPRs. The private segment's registers follow the convention in Wave.h.
//
//===----------------------------------------------------------------------===//
#include "WaveSetup.h"

#include "SoftGpu/Machine/HostAccess.h"

using namespace kpack::softgpu;

std::array<uint32_t, 3>
kpack::softgpu::workgroupExtent(const DispatchRequest &Request,
                                const std::array<uint32_t, 3> &Id) {
  std::array<uint32_t, 3> Extent;
  for (unsigned D = 0; D < 3; ++D) {
    uint64_t Begin = uint64_t(Id[D]) * Request.WorkgroupSize[D];
    Extent[D] = uint32_t(std::min<uint64_t>(Request.WorkgroupSize[D],
                                            Request.GridSize[D] - Begin));
  }
  return Extent;
}

namespace {

/// Fills scalar registers one after another. The descriptor was checked, so
/// that they suffice.
class SgprWriter {
public:
  explicit SgprWriter(Wave &W) : W(W) {}

  void put(uint32_t Value) {
    if (Next < SgprCount)
      W.Scalars[Next++] = Value;
  }
  void put64(uint64_t Value) {
    put(uint32_t(Value));
    put(uint32_t(Value >> 32));
  }
  void skipTo(unsigned Register) { Next = Register; }
  unsigned next() const { return Next; }

private:
  Wave &W;
  unsigned Next = 0;
};

/// Loads kernel arguments into user SGPRs. Machine::Impl::check() has checked
/// that the kernarg segment holds them, but the program may take it away before
/// this workgroup starts; then the wave has a fault.
void preload(SgprWriter &S, Wave &W, const KernelDescriptor &Kernel,
             const DispatchRequest &Request) {
  if (!Kernel.PreloadLength)
    return;
  const MemoryMap &Memory = *W.Group->Launch->Memory;
  HostAccess::Ranges Ranges = Memory.snapshot();
  uint64_t Address = Request.KernargAddress + 4 * Kernel.PreloadOffset;
  const MemoryRange *Range = MemoryMap::find(*Ranges, Address);
  bool IsThere = Range && Range->contains(Address, 4 * Kernel.PreloadLength);
  std::optional<HostFault> Refused = accessHost(Ranges, [&] {
    for (unsigned I = 0; IsThere && I < Kernel.PreloadLength; ++I) {
      uint32_t Value;
      std::memcpy(&Value, Range->host(Address + 4 * I), 4);
      S.put(Value);
    }
  });
  if (IsThere && !Refused)
    return;
  if (Refused)
    Address = Refused->address(*Ranges);
  Instruction Here;
  Here.Address = Kernel.Entry;
  W.fault(Fault::Kind::MemoryAccess, Here,
          "preloaded arguments: " + Memory.describe(Address) +
              (Refused ? Refused->reason() : ""),
          /*Lane=*/-1, Address);
}

void setUserSgprs(SgprWriter &S, Wave &W, const KernelDescriptor &Kernel,
                  const DispatchRequest &Request, uint64_t PacketAddress) {
  if (Kernel.PrivateSegmentBuffer)
    for (uint32_t Word : privateBuffer(*W.Isa, W.Lanes))
      S.put(Word);
  if (Kernel.DispatchPointer)
    S.put64(PacketAddress);
  if (Kernel.QueuePointer)
    S.put64(Request.QueueAddress);
  if (Kernel.KernargPointer)
    S.put64(Request.KernargAddress);
  if (Kernel.DispatchId)
    S.put64(Request.DispatchId);
  if (Kernel.FlatScratchInit)
    S.put64(PrivateBufferBase);
  if (Kernel.PrivateSegmentSizeSgpr)
    S.put(Request.PrivateSegmentSize);
  preload(S, W, Kernel, Request);
}

void setSystemSgprs(SgprWriter &S, Wave &W, const KernelDescriptor &Kernel,
                    unsigned Waves) {
  const std::array<uint32_t, 3> &Id = W.Group->Id;
  S.skipTo(Kernel.UserSgprs);
  if (W.Isa->hasArchitectedWorkgroupIds()) {
    // If z was not requested it must be 0: code that uses y alone does not mask
    // it.
    W.Scalars[Ttmp0 + 9] = Id[0];
    W.Scalars[Ttmp0 + 7] =
        (Id[1] & 0xffff) | (Kernel.WorkgroupId[2] ? Id[2] << 16 : 0);
    W.Scalars[Ttmp0 + 8] = W.Index << 25; // wave in its workgroup
  } else {
    for (unsigned D = 0; D < 3; ++D)
      if (Kernel.WorkgroupId[D])
        S.put(Id[D]);
    // Bit 31: first wave; bits 5:0: waves of the workgroup.
    if (Kernel.WorkgroupInfo)
      S.put(uint32_t(W.Index == 0) << 31 | Waves);
  }
  if (Kernel.PrivateSegmentWaveOffset)
    S.put(0);
}

void zeroVectors(Wave &W, const KernelDescriptor &Kernel) {
  std::memset(W.Vectors, 0, Kernel.Vgprs * sizeof(Lanes32));
  std::memset(W.Vectors + FirstAccVgpr, 0, Kernel.AccVgprs * sizeof(Lanes32));
}

void setWorkItemIds(Wave &W, const KernelDescriptor &Kernel,
                    const std::array<uint32_t, 3> &Extent) {
  bool Packed = W.Isa->hasPackedWorkItemIds();
  for (unsigned Lane = 0; Lane < W.Lanes; ++Lane) {
    uint32_t Flat = W.Index * W.Lanes + Lane;
    std::array<uint32_t, 3> Id = {Flat % Extent[0],
                                  Flat / Extent[0] % Extent[1],
                                  Flat / Extent[0] / Extent[1]};
    // Dimensions that were not requested must be absent: code relies on v0
    // being x alone.
    for (unsigned D = 0; D < Kernel.WorkItemIdDimensions; ++D) {
      if (Packed)
        W.Vectors[0].V[Lane] |= (Id[D] & 0x3ff) << 10 * D;
      else
        W.Vectors[D].V[Lane] = Id[D];
    }
  }
}

} // namespace

void kpack::softgpu::setUpWave(Wave &W, Workgroup &Group,
                               const KernelDescriptor &Kernel,
                               const std::array<uint32_t, 3> &Extent,
                               unsigned Index, uint64_t PacketAddress) {
  Lanes32 *Vectors = W.Vectors;
  uint8_t *Private = W.Private;
  uint32_t PrivateBytes = W.PrivateBytes;
  W = Wave();
  W.Vectors = Vectors;
  W.Private = Private;
  W.PrivateBytes = PrivateBytes;
  W.Group = &Group;
  W.Isa = Group.Launch->Isa;
  W.Lanes = Kernel.Lanes;
  W.Index = Index;
  W.Mode = Kernel.Mode;
  W.Pc = Kernel.Entry;

  unsigned WorkItems = Extent[0] * Extent[1] * Extent[2];
  unsigned Waves = (WorkItems + W.Lanes - 1) / W.Lanes;
  SgprWriter S(W);
  setUserSgprs(S, W, Kernel, *Group.Launch->Request, PacketAddress);
  setSystemSgprs(S, W, Kernel, Waves);
  zeroVectors(W, Kernel);
  setWorkItemIds(W, Kernel, Extent);
  unsigned Active = std::min(W.Lanes, WorkItems - Index * W.Lanes);
  W.setExec(Active == 64 ? ~uint64_t(0) : (uint64_t(1) << Active) - 1);
}
