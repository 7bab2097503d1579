//===- Wave.h - state of a wavefront and its workgroup ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers, program counter and private memory of one wave, and the shared
// state of a workgroup's waves. One thread at a time runs a workgroup
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
// after lane. Every access ends as a byte offset in one lane (privatePointer):
//
//   - Generic address PrivateAperture | offset (flat_): the offset.
//   - scratch_ (gfx942, gfx11+): vaddr + saddr + inst_offset. Stack pointers
//     count bytes of a lane. Hardware's FLAT_SCRATCH is not used.
//   - buffer_ (MUBUF; gfx90a, gfx1030) through a V# of isPrivateBuffer():
//     (voffset if offen) + inst_offset + soffset / Wave::Lanes. Stack pointers
//     (s32, s33, any soffset) count bytes of all lanes of the wave: soffset is
//     added to the address after swizzling. soffset is a multiple of 4 * Lanes,
//     or the access is a fault. An access (1 to 16 bytes) is contiguous in its
//     lane.
//
// A kernel's entry state on targets without architected flat scratch: s[0:3]
// (if requested) = privateBuffer(), the flat_scratch_init pair =
// PrivateBufferBase, private segment wave offset = 0. So `s_add_u32 s0, s0, s9`
// of the prologue changes nothing, and flat_scratch = PrivateBufferBase once
// the prologue has written it.

/// Base address in the V# of the private segment: 48 bits, and not a valid
/// address of a host process.
constexpr uint64_t PrivateBufferBase = uint64_t(0xC000) << 32;

/// Returns the V# that ROCr would provide: swizzled by lane, no bound (the
/// interpreter checks each access against Wave::PrivateBytes).
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

/// True if the V# in four scalar registers is the private segment's.
inline bool isPrivateBuffer(const uint32_t *Resource) {
  return Resource[0] == uint32_t(PrivateBufferBase) &&
         Resource[1] == (uint32_t(PrivateBufferBase >> 32) | 1u << 31) &&
         (Resource[3] >> 23 & 1);
}

class FindingLog;
class GlobalWaveSync;

/// State that the workgroups of a dispatch share.
struct Dispatch {
  const Target *Isa = nullptr;
  const MemoryMap *Memory = nullptr;
  const MachineOptions *Options = nullptr;
  const DispatchRequest *Request = nullptr;
  GlobalWaveSync *Sync = nullptr;
  FindingLog *Findings = nullptr; ///< null: accesses out of bounds are faults
  uint64_t EntryAddress = 0;
  std::string KernelName;
};

struct Workgroup {
  const Dispatch *Launch = nullptr;
  std::array<uint32_t, 3> Id{};
  std::vector<uint8_t> Lds;
  /// One bit per byte of Lds that has been written; empty if not checked.
  std::vector<bool> LdsWritten;
  /// Memory for tolerated accesses outside of LDS, in turn: both of an
  /// instruction's two addresses may be outside.
  alignas(16) uint8_t Outside[2][64] = {};
  uint8_t LastOutside = 0;
  /// The workgroup barrier: Wave::signalBarrier(), waitBarrier().
  unsigned LiveWaves = 1;      ///< waves that have not ended
  unsigned BarrierSignals = 0; ///< of this phase
  uint32_t BarrierPhase = 0;   ///< phases that are complete
  /// Set if a wave wrote memory that other workgroups see, and no wave executed
  /// a fence since: one thread executes all waves.
  bool HasPendingStores = false;

  /// Completes the phase when every live wave has signalled. Also called when a
  /// wave ends, since ended waves take no part.
  void completeBarrier() {
    if (BarrierSignals < LiveWaves)
      return;
    BarrierSignals = 0;
    ++BarrierPhase;
  }
};

/// The fields of the MODE register with a meaning here (ISA manuals, "Mode
/// Register").
struct FloatMode {
  uint8_t Round32 = 0;   ///< 0 nearest even, 1 +inf, 2 -inf, 3 zero
  uint8_t Round1664 = 0; ///< for f16 and f64
  uint8_t Denorm32 = 3;  ///< bit 0: keep inputs, bit 1: keep results
  uint8_t Denorm1664 = 3;
  bool Dx10Clamp = true; ///< clamp makes NaN 0
  bool Ieee = true;      ///< min and max quiet signalling NaNs
};

struct Wave {
  /// Yielded: after s_sleep, ds_gws_barrier; the scheduler lets other waves and
  /// workgroups run first.
  enum class State : uint8_t { Running, Yielded, AtBarrier, Ended, Faulted };

  Workgroup *Group = nullptr;
  const Target *Isa = nullptr;
  unsigned Lanes = 64; ///< 32 or 64
  unsigned Index = 0;  ///< in its workgroup
  State Status = State::Running;
  bool Scc = false;
  FloatMode Mode;
  uint64_t Pc = 0; ///< of the next instruction; handlers see the advanced value
  alignas(8) uint32_t Scalars[ScalarRegisterCount] = {};
  Lanes32 *Vectors = nullptr; ///< always VectorRegisterCount of them
  /// PrivateBytes of each lane, lane after lane.
  uint8_t *Private = nullptr;
  uint32_t PrivateBytes = 0;
  /// The barrier phase that waitBarrier() waits for.
  uint32_t AwaitedPhase = 1;
  /// The phase of global wave sync that the wave waits to end.
  std::optional<uint32_t> AwaitedSync;
  /// s_set_gpr_idx_on of gfx9: 0 off, else the bits of gpr_idx(...).
  uint8_t GprIndexMode = 0;
  /// The memory map of LastGeneration, and the last range that was hit
  /// (Memory.h).
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
  /// Returns the mask of all lanes of the wave.
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

  // s_barrier is signalBarrier() and waitBarrier(); gfx12 splits them.

  /// Returns true if this wave is the first of the phase
  /// (s_barrier_signal_isfirst).
  bool signalBarrier() {
    bool First = Group->BarrierSignals++ == 0;
    AwaitedPhase = Group->BarrierPhase + 1;
    Group->completeBarrier();
    return First;
  }
  /// Suspends the wave until the phase that it has signalled is complete.
  void waitBarrier() { Status = State::AtBarrier; }
  bool barrierPassed() const {
    return int32_t(Group->BarrierPhase - AwaitedPhase) >= 0;
  }

  /// Returns a fault; the arguments are as below.
  Fault describe(Fault::Kind Kind, const Instruction &I,
                 const llvm::Twine &Detail, int Lane, uint64_t Address) const;

  /// Records the first fault and stops the wave. \p Lane is -1 if it is not of
  /// one lane.
  void fault(Fault::Kind Kind, const Instruction &I, const llvm::Twine &Detail,
             int Lane = -1, uint64_t Address = 0);
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_WAVE_H
