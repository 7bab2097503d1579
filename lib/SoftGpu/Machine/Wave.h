//===- Wave.h - state of a wavefront and its workgroup ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers, program counter and private memory of one wave, and what the waves
// of a workgroup share. A workgroup is run by one thread at a time
// (Dispatcher.cpp), so nothing here is locked; global memory is shared by all.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_WAVE_H
#define KPACK_LIB_SOFTGPU_MACHINE_WAVE_H

#include "SoftGpu/Isa/Instruction.h"
#include "SoftGpu/Isa/Target.h"
#include "SoftGpu/Machine/Machine.h"
#include "llvm/ADT/Twine.h"

#include <cstring>

namespace kpack::softgpu {

/// Lanes of one 32-bit vector register. Wave32 uses the first 32.
struct alignas(64) Lanes32 {
  uint32_t V[64];
};
struct alignas(64) Lanes64 {
  uint64_t V[64];
};

// THE PRIVATE SEGMENT. Wave::Private holds PrivateBytes of each lane, lane
// after lane; every way to it ends in a byte offset of one lane
// (privatePointer):
//
//  - Generic address PrivateAperture | offset (flat_): offset, as it is.
//  - scratch_ (gfx942, gfx11+): vaddr + saddr + inst_offset. Stack pointers
//    advance by bytes of a lane there. Hardware's FLAT_SCRATCH is not
//    consulted.
//  - buffer_ (MUBUF; gfx90a, gfx1030) through a V# that isPrivateBuffer()
//  knows:
//    (voffset if offen) + inst_offset + soffset / Wave::Lanes. Stack pointers
//    (s32, s33, any soffset) advance by bytes of all lanes of the wave there:
//    soffset is added to the address after swizzling. soffset is a multiple of
//    4 * Lanes, or the access is a fault. All of an access (1 to 16 bytes) is
//    contiguous in its lane.
//
// A kernel's entry state on targets without architected flat scratch: s[0:3]
// (if requested) = privateBuffer(), the flat_scratch_init pair =
// PrivateBufferBase, private segment wave offset = 0. So `s_add_u32 s0, s0, s9`
// of the prologue changes nothing, and flat_scratch = PrivateBufferBase once
// the prologue has written it.

/// Base address in the V# of the private segment: 48 bits, and not an address
/// that a host process can have.
constexpr uint64_t PrivateBufferBase = uint64_t(0xC000) << 32;

/// The V# that ROCr would hand out: swizzled by lane, no bound (the interpreter
/// checks each access against Wave::PrivateBytes).
inline std::array<uint32_t, 4> privateBuffer(const Target &Isa,
                                             unsigned Lanes) {
  constexpr uint32_t SwizzleEnable = 1u << 31, AddTidEnable = 1u << 23;
  uint32_t IndexStride = Lanes == 64 ? 3u << 21 : 2u << 21;
  // dst_sel xyzw; data format 32 with num_format uint, or its unified number.
  uint32_t Format = Isa.isGfx9() ? 0xfac | 4u << 12 | 4u << 15
                                 : 0xfac | 20u << 12 | 1u << 24 | 2u << 28;
  return {uint32_t(PrivateBufferBase),
          uint32_t(PrivateBufferBase >> 32) | SwizzleEnable, 0xffffffffu,
          Format | IndexStride | AddTidEnable};
}

/// Whether the V# in four scalar registers is the private segment's.
inline bool isPrivateBuffer(const uint32_t *Resource) {
  return Resource[0] == uint32_t(PrivateBufferBase) &&
         Resource[1] == (uint32_t(PrivateBufferBase >> 32) | 1u << 31) &&
         (Resource[3] >> 23 & 1);
}

class FindingLog;
class GlobalWaveSync;

/// What every workgroup of a dispatch shares.
struct Dispatch {
  const Target *Isa = nullptr;
  const MemoryMap *Memory = nullptr;
  const MachineOptions *Options = nullptr;
  const DispatchRequest *Request = nullptr;
  GlobalWaveSync *Sync = nullptr;
  FindingLog *Findings = nullptr; ///< null: what is out of bounds is a fault
  uint64_t EntryAddress = 0;
  std::string KernelName;
};

struct Workgroup {
  const Dispatch *Launch = nullptr;
  std::array<uint32_t, 3> Id{};
  std::vector<uint8_t> Lds;
  /// One bit a byte of Lds that has been written; empty when not checked.
  std::vector<bool> LdsWritten;
  /// Where accesses outside of LDS go if they are no faults, in turn: both of
  /// an instruction's two addresses may be outside.
  alignas(16) uint8_t Outside[2][64] = {};
  uint8_t LastOutside = 0;
  /// The workgroup barrier: Wave::signalBarrier(), waitBarrier().
  unsigned LiveWaves = 1;      ///< waves that have not ended
  unsigned BarrierSignals = 0; ///< of this phase
  uint32_t BarrierPhase = 0;   ///< phases that are complete
  /// A wave wrote memory that other workgroups see, and no fence of any wave
  /// came after it: all waves are executed by one thread.
  bool HasPendingStores = false;

  /// Completes the phase when every live wave has signalled; also called when a
  /// wave ends, for ended waves take no part.
  void completeBarrier() {
    if (BarrierSignals < LiveWaves)
      return;
    BarrierSignals = 0;
    ++BarrierPhase;
  }
};

/// MODE register, the fields with meaning here (ISA manuals, "Mode Register").
struct FloatMode {
  uint8_t Round32 = 0;   ///< 0 nearest even, 1 +inf, 2 -inf, 3 zero
  uint8_t Round1664 = 0; ///< of f16 and f64
  uint8_t Denorm32 = 3;  ///< bit 0: inputs kept, bit 1: results kept
  uint8_t Denorm1664 = 3;
  bool Dx10Clamp = true; ///< clamp makes NaN 0
  bool Ieee = true;      ///< quiet signalling NaNs of min and max
};

struct Wave {
  /// Yielded: s_sleep, ds_gws_barrier; the scheduler lets other waves and
  /// workgroups run first.
  enum class State : uint8_t { Running, Yielded, AtBarrier, Ended, Faulted };

  Workgroup *Group = nullptr;
  const Target *Isa = nullptr;
  unsigned Lanes = 64; ///< 32 or 64
  unsigned Index = 0;  ///< in its workgroup
  State Status = State::Running;
  bool Scc = false;
  FloatMode Mode;
  uint64_t Pc =
      0; ///< of the next instruction; handlers see it already advanced
  alignas(8) uint32_t Scalars[ScalarRegisterCount] = {};
  Lanes32 *Vectors = nullptr; ///< VectorRegisterCount of them, always
  /// PrivateBytes of each lane, lane after lane.
  uint8_t *Private = nullptr;
  uint32_t PrivateBytes = 0;
  /// Number of the barrier phase that waitBarrier() waits for.
  uint32_t AwaitedPhase = 1;
  /// The phase of global wave sync whose end the wave waits for.
  std::optional<uint32_t> AwaitedSync;
  /// s_set_gpr_idx_on of gfx9: 0 off, else the bits of gpr_idx(...).
  uint8_t GprIndexMode = 0;
  /// The memory map as of LastGeneration, and the range hit last (Memory.h).
  std::shared_ptr<const MemoryMap::Snapshot> Ranges;
  MemoryRange LastRange;
  uint64_t LastGeneration = 0;
  std::optional<Fault> Failure;

  uint64_t scalar64(unsigned Index) const {
    return Scalars[Index] | uint64_t(Scalars[Index + 1]) << 32;
  }
  void setScalar64(unsigned Index, uint64_t Value) {
    Scalars[Index] = uint32_t(Value);
    Scalars[Index + 1] = uint32_t(Value >> 32);
  }
  /// All lanes of the wave, as a mask.
  uint64_t allLanes() const { return Lanes == 64 ? ~uint64_t(0) : 0xffffffffu; }
  uint64_t exec() const {
    return Lanes == 64 ? scalar64(ExecLo) : Scalars[ExecLo];
  }
  uint64_t vcc() const {
    return Lanes == 64 ? scalar64(VccLo) : Scalars[VccLo];
  }
  void setExec(uint64_t Mask) { setMask(ExecLo, Mask); }
  /// Writes a lane mask: two registers in wave64, one in wave32.
  void setMask(unsigned Index, uint64_t Mask) {
    Scalars[Index] = uint32_t(Mask);
    if (Lanes == 64)
      Scalars[Index + 1] = uint32_t(Mask >> 32);
  }

  // s_barrier is signalBarrier() and waitBarrier(); gfx12 has them apart.

  /// True if this wave is the first of the phase (s_barrier_signal_isfirst).
  bool signalBarrier() {
    bool First = Group->BarrierSignals++ == 0;
    AwaitedPhase = Group->BarrierPhase + 1;
    Group->completeBarrier();
    return First;
  }
  /// The scheduler runs the wave again when the phase it has signalled is
  /// complete.
  void waitBarrier() { Status = State::AtBarrier; }
  bool barrierPassed() const {
    return int32_t(Group->BarrierPhase - AwaitedPhase) >= 0;
  }

  /// A fault as a value; arguments as below.
  Fault describe(Fault::Kind Kind, const Instruction &I,
                 const llvm::Twine &Detail, int Lane, uint64_t Address) const;

  /// Records the first fault and stops the wave. \p Lane -1: not of one lane.
  void fault(Fault::Kind Kind, const Instruction &I, const llvm::Twine &Detail,
             int Lane = -1, uint64_t Address = 0);
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_WAVE_H
